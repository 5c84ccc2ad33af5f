"""The admin site's part: tenants, and collections with who is granted them; never a document.

Documents are reached through their own pages only: the site would be a second door to them.
"""

from django.contrib import admin
from django.db.models import Model
from django.forms import BaseForm
from django.http import HttpRequest

from citeweb.accounts.admin import Recorded
from citeweb.accounts.models import Membership, Tenant, User
from sources.models import Collection, Grant
from sources.shelves import take_from_former_members


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs only
    """A tenant's members on its page."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Tenant)
class TenantAdmin(Recorded):
    """Tenants and their members."""

    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "slug")
    inlines = (MembershipInline,)

    def save_related(self, request: HttpRequest, form: BaseForm, formsets: object, change: bool) -> None:
        """Save the members; who is none any more keeps no grant and no group."""
        super().save_related(request, form, formsets, change)
        assert isinstance(request.user, User)
        take_from_former_members(form.instance, by=request.user)  # type: ignore[attr-defined]  # a ModelForm


class GrantInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs only
    """Who may read a restricted collection."""

    model = Grant
    extra = 0
    autocomplete_fields = ("user", "group")


@admin.register(Collection)
class CollectionAdmin(Recorded):
    """A collection's name and grants. It is made and deleted on its own pages, with what is in it."""

    list_display = ("name", "tenant", "restricted")
    list_filter = ("tenant", "restricted")
    search_fields = ("name",)
    fields = ("tenant", "name", "restricted")
    readonly_fields = ("tenant",)
    inlines = (GrantInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Say no."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Say no: its documents would go with it, without a record and without their files."""
        return False
