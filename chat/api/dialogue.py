"""From a program's messages to a question with its history: pure, and lenient about shapes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chat.core.prompt import HistoryTurn

_FOOTNOTE = re.compile(r"\[\^\d{1,4}\]")
_RULES = ("system", "developer")


class BadMessage(Exception):
    """A message can't be used. `param` says which and where, as in messages[2].content."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.message = message
        self.param = param


@dataclass(frozen=True, slots=True)
class Said:
    """One message as text. `cited` are the chunks that an answer's annotations name."""

    role: str
    text: str
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What the messages come to; `cited_before` are the chunks that earlier answers cited, the newest first."""

    question: str
    history: tuple[HistoryTurn, ...]
    instructions: str
    cited_before: tuple[str, ...]


def dialogue(messages: Sequence[Said], *, param: str) -> Dialogue:
    """Return question, history and instructions. Messages of one role that follow each other count as one.

    Raises BadMessage when the last word isn't the user's.
    """
    spoken = _joined(said for said in messages if said.role not in _RULES)
    if not spoken or spoken[-1].role != "user":
        raise BadMessage("The last message must be the user's, and not empty.", param)
    return Dialogue(
        question=spoken[-1].text,
        history=_turns(spoken[:-1]),
        instructions="\n\n".join(said.text for said in messages if said.role in _RULES and said.text.strip()),
        cited_before=tuple(dict.fromkeys(name for said in reversed(spoken) for name in said.cited)),
    )


def _joined(messages: Iterable[Said]) -> list[Said]:
    found: list[Said] = []
    for said in messages:
        if not said.text.strip():
            continue
        if found and found[-1].role == said.role:
            before = found.pop()
            said = Said(said.role, f"{before.text}\n\n{said.text}", before.cited + said.cited)
        found.append(said)
    return found


def _turns(spoken: Sequence[Said]) -> tuple[HistoryTurn, ...]:
    turns: list[HistoryTurn] = []
    question = ""
    for said in spoken:
        if said.role == "user":
            question = said.text
        else:
            turns.append(HistoryTurn(question, said.text))
            question = ""
    return tuple(turns)


def text_of(content: object, *, param: str, allowed: Sequence[str]) -> str:
    """Return the text of a message's content: a string, nothing, or a list of parts. Raises BadMessage."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BadMessage("Invalid type: expected a string or a list of content parts.", param)
    return "".join(_part(part, f"{param}[{index}]", allowed) for index, part in enumerate(content))


def _part(part: object, param: str, allowed: Sequence[str]) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping) or kind not in allowed:
        supported = ", ".join(f"'{name}'" for name in allowed)
        raise BadMessage(f"Invalid value: {kind!r}. Supported values are: {supported}.", f"{param}.type")
    text = part.get("refusal" if kind == "refusal" else "text")
    if not isinstance(text, str):
        raise BadMessage("Missing required text of a content part.", f"{param}.text")
    return text


def answer_said(text: str, annotations: object) -> Said:
    """Return an answer of ours that comes back, without its footnote marks.

    The annotations say exactly where marks stand; without them, what looks like a footnote mark is one.
    """
    noted = [_citation(item) for item in annotations] if isinstance(annotations, list) else []
    ranges = sorted({(n["start_index"], n["end_index"]) for n in noted if _is_range(n, len(text))})
    cited = tuple(str(n["vector_id"]) for n in noted if isinstance(n.get("vector_id"), str))
    return Said("assistant", _FOOTNOTE.sub("", _without(text, ranges)), cited)


def _citation(item: object) -> Mapping[str, object]:
    if not isinstance(item, Mapping):
        return {}
    nested = item.get("url_citation")
    return nested if isinstance(nested, Mapping) else item


def _is_range(noted: Mapping[str, object], length: int) -> bool:
    start, end = noted.get("start_index"), noted.get("end_index")
    if not (isinstance(start, int) and isinstance(end, int)):
        return False
    return "citation_number" in noted and 0 <= start < end <= length


def _without(text: str, ranges: Iterable[tuple[object, object]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in ranges:
        assert isinstance(start, int)
        assert isinstance(end, int)
        parts.append(text[done:start])
        done = max(done, end)
    return "".join((*parts, text[done:]))
