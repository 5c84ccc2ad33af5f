"""The organisation's groups, for its administrators; to others they don't exist."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from citeweb.accounts import groups as organisation
from citeweb.accounts import people
from citeweb.accounts.forms import GroupForm, JoinForm, carried_out
from citeweb.accounts.models import Group
from citeweb.accounts.tenancy import Place, in_tenant
from sources.core.names import plain_name
from sources.member_views import shown_members
from sources.shelves import collections_of_group

# So many members are listed and suggested.
LISTED = 500


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def groups(request: HttpRequest, place: Place) -> HttpResponse:
    """Show the groups, and make one."""
    if not place.may_administer:
        raise Http404
    form = GroupForm(request.POST if request.method == "POST" else None)
    made: list[Group] = []

    def create() -> None:
        name = plain_name(form.cleaned_data["name"])
        made.append(organisation.create_group(by=place.user, tenant=place.tenant, name=name))

    if request.method == "POST" and carried_out(form, "name", create):
        return redirect("sources:group", made[0].pk)
    shown = [
        (one.group_id, plain_name(one.name), one.members) for one in organisation.groups_of(place.tenant)
    ]
    return render(request, "people/groups.html", {"section": "people", "groups": shown, "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@in_tenant
def group(request: HttpRequest, place: Place, group_id: int) -> HttpResponse:
    """Show who is in a group and what it reads; change its name, its members, or whether it is there (`action`)."""
    shown = organisation.group_for(by=place.user, tenant=place.tenant, group_id=group_id)
    action = request.POST.get("action", "") if request.method == "POST" else ""
    join_form = JoinForm(request.POST if action == "join" else None)
    name_form = GroupForm(
        request.POST if action == "rename" else None, initial={"name": plain_name(shown.name)}
    )
    if action == "delete":
        organisation.delete_group(shown, by=place.user)
        messages.success(request, _("The group was deleted."))
        return redirect("sources:groups")
    if action == "leave":
        organisation.leave_group(shown, by=place.user, user_id=_number(request.POST.get("user", "")))
        return redirect("sources:group", group_id)
    if _joined(place, shown, join_form) or _renamed(place, shown, name_form):
        return redirect("sources:group", group_id)
    return render(request, "people/group.html", _context(place, group_id, join_form, name_form))


def _context(place: Place, group_id: int, join_form: JoinForm, name_form: GroupForm) -> dict[str, object]:
    shown = organisation.group_for(by=place.user, tenant=place.tenant, group_id=group_id)
    inside = shown.users.order_by("email")[:LISTED]
    others = people.users_of(place.tenant).exclude(tenant_groups=shown).order_by("email")[:LISTED]
    return {
        "section": "people",
        "group": shown,
        "name": plain_name(shown.name),
        "members": shown_members(place.tenant, inside),
        "others": [(user.email, plain_name(user.get_full_name())) for user in others],
        "collections": [(pk, plain_name(name)) for pk, name in collections_of_group(shown)],
        "join_form": join_form,
        "name_form": name_form,
    }


def _joined(place: Place, shown: Group, form: JoinForm) -> bool:
    def join() -> None:
        organisation.join_group(shown, by=place.user, email=form.cleaned_data["email"])

    return carried_out(form, "email", join)


def _renamed(place: Place, shown: Group, form: GroupForm) -> bool:
    def rename() -> None:
        organisation.rename_group(shown, by=place.user, name=plain_name(form.cleaned_data["name"]))

    return carried_out(form, "name", rename)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
