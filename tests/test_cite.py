"""`/cite/<id>/`: who may open a citation, and what they see."""

import uuid

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from chat.models import Citation
from citeweb.accounts.models import Membership
from citeweb.accounts.tenancy import Place
from sources.core.chunking import ChunkSpan
from sources.core.extract import Extracted
from sources.index import write_version
from sources.models import Chunk, Document, Grant, Version, VersionState
from tests.citing import answered, cite
from tests.conftest import House, join
from tests.documents import add_version, put
from tests.files import make_pdf, text_page
from tests.page_reading import read
from tests.sources import add_document

pytestmark = pytest.mark.django_db

TITLE = "Salary Bands"
SENTENCE = "The bonus is 4,350 euro."
TEXT = f"# Bonuses\n\n{SENTENCE}\nIt is paid in December.\n"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def document(house: House) -> Document:
    """A document on the restricted shelf."""
    return put(house.closed_shelf, TITLE, TEXT)


@pytest.fixture
def citation(house: House, document: Document) -> Citation:
    """The owner's citation of it."""
    return cite(answered(house.owner), document, SENTENCE, around=f"{SENTENCE}\nIt is paid in December.")


def get(place: Place | None, citation_id: uuid.UUID, *, htmx: bool = False) -> HttpResponse:
    client = Client()
    if place is not None:
        client.force_login(place.user)
    response = client.get(f"/cite/{citation_id}/", headers=HTMX if htmx else {})
    assert isinstance(response, HttpResponse)
    return response


def whole(response: HttpResponse) -> str:
    """Return everything that a reader could learn from, headers included."""
    return f"{dict(response.headers)}\n{response.content.decode()}"


def test_it_works(house: House, citation: Citation) -> None:
    page = read(get(house.owner, citation.pk).content.decode())
    (marked,) = page.with_class("cited")
    assert marked.tag == "mark"
    assert SENTENCE in page.texts
    assert TITLE in page.texts


@pytest.mark.parametrize("htmx", [False, True])
def test_whoever_may_read_the_document_may_open_the_passage(
    house: House, citation: Citation, htmx: bool
) -> None:
    for place in (house.owner, house.granted):
        assert SENTENCE in whole(get(place, citation.pk, htmx=htmx))


@pytest.mark.parametrize("htmx", [False, True])
def test_to_everybody_else_it_is_the_same_as_a_random_id(
    house: House, neighbour: House, citation: Citation, htmx: bool
) -> None:
    for place in (house.stranger, house.auditor, neighbour.owner, neighbour.stranger):
        forbidden = get(place, citation.pk, htmx=htmx)
        absent = get(place, uuid.uuid4(), htmx=htmx)
        assert (forbidden.status_code, forbidden.content) == (404, absent.content)
        assert dict(forbidden.headers) == dict(absent.headers)
        assert TITLE not in whole(forbidden)


def test_who_is_not_signed_in_is_sent_to_sign_in_for_any_id(citation: Citation) -> None:
    for any_id in (citation.pk, uuid.uuid4()):
        assert get(None, any_id).headers["Location"] == f"/accounts/login/?next=/cite/{any_id}/"


def test_a_grant_that_was_taken_back_counts_at_the_next_click(house: House, citation: Citation) -> None:
    assert get(house.granted, citation.pk).status_code == 200
    Grant.objects.filter(user=house.granted.user).delete()
    assert get(house.granted, citation.pk).status_code == 404


def test_the_asker_who_lost_the_right_does_not_see_it_either(house: House, citation: Citation) -> None:
    Grant.objects.filter(user=house.owner.user).delete()
    assert TITLE not in whole(get(house.owner, citation.pk))


def test_a_former_member_sees_nothing(house: House, citation: Citation) -> None:
    Membership.objects.filter(user=house.granted.user).delete()
    assert get(house.granted, citation.pk).status_code in (403, 404)
    assert TITLE not in whole(get(house.granted, citation.pk))


def test_it_opens_while_the_reader_works_in_another_tenant(
    client: Client, house: House, neighbour: House, citation: Citation
) -> None:
    join(house.granted.user, neighbour.tenant)
    client.force_login(house.granted.user)
    client.post("/accounts/tenant/", {"tenant": str(neighbour.tenant.pk)})
    assert client.get(f"/cite/{citation.pk}/").status_code == 200


def test_under_htmx_comes_what_the_page_shows_without_its_frame(house: House, citation: Citation) -> None:
    panel = get(house.owner, citation.pk, htmx=True).content.decode()
    page = get(house.owner, citation.pk).content.decode()
    assert "<html" in page
    assert "<html" not in panel
    (quote,) = read(panel).with_class("passage__quote")
    assert read(page).with_class("passage__quote") == [quote]


def test_nothing_of_a_passage_is_kept_by_the_browser(house: House, citation: Citation) -> None:
    assert "no-store" in get(house.owner, citation.pk).headers["Cache-Control"]


def test_a_listener_hears_the_quote_first(house: House, citation: Citation) -> None:
    texts = read(get(house.owner, citation.pk, htmx=True).content.decode()).texts
    assert texts[texts.index("Cited passage:") + 1] == SENTENCE
    assert texts.index("Cited passage:") < texts.index("It is paid in December.")


def test_the_verdict_is_told_with_its_reasons(house: House, document: Document) -> None:
    weak = cite(answered(house.owner), document, SENTENCE, verdict="weak", reasons=["few words in common"])
    texts = read(get(house.owner, weak.pk).content.decode()).texts
    assert "The passage bears this sentence out only in part (few words in common)" in texts


