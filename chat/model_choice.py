"""Which models there are, and which of them a tenant may use."""

import os
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from chat.providers.base import ModelSettings
from chat.providers.registry import default_model, load_models
from citeweb.accounts.models import Tenant


@cache
def configured_models() -> dict[str, ModelSettings]:
    """Return all models by name, read once a process. Raises ModelConfigError."""
    return load_models(os.environ, Path(settings.MODELS_FILE) if settings.MODELS_FILE else None)


def models_for(tenant: Tenant) -> list[ModelSettings]:
    """Return the models that a tenant may use, the default one first."""
    first = default_model(configured_models(), os.environ)
    allowed = [model for model in configured_models().values() if model.allows(tenant.slug)]
    return sorted(allowed, key=lambda model: model.name != first)


def labels_for(tenant: Tenant) -> dict[str, str]:
    """Return the names that people read, by model name."""
    return {model.name: _(model.label) for model in models_for(tenant)}


def choose(name: str, tenant: Tenant) -> ModelSettings | None:
    """Return the named model if the tenant may use it; without a name, the default one."""
    models = models_for(tenant)
    return next((model for model in models if model.name == name), None) if name else models[0]
