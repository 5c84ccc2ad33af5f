"""What the templates show of a turn, from its stored state and what the reader may open now."""

import re
import uuid
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.core.render import Chip, render_markdown
from chat.models import Citation, CitationKind, Turn, TurnState
from citeweb.accounts.models import Tenant, User
from citeweb.wording import reworded
from sources.permissions import visible_versions

# The worst verdict of a source's places is the one its line in the list shows.
# What books print at the foot of a page: 12, iv, A-3. Names, as sheets have them, speak for themselves.
_PAGE_NUMBER = re.compile(r"\W*(?:\w{0,3}[-.\s]?\d+|[ivxlcdm]{1,8})\W*", re.IGNORECASE)
_VERDICTS = ("unsupported", "weak", "supported", "")


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """A line of an answer's numbered source list."""

    number: int
    title: str
    place: str
    href: str
    available: bool
    verdict: str
    verdict_text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn as the templates show it; see templates/chat/turn.html."""

    id: uuid.UUID
    conversation_id: uuid.UUID
    question: str
    state: str
    state_text: str
    blocks: Sequence[SafeString]
    open_html: SafeString
    references: Sequence[ReferenceView]
    status_text: str
    model_label: str
    can_retry: bool
    can_stop: bool
    note: str = ""


def views_of(turns: Sequence[Turn], *, user: User, tenant: Tenant, labels: dict[str, str]) -> list[TurnView]:
    """Return the views of turns whose citations are prefetched; one permission query for all of them."""
    visible = _visible(turns, user=user, tenant=tenant)
    shown = shows_citations(user=user, tenant=tenant)
    return [_view(turn, visible, labels.get(turn.model, turn.model), cited=shown) for turn in turns]


def shows_citations(*, user: User, tenant: Tenant) -> bool:
    """Tell whether answers show their citations to this person; the record has them either way."""
    return user.shows_citations and tenant.shows_citations


def chips_and_references(turn: Turn, *, user: User) -> tuple[list[Chip], list[ReferenceView]]:
    """Return the chips of one turn and its source list, as the reader may see them now."""
    if not shows_citations(user=user, tenant=turn.tenant):
        return [], []
    visible = _visible([turn], user=user, tenant=turn.tenant)
    return _chips(turn, visible), references_of(_citations(turn), visible)


def _visible(turns: Sequence[Turn], *, user: User, tenant: Tenant) -> set[uuid.UUID]:
    cited = {c.version_id for turn in turns for c in turn.citations.all() if c.version_id is not None}
    if not cited:
        return set()
    return set(visible_versions(user=user, tenant=tenant).filter(pk__in=cited).values_list("pk", flat=True))


def _citations(turn: Turn) -> list[Citation]:
    """Return the citations in order; of a running turn those whose place the saved text has reached."""
    reached = len(turn.text) if turn.state == TurnState.RUNNING else None
    cited = (c for c in turn.citations.all() if reached is None or c.position <= reached)
    return sorted(cited, key=lambda citation: citation.ordinal)


def _chips(turn: Turn, visible: set[uuid.UUID]) -> list[Chip]:
    return [chip_of(citation, available=is_available(citation, visible)) for citation in _citations(turn)]


def is_available(citation: Citation, visible: Set[uuid.UUID]) -> bool:
    """Tell whether a reader who may see the versions `visible` may open the source; a web page is everybody's."""
    return citation.kind == CitationKind.WEB or citation.version_id in visible


def _view(turn: Turn, visible: set[uuid.UUID], label: str, *, cited: bool) -> TurnView:
    running = turn.state == TurnState.RUNNING
    chips = _chips(turn, visible) if cited else []
    return TurnView(
        id=turn.pk,
        conversation_id=turn.conversation_id,
        question=turn.question,
        state=turn.state,
        state_text=state_text(turn),
        blocks=[safe_html(block) for block in render_markdown(turn.text, chips)],
        open_html=safe_html(""),
        references=references_of(_citations(turn), visible) if cited else [],
        status_text=_("Looking for passages…") if running and not turn.text else "",
        model_label=label,
        can_retry=turn.state in (TurnState.FAILED, TurnState.INTERRUPTED, TurnState.STOPPED, TurnState.CUT),
        can_stop=running,
        note=_left_out(turn),
    )


