"""The curators' pages: a document's details, many documents at once, what was deleted, and a collection's access."""

import uuid

import pytest
from django.db import connection
from django.http import HttpResponse
from pytest_django import Settings

from citeweb.accounts.models import Group, Role
from citeweb.accounts.tenancy import Place
from sources import removal
from sources.models import Collection, Document, Grant, Version, VersionState
from tests.audited import kinds
from tests.browsing import as_, page_of, told
from tests.conftest import House, join, make_user
from tests.documents import add_version, add_waiting, put
from tests.page_reading import read

pytestmark = pytest.mark.django_db

TITLE = "Salary Bands"
TEXT = "The bonus is 4,350 euro.\n"
HOSTILE = '"><img src=x onerror=window.__x=1>'


@pytest.fixture
def document(house: House) -> Document:
    """A document on the restricted shelf."""
    return put(house.closed_shelf, TITLE, TEXT)


@pytest.fixture
def curator(house: House) -> Place:
    """A curator who reads no restricted collection."""
    return join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)


@pytest.fixture
def admin(house: House) -> Place:
    """An administrator who reads no restricted collection."""
    return join(make_user("admin@aurora.example"), house.tenant, Role.ADMIN)


def send(place: Place, address: str, **fields: object) -> HttpResponse:
    answer = as_(place).post(address, fields, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


# --- Details ------------------------------------------------------------------------------------------


def details(document: Document, **changes: str) -> dict[str, str]:
    return {"title": document.title, "author": "", "year": "", "reference": "", "language": "", **changes}


def test_a_curator_corrects_what_is_said_of_a_document(house: House, document: Document) -> None:
    address = f"/d/{document.pk}/details/"
    assert ("title", TITLE) in page_of(house.owner, address).fields()
    fields = details(document, title="Pay\u202e bands\n", author="Anna Berg", url="example.org/pay")
    answer = send(house.owner, address, **fields)
    assert "The details were saved." in told(answer)
    assert "Changed by hand:" in told(answer)
    document.refresh_from_db()
    assert (document.title, document.author, document.url) == (
        "Pay bands",
        "Anna Berg",
        "https://example.org/pay",
    )
    assert kinds(house.tenant) == ["document_edited"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "\u202e"),
        ("url", "javascript:alert(1)"),
        ("url", "ftp://example.org/"),
        ("year", "1" * 51),
    ],
)
def test_what_can_not_be_so_is_refused_and_told(
    house: House, document: Document, field: str, value: str
) -> None:
    answer = send(house.owner, f"/d/{document.pk}/details/", **details(document, **{field: value}))
    assert read(answer.content.decode()).with_class("errorlist") != []
    assert "were saved" not in told(answer)
    assert kinds(house.tenant) == []


def test_a_providers_file_id_names_one_document_only(house: House, document: Document) -> None:
    other = put(house.open_shelf, "Other", "Other words.")
    address = "/d/{}/details/"
    send(house.owner, address.format(document.pk), **details(document, provider_file_id="file-abc"))
    document.refresh_from_db()
    assert document.provider_file_id == "file-abc"
    refused = send(house.owner, address.format(other.pk), **details(other, provider_file_id="file-abc"))
    assert "This file id can't be used." in told(refused)
    other.refresh_from_db()
    assert other.provider_file_id == ""


