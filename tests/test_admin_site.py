"""Django's admin site: what staff change is recorded, and no document is reached through it."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from citeweb.accounts.models import Group, Membership, User
from sources.models import Collection, Document, Grant
from tests.audited import kinds, last, records
from tests.conftest import House
from tests.documents import put

pytestmark = pytest.mark.django_db


def inline(prefix: str, *rows: dict[str, object], stored: int = 0) -> dict[str, object]:
    """The fields of an inline with these rows, of which the first `stored` are there already."""
    fields: dict[str, object] = {
        f"{prefix}-TOTAL_FORMS": len(rows),
        f"{prefix}-INITIAL_FORMS": stored,
        f"{prefix}-MIN_NUM_FORMS": 0,
        f"{prefix}-MAX_NUM_FORMS": 1000,
    }
    for number, row in enumerate(rows):
        fields |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return fields


def change(client: Client, obj: object, fields: dict[str, object]) -> None:
    meta = obj._meta  # type: ignore[attr-defined]  # a model
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[obj.pk])  # type: ignore[attr-defined]
    response = client.post(address, fields)
    assert response.status_code == 302, response.content.decode()


def test_documents_and_what_belongs_to_them_are_not_kept_there() -> None:
    kept = {model._meta.label for model in admin.site._registry}
    assert kept & {f"sources.{name}" for name in ("Document", "Version", "Chunk", "Page")} == set()
    assert not {label for label in kept if label.startswith("chat.")}


def test_a_new_grant_is_recorded(admin_client: Client, house: House) -> None:
    put(house.closed_shelf, "Payroll", "The director earns 9,000.")
    given = list(Grant.objects.filter(collection=house.closed_shelf).order_by("pk"))
    rows: list[dict[str, object]] = [
        {"id": one.pk, "collection": house.closed_shelf.pk, "user": one.user_id or ""} for one in given
    ]
    rows.append({"collection": house.closed_shelf.pk, "user": house.stranger.user.pk})
    fields = {"name": "Restricted", "restricted": "on", **inline("grants", *rows, stored=len(given))}
    change(admin_client, house.closed_shelf, fields)
    assert Grant.objects.filter(user=house.stranger.user).exists()
    record = last(house.tenant)
    assert (record["kind"], record["actor_email"]) == ("changed_by_staff", "admin@example.com")
    assert "stranger@aurora.example" in str(record["changes"])
    assert "Payroll" not in str(record)


def test_who_loses_all_roles_there_loses_grants_and_groups(admin_client: Client, house: House) -> None:
    group = Group.objects.create(tenant=house.tenant, name="Finance")
    group.users.add(house.granted.user)
    held = list(Membership.objects.filter(tenant=house.tenant).order_by("pk"))
    rows: list[dict[str, object]] = [
        {"id": one.pk, "tenant": house.tenant.pk, "user": one.user_id, "role": one.role}
        | ({"DELETE": "on"} if one.user_id == house.granted.user.pk else {})
        for one in held
    ]
    fields: dict[str, object] = {
        "slug": "aurora",
        "name": "Aurora",
        "shows_citations": "on",
        "answer_rules": "",
    }
    change(admin_client, house.tenant, fields | inline("memberships", *rows, stored=len(held)))
    assert not Grant.objects.filter(user=house.granted.user).exists()
    assert not group.users.exists()
    assert sorted(kinds(house.tenant)) == ["changed_by_staff", "grant_taken"]
    told = next(body for body in records(house.tenant) if body["kind"] == "changed_by_staff")
    assert "granted@aurora.example: member" in str(told["changes"])


def test_a_persons_account_is_recorded_in_all_their_tenants(
    admin_client: Client, house: House, neighbour: House
) -> None:
    both = house.stranger.user
    Membership.objects.create(tenant=neighbour.tenant, user=both)
    change(admin_client, both, {"email": both.email, "first_name": "", "last_name": ""})
    assert not User.objects.get(pk=both.pk).is_active
    for tenant in (house.tenant, neighbour.tenant):
        assert last(tenant)["changes"] == [{"changed": {"fields": ["Active"]}}]


def test_a_group_that_is_deleted_there_is_recorded(admin_client: Client, house: House) -> None:
    group = Group.objects.create(tenant=house.tenant, name="Finance")
    admin_client.post(reverse("admin:accounts_group_delete", args=[group.pk]), {"post": "yes"})
    record = last(house.tenant)
    assert (record["object"], record["changes"]) == ("Finance", [{"deleted": {}}])


def test_collections_are_neither_made_nor_deleted_there(admin_client: Client, house: House) -> None:
    put(house.open_shelf, "Handbook", "Visitors sign in.")
    assert admin_client.get(reverse("admin:sources_collection_add")).status_code == 403
    delete = reverse("admin:sources_collection_delete", args=[house.open_shelf.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    assert Collection.objects.filter(pk=house.open_shelf.pk).exists()
    assert Document.objects.count() == 1
