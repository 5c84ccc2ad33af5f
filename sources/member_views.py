"""The organisation's members, for its administrators: who is one, with which roles; to others it doesn't exist."""

from collections.abc import Iterable
from dataclasses import replace

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from citeweb.accounts import people
from citeweb.accounts.forms import MemberForm, RolesForm, carried_out
from citeweb.accounts.invitation import invite
from citeweb.accounts.models import Tenant, User
from citeweb.accounts.tenancy import Place, in_tenant
from sources.core.names import plain_name
from sources.shelves import dismiss_member

ROWS = 50


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def members(request: HttpRequest, place: Place) -> HttpResponse:
    """Show the members (`?q=` words of name or address, `?after=` the last address shown), and add one."""
    if not place.may_administer:
        raise Http404
    form = MemberForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and _added(request, place, form):
        return redirect("sources:members")
    words, after = request.GET.get("q", "").replace("\0", "").strip()[:200], request.GET.get("after", "")
    found = people.find_members(place.tenant, words)
    page = list(found.filter(email__gt=after.replace("\0", ""))[: ROWS + 1])
    context = {
        "section": "people",
        "members": shown_members(place.tenant, page[:ROWS]),
        "total": found.count(),
        "following": page[ROWS - 1].email if len(page) > ROWS else "",
        "is_first": not after,
        "words": words,
        "form": form,
    }
    return render(request, "people/members.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def member(request: HttpRequest, place: Place, user_id: int) -> HttpResponse:
    """Show a member, and change their roles or remove them (`action`)."""
    user = people.member_for(by=place.user, tenant=place.tenant, user_id=user_id)
    (shown,) = shown_members(place.tenant, [user])
    form = RolesForm(request.POST if _sent(request, "roles") else None, initial={"roles": shown.roles})
    if _sent(request, "remove"):
        return _removed(request, place, user)
    if _set(request, place, user, form):
        return redirect("sources:member", user_id)
    context = {
        "section": "people",
        "member": shown,
        "name": plain_name(user.display_name),
        "form": form,
        "is_self": user == place.user,
    }
    return render(request, "people/member.html", context)


def shown_members(tenant: Tenant, users: Iterable[User]) -> list[people.Member]:
    """Return users as members, their names and groups without what could hide or turn them."""
    return [
        replace(one, name=plain_name(one.name), groups=tuple(map(plain_name, one.groups)))
        for one in people.members_of(tenant, users)
    ]


def _sent(request: HttpRequest, action: str) -> bool:
    return request.method == "POST" and request.POST.get("action") == action


def _added(request: HttpRequest, place: Place, form: MemberForm) -> bool:
    """Add the person and write to them, or put into the form why not."""
    email, roles = form.cleaned_data["email"], form.cleaned_data["roles"]
    user, new = people.add_member(by=place.user, tenant=place.tenant, email=email, roles=roles)
    if not new:
        form.add_error("email", _("This person is a member already."))
        return False
    if invite(user, place.tenant):
        messages.success(
            request, _("%(email)s is a member now and gets a mail about it.") % {"email": user.email}
        )
    else:
        messages.warning(
            request,
            _("%(email)s is a member now, but the mail could not be sent. Tell them where to sign in.")
            % {"email": user.email},
        )
    return True


def _set(request: HttpRequest, place: Place, user: User, form: RolesForm) -> bool:
    def set_roles() -> None:
        roles = form.cleaned_data["roles"]
        people.set_roles(by=place.user, tenant=place.tenant, user=user, roles=roles)

    done = carried_out(form, "roles", set_roles)
    if done:
        messages.success(request, _("The roles were saved."))
    return done


def _removed(request: HttpRequest, place: Place, user: User) -> HttpResponse:
    try:
        dismiss_member(by=place.user, tenant=place.tenant, user=user)
    except ValidationError as exc:
        messages.error(request, " ".join(exc.messages))
        return redirect("sources:member", user.pk)
    messages.success(request, _("%(email)s is no longer a member.") % {"email": user.email})
    return redirect("sources:members" if user != place.user else "sources:collections")