def _left_out(turn: Turn) -> str:
    """Say that the model's limit left earlier turns unread, if it did."""
    count = int(turn.settings.get("left_out_turns", 0))
    if not count:
        return ""
    text = ngettext(
        "The oldest %(count)s question of this conversation no longer fits, so the model didn't read it.",
        "The %(count)s oldest questions of this conversation no longer fit, so the model didn't read them.",
        count,
    )
    return text % {"count": count}


def safe_html(html: str) -> SafeString:
    """Mark HTML of chat.core.render as safe; this is the one place that does so."""
    return mark_safe(html)


def chip_of(citation: Citation, *, available: bool) -> Chip:
    """Return the chip of a citation; its label names the document only to who may read it."""
    return Chip(
        position=citation.position,
        number=citation.number,
        citation_id=str(citation.pk),
        label=chip_label(citation, available=available),
        href=reverse("cite", args=[citation.pk]),
        verdict=citation.verdict or None,
        available=available,
    )


def chip_label(citation: Citation, *, available: bool) -> str:
    """Return the accessible name of a chip: number, document, place and doubt."""
    if not available:
        return _("Source %(number)s: not available to you") % {"number": citation.number}
    parts = [_("Source %(number)s: %(title)s") % {"number": citation.number, "title": citation.title}]
    parts.extend(part for part in (place_text(citation), verdict_text(citation)) if part)
    return ". ".join(parts)


def place_text(citation: Citation) -> str:
    """Say where in the document: the page by its printed label, a sheet by its name, or the lines; or the web host."""
    if citation.kind == CitationKind.WEB:
        return web_host(citation.url)
    if citation.kind == CitationKind.DOCUMENT:
        return ""
    if citation.page is not None:
        label = citation.page_label or str(citation.page)
        return _("page %(page)s") % {"page": label} if _PAGE_NUMBER.fullmatch(label) else label
    if citation.first_line == citation.last_line:
        return _("line %(line)s") % {"line": citation.first_line}
    return _("lines %(first)s–%(last)s") % {"first": citation.first_line, "last": citation.last_line}


def web_host(url: str) -> str:
    """Return the host of an address as people know it, or "" if there is none."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def verdict_text(citation: Citation) -> str:
    """Say in one sentence how well the passage bears the claim; nothing where it does."""
    reasons = _("; ").join(reworded(str(reason)) for reason in citation.reasons)
    match citation.verdict:
        case "unsupported":
            text = _("The passage does not bear this sentence out")
        case "weak":
            text = _("The passage bears this sentence out only in part")
        case _:
            return ""
    return f"{text} ({reasons})" if reasons else text


def references_of(citations: Iterable[Citation], visible: Set[uuid.UUID]) -> list[ReferenceView]:
    """Return one line for each footnote number, in order."""
    by_number: dict[int, list[Citation]] = {}
    for citation in citations:
        by_number.setdefault(citation.number, []).append(citation)
    return [_reference(by_number[number], visible) for number in sorted(by_number)]


def _reference(places: list[Citation], visible: Set[uuid.UUID]) -> ReferenceView:
    shown = min(places, key=lambda citation: _VERDICTS.index(citation.verdict))
    available = is_available(shown, visible)
    return ReferenceView(
        number=shown.number,
        title=shown.title if available else _("A source that is not available to you"),
        place=place_text(shown) if available else "",
        href=reverse("cite", args=[shown.pk]),
        available=available,
        verdict=shown.verdict,
        verdict_text=verdict_text(shown) if available else "",
        url=shown.url if available else "",
    )


def state_text(turn: Turn) -> str:
    """Say in one plain sentence why an answer is not whole; nothing for a complete or running one."""
    match turn.state:
        case TurnState.STOPPED:
            return _("You stopped this answer.")
        case TurnState.CUT:
            return _("The model reached its length limit, so this answer is cut off.")
        case TurnState.INTERRUPTED:
            return _("The server was interrupted while it wrote this answer. Your question is kept.")
        case TurnState.FAILED:
            return turn.error or _("Something went wrong. Your question is kept.")
    return ""
