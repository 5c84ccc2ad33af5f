"""The accounts in Django's admin site, for staff."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from citeweb.accounts.models import Group, Membership, Tenant, User


@admin.register(User)
class EmailUserAdmin(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
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


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs only
    """A tenant's members on its page."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Tenant)
class TenantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Tenants and their members."""

    list_display = ("name", "slug", "created_at")
    inlines = (MembershipInline,)


@admin.register(Group)
class GroupAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Groups of a tenant."""

    list_display = ("name", "tenant")
    filter_horizontal = ("users",)
