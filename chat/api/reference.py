"""The OpenAPI document as a page can show it: routes and shapes, found by words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chat.api.openapi import document

Schema = Mapping[str, Any]
# What the page sends when nothing else was typed; the built-in model is always there.
_EXAMPLES: dict[str, object] = {
    "createChatCompletion": {
        "model": "citeweb-quote",
        "messages": [{"role": "user", "content": "What do the documents say?"}],
        "stream": False,
    },
    "createResponse": {"model": "citeweb-quote", "input": "What do the documents say?", "stream": False},
    "lookUpCitations": {"cases": ["What do the documents say?"], "limit": 3},
    "createVectorStore": {"name": "New"},
    "modifyVectorStore": {"name": "Renamed"},
    "searchVectorStore": {"query": "What do the documents say?", "max_num_results": 5},
    "createVectorStoreFile": {"file_id": "file-…"},
    "updateVectorStoreFile": {"attributes": {"author": "…"}},
    "createFileBatch": {"file_ids": ["file-…"]},
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a shape, or a parameter of a route."""

    name: str
    kind: str
    required: bool
    description: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A route with a method."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    path_fields: tuple[Field, ...]
    query_fields: tuple[Field, ...]
    body: str
    body_example: str
    takes_file: bool
    answer: str
    media_types: tuple[str, ...]

    @property
    def words(self) -> str:
        """What a search looks through."""
        fields = " ".join(one.name for one in (*self.path_fields, *self.query_fields))
        parts = (self.method, self.path, self.summary, self.description, self.body, self.answer, fields)
        return " ".join(parts).casefold()


@dataclass(frozen=True, slots=True)
class Shape:
    """An object that is sent or returned; `used_by` are the routes that do."""

    name: str
    description: str
    fields: tuple[Field, ...]
    used_by: tuple[str, ...]
    raw: str

    @property
    def words(self) -> str:
        """What a search looks through."""
        fields = " ".join(f"{one.name} {one.description}" for one in self.fields)
        return f"{self.name} {self.description} {fields} {' '.join(self.used_by)}".casefold()


@dataclass(frozen=True, slots=True)
class Reference:
    """What a search found: routes by group, and shapes."""

    groups: tuple[tuple[str, tuple[Operation, ...]], ...]
    shapes: tuple[Shape, ...]

    @property
    def count(self) -> int:
        """How many routes and shapes there are."""
        return sum(len(operations) for _name, operations in self.groups) + len(self.shapes)


def reference(query: str) -> Reference:
    """Return the routes and shapes that hold all words of the query; all of them without one."""
    wanted = query.casefold().split()
    operations = [found for found in _operations() if all(word in found[1].words for word in wanted)]
    groups = dict.fromkeys(tag for tag, _operation in operations)
    return Reference(
        tuple((tag, tuple(one for name, one in operations if name == tag)) for tag in groups),
        tuple(shape for shape in _shapes() if all(word in shape.words for word in wanted)),
    )


def _operations() -> Iterator[tuple[str, Operation]]:
    paths: Any = document()["paths"]
    for path, methods in paths.items():
        for method, found in methods.items():
            yield found["tags"][0], _operation(method.upper(), path, found)


def _operation(method: str, path: str, found: Schema) -> Operation:
    content = found.get("requestBody", {}).get("content", {})
    answers = found["responses"]["200"]["content"]
    example = _EXAMPLES.get(found["operationId"])
    return Operation(
        id=found["operationId"],
        method=method,
        path=path,
        summary=found["summary"],
        description=found.get("description", ""),
        path_fields=_parameters(found, "path"),
        query_fields=_parameters(found, "query"),
        body=_name(next(iter(content.values()))["schema"]) if "application/json" in content else "",
        body_example=json.dumps(example, ensure_ascii=False, indent=2) if example else "",
        takes_file="multipart/form-data" in content,
        answer=_name(next(iter(answers.values()))["schema"]),
        media_types=tuple(answers),
    )


def _parameters(found: Schema, place: str) -> tuple[Field, ...]:
    return tuple(
        Field(one["name"], _kind(one["schema"]), one["required"], one.get("description", ""))
        for one in found["parameters"]
        if one["in"] == place
    )


def _shapes() -> Iterator[Shape]:
    components: Any = document()["components"]
    operations = [operation for _tag, operation in _operations()]
    for name, schema in sorted(components["schemas"].items()):
        if "properties" in schema:
            used = tuple(f"{o.method} {o.path}" for o in operations if name in (o.body, o.answer))
            raw = json.dumps(schema, ensure_ascii=False, indent=2)
            yield Shape(name, schema.get("description", ""), _fields(schema), used, raw)


def _fields(schema: Schema) -> tuple[Field, ...]:
    required = set(schema.get("required", ()))
    return tuple(
        Field(name, _kind(found), name in required, found.get("description", ""))
        for name, found in schema["properties"].items()
    )


def _kind(schema: Schema) -> str:
    """Say what a value is, as in "string or null"."""
    if "$ref" in schema:
        return _name(schema)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(one) for one in schema[several]))
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]