def test_the_verdict_speaks_of_the_answer_and_is_for_its_reader_only(
    house: House, document: Document
) -> None:
    weak = cite(answered(house.owner), document, SENTENCE, verdict="weak", reasons=["number 90 differs"])
    assert "number 90 differs" not in whole(get(house.granted, weak.pk))


def test_the_asker_goes_to_the_other_citations_of_the_answer(house: House, document: Document) -> None:
    turn = answered(house.owner)
    first, second = cite(turn, document, SENTENCE), cite(turn, document, "It is paid in December.")
    assert f"/cite/{second.pk}/" in read(get(house.owner, first.pk, htmx=True).content.decode()).values_of(
        "hx-get"
    )
    page = read(get(house.owner, second.pk).content.decode())
    assert f"/cite/{first.pk}/#cited" in page.values_of("href")
    assert "Citation 2 of 2" in page.texts
    assert page.by_id("cited").attributes["aria-label"] == "Cited passage"


def test_nobody_else_learns_of_the_other_citations(house: House, document: Document) -> None:
    turn = answered(house.owner)
    first, second = cite(turn, document, SENTENCE), cite(turn, document, "It is paid in December.")
    assert str(second.pk) not in whole(get(house.granted, first.pk))


def test_citations_that_do_not_open_are_passed_over(house: House, document: Document) -> None:
    turn = answered(house.granted)
    first = cite(turn, put(house.open_shelf, "Open", "Anybody may read this.\n"), "Anybody may read this.")
    hidden = cite(turn, document, SENTENCE)
    Grant.objects.filter(user=house.granted.user).delete()
    assert str(hidden.pk) not in whole(get(house.granted, first.pk))


def test_an_old_citation_opens_its_own_version_with_a_notice(
    house: House, document: Document, citation: Citation
) -> None:
    add_version(document, "# Bonuses\n\nThe bonus is 9,999 euro.\n")
    page = whole(get(house.owner, citation.pk))
    assert SENTENCE in page
    assert "9,999" not in page
    assert "Open version 2" in page


def test_an_old_citation_shows_its_passage_after_the_document_was_cut_into_other_chunks(
    house: House, document: Document, citation: Citation
) -> None:
    """B21: places are spans of the immutable text, never positions in a list of chunks."""
    version = document.current_version
    assert version is not None
    Chunk.objects.filter(version=version).delete()
    Version.objects.filter(pk=version.pk).update(state=VersionState.INDEXING)
    halves = [
        ChunkSpan(0, 5, (), 1, 1, None, None),
        ChunkSpan(5, len(version.text), (), 1, 4, None, None),
    ]
    assert write_version(version, Extracted(version.text, "text/plain"), halves)
    page = read(get(house.owner, citation.pk).content.decode())
    assert [mark.tag for mark in page.with_class("cited")] == ["mark"]
    assert SENTENCE in page.texts


def test_if_the_quote_is_not_in_the_text_it_says_so_and_marks_nothing(
    house: House, document: Document
) -> None:
    wrong = cite(answered(house.owner), document, SENTENCE, quote="The bonus is 4,351 euro.")
    page = read(get(house.owner, wrong.pk).content.decode())
    assert page.with_class("cited") == []
    assert page.with_class("line--chunk") == []
    assert "The bonus is 4,351 euro." in page.texts
    assert any("could not be found" in text for text in page.texts)


def test_of_a_deleted_document_its_readers_learn_that_it_was_removed(
    house: House, document: Document, citation: Citation
) -> None:
    document.deleted_at = timezone.now()
    document.save()
    page = get(house.owner, citation.pk)
    panel = get(house.owner, citation.pk, htmx=True)
    assert (page.status_code, panel.status_code) == (410, 200)
    for response in (page, panel):
        assert "The source was removed" in whole(response)
        assert TITLE not in whole(response)
        assert "4,350" not in whole(response)
    assert get(house.stranger, citation.pk).content == get(house.stranger, uuid.uuid4()).content


def test_a_pdf_passage_is_marked_on_the_picture_of_its_page(house: House) -> None:
    text = "Alerts are sent at 80 percent.\nNothing else is sent."
    pdf = add_document(house.open_shelf, "alerts.pdf", make_pdf([text_page(text)]))
    cited = cite(answered(house.owner), pdf, "Alerts are sent at 80 percent.", around=text)
    page = read(get(house.owner, cited.pk, htmx=True).content.decode())
    (picture,) = page.with_class("page-image__picture")
    assert picture.attributes["src"].startswith(f"/d/{pdf.pk}/pages/1.webp?v=")
    assert [mark.attributes["class"] for mark in page.with_class("mark")] == [
        "mark mark--chunk",
        "mark mark--chunk",
        "mark mark--cited",
    ]
    assert page.values_of("style") == []


HOSTILE = '"><img src=x onerror=window.__x=1>'


def test_hostile_titles_headings_and_words_are_shown_as_text(house: House) -> None:
    document = put(house.open_shelf, HOSTILE, f"{HOSTILE}\nPlain words.\n")
    cited = cite(answered(house.owner), document, "Plain words.", heading_path=[HOSTILE], reasons=[HOSTILE])
    for htmx in (False, True):
        page = read(get(house.owner, cited.pk, htmx=htmx).content.decode())
        assert "img" not in {element.tag for element in page.elements}
        assert page.values_of("onerror") == []
        assert page.texts.count(HOSTILE) >= 3


def test_in_a_panel_whose_session_has_ended_no_sign_in_page_appears(citation: Citation) -> None:
    for any_id in (citation.pk, uuid.uuid4()):
        response = get(None, any_id, htmx=True)
        assert (response.status_code, response.content) == (401, b"")
        assert response.headers["HX-Refresh"] == "true"
