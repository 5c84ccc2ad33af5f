"""Which pages may open our sockets."""

import pytest
from pytest_django import Settings

from citeweb.origin import is_own_origin


def headers(origin: str, host: str = "127.0.0.1:8000") -> dict[bytes, bytes]:
    return {b"origin": origin.encode(), b"host": host.encode()}


def test_our_own_page() -> None:
    assert is_own_origin(headers("http://127.0.0.1:8000"))


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:9999", "http://127.0.0.1", "null", "", "file://127.0.0.1:8000"],
)
def test_another_origin(origin: str) -> None:
    assert not is_own_origin(headers(origin))


def test_no_headers_at_all() -> None:
    assert not is_own_origin({})


def test_a_trusted_origin(settings: Settings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://chat.example.org"]
    assert is_own_origin(headers("https://chat.example.org", host="internal:8000"))
