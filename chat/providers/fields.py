"""Careful reads from decoded JSON of which nothing is certain."""

from collections.abc import Iterator, Mapping

JsonObject = Mapping[str, object]


def text_of(source: object, *keys: str) -> str:
    """Return the first non-empty string under one of `keys`, or ""."""
    if isinstance(source, Mapping):
        for key in keys:
            value = source.get(key)
            if isinstance(value, str) and value:
                return value
    return ""


def number_of(source: object, *keys: str) -> int | None:
    """Return the first whole number under one of `keys`; numbers as text and floats such as 3.0 count."""
    if isinstance(source, Mapping):
        for key in keys:
            value = source.get(key)
            if isinstance(value, bool) or value is None:
                continue
            if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
                return int(value)
            if isinstance(value, str) and value.strip().isdecimal():
                return int(value)
    return None


def share_of(source: object, key: str) -> float | None:
    """Return a score clamped to 0..1, or None."""
    value = source.get(key) if isinstance(source, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return min(max(float(value), 0.0), 1.0)


def object_of(source: object, key: str) -> JsonObject:
    """Return the object under `key`, or an empty one."""
    value = source.get(key) if isinstance(source, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def items_of(source: object, key: str) -> Iterator[object]:
    """Yield the entries of the list under `key`, which may be missing or something else."""
    value = source.get(key) if isinstance(source, Mapping) else None
    if isinstance(value, list):
        yield from value


def objects_of(source: object, key: str) -> Iterator[JsonObject]:
    """Yield those entries of the list under `key` that are objects."""
    for item in items_of(source, key):
        if isinstance(item, Mapping):
            yield item