def test_a_reader_sees_the_details_and_changes_nothing(house: House, document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(author="Anna Berg")
    page = page_of(house.granted, f"/d/{document.pk}/details/")
    assert {"Anna Berg", "Author"} <= set(page.texts)
    assert "title" not in dict(page.fields())
    assert "Who may read it" not in page.texts
    assert send(house.granted, f"/d/{document.pk}/details/", **details(document)).status_code == 404


def test_the_history_shows_each_version_and_which_is_in_use(house: House, document: Document) -> None:
    add_version(document, "The bonus is 9,999 euro.\n")
    waiting = add_waiting(document)
    page = page_of(house.owner, f"/d/{document.pk}/details/")
    shown = [text for text in page.texts if text.startswith("Version ") or text == "in use"]
    assert shown == ["Version 3", "Version 2", "in use", "Version 1"]
    assert f"/d/{document.pk}/?v={waiting.pk}" in page.values_of("href")
    reading = page_of(house.granted, f"/d/{document.pk}/details/").texts
    assert "Version 3" not in reading
    assert "Version 1" in reading


def test_vectors_that_are_still_to_come_are_mentioned(
    house: House, document: Document, settings: Settings
) -> None:
    settings.EMBEDDINGS, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIM = "openai", "none-yet", 3
    words = " ".join(page_of(house.owner, f"/d/{document.pk}/details/").texts)
    assert "0 of 1 passages are found by meaning too" in words


def test_a_curator_sees_who_may_read_it(house: House, document: Document) -> None:
    texts = page_of(house.owner, f"/d/{document.pk}/details/").texts
    assert "2 people, to whom its collection is granted." in texts
    assert "granted@aurora.example" in texts
    opened = put(house.open_shelf, "Handbook", TEXT)
    assert (
        "Everybody in the organisation: 4 people." in page_of(house.owner, f"/d/{opened.pk}/details/").texts
    )


def test_a_hostile_title_is_shown_as_text(house: House) -> None:
    document = put(house.open_shelf, HOSTILE, TEXT)
    Document.objects.filter(pk=document.pk).update(author=HOSTILE, reference=HOSTILE)
    Version.objects.filter(document=document).update(file_name=HOSTILE)
    for address in (f"/d/{document.pk}/details/", f"/d/{document.pk}/replace/", f"/d/{document.pk}/delete/"):
        page = page_of(house.owner, address)
        assert page.values_of("onerror") == []
        assert any("window.__x=1" in text for text in [*page.texts, *page.values_of("value")])


# --- Many at once -------------------------------------------------------------------------------------


@pytest.fixture
def three(house: House) -> list[Document]:
    """Three documents of the open collection."""
    return [put(house.open_shelf, f"Document {number}", TEXT) for number in range(3)]


def chosen(documents: list[Document]) -> list[str]:
    return [str(document.pk) for document in documents]


def test_many_documents_are_deleted_after_being_asked(house: House, three: list[Document]) -> None:
    asked = send(house.owner, "/sources/bulk/", action="delete", document=chosen(three[:2]))
    assert "Delete 2 documents?" in told(asked)
    assert Document.objects.filter(deleted_at=None).count() == 3
    fields = read(asked.content.decode()).fields()
    assert [value for name, value in fields if name == "document"] == chosen(three[:2])[::-1]
    done = send(house.owner, "/sources/bulk/", action="delete", document=chosen(three[:2]), confirmed="yes")
    assert "2 documents were deleted." in told(done)
    assert list(Document.objects.filter(deleted_at=None)) == [three[2]]
    assert kinds(house.tenant) == ["document_deleted"] * 2


def test_many_documents_are_moved(house: House, three: list[Document]) -> None:
    asked = send(house.owner, "/sources/bulk/", action="move", document=chosen(three))
    assert "Move 3 documents?" in told(asked)
    fields = {"action": "move", "document": chosen(three), "confirmed": "yes", "next": "/sources/?q=x"}
    done = send(house.owner, "/sources/bulk/", **fields, to=str(house.closed_shelf.pk))
    assert "3 documents were moved." in told(done)
    assert Document.objects.filter(collection=house.closed_shelf).count() == 3


def test_nothing_moves_to_where_one_does_not_curate(
    house: House, neighbour: House, curator: Place, three: list[Document]
) -> None:
    for to in (house.closed_shelf, neighbour.open_shelf, Collection(pk=uuid.uuid4())):
        fields = {"action": "move", "document": chosen(three), "confirmed": "yes", "to": str(to.pk)}
        answer = send(curator, "/sources/bulk/", **fields)
        assert read(answer.content.decode()).with_class("errorlist") != []
    assert Document.objects.filter(collection=house.open_shelf).count() == 3


def test_newest_uploads_are_tried_again_or_cancelled(house: House, three: list[Document]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")
    waiting = add_waiting(three[0])
    done = send(house.owner, "/sources/bulk/", action="cancel", document=chosen(three))
    assert "1 file was cancelled." in told(done)
    waiting.refresh_from_db()
    assert waiting.state == VersionState.FAILED
    Version.objects.filter(pk=waiting.pk).update(file="originals/x")
    assert "1 file is read again." in told(
        send(house.owner, "/sources/bulk/", action="retry", document=chosen(three))
    )


def test_what_one_does_not_curate_is_passed_over_as_if_it_were_not_there(
    house: House, neighbour: House, curator: Place, document: Document, three: list[Document]
) -> None:
    theirs = put(neighbour.open_shelf, "Theirs", TEXT)
    ids = [str(theirs.pk), str(document.pk), str(uuid.uuid4()), "no id"]
    answers = [send(curator, "/sources/bulk/", action="delete", document=one, confirmed="yes") for one in ids]
    bodies = {" ".join(read(answer.content.decode()).texts) for answer in answers}
    assert len(bodies) == 1
    assert "Choose documents first." in bodies.pop()
    mixed = send(curator, "/sources/bulk/", action="delete", document=[*ids, str(three[0].pk)])
    assert "Delete 1 document?" in told(mixed)
    assert TITLE not in told(mixed)
    assert Document.objects.filter(deleted_at=None).count() == 5


def test_readers_do_nothing_to_many(house: House, three: list[Document]) -> None:
    for place in (house.granted, house.stranger, house.auditor):
        answer = send(place, "/sources/bulk/", action="delete", document=chosen(three), confirmed="yes")
        assert answer.status_code == 404
    assert Document.objects.filter(deleted_at=None).count() == 3


# --- What was deleted ---------------------------------------------------------------------------------


def test_what_was_deleted_is_restored(house: House, document: Document) -> None:
    send(house.owner, f"/d/{document.pk}/delete/")
    page = page_of(house.owner, "/sources/deleted/")
    assert {TITLE, "Restricted", "owner@aurora.example"} <= set(page.texts)
    answer = send(house.owner, f"/sources/deleted/{document.pk}/restore/")
    assert "“Salary Bands” is back." in told(answer)
    assert TITLE in page_of(house.granted, "/sources/").texts


def test_what_was_deleted_is_removed_for_good_after_being_asked(house: House, document: Document) -> None:
    send(house.owner, f"/d/{document.pk}/delete/")
    address = f"/sources/deleted/{document.pk}/purge/"
    assert "Remove this document for good?" in page_of(house.owner, address).texts
    assert Document.objects.get(pk=document.pk).purge_ordered_at is None
    assert "being removed" in told(send(house.owner, address))
    assert Document.objects.get(pk=document.pk).purge_ordered_at is not None


def test_many_deleted_documents_are_removed_for_good_after_being_asked(
    house: House, neighbour: House, three: list[Document]
) -> None:
    client = as_(house.owner)
    theirs = put(neighbour.open_shelf, "Theirs", "Words.")
    removal.delete(theirs, user=neighbour.owner.user)
    for document in three[:2]:
        removal.delete(document, user=house.owner.user)
    chosen = {"document": [str(one.pk) for one in (*three, theirs)] + ["none"]}
    asked = client.post("/sources/deleted/purge/", chosen)
    assert (asked.status_code, asked.content.count(b'name="document"')) == (200, 2)
    assert not Document.objects.filter(purge_ordered_at__isnull=False).exists()
    client.post("/sources/deleted/purge/", chosen | {"confirmed": "yes"})
    assert set(Document.objects.filter(purge_ordered_at__isnull=False)) == set(three[:2])
    assert as_(house.stranger).post("/sources/deleted/purge/", chosen).status_code == 404


def test_only_curators_see_what_was_deleted_from_what_they_read(
    house: House, neighbour: House, curator: Place, document: Document
) -> None:
    send(house.owner, f"/d/{document.pk}/delete/")
    for place in (curator, neighbour.owner):
        assert TITLE not in told(as_(place).get("/sources/deleted/"))  # type: ignore[arg-type]  # an HttpResponse
        for step in ("restore", "purge"):
            assert send(place, f"/sources/deleted/{document.pk}/{step}/").status_code == 404
    for place in (house.granted, house.stranger, house.auditor):
        assert as_(place).get("/sources/deleted/").status_code == 404


# --- Collections and their access ---------------------------------------------------------------------


def test_a_curator_makes_a_collection_and_reads_it(house: House) -> None:
    answer = send(house.owner, "/sources/new/", name="Board", restricted="on")
    assert "Board" in told(answer)
    assert Collection.objects.get(name="Board").restricted
    assert "Board" not in as_(house.stranger).get("/sources/").content.decode()


def test_a_taken_name_is_refused(house: House) -> None:
    assert "There is a collection of this name already." in told(
        send(house.owner, "/sources/new/", name="Open")
    )


def test_only_curators_make_collections(house: House) -> None:
    for place in (house.granted, house.stranger, house.auditor):
        assert as_(place).get("/sources/new/").status_code == 404
        assert as_(place).post("/sources/new/", {"name": "Mine"}).status_code == 404
    assert not Collection.objects.filter(name="Mine").exists()


def access(shelf: Collection) -> str:
    return f"/sources/{shelf.pk}/access/"


def test_access_is_granted_by_address_and_by_group(house: House, admin: Place) -> None:
    team = Group.objects.create(tenant=house.tenant, name="Finance")
    team.users.add(house.auditor.user)
    for name in ("STRANGER@aurora.example", "Finance"):
        send(admin, access(house.closed_shelf), action="share", name=name)
    page = page_of(admin, access(house.closed_shelf))
    assert {"Finance", "group of 1 person", "stranger@aurora.example"} <= set(page.texts)
    assert "4 people read it now" in page.texts
    assert kinds(house.tenant) == ["grant_given"] * 2


def test_nobody_outside_is_granted_anything(house: House, neighbour: House, admin: Place) -> None:
    Group.objects.create(tenant=neighbour.tenant, name="Theirs")
    for name in (neighbour.stranger.user.email, "Theirs", "nobody@aurora.example"):
        answer = send(admin, access(house.closed_shelf), action="share", name=name)
        assert "There is no member of this address and no group of this name." in told(answer)
    assert kinds(house.tenant) == []


def test_a_grant_is_taken_back(house: House, admin: Place, document: Document) -> None:
    assert TITLE in page_of(house.granted, "/sources/").texts
    keys = dict(page_of(admin, access(house.closed_shelf)).fields())
    assert keys["reader"].startswith("user:")
    send(admin, access(house.closed_shelf), action="unshare", reader=f"user:{house.granted.user.pk}")
    assert TITLE not in page_of(house.granted, "/sources/").texts
    for key in ("user:x", "user:", "group:99999999", "user:99999999999999999999", "", "nonsense"):
        assert send(admin, access(house.closed_shelf), action="unshare", reader=key).status_code == 200


def test_a_curator_who_takes_their_own_grant_is_led_away(house: House, document: Document) -> None:
    curator = join(make_user("curator@aurora.example"), house.tenant, Role.CURATOR)
    Grant.objects.create(collection=house.closed_shelf, user=curator.user)
    answer = as_(curator).post(
        access(house.closed_shelf), {"action": "unshare", "reader": f"user:{curator.user.pk}"}
    )
    assert answer["Location"] == "/sources/"
    assert as_(curator).get(access(house.closed_shelf)).status_code == 404


def test_a_collection_is_closed_and_opened(house: House, curator: Place) -> None:
    put(house.open_shelf, "Handbook", TEXT)
    send(curator, access(house.open_shelf), action="restrict")
    assert "Handbook" not in page_of(house.stranger, "/sources/").texts
    assert "Handbook" in page_of(curator, "/sources/").texts
    asked = send(curator, access(house.open_shelf), action="open")
    assert "Open this collection to everybody?" in told(asked)
    assert "Handbook" not in page_of(house.stranger, "/sources/").texts
    send(curator, access(house.open_shelf), action="open", confirmed="yes")
    assert "Handbook" in page_of(house.stranger, "/sources/").texts


def test_a_collection_is_renamed(house: House, curator: Place) -> None:
    address = access(house.open_shelf)
    assert "already" in told(send(curator, address, action="rename", name="Restricted"))
    assert "The collection was renamed." in told(send(curator, address, action="rename", name="Handbooks"))


def test_a_collection_is_deleted_with_its_documents_after_being_asked(house: House, curator: Place) -> None:
    document = put(house.open_shelf, "Handbook", TEXT)
    address = access(house.open_shelf)
    assert "Its 1 document is deleted with it." in told(send(curator, address, action="delete"))
    assert "Handbook" in page_of(house.stranger, "/sources/").texts
    gone = send(curator, address, action="delete", confirmed="yes")
    assert "The collection was deleted." in told(gone)
    assert "Handbook" not in page_of(house.stranger, "/sources/").texts
    assert kinds(house.tenant) == ["document_deleted", "collection_deleted"]
    made = Collection.objects.create(tenant=house.tenant, name="Other")
    restore = f"/sources/deleted/{document.pk}/restore/"
    assert "Choose a collection." in told(send(curator, restore))
    assert "Choose a collection." in told(send(curator, restore, to=str(house.closed_shelf.pk)))
    send(curator, restore, to=str(made.pk))
    document.refresh_from_db()
    assert (document.collection, document.deleted_at) == (made, None)


def test_an_administrator_deletes_no_documents_that_they_do_not_read(
    house: House, admin: Place, document: Document
) -> None:
    answer = send(admin, access(house.closed_shelf), action="delete", confirmed="yes")
    assert "Only an empty collection can be deleted." in told(answer)
    document.delete()
    send(admin, access(house.closed_shelf), action="delete", confirmed="yes")
    assert not Collection.objects.filter(pk=house.closed_shelf.pk).exists()


def test_an_administrator_manages_by_name_what_they_do_not_read(
    house: House, admin: Place, document: Document
) -> None:
    page = page_of(admin, access(house.closed_shelf))
    assert "You manage who reads this collection, but you don't read it yourself." in page.texts
    assert TITLE not in page.texts
    assert f"/sources/{house.closed_shelf.pk}/" not in page.values_of("href")
    assert as_(admin).get(f"/sources/{house.closed_shelf.pk}/").status_code == 404


def test_hostile_names_of_groups_people_and_collections_are_shown_as_text(house: House) -> None:
    hostile = HOSTILE + "\u202e"
    house.stranger.user.first_name = hostile[:150]
    house.stranger.user.save()
    team = Group.objects.create(tenant=house.tenant, name=hostile)
    team.users.add(house.stranger.user)
    Grant.objects.create(collection=house.closed_shelf, group=team)
    Grant.objects.create(collection=house.closed_shelf, user=house.stranger.user)
    Collection.objects.filter(pk=house.closed_shelf.pk).update(name=hostile)
    addresses = (access(house.closed_shelf), "/people/", f"/people/{house.stranger.user.pk}/", "/groups/")
    for address in (*addresses, f"/groups/{team.pk}/", "/sources/"):
        page = page_of(house.owner, address)
        assert page.values_of("onerror") == []
        assert any("window.__x=1" in text for text in page.texts), address
        assert not [text for text in page.texts if "\u202e" in text]
