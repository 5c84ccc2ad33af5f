"""`/cite/<id>/`: the passage that a citation rests on, beside the answer or as a page of its own."""

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.models import Citation
from chat.side_bar import side_bar
from chat.turn_view import place_text, verdict_text
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import Place, in_tenant, place_in
from sources import viewer
from sources.core.names import plain_name
from sources.models import Version
from sources.permissions import Hidden, version_for, visible_versions
from sources.reading import newer_ready_version


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
    body: viewer.Body
    previous: uuid.UUID | None
    next: uuid.UUID | None


@require_safe
@never_cache
@in_tenant
def passage(request: HttpRequest, place: Place, citation_id: uuid.UUID) -> HttpResponse:
    """Show a passage to whoever may read its version now; under htmx only what the panel takes."""
    in_panel = request.headers.get("HX-Request") == "true"
    shown = passage_for(citation_id, user=place.user, wide=not in_panel)
    context = {"passage": shown, "in_panel": in_panel, "section": "sources"}
    if in_panel:
        return render(request, "sources/passage.html", context)
    context["conversations"] = side_bar(user=place.user, tenant=place.tenant, current=None)
    return render(request, "sources/passage_page.html", context)


def passage_for(citation_id: uuid.UUID, *, user: User, wide: bool) -> PassageView:
    """Return what the user sees of a citation. Raises Hidden; that they once saw it counts for nothing.

    The reader's place in the citation's own tenant decides, wherever they work at the moment.
    """
    found = Citation.objects.filter(pk=citation_id).select_related("tenant", "turn__conversation")
    citation = found.first()
    if citation is None:
        raise Hidden
    version = version_for(user=user, tenant=citation.tenant, version_id=citation.version_id)
    body = viewer.passage_body(version, _place(citation), wide=wide)
    previous, following = _neighbours(citation, user)
    judged = _may_see_verdict(citation, user)
    return PassageView(
        citation_id=citation.pk,
        number=citation.number,
        title=plain_name(citation.title),
        place=place_text(citation),
        heading_path=tuple(plain_name(heading) for heading in citation.heading_path),
        quote=version.text[slice(*_cited(citation))] if body.located else citation.quote,
        verdict=citation.verdict if judged else "",
        verdict_text=_verdict(citation) if judged else "",
        version=version,
        newer=newer_ready_version(version, user=user),
        body=body,
        previous=previous,
        next=following,
    )


def _cited(citation: Citation) -> tuple[int, int]:
    """Return the sentence that bears the claim, or the whole cited span if none is known inside it."""
    best = citation.best_start, citation.best_end
    if best[0] is not None and best[1] is not None and citation.start <= best[0] < best[1] <= citation.end:
        return best[0], best[1]
    return citation.start, citation.end


def _place(citation: Citation) -> viewer.Place:
    return viewer.Place(
        chunk=(citation.start, citation.end),
        cited=_cited(citation),
        quote=citation.quote,
        page=citation.page,
        line=citation.first_line,
    )


def _owns(citation: Citation, user: User) -> bool:
    return citation.turn.conversation.user_id == user.pk


def _may_see_verdict(citation: Citation, user: User) -> bool:
    """The verdict speaks of the answer, so it is for whoever may read that: its owner and auditors."""
    place = place_in(user, citation.tenant)
    return _owns(citation, user) or bool(place and place.may_audit)


def _verdict(citation: Citation) -> str:
    if citation.verdict == "supported":
        return _("The passage bears this sentence out")
    return verdict_text(citation)


def _neighbours(citation: Citation, user: User) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """Return the citations before and after it in the same answer that open for the user; the answer is its owner's."""
    if not _owns(citation, user):
        return None, None
    readable = visible_versions(user=user, tenant=citation.tenant).values("pk")
    others = Citation.objects.filter(turn=citation.turn, version_id__in=readable)
    before = others.filter(ordinal__lt=citation.ordinal).order_by("-ordinal").first()
    after = others.filter(ordinal__gt=citation.ordinal).order_by("ordinal").first()
    return before.pk if before else None, after.pk if after else None
