"""What `manage.py check` says about the search of this installation."""

import os
from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning

from sources.embedding_local import local_is_there


def check_embeddings(*, app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Warn when search can't go by meaning although the settings say so."""
    if settings.EMBEDDINGS == "local" and not local_is_there():
        return [
            Warning(
                "The local embedding model is not installed on this machine; search goes by words only.",
                hint="It exists for Linux on x86-64. Else set CITEWEB_EMBEDDINGS to openai, or to none.",
                id="sources.W001",
            )
        ]
    if settings.EMBEDDINGS == "openai" and not os.environ.get("OPENAI_API_KEY"):
        return [
            Warning(
                "CITEWEB_EMBEDDINGS is openai, but OPENAI_API_KEY is empty; search goes by words only.",
                id="sources.W002",
            )
        ]
    return []
