"""What lists, filters and the dashboard need of a record, beside its body. All of it can be made anew from the body."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sources.core.lexemes import quote
from sources.core.normalise import word_parts
from sources.core.stemming import stem

TURN = "turn"
# What lexemes of words begin with; those of marks have a letter there.
STEM = "~"
VERDICTS = ("unsupported", "weak", "supported")
_SUMMARY_CHARACTERS = 300
_LONGEST_LEXEME = 120
# A text with more different words than this is no prose. PostgreSQL takes a megabyte of lexemes and refuses the whole
# record beyond: nobody may write so that nothing is recorded.
_MOST_LEXEMES = 5_000
_MOST_BYTES = 500_000
# What a record of another kind than a turn is about, the first of these that it has.
_NAMES = (
    "collection",
    "name",
    "group",
    "user_email",
    "question",
    "queries",
    "reason",
    "document_id",
    "citation_id",
)

Body = Mapping[str, object]


def columns_of(tenant_id: uuid.UUID, body: Body) -> dict[str, object]:
    """Return the values of a record's columns that its body gives."""
    plain = plain_columns(body)
    return {**plain, "words": words_of(tenant_id, body)}


def plain_columns(body: Body) -> dict[str, object]:
    """Return those columns that depend on the body alone and on no table of words."""
    actor = body.get("user_id", body.get("actor_id")) if body["kind"] == TURN else body.get("actor_id")
    email = body.get("user_email", "") if body["kind"] == TURN else body.get("actor_email", "")
    found: dict[str, object] = {
        "actor_id": actor,
        "actor_email": email or "",
        "summary": _summary(body),
    }
    return found | _of_turn(body) if body["kind"] == TURN else found


def words_of(tenant_id: uuid.UUID, body: Body) -> str:
    """Return the literal of the tsvector that the filters search: marks such as `m=model`, and stems of words."""
    found = dict.fromkeys(marks_of(tenant_id, body))
    texts = (body.get("question"), body.get("text")) if body["kind"] == TURN else (_summary(body),)
    size = 0
    for lexeme in stems_of(*(str(text) for text in texts if text)):
        size += len(lexeme.encode()) if lexeme not in found else 0
        if len(found) >= _MOST_LEXEMES or size > _MOST_BYTES:
            break
        found[lexeme] = None
    return " ".join(map(quote, found))


def stems_of(*texts: str) -> Iterator[str]:
    """Yield the words of texts as a search compares them."""
    for text in texts:
        for word, _is_part in word_parts(text):
            yield f"{STEM}{stem(word[:_LONGEST_LEXEME])}"


def mark(letter: str, value: object) -> str:
    """Return the lexeme of one value of one filter."""
    return f"{letter}={value}"


def dictionaries(value: object) -> list[Body]:
    """Return the objects of a list in a body."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _summary(body: Body) -> str:
    if body["kind"] == TURN:
        return " ".join(str(body.get("question", "")).split())[:_SUMMARY_CHARACTERS]
    named = next((body[name] for name in _NAMES if body.get(name)), "")
    # A column takes no NUL; the body has it escaped.
    text = " · ".join(map(str, named)) if isinstance(named, list) else str(named)
    return text.replace("\0", "")[:_SUMMARY_CHARACTERS]


def _of_turn(body: Body) -> dict[str, object]:
    citations, rejections = dictionaries(body.get("citations")), dictionaries(body.get("rejections"))
    verdicts = Counter(str(citation.get("verdict", "")) for citation in citations)
    uncited = body.get("uncited")
    return {
        "model": str(body.get("model", "")),
        "state": str(body.get("state", "")),
        "verdict": next((verdict for verdict in VERDICTS if verdicts[verdict]), ""),
        "citations": len(citations),
        "unsupported": verdicts["unsupported"],
        "weak": verdicts["weak"],
        "uncited": len(uncited) if isinstance(uncited, list) else 0,
        "offered": len(dictionaries(body.get("offered"))),
        "rejected": dict(Counter(str(rejection.get("reason", "")) for rejection in rejections)),
        "cited_documents": _ids(citations, "document_id"),
        **_times(body.get("timings")),
    }


def _times(timings: object) -> dict[str, int | None]:
    """Return the milliseconds of the steps."""
    steps = timings if isinstance(timings, Mapping) else {}
    names = {"retrieval": "retrieval_ms", "first_text": "first_text_ms", "total": "total_ms"}
    return {
        column: round(float(steps[step]) * 1000) if isinstance(steps.get(step), int | float) else None
        for step, column in names.items()
    }


def marks_of(tenant_id: uuid.UUID, body: Body) -> Iterator[str]:
    """Yield the lexemes of what filters ask for; stems of words come on top."""
    yield mark("t", tenant_id)
    yield mark("k", body["kind"])
    plain = plain_columns(body)
    if plain["actor_id"] is not None:
        yield mark("u", plain["actor_id"])
    if plain["actor_email"]:
        yield mark("e", str(plain["actor_email"]).lower())
    if body["kind"] == TURN:
        yield from _turn_marks(body)
        return
    for letter, name in (("d", "document_id"), ("v", "version_id"), ("f", "collection_id")):
        values = _ids([body, *dictionaries(body.get("found"))], name)
        yield from (mark(letter, value) for value in values)


def _turn_marks(body: Body) -> Iterator[str]:
    yield mark("m", body.get("model", ""))
    yield mark("s", body.get("state", ""))
    citations, rejections = dictionaries(body.get("citations")), dictionaries(body.get("rejections"))
    for verdict in {citation.get("verdict") for citation in citations} or {"none"}:
        yield mark("y", verdict or "unchecked")
    for reason in {rejection.get("reason") for rejection in rejections}:
        yield mark("r", reason)
    if rejections:
        yield mark("r", "any")
    if body.get("uncited"):
        yield mark("q", "uncited")
    reading = body.get("reading")
    steps = dictionaries(reading.get("steps")) if isinstance(reading, Mapping) else []
    seen = [*dictionaries(body.get("offered")), *steps, *citations]
    for letter, rows, name in (
        ("d", seen, "document_id"),
        ("v", seen, "version_id"),
        ("f", seen, "collection_id"),
        ("c", citations, "document_id"),
        ("cv", citations, "version_id"),
    ):
        yield from (mark(letter, value) for value in _ids(rows, name))


def _ids(rows: Sequence[Body] | Iterable[Body], name: str) -> list[str]:
    """Return the values of one key, each once, in order."""
    return list(dict.fromkeys(str(row[name]) for row in rows if row.get(name)))
