"""The chat pages. What happens during an answer goes over the socket, see chat.consumers."""

import uuid
from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat import export, store, turn_view
from chat.admission import token_for
from chat.model_choice import labels_for
from chat.models import Conversation, Turn
from chat.side_bar import side_bar
from chat.suggestions import suggestions_for
from citeweb.accounts.models import User
from citeweb.accounts.tenancy import Place, in_tenant, move_to


@require_safe
@in_tenant
def new(request: HttpRequest, place: Place) -> HttpResponse:
    """Show an empty conversation with a freshly minted id; it is stored with its first question."""
    return _page(request, place, Conversation(pk=uuid.uuid4(), title=_("New chat")), saved=False)


@require_safe
@in_tenant
def conversation(request: HttpRequest, place: Place, conversation_id: uuid.UUID) -> HttpResponse:
    """Show one of the reader's conversations, in its own tenant."""
    shown = _own(conversation_id, place.user)
    if shown.tenant_id != place.tenant.pk:
        place = move_to(request, shown.tenant)
    # A dead process's turns must not look as if they still ran.
    store.interrupt_silent_turns()
    return _page(request, place, shown, saved=True)


@require_safe
@never_cache
@in_tenant
def export_answer(
    request: HttpRequest, place: Place, conversation_id: uuid.UUID, turn_id: uuid.UUID, form: str
) -> HttpResponse:
    """Return an answer as text, Markdown or HTML with numbered references (`?references=0`: without)."""
    turns = store.turns_of(_own(conversation_id, place.user))
    turn = next((turn for turn in turns if turn.pk == turn_id), None)
    if turn is None or form not in export.MEDIA_TYPES:
        raise Http404
    references = request.GET.get("references") != "0"
    text = export.exported(turn, user=place.user, form=form, references=references)
    export.record(turn, user=place.user, form=form, text=text)
    response = HttpResponse(text, content_type=f"{export.MEDIA_TYPES[form]}; charset=utf-8")
    if form != "txt":
        # Never shown inside our own origin: an answer is hostile input.
        response["Content-Disposition"] = f'attachment; filename="answer.{form}"'
    return response


def _own(conversation_id: uuid.UUID, user: User) -> Conversation:
    try:
        return store.conversation_for(conversation_id, user=user)
    except store.Refused as exc:
        raise Http404 from exc


def _page(request: HttpRequest, place: Place, shown: Conversation, *, saved: bool) -> HttpResponse:
    turns = store.turns_of(shown) if saved else []
    labels = labels_for(place.tenant)
    context = {
        "conversation": {"id": shown.pk, "title": shown.title, "saved": saved},
        "turns": turn_view.views_of(turns, user=place.user, tenant=place.tenant, labels=labels),
        "conversations": side_bar(user=place.user, tenant=place.tenant, current=shown.pk),
        "suggestions": suggestions_for(user=place.user, tenant=place.tenant) if not turns else [],
        "socket_path": _socket_path(shown, place, turns),
        "models": list(labels.items()),
        "model_name": turns[-1].model if turns and turns[-1].model in labels else next(iter(labels)),
    }
    return render(request, "chat/page.html", context)


def _socket_path(shown: Conversation, place: Place, turns: Sequence[Turn]) -> str:
    query = {
        "token": token_for(shown.pk, user=place.user, tenant=place.tenant),
        # What the page shows, so that a first connection needs no repetition of it.
        "seen": store.mark_of(turns),
    }
    return f"/ws/chat/{shown.pk}/?{urlencode(query)}"
