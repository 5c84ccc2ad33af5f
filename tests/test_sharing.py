"""Shared conversations (case B39): who reads them, what opens in them, and what a revoked link is."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from chat import audit, sharing, store
from chat.models import AuditRecord, Citation, CitationKind, Share, Turn
from citeweb.accounts.models import Membership
from citeweb.accounts.tenancy import Place
from tests.citing import answered, cite
from tests.conftest import House
from tests.documents import put
from tests.page_reading import read

pytestmark = pytest.mark.django_db

SENTENCE = "The bonus is 4,350 euro."


@pytest.fixture
def turn(house: House) -> Turn:
    """An answer of `granted`'s that rests on the restricted shelf."""
    turn = answered(house.granted)
    turn.text = SENTENCE
    turn.save()
    cite(turn, put(house.closed_shelf, "Salary Bands", SENTENCE), SENTENCE)
    return turn


@pytest.fixture
def link(house: House, turn: Turn) -> Share:
    return sharing.share(turn.conversation, user=house.granted.user, later_turns=False)


def get(place: Place | None, address: str) -> HttpResponse:
    client = Client()
    if place is not None:
        client.force_login(place.user)
    response = client.get(address)
    assert isinstance(response, HttpResponse)
    return response


def opened(place: Place | None, link: Share) -> HttpResponse:
    return get(place, f"/s/{link.token}/")


def test_it_works(house: House, link: Share) -> None:
    page = opened(house.stranger, link)
    assert page.status_code == 200
    assert SENTENCE in read(page.content.decode()).texts
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_a_source_opens_only_for_who_may_read_it(house: House, link: Share) -> None:
    unavailable = opened(house.stranger, link).content.decode()
    assert "Salary Bands" not in unavailable
    assert read(unavailable).with_class("chip--gone")
    assert "Salary Bands" in opened(house.owner, link).content.decode()
    assert get(house.stranger, f"/cite/{Citation.objects.get().pk}/").status_code == 404


def test_outside_the_tenant_it_is_the_same_as_no_link(house: House, neighbour: House, link: Share) -> None:
    foreign, random = opened(neighbour.owner, link), get(neighbour.owner, "/s/aaaaaaaaaaaaaaaaaaaaaaaa/")
    assert (foreign.status_code, foreign.content) == (404, random.content)
    assert dict(foreign.headers) == dict(random.headers)
    assert opened(None, link).status_code == 302


def test_a_revoked_link_is_gone_and_a_new_one_has_another_address(
    house: House, turn: Turn, link: Share
) -> None:
    sharing.revoke(link.pk, user=house.granted.user)
    gone = opened(house.stranger, link)
    assert gone.status_code == 410
    assert SENTENCE not in gone.content.decode()
    again = sharing.share(turn.conversation, user=house.granted.user, later_turns=False)
    assert again.token != link.token
    assert opened(house.stranger, again).status_code == 200
    assert opened(house.stranger, link).status_code == 410


def test_later_turns_are_shared_only_if_it_says_so(house: House, turn: Turn, link: Share) -> None:
    follows = sharing.share(turn.conversation, user=house.granted.user, later_turns=True)
    later = Turn.objects.get(pk=turn.pk)
    later.pk, later.ordinal, later.text = None, 2, "Another answer."
    later.client_id = later.id = Turn._meta.get_field("id").get_default()
    later.save(force_insert=True)
    assert "Another answer." not in opened(house.stranger, link).content.decode()
    assert "Another answer." in opened(house.stranger, follows).content.decode()


def test_the_owner_lists_makes_and_revokes(client: Client, house: House, turn: Turn) -> None:
    client.force_login(house.granted.user)
    address = f"/c/{turn.conversation_id}/share/"
    assert client.post(address, {"later": "on"}).status_code == 302
    (made,) = sharing.shares_of(turn.conversation)
    assert made.last_ordinal is None
    (shown,) = read(client.get(address).content.decode()).with_class("share__address")
    assert shown.attributes["value"].endswith(f"/s/{made.token}/")
    client.post(f"{address}{made.pk}/revoke/")
    assert sharing.shares_of(turn.conversation) == []


def test_nobody_else_shares_revokes_or_deletes(
    house: House, neighbour: House, turn: Turn, link: Share
) -> None:
    client = Client()
    for place in (house.owner, house.stranger, house.auditor, neighbour.owner):
        client.force_login(place.user)
        for address in ("share/", f"share/{link.pk}/revoke/", "delete/"):
            assert client.post(f"/c/{turn.conversation_id}/{address}").status_code == 404
    assert sharing.shares_of(turn.conversation) == [link]
    other = answered(house.stranger)
    client.force_login(house.stranger.user)
    assert client.post(f"/c/{other.conversation_id}/share/{link.pk}/revoke/").status_code == 404


def test_a_link_ends_with_its_makers_membership(house: House, link: Share) -> None:
    Membership.objects.filter(user=house.granted.user).delete()
    assert opened(house.stranger, link).status_code == 410


def test_a_reader_of_the_link_sees_its_web_pages(house: House, turn: Turn, link: Share) -> None:
    page = Citation.objects.create(
        tenant=turn.tenant,
        turn=turn,
        ordinal=2,
        number=2,
        position=0,
        position_utf16=0,
        kind=CitationKind.WEB,
        url="https://example.org/a",
        title="A page",
    )
    assert get(house.stranger, f"/cite/{page.pk}/").status_code == 200
    sharing.revoke(link.pk, user=house.granted.user)
    assert get(house.stranger, f"/cite/{page.pk}/").status_code == 404


def test_making_reading_and_revoking_leave_records_without_the_address(house: House, link: Share) -> None:
    opened(house.stranger, link)
    sharing.revoke(link.pk, user=house.granted.user)
    records = AuditRecord.objects.filter(tenant_id=house.tenant.pk).order_by("sequence")
    assert [record.kind for record in records] == ["conversation_shared", "share_read", "share_revoked"]
    assert not any(link.token in record.body for record in records)
    assert audit.verify(house.tenant.pk) is None


def test_a_deleted_conversation_takes_its_links_along_and_leaves_its_proof(
    client: Client, house: House, turn: Turn, link: Share
) -> None:
    client.force_login(house.granted.user)
    address = f"/c/{turn.conversation_id}/delete/"
    assert re.search("<form[^>]*method=.post.", client.get(address).content.decode())
    assert client.post(address).headers["Location"] == "/"
    assert opened(house.stranger, link).status_code == 404
    assert not Turn.objects.exists()
    assert AuditRecord.objects.get(kind="conversation_deleted").body.count(str(turn.pk)) == 1
    with pytest.raises(store.Refused):
        sharing.delete_conversation(turn.conversation_id, user=house.granted.user)
