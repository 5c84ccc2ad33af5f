"""The developer message: our template, filled in for a model."""

from functools import cache

from django.template import Engine

from chat.core.prompt import fill_rules
from chat.providers.base import ModelSettings
from citeweb.accounts.models import Tenant


def rules_for(model: ModelSettings, tenant: Tenant, instructions: str = "") -> str:
    """Return the rules in the model's marker style, with what the tenant and the asking program add to them."""
    return fill_rules(
        _template(),
        marker_style=model.marker_style,
        line_numbers=model.line_numbers,
        extension=tenant.answer_rules,
        instructions=instructions,
    )


@cache
def _template() -> str:
    # Found through Django's template folders; it is filled in by chat.core.prompt, not by Django.
    return str(Engine.get_default().get_template("prompts/citations.txt").source)
