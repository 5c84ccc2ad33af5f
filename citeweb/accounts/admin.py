"""The accounts in Django's admin site, for staff. What they change is recorded in the tenants that it touches."""

import json
import uuid
from collections.abc import Iterable

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from citeweb.accounts.changes import Change, Kind, record
from citeweb.accounts.models import Group, Tenant, User


class Recorded(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Records each change in its transaction, beside Django's own log, which anybody with rights can alter."""

    def log_addition(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        """Record what was added."""
        _record(request, obj, message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        """Record what was changed."""
        _record(request, obj, message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: "QuerySet[Model]") -> list[LogEntry]:
        """Record what is about to be deleted."""
        for obj in queryset:
            _record(request, obj, [{"deleted": {}}])
        return super().log_deletions(request, queryset)


def _record(request: HttpRequest, obj: Model, message: object) -> None:
    assert isinstance(request.user, User)
    body = {
        "model": obj._meta.label_lower,
        "object_id": str(obj.pk),
        "object": str(obj),
        # What Django's log says: which fields, and which rows of its inlines.
        "changes": json.loads(message) if isinstance(message, str) and message.startswith("[") else message,
    }
    for tenant_id in _tenants(obj):
        record(Change(Kind.CHANGED_BY_STAFF, tenant_id, request.user, body))


def _tenants(obj: Model) -> Iterable[uuid.UUID]:
    if isinstance(obj, Tenant):
        return [obj.pk]
    if isinstance(obj, User):
        return Tenant.objects.filter(memberships__user=obj).distinct().values_list("pk", flat=True)
    tenant_id: uuid.UUID = obj.tenant_id  # type: ignore[attr-defined]  # all else that is kept has one
    return [tenant_id]


@admin.register(User)
class EmailUserAdmin(Recorded, UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Django's user pages with the e-mail address in place of a user name."""

    ordering = ("email",)
    list_display = ("email", "first_name", "last_name", "is_staff", "is_active")
    search_fields = ("email", "first_name", "last_name")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        ("Name", {"fields": ("first_name", "last_name")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "password1", "password2")}),)
    filter_horizontal = ()
    list_filter = ("is_staff", "is_active")


@admin.register(Group)
class GroupAdmin(Recorded):
    """Groups of a tenant."""

    list_display = ("name", "tenant")
    list_filter = ("tenant",)
    search_fields = ("name",)
    autocomplete_fields = ("users",)
