"""Reading environment variables."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from citeweb import environment as env


def test_text_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "  ")
    assert env.text("X", "default") == "default"


@pytest.mark.parametrize(("value", "expected"), [("yes", True), ("1", True), ("No", False), ("", False)])
def test_flag(monkeypatch: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    monkeypatch.setenv("X", value)
    assert env.flag("X") is expected


def test_values_that_cannot_be_read_fail_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="X must be yes or no, not 'perhaps'"):
        env.flag("X")
    with pytest.raises(ImproperlyConfigured, match="X must be a whole number, not 'perhaps'"):
        env.whole_number("X", 1)
    with pytest.raises(ImproperlyConfigured, match="X must be one of a, b, not 'perhaps'"):
        env.choice("X", ("a", "b"), "a")


def test_database_url_with_a_socket_folder() -> None:
    parsed = env.database("postgresql://postgres:@/citeweb?host=/var/run/pg")
    assert (parsed["HOST"], parsed["NAME"], parsed["USER"]) == ("/var/run/pg", "citeweb", "postgres")


def test_database_url_with_everything() -> None:
    parsed = env.database("postgresql://u%40x:p%2Fw@db.example:6432/name?sslmode=require")
    assert parsed == {
        "ENGINE": "citeweb.database",
        "NAME": "name",
        "USER": "u@x",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {"sslmode": "require"},
    }


def test_another_database_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="postgresql://"):
        env.database("mysql://x/y")
