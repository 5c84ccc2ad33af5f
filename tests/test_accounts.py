"""Signing in, and the tenant a request works in."""

import pytest
from django.test import Client

from citeweb.accounts.api_keys import digest_of, issue
from citeweb.accounts.models import Membership, User
from citeweb.accounts.tenancy import place_in, tenants_of
from tests.conftest import PASSWORD, House, join

pytestmark = pytest.mark.django_db


def test_a_user_signs_in_with_the_email_address_in_any_case(client: Client, house: House) -> None:
    response = client.post("/accounts/login/", {"login": "OWNER@aurora.example", "password": PASSWORD})
    assert response.status_code == 302
    assert client.session["_auth_user_id"] == str(house.owner.user.pk)


def test_nobody_signs_up(client: Client) -> None:
    client.post("/accounts/signup/", {"email": "x@example.org", "password1": PASSWORD, "password2": PASSWORD})
    assert not User.objects.exists()


def test_roles_add_up(house: House) -> None:
    assert house.owner.roles == {"curator", "admin"}
    assert house.owner.may_curate
    assert not house.stranger.may_curate


def test_a_place_ends_with_the_membership(house: House) -> None:
    Membership.objects.filter(user=house.stranger.user).delete()
    assert place_in(house.stranger.user, house.tenant) is None


def test_an_inactive_user_has_no_place(house: House) -> None:
    house.stranger.user.is_active = False
    assert place_in(house.stranger.user, house.tenant) is None


def test_a_user_of_two_tenants_picks_one(client: Client, house: House, neighbour: House) -> None:
    user = house.stranger.user
    join(user, neighbour.tenant)
    assert tenants_of(user) == [house.tenant, neighbour.tenant]
    client.force_login(user)
    client.post("/accounts/tenant/", {"tenant": str(neighbour.tenant.pk)})
    assert client.session["tenant"] == str(neighbour.tenant.pk)


def test_a_foreign_tenant_and_a_random_one_are_the_same_404(
    client: Client, house: House, neighbour: House
) -> None:
    client.force_login(house.stranger.user)
    foreign = client.post("/accounts/tenant/", {"tenant": str(neighbour.tenant.pk)})
    random = client.post("/accounts/tenant/", {"tenant": "no-such-tenant"})
    assert (
        (foreign.status_code, foreign.content)
        == (random.status_code, random.content)
        == (404, random.content)
    )


def test_an_api_key_is_kept_as_a_digest_only(house: House) -> None:
    key, text = issue(tenant=house.tenant, user=house.stranger.user)
    assert key.digest == digest_of(text)
    assert text not in (key.digest, key.prefix)
