"""Which way a text is read."""

import pytest

from sources.core.direction import is_right_to_left


@pytest.mark.parametrize(
    ("texts", "leftward"),
    [
        (["Badge", "Code"], False),
        (["12 (3)", "نشان", "Code"], True),
        (["2026-01-02", "Code", "نشان"], False),
        (["שם"], True),
        (["12", "—"], False),
        ([], False),
    ],
)
def test_the_first_letter_decides(texts: list[str], leftward: bool) -> None:
    assert is_right_to_left(texts) is leftward
