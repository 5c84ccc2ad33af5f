"""Sentences that the core packages put together, in the reader's language.

A core knows no Django and writes English, which audit records and the API keep. `FORMS` lists these sentences with
a name for each part that varies, so that makemessages finds them and `reworded` can take them apart.
"""

import re
from functools import cache

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

FORMS = (
    # chat.core.support: why a passage does not bear a claim out.
    gettext_noop("date differs: %(claim)s / %(source)s"),
    gettext_noop("date not in source: %(claim)s"),
    gettext_noop("number differs: %(claim)s / %(source)s"),
    gettext_noop("number not in source: %(claim)s"),
    gettext_noop("unit differs: %(claim)s / %(source)s"),
    gettext_noop("name not in source: %(claim)s"),
    gettext_noop("negated only in the claim"),
    gettext_noop("negated in source"),
    gettext_noop("differs: %(claim)s / %(source)s"),
    gettext_noop("not in source: %(claim)s"),
    gettext_noop("no shared language to compare"),
    gettext_noop("few words in common"),
    gettext_noop("not in this passage"),
    # sources.core.extract: what a reader of a document should know about its text.
    gettext_noop("Page %(page)s has no text; what stands there can't be found or cited."),
    gettext_noop("Pages %(pages)s have no text; what stands there can't be found or cited."),
    gettext_noop(
        "Pages %(pages)s and %(more)s more have no text; what stands there can't be found or cited."
    ),
    gettext_noop(
        "Page %(page)s has a text layer that can't be read; what stands there can't be found or cited."
    ),
    gettext_noop(
        "Pages %(pages)s have a text layer that can't be read; what stands there can't be found or cited."
    ),
    gettext_noop(
        "Pages %(pages)s and %(more)s more have a text layer that can't be read; "
        "what stands there can't be found or cited."
    ),
    gettext_noop("Page %(page)s has a damaged text layer; words there may be wrong."),
    gettext_noop("Pages %(pages)s have a damaged text layer; words there may be wrong."),
    gettext_noop("Pages %(pages)s and %(more)s more have a damaged text layer; words there may be wrong."),
    gettext_noop(
        "The file does not say its character encoding; it was read as %(encoding)s, some characters may be wrong."
    ),
    gettext_noop("The file mixes character encodings; some characters may be wrong."),
    gettext_noop(
        "Hidden text was left out: what readers of the file don't see can't be found or cited here."
    ),
    gettext_noop("Hidden slides were left out: what isn't shown can't be found or cited here."),
    gettext_noop(
        "Hidden sheets, rows or columns were left out: what isn't shown can't be found or cited here."
    ),
    gettext_noop(
        "Some cells hold formulas without their results; open the workbook, save it and upload it again."
    ),
    gettext_noop("A part of the document in another format was left out."),
    gettext_noop("Attachments were not read: %(names)s. Upload them as files of their own."),
)
# What stands for a part: page numbers are digits only, so that "and 5 more" is no part of them.
_PARTS = {
    "page": r"\d+",
    "pages": r"[\d, ]+",
    "more": r"\d+",
    "claim": ".+?",
    "source": ".+",
    "encoding": ".+",
    "names": ".+",
}


def reworded(sentence: str) -> str:
    """Return a sentence of FORMS in the reader's language, any other one as it is."""
    for form in FORMS:
        if found := _pattern(form).fullmatch(sentence):
            parts = found.groupdict()
            if "pages" in parts:
                parts["pages"] = parts["pages"].replace(", ", _(", "))
            return _(form) % parts
    return sentence


@cache
def _pattern(form: str) -> re.Pattern[str]:
    pieces = re.split(r"%\((\w+)\)s", form)
    written = [
        f"(?P<{piece}>{_PARTS[piece]})" if index % 2 else re.escape(piece)
        for index, piece in enumerate(pieces)
    ]
    return re.compile("".join(written), re.DOTALL)
