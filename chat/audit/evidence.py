"""A record with the words that stand beside it: passages as they were offered, citations as they were shown."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chat.audit.verify import body_of
from chat.core.prompt import blocks_text
from chat.models import AuditRecord, AuditText
from chat.rereading import passage_from
from sources.core.passages import Passage

Json = dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """A record's body, and by name the words that were not purged."""

    record: AuditRecord
    body: Json
    words: dict[str, str]

    @classmethod
    def of(cls, record: AuditRecord) -> "Evidence":
        """Look up the words of a record."""
        kept = AuditText.objects.filter(tenant_id=record.tenant_id, sequence=record.sequence)
        # What somebody put into the database past us may be no JSON at all; its page says that it was altered.
        return cls(record, dict(body_of(record) or {}), dict(kept.values_list("name", "text")))

    @cached_property
    def offered(self) -> list[Json]:
        """The passages offered; `purged` where the words are gone."""
        return [self._whole(one, f"block {one['block_id']}") for one in self.body.get("offered", [])]

    @cached_property
    def citations(self) -> list[Json]:
        """The citations; `purged` where the words are gone."""
        return [self._whole(one, f"citation {one['citation_id']}") for one in self.body.get("citations", [])]

    @cached_property
    def steps(self) -> list[Json]:
        """What providers' tools found; `purged` where the words are gone."""
        steps = self.body.get("reading", {}).get("steps", [])
        return [self._whole(one, f"step {number}") for number, one in enumerate(steps)]

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the record was purged."""
        return not any(one.get("purged") for one in (*self.offered, *self.citations, *self.steps))

    @cached_property
    def passages(self) -> list[Passage]:
        """The passages offered that were not purged."""
        return [passage_from(one) for one in self.offered if not one.get("purged")]

    @cached_property
    def prompt(self) -> list[Json]:
        """The messages that the model was sent; `made_again` where the blocks were put together from the passages."""
        return [self._message(one) for one in self.body.get("prompt", [])]

    def _whole(self, part: Json, name: str) -> Json:
        if "words_sha256" not in part:
            return part
        if name not in self.words:
            return {**part, "purged": True}
        return {**part, **json.loads(self.words[name])}

    def _message(self, message: Json) -> Json:
        if not message.get("blocks"):
            return message
        if len(self.passages) < len(self.offered):
            return {**message, "content": "", "purged": True}
        numbers = bool(self.body.get("settings", {}).get("line_numbers"))
        return {**message, "content": blocks_text(self.passages, line_numbers=numbers)}
