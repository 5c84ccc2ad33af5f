"""The admin site's part: collections and who is granted them. Documents are reached through their own pages only."""

from django.contrib import admin

from sources.models import Collection, Grant


class GrantInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs only
    """Who may read a restricted collection."""

    model = Grant
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Collection)
class CollectionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """A collection with its grants."""

    list_display = ("name", "tenant", "restricted")
    list_filter = ("tenant", "restricted")
    search_fields = ("name",)
    inlines = (GrantInline,)
