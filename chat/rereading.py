"""Reading a stored answer again, exactly as it was read while it came: for what a broken end left over, and for proof.

`Inputs` notes, beside the raw text, all that the reading depended on and where in the raw text each thing came in.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from chat.core.citations import DocumentSource, Rejection, Source, WebSource
from chat.providers.base import Annotation, AnnotationKind, HostedSource, TextDelta, TextWithdrawn
from chat.reading import Cited, ReadEvent, Reading, Refused, Said, Settled, Withdrawn
from sources.core.passages import LineRange, Passage

Json = dict[str, Any]
_SOURCES = {"passage": Passage, "document": DocumentSource, "web": WebSource}
_EVENTS = {"annotation": Annotation, "source": HostedSource}


@dataclass(slots=True)
class Inputs:
    """What a reading depends on besides question, offered passages and raw text. `steps` are JSON values in order.

    Each has `at`, the code points of raw text before it, and is `withdrawn`, or an `event` of a provider's tool
    with the `source` that the asker could see of it.
    """

    numbered: bool = True
    withdrawn: tuple[str, ...] = ()
    steps: list[Json] = field(default_factory=list)

    def note_withdrawal(self, at: int) -> None:
        """Note that all text so far was taken back."""
        self.steps.append({"at": at, "withdrawn": True})

    def note_event(self, at: int, event: Annotation | HostedSource, source: Source | None) -> None:
        """Note what a provider's tool found, and what the asker may see of it."""
        self.steps.append({"at": at, "event": _tagged(event, _EVENTS), "source": _tagged(source, _SOURCES)})

    def as_json(self) -> Json:
        """Return it as JSON values."""
        return {"numbered": self.numbered, "withdrawn": list(self.withdrawn), "steps": self.steps}


@dataclass(slots=True)
class Reread:
    """An answer as it is read out of its raw text."""

    text: str = ""
    cited: list[Cited] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def take(self, events: Iterable[ReadEvent]) -> None:
        """Take in what a reading gave."""
        for event in events:
            match event:
                case Said():
                    self.text += event.text
                case Cited():
                    self.cited.append(event)
                case Refused():
                    self.rejections.append(event.rejection)
                case Withdrawn():
                    self.text, self.cited, self.rejections = "", [], []
                case Settled():
                    self.text, self.cited = event.text, list(event.cited)
                    self.rejections = list(event.rejections)


def reread(
    *, turn_id: uuid.UUID, question: str, offered: Iterable[Passage], inputs: Mapping[str, Any], raw: str
) -> Reread:
    """Read an answer's raw text once more; `inputs` is what `Inputs.as_json` gave, or {} if there was none.

    Support isn't checked: `Cited.compared` does that.
    """
    reading = Reading(
        turn_id=turn_id,
        question=question,
        offered=tuple(offered),
        withdrawn=inputs.get("withdrawn", ()),
        numbered=inputs.get("numbered", True),
        checks=False,
    )
    found, place = Reread(), 0
    for step in inputs.get("steps", ()):
        found.take(reading.take(TextDelta(raw[place : step["at"]])))
        place = step["at"]
        if step.get("withdrawn"):
            found.take(reading.take(TextWithdrawn()))
        else:
            reading.take_hosted(event_from(step["event"]), source_from(step["source"]))
    found.take(reading.take(TextDelta(raw[place:])))
    found.take(reading.finish())
    return found


def passage_as_json(passage: Passage) -> Json:
    """Return a passage as JSON values."""
    return {**asdict(passage), "heading_path": list(passage.heading_path)}


def passage_from(values: Mapping[str, Any]) -> Passage:
    """Return the passage that `passage_as_json` gave."""
    known = {name: value for name, value in values.items() if name in Passage.__dataclass_fields__}
    lines = LineRange(**values["lines"])
    return Passage(**{**known, "lines": lines, "heading_path": tuple(values["heading_path"])})


def event_from(values: Mapping[str, Any]) -> Annotation | HostedSource:
    """Return the event of a step."""
    fields = {name: value for name, value in values.items() if name != "type"}
    if values["type"] == "annotation":
        return Annotation(**{**fields, "kind": AnnotationKind(fields["kind"])})
    return HostedSource(**fields)


def source_from(values: Mapping[str, Any] | None) -> Source | None:
    """Return the source of a step."""
    if values is None:
        return None
    if values["type"] == "passage":
        return passage_from(values)
    fields = {name: value for name, value in values.items() if name != "type"}
    return DocumentSource(**fields) if values["type"] == "document" else WebSource(**fields)


def _tagged(value: Source | Annotation | HostedSource | None, types: Mapping[str, type]) -> Json | None:
    if value is None:
        return None
    [tag] = [name for name, one in types.items() if isinstance(value, one)]
    plain = passage_as_json(value) if isinstance(value, Passage) else asdict(value)
    return {**plain, "type": tag}
