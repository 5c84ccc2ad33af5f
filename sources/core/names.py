"""Names and titles from outside, made safe to show: nothing in them may turn or hide what is written."""

import re

# Controls, lone surrogates, and the characters that change the direction of what follows.
_HARMFUL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain_name(name: str) -> str:
    """Return the name without invisible characters that could make it look like another one."""
    return _HARMFUL.sub("", " ".join(name.split())).strip()
