"""The pages of shared conversations: the owner's list of links, and what a reader sees under one."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from chat import sharing, store, turn_view
from chat.model_choice import labels_for
from chat.models import Conversation
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import Place, in_tenant


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def shares(request: HttpRequest, place: Place, conversation_id: uuid.UUID) -> HttpResponse:
    """List the links of one of the reader's conversations, or make one."""
    conversation = _own(conversation_id, place.user)
    if request.method == "POST":
        sharing.share(conversation, user=place.user, later_turns=request.POST.get("later") == "on")
        return redirect("chat:shares", conversation.pk)
    links = [
        {"share": link, "url": request.build_absolute_uri(reverse("chat:shared", args=[link.token]))}
        for link in sharing.shares_of(conversation)
    ]
    return render(request, "chat/shares.html", {"conversation": conversation, "links": links})


@require_POST
@in_tenant
def revoke(request: HttpRequest, place: Place, conversation_id: uuid.UUID, share_id: int) -> HttpResponse:
    """End a link."""
    conversation = _own(conversation_id, place.user)
    try:
        sharing.revoke(share_id, user=place.user)
    except store.Refused as exc:
        raise Http404 from exc
    return redirect("chat:shares", conversation.pk)


@require_safe
@never_cache
@in_tenant
def shared(request: HttpRequest, place: Place, token: str) -> HttpResponse:
    """Show a shared conversation to a member of its tenant; a revoked link is gone."""
    try:
        found = sharing.open_share(token, user=place.user)
    except store.Refused as exc:
        raise Http404 from exc
    except sharing.Revoked:
        return _unlisted(render(request, "chat/share_gone.html", status=410))
    tenant = found.share.tenant
    views = turn_view.views_of(found.turns, user=place.user, tenant=tenant, labels=labels_for(tenant))
    context = {"conversation": found.conversation, "turns": views}
    return _unlisted(render(request, "chat/shared.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def delete(request: HttpRequest, place: Place, conversation_id: uuid.UUID) -> HttpResponse:
    """Ask whether to delete one of the reader's conversations, and do it."""
    conversation = _own(conversation_id, place.user)
    if request.method == "POST":
        sharing.delete_conversation(conversation.pk, user=place.user)
        return redirect("chat:new")
    return render(request, "chat/delete.html", {"conversation": conversation})


def _unlisted(response: HttpResponse) -> HttpResponse:
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _own(conversation_id: uuid.UUID, user: User) -> Conversation:
    try:
        return store.conversation_for(conversation_id, user=user)
    except store.Refused as exc:
        raise Http404 from exc
