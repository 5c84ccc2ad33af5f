"""Questions that lead on from an answer: about what was found for it and what it did not cite."""

from collections.abc import Collection, Mapping, Sequence

from django.utils import translation
from django.utils.translation import gettext as _

from citeweb.accounts.models import Tenant, User
from sources.core.passages import Passage
from sources.retrieval import recall

MOST = 3
_PERSIAN = ("\u0600", "\u06ff")


def related_questions(
    offered: Sequence[Mapping[str, object]],
    cited: Collection[str],
    *,
    question: str,
    user: User,
    tenant: Tenant,
) -> list[str]:
    """Return up to three questions, the best passage's first; `cited` are the blocks that the answer cites.

    Made of headings and titles that the reader may see now, so nothing is asked that no document speaks of.
    """
    names = [str(block["block_id"]) for block in offered]
    found = recall(user=user, tenant=tenant, block_ids=names)
    known = {_subject(passage) for passage in found if passage.block_id in cited}
    subjects = dict.fromkeys(_subject(passage) for passage in found)
    with translation.override(_language(question)):
        return [_question(*subject) for subject in subjects if subject not in known][:MOST]


def _subject(passage: Passage) -> tuple[str, str]:
    heading = passage.heading_path[-1] if passage.heading_path else ""
    return passage.title, "" if heading == passage.title else heading


def _question(title: str, heading: str) -> str:
    if not heading:
        return _("What does “%(title)s” say?") % {"title": title}
    return _("What does “%(title)s” say about “%(heading)s”?") % {"title": title, "heading": heading}


def _language(question: str) -> str:
    first, last = _PERSIAN
    return "fa" if any(first <= char <= last for char in question) else "en"
