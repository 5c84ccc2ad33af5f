"""The developer message, read from its template file once."""

from functools import cache
from pathlib import Path

from chat.core.prompt import fill_rules
from chat.providers.base import ModelSettings

TEMPLATE = Path(__file__).resolve().parents[2] / "templates" / "prompts" / "citations.txt"


def rules_for(settings: ModelSettings, *, extension: str = "") -> str:
    """Return the rules in the model's marker style, followed by a tenant's own additions."""
    return fill_rules(
        _template(),
        marker_style=settings.marker_style,
        line_numbers=settings.line_numbers,
        extension=extension,
    )


@cache
def _template() -> str:
    return TEMPLATE.read_text("utf-8")
