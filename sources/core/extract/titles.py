"""Titles of documents where the file offers something better than its name."""

import re
from pathlib import PurePosixPath, PureWindowsPath

_LONGEST = 200
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
_MADE_BY = re.compile(
    r"^(?:Microsoft (?:Office )?(?:Word|Excel|PowerPoint)|PowerPoint Presentation)\s*[-–]\s*", re.IGNORECASE
)
_ENDING = re.compile(
    r"\.(?:docx?|pdf|tex|dvi|indd|odt|rtf|pptx?|xlsx?|txt|md|markdown|qxd|p65|html?)$", re.IGNORECASE
)
_NO_TITLE = re.compile(
    r"^(?:untitled|unbenannt|sans titre|senza titolo|no title|document|presentation|slide|layout|title"
    r"|powerpoint[ -]presentation|présentation powerpoint|powerpoint-präsentation|\(anonymous\)|none|null)?[\s\d._-]*$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def file_title(file_name: str) -> str:
    """Return the file name without folders and ending, or the name itself where nothing else is left."""
    name = PurePosixPath(PureWindowsPath(file_name).name).name
    stem = PurePosixPath(name).stem if not name.startswith(".") else name
    return _tidy(stem) or _tidy(name) or "untitled"


def stated_title(title: str) -> str:
    """Return the title that a file states about itself, or "" where programs filled it with nothing useful."""
    words = _MADE_BY.sub("", _tidy(title))
    if not _LETTER.search(words) or _NO_TITLE.match(words) or "\\" in words or words.count("/") > 2:
        return ""
    return "" if _ENDING.search(words) else words[:_LONGEST]


def _tidy(words: str) -> str:
    return " ".join(_CONTROL.sub(" ", words).split())
