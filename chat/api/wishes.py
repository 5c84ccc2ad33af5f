"""What a program asked for beside its question: kept with the turn, because stored answers are shown by it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

from chat.core.footnotes import Style

CHAT, RESPONSES = "chat", "responses"


@dataclass(frozen=True, slots=True)
class Wishes:
    """`api` is chat or responses; `stored` False keeps the answer from being fetched later, not from the audit.

    `settings` are parameters that a response object repeats. `searches` says that the program named the file
    search tool, `results` that it wants to see what was found.
    """

    api: str = CHAT
    style: Style = Style.FOOTNOTE
    citations: bool = True
    related: bool = False
    stored: bool = True
    searches: bool = False
    results: bool = False
    instructions: str | None = None
    previous: str | None = None
    collections: tuple[str, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return it as it is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> Self:
        """Return what was stored; a turn of the chat page stored nothing."""
        known = {name: value for name, value in stored.items() if name in cls.__dataclass_fields__}
        if isinstance(collections := known.get("collections"), list):
            known["collections"] = tuple(collections)
        known["style"] = Style(str(known.get("style", Style.FOOTNOTE)))
        return cls(**known)  # type: ignore[arg-type]  # written by to_json
