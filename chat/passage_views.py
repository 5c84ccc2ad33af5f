"""`/cite/<id>/`: the passage that a citation rests on, beside the answer or as a page of its own."""

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.audit.openings import as_refused
from chat.citation_steps import Steps, spans_beside, steps_of
from chat.models import Citation, CitationKind
from chat.sharing import is_shared_with
from chat.turn_view import place_text, verdict_text, web_host
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.tenancy import Place, in_tenant, in_whichever_tenant, place_in
from sources import viewer
from sources.core.names import plain_name
from sources.models import Version
from sources.page_view import unbroken
from sources.permissions import Hidden, version_for, was_removed
from sources.reader import Opened, Reader, Reading
from sources.reader_state import ReaderState, state_of
from sources.reader_views import asked_for_page, part_of_reader
from sources.reading import newer_ready_version


class Removed(Exception):
    """The document was deleted, and this person could read it."""


@dataclass(frozen=True, slots=True)
class PassageView:
    """A citation as the panel and the page show it. `quote` is what is marked, or all that was cited."""

    citation_id: uuid.UUID
    number: int
    title: str
    place: str
    heading_path: tuple[str, ...]
    quote: str
    verdict: str
    verdict_text: str
    version: Version
    newer: Version | None
    reader: Reader
    steps: Steps


@dataclass(frozen=True, slots=True)
class HostedSourceView:
    """A source that a provider's tool named: a page of the web, a file that the tool made, or a document of ours.

    `url` is http(s) or "". `quote` is what the provider quoted, as it came.
    """

    citation_id: uuid.UUID
    number: int
    title: str
    url: str
    host: str
    quote: str
    version: Version | None
    steps: Steps


@require_safe
@never_cache
@in_tenant
def passage(request: HttpRequest, place: Place, citation_id: uuid.UUID) -> HttpResponse:
    """Show a passage to whoever may read its version now; under htmx only what the panel takes."""
    in_panel = not asked_for_page(request)
    context: dict[str, object] = {"in_panel": in_panel, "section": "sources"}
    citation = citation_of(citation_id, user=place.user)
    try:
        if citation.kind != CitationKind.PASSAGE:
            context["source"] = hosted_source(citation, user=place.user)
            return render(request, f"chat/hosted_source{'' if in_panel else '_page'}.html", context)
        reading = reading_of(citation, state_of(request.path, request.GET), user=place.user)
    except Removed:
        # htmx shows no answer of another status than 200.
        status = 200 if in_panel else 410
        return as_refused(render(request, _template("removed", in_panel), context, status=status))
    if part := part_of_reader(request, reading):
        return part
    context["passage"] = passage_for(citation, reading, user=place.user)
    return render(request, _template("passage", in_panel), context)


def _template(name: str, in_panel: bool) -> str:
    return f"sources/{name}.html" if in_panel else f"sources/{name}_page.html"


def reading_of(citation: Citation, state: ReaderState, *, user: User) -> Reading:
    """Open the version that a passage was cited from. Raises Hidden, and Removed to readers of its collection.

    That they once saw it counts for nothing. The reader's place in the citation's own tenant decides,
    wherever they work at the moment.
    """
    version = _version(citation, user)
    opened = Opened(
        version=version,
        state=state,
        marks=viewer.marks_of(version, _place(citation)),
        page=citation.page or 1,
        line=citation.first_line,
        cited=spans_beside(citation) if _may_read_answer(citation, user) else (),
    )
    return Reading(opened)


def passage_for(citation: Citation, reading: Reading, *, user: User) -> PassageView:
    """Return what the user sees of a cited passage."""
    judged = _may_see_answer(citation, user)
    reader = reading.reader()
    return PassageView(
        citation_id=citation.pk,
        number=citation.number,
        title=plain_name(citation.title),
        place=place_text(citation),
        heading_path=tuple(plain_name(heading) for heading in citation.heading_path),
        quote=_quote(citation, reading, located=reader.marked),
        verdict=citation.verdict if judged else "",
        verdict_text=_verdict(citation) if judged else "",
        version=reading.version,
        newer=newer_ready_version(reading.version, user=user),
        reader=reader,
        steps=_steps(citation, user),
    )


def citation_of(citation_id: uuid.UUID, *, user: User) -> Citation:
    """Return the citation, whoever of its tenant asks; what may be shown of it is decided afterwards. Raises Hidden."""
    citations = Citation.objects.select_related("tenant", "turn__conversation")

    def find(tenant: Tenant) -> Citation | None:
        return citations.filter(pk=citation_id, tenant=tenant).first()

    found = in_whichever_tenant(user, find)
    if found is None:
        raise Hidden
    return found


def hosted_source(citation: Citation, *, user: User) -> HostedSourceView:
    """Return what is shown of a source that a provider's tool named. Raises Hidden and Removed.

    A web page is shown to who may read the answer, a document to who may read it.
    """
    if citation.kind == CitationKind.WEB and not _may_read_answer(citation, user):
        raise Hidden
    return HostedSourceView(
        citation_id=citation.pk,
        number=citation.number,
        title=plain_name(citation.title),
        url=citation.url,
        host=web_host(citation.url),
        quote=citation.quote,
        version=_version(citation, user) if citation.kind == CitationKind.DOCUMENT else None,
        steps=_steps(citation, user),
    )


def _version(citation: Citation, user: User) -> Version:
    assert citation.version_id is not None
    assert citation.document_id is not None
    try:
        return version_for(user=user, tenant=citation.tenant, version_id=citation.version_id)
    except Hidden as exc:
        if was_removed(user=user, tenant=citation.tenant, document_id=citation.document_id):
            raise Removed from exc
        raise


def _cited(citation: Citation) -> tuple[int, int]:
    """Return the sentence that bears the claim, or the whole cited span if none is known inside it."""
    best = citation.best_start, citation.best_end
    if best[0] is not None and best[1] is not None and citation.start <= best[0] < best[1] <= citation.end:
        return best[0], best[1]
    return citation.start, citation.end


def _quote(citation: Citation, reading: Reading, *, located: bool) -> str:
    """Return what is marked, or all that was cited; the line ends of a printed page are no part of a quote."""
    quote = reading.version.text[slice(*_cited(citation))] if located else citation.quote
    return unbroken(quote) if reading.drawn else quote


def _place(citation: Citation) -> viewer.Place:
    return viewer.Place(
        chunk=(citation.start, citation.end),
        cited=_cited(citation),
        quote=citation.quote,
    )


def _may_see_answer(citation: Citation, user: User) -> bool:
    """The verdict speaks of the answer, so it is for whoever may read that: its owner and auditors."""
    place = place_in(user, citation.tenant)
    owns = citation.turn.conversation.user_id == user.pk
    return owns or bool(place and place.may_audit)


def _may_read_answer(citation: Citation, user: User) -> bool:
    return _may_see_answer(citation, user) or is_shared_with(citation.turn, user)


def _steps(citation: Citation, user: User) -> Steps:
    return steps_of(citation, user) if _may_read_answer(citation, user) else Steps()


def _verdict(citation: Citation) -> str:
    if citation.verdict == "supported":
        return _("The passage bears this sentence out")
    return verdict_text(citation)
