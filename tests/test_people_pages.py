"""The administrators' pages of members and groups."""

import pytest
from django.core import mail
from django.http import HttpResponse
from pytest_django import Settings

from citeweb.accounts.models import Group, Membership, Role, User
from citeweb.accounts.tenancy import Place, place_in
from sources.models import Grant
from tests.browsing import as_, page_of, told
from tests.conftest import House, join, make_user
from tests.page_reading import read

pytestmark = pytest.mark.django_db


def send(place: Place, address: str, **fields: object) -> HttpResponse:
    answer = as_(place).post(address, fields, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def roles(user: User, house: House) -> set[str]:
    place = place_in(user, house.tenant)
    return set(place.roles) if place else set()


def test_members_are_listed_with_roles(house: House, neighbour: House) -> None:
    page = page_of(house.owner, "/people/")
    assert {"owner@aurora.example", "curator", "administrator", "auditor"} <= set(page.texts)
    assert "owner@borealis.example" not in page.texts
    assert "/people/" in page.values_of("href")
    assert "/people/" not in page_of(house.stranger, "/sources/").values_of("href")


def test_members_are_searched_and_read_page_by_page(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sources.member_views.ROWS", 3)
    first = page_of(house.owner, "/people/")
    (after,) = [href for href in first.values_of("href") if "after=" in href]
    second = page_of(house.owner, f"/people/{after}")
    assert "stranger@aurora.example" in second.texts
    assert "auditor@aurora.example" not in second.texts
    found = page_of(house.owner, "/people/?q=AUDIT")
    assert "auditor@aurora.example" in found.texts
    assert "stranger@aurora.example" not in found.texts
    assert "Nobody fits" in page_of(house.owner, "/people/?q=zebra").texts


def test_a_new_member_gets_a_mail(house: House, settings: Settings) -> None:
    answer = send(house.owner, "/people/", email="new@aurora.example", roles=["curator"])
    assert "new@aurora.example is a member now and gets a mail about it." in told(answer)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["new@aurora.example"], "You are now a member of Aurora")
    assert f"{settings.PUBLIC_URL}/accounts/password/reset/" in sent.body
    assert roles(User.objects.get(email="new@aurora.example"), house) == {"curator"}


def test_the_mail_is_the_same_for_somebody_who_has_an_account(house: House, neighbour: House) -> None:
    """Else an administrator would learn who is a member elsewhere."""
    pages = [
        told(send(house.owner, "/people/", email=email, roles=["member"])).replace(email, "…")
        for email in ("stranger@borealis.example", "nobody@borealis.example")
    ]
    assert [page.count("is a member now and gets a mail") for page in pages] == [1, 1]
    bodies = {message.body for message in mail.outbox}
    assert (len(mail.outbox), len(bodies)) == (2, 1)


def test_a_mail_that_can_not_be_sent_is_told(house: House, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    answer = send(house.owner, "/people/", email="new@aurora.example", roles=["member"])
    assert "but the mail could not be sent" in told(answer)
    assert roles(User.objects.get(email="new@aurora.example"), house) == {"member"}


def test_a_member_is_not_added_twice(house: House) -> None:
    answer = send(house.owner, "/people/", email="Auditor@aurora.example", roles=["admin"])
    assert "This person is a member already." in told(answer)
    assert roles(house.auditor.user, house) == {"auditor"}
    assert mail.outbox == []


def test_roles_are_changed(house: House) -> None:
    address = f"/people/{house.stranger.user.pk}/"
    page = page_of(house.owner, address)
    checked = [e.attributes["value"] for e in page.elements if "checked" in e.attributes]
    assert checked == ["member"]
    assert "The roles were saved." in told(send(house.owner, address, action="roles", roles=["auditor"]))
    assert roles(house.stranger.user, house) == {"auditor"}
    assert "Choose at least one role." in told(send(house.owner, address, action="roles"))


def test_the_last_administrator_is_told_why_not(house: House) -> None:
    address = f"/people/{house.owner.user.pk}/"
    for fields in ({"action": "roles", "roles": ["member"]}, {"action": "remove"}):
        assert "This is the only administrator." in told(send(house.owner, address, **fields))
    assert "admin" in roles(house.owner.user, house)


def test_who_is_removed_reads_nothing_any_more(house: House) -> None:
    answer = send(house.owner, f"/people/{house.granted.user.pk}/", action="remove")
    assert "granted@aurora.example is no longer a member." in told(answer)
    assert not Grant.objects.filter(user=house.granted.user).exists()
    assert as_(house.granted).get("/sources/").status_code == 403


def test_an_administrator_may_leave_when_there_is_another(house: House) -> None:
    join(make_user("second@aurora.example"), house.tenant, Role.ADMIN)
    as_(house.owner).post(f"/people/{house.owner.user.pk}/", {"action": "remove"})
    assert not Membership.objects.filter(user=house.owner.user).exists()


def test_groups_are_made_and_filled(house: House) -> None:
    made = as_(house.owner).post("/groups/", {"name": "Legal \u202eteam"})
    group = Group.objects.get()
    assert (group.name, made["Location"]) == ("Legal team", f"/groups/{group.pk}/")
    address = f"/groups/{group.pk}/"
    send(house.owner, address, action="join", email="stranger@aurora.example")
    assert "stranger@aurora.example" in page_of(house.owner, address).texts
    assert "1 member" in page_of(house.owner, "/groups/").texts
    wrong = send(house.owner, address, action="join", email="nobody@aurora.example")
    assert "Nobody of this organisation has this address." in told(wrong)
    send(house.owner, address, action="leave", user=str(house.stranger.user.pk))
    assert not group.users.exists()
    assert send(house.owner, address, action="leave", user="x").status_code == 200


def test_a_group_is_renamed_and_deleted(house: House) -> None:
    group = Group.objects.create(tenant=house.tenant, name="Legal")
    Group.objects.create(tenant=house.tenant, name="Finance")
    Grant.objects.create(collection=house.closed_shelf, group=group)
    address = f"/groups/{group.pk}/"
    assert "Restricted" in page_of(house.owner, address).texts
    taken = send(house.owner, address, action="rename", name="Finance")
    assert "There is a group of this name already." in told(taken)
    assert read(taken.content.decode()).by_id("main")
    send(house.owner, address, action="rename", name="Lawyers")
    assert Group.objects.filter(name="Lawyers").exists()
    assert "The group was deleted." in told(send(house.owner, address, action="delete"))
    assert not Grant.objects.filter(group=group).exists()
