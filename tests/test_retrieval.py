"""Retrieval: the right passage first, and never one that the person may not read."""

from collections.abc import Iterator

import pytest
from django.utils import timezone
from pytest_django import Settings

from citeweb.accounts.models import Membership
from citeweb.accounts.tenancy import Place
from sources.core.chunking import chunk_spans
from sources.core.extract.types import Extracted, Heading, PageLayout
from sources.core.passages import LineRange, Passage
from sources.index import sha256_of, write_version
from sources.models import Chunk, Collection, Document
from sources.retrieval import retrieve
from sources.shelves import grant, revoke
from sources.vectors import embed_version
from tests.conftest import House, join
from tests.documents import add_version, add_waiting, put
from tests.embedding_server import DIMENSION, EmbeddingServer, embedding_server

ALERTS = "Enterprise customers get budget alerts at 80% and 100%."


def find(place: Place, query: str, limit: int = 8) -> list[Passage]:
    """What the person's question finds."""
    return retrieve(user=place.user, tenant=place.tenant, query=query, limit=limit)


def titles(passages: list[Passage]) -> list[str]:
    """The titles of passages, in their order."""
    return [passage.title for passage in passages]


@pytest.fixture
def shelf(house: House) -> Collection:
    """The open shelf with a few documents."""
    put(house.open_shelf, "Pricing Policy", ALERTS)
    put(house.open_shelf, "Support SLA", "Critical tickets are answered within one hour.")
    put(house.open_shelf, "Holidays", "The office is closed on the first of January.")
    return house.open_shelf


def test_it_works(house: House, shelf: Collection) -> None:
    found = find(house.stranger, "When do enterprise customers get budget alerts?")
    assert titles(found)[0] == "Pricing Policy"
    assert (found[0].rank, found[0].text) == (1, ALERTS)
    assert found[0].relevance > 0.9


def test_a_passage_is_a_slice_with_its_place(house: House) -> None:
    document = put(house.open_shelf, "Handbook", "Old.")
    version = add_waiting(document)
    text = "# Pets\n\nHere.\n\n# Dogs\n\nDogs stay 🐕 outside."
    extracted = Extracted(
        text,
        "application/pdf",
        pages=(PageLayout(1, "i", 0, 13, 1, 1, b""), PageLayout(2, "ii", 15, len(text), 1, 1, b"")),
        headings=(Heading(2, 6, 1, "Pets"), Heading(17, 21, 1, "Dogs")),
    )
    assert write_version(version, extracted, chunk_spans(extracted))
    found = find(house.stranger, "Where do dogs stay?")[0]
    assert text[found.start : found.end] == found.text == "# Dogs\n\nDogs stay 🐕 outside."
    assert found.sha256 == sha256_of(found.text)
    assert (found.page, found.page_label, found.lines) == (2, "ii", LineRange(5, 7))
    assert found.heading_path == ("Dogs",)
    assert (found.document_id, found.version_id) == (str(document.pk), str(version.pk))


def test_a_text_that_is_not_its_chunks_slice_is_never_given_out(house: House) -> None:
    put(house.open_shelf, "Handbook", "Dogs stay outside.")
    Chunk.objects.update(text="Dogs come inside..")
    with pytest.raises(AssertionError, match="is not the slice"):
        find(house.stranger, "Where do dogs stay?")


def test_only_what_is_granted_is_found(house: House, neighbour: House) -> None:
    put(house.closed_shelf, "Payroll", "The director earns 9,000 a month.")
    question = "What does the director earn?"
    assert titles(find(house.owner, question)) == ["Payroll"]
    assert titles(find(house.granted, question)) == ["Payroll"]
    for place in (house.stranger, house.auditor, neighbour.owner):
        assert find(place, question) == []


def test_the_filter_stands_before_the_ranking(house: House) -> None:
    """Better hits that are out of reach must not use up the places of what is within reach."""
    for number in range(30):
        put(house.closed_shelf, f"Secret {number}", f"Budget alerts, budget alerts, budget alerts {number}.")
    put(
        house.open_shelf, "Pricing", "Budget alerts are sent by mail, together with the invoice of the month."
    )
    assert titles(find(house.stranger, "budget alerts", limit=1)) == ["Pricing"]


def test_what_is_out_of_reach_moves_no_figure(house: House, neighbour: House, shelf: Collection) -> None:
    """Rarity counted over hidden documents would tell that they exist and what they say."""
    question = "When are critical budget tickets answered?"
    before = find(house.stranger, question)
    for number in range(10):
        put(house.closed_shelf, f"Secret {number}", f"Tickets {number}.")
        put(neighbour.open_shelf, f"Foreign {number}", f"Tickets {number}.")
    assert find(house.stranger, question) == before
    granted = {passage.block_id: passage.relevance for passage in find(house.granted, question)}
    assert all(granted[passage.block_id] != passage.relevance for passage in before)


def test_a_new_grant_and_a_revoked_one_count_at_once(house: House) -> None:
    put(house.closed_shelf, "Payroll", "The director earns 9,000 a month.")
    question = "What does the director earn?"
    grant(house.closed_shelf, user=house.stranger.user)
    assert titles(find(house.stranger, question)) == ["Payroll"]
    revoke(house.closed_shelf, user=house.stranger.user)
    assert find(house.stranger, question) == []
    Membership.objects.filter(user=house.owner.user).delete()
    assert find(house.owner, question) == []


def test_a_deleted_document_is_not_found(house: House, shelf: Collection) -> None:
    Document.objects.filter(title="Pricing Policy").update(deleted_at=timezone.now())
    assert "Pricing Policy" not in titles(find(house.owner, "enterprise budget alerts"))


def test_a_member_of_two_tenants_finds_one_at_a_time(
    house: House, neighbour: House, shelf: Collection
) -> None:
    both = join(house.stranger.user, neighbour.tenant)
    put(neighbour.open_shelf, "Other prices", ALERTS)
    assert titles(find(both, "enterprise budget alerts")) == ["Other prices"]
    assert titles(find(house.stranger, "enterprise budget alerts")) == ["Pricing Policy"]


def test_a_new_version_takes_the_place_of_the_old(house: House) -> None:
    document = put(house.open_shelf, "Policy", "Alerts are sent at 80%.")
    add_version(document, "Alerts are sent at 85%.")
    assert [passage.text for passage in find(house.stranger, "alerts sent")] == ["Alerts are sent at 85%."]


def test_a_version_in_work_leaves_the_old_one_findable(house: House) -> None:
    document = put(house.open_shelf, "Policy", "Alerts are sent at 80%.")
    add_waiting(document)
    assert [passage.text for passage in find(house.stranger, "alerts sent")] == ["Alerts are sent at 80%."]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("هشدارهای بودجه برای مشتریان سازمانی فرستاده می‌شود.", "هشدار بودجه مشتريان سازماني"),
        ("نیم‌فاصله‌ها در این کتاب‌ها فراوان‌اند.", "کتابها"),
        ("请连接公司VPN后再登录。", "VPN"),
        ("请连接公司VPN后再登录。", "公司怎么登录"),
        ("El café está cerrado.", "cafe cerrado"),
        ("IVSTITIA est constans et perpetua voluntas.", "iustitia"),
        ("Die Straße ist gesperrt.", "STRASSE"),
        ("Der Preis beträgt 1.234,50 Euro.", "1234.50"),
        ("The qua-\nrum rule", "quarum"),
        ("Тарифы изменены в январе.", "изменение тарифа"),
    ],
)
def test_words_meet_across_spellings(house: House, text: str, query: str) -> None:
    put(house.open_shelf, "Text", text)
    put(house.open_shelf, "Noise", "Nothing of all this.")
    assert titles(find(house.stranger, query)) == ["Text"]


def test_a_part_number_finds_its_own_part(house: House) -> None:
    put(house.open_shelf, "C", "Part K-7731-C needs plan B and costs 7731 euros.")
    put(house.open_shelf, "B", "Part K-7731-B is sold out.")
    found = find(house.stranger, "Is part K-7731-B sold out?")
    assert titles(found)[0] == "B"


def test_words_of_title_and_heading_count(house: House) -> None:
    document = put(house.open_shelf, "Mercury handbook", "Old.")
    text = "# Maintenance\n\nChange the oil every year."
    add_version(document, text, headings=(Heading(2, 13, 1, "Maintenance"),))
    put(house.open_shelf, "Venus handbook", "Change the oil every month.")
    assert (
        titles(find(house.stranger, "How often is the oil of the Mercury changed?"))[0] == "Mercury handbook"
    )


def test_the_rarer_word_counts_more(house: House) -> None:
    for number in range(5):
        put(house.open_shelf, f"Plan {number}", f"The standard plan number {number} is for teams.")
    put(house.open_shelf, "Zebra", "The zebra is striped.")
    assert titles(find(house.stranger, "zebra plan"))[0] == "Zebra"


@pytest.mark.parametrize("query", ["", "   ", "?!", "\0", "\u202e"])
def test_a_question_without_words_finds_nothing(house: House, shelf: Collection, query: str) -> None:
    assert find(house.stranger, query) == []


@pytest.mark.parametrize("query", ["';--", "a' | 'b", "\\", "%s %(x)s {}", "x" * 10_000, "w " * 5000])
def test_no_question_breaks_the_statement(house: House, shelf: Collection, query: str) -> None:
    assert isinstance(find(house.stranger, query), list)


def test_a_question_about_something_else_finds_nothing(house: House, shelf: Collection) -> None:
    assert find(house.stranger, "Who painted the Mona Lisa?") == []


def test_one_word_in_common_is_not_enough(house: House, shelf: Collection) -> None:
    query = "Which famous portrait gallery closed its exhibition of Leonardo masterpieces?"
    assert find(house.stranger, query) == []


def test_a_weak_hit_is_told_from_a_good_one(house: House, shelf: Collection) -> None:
    good = find(house.stranger, "When are critical tickets answered?")[0]
    weak = find(house.stranger, "Which critical reviews did the new opera receive in Vienna?")
    assert all(passage.relevance < 0.5 < good.relevance for passage in weak)


def test_limits_are_kept(house: House) -> None:
    for number in range(12):
        put(house.open_shelf, f"Plan {number}", f"The plan for team {number}.")
    assert len(find(house.stranger, "plan team", limit=5)) == 5


def _long(count: int) -> tuple[str, tuple[Heading, ...]]:
    parts = [
        f"# Alert rule {n}\n\n" + f"Budget alerts of rule {n} are sent early. " * 8 for n in range(count)
    ]
    text = "\n".join(parts)
    at = [text.index(f"# Alert rule {n}\n") for n in range(count)]
    headings = tuple(Heading(a + 2, a + 14, 1, text[a + 2 : a + 14]) for a in at)
    return text, headings


def test_one_document_does_not_crowd_out_the_others(house: House) -> None:
    text, headings = _long(8)
    put(house.open_shelf, "Rules", text, headings=headings)
    put(house.open_shelf, "Note", "Alerts that concern a budget were discussed among other things at length.")
    found = find(house.stranger, "budget alerts", limit=6)
    assert "Note" in titles(found)
    assert len(found) == 6


def test_a_document_alone_fills_the_list(house: House) -> None:
    text, headings = _long(8)
    put(house.open_shelf, "Rules", text, headings=headings)
    assert len(find(house.stranger, "budget alerts", limit=6)) == 6


def test_neighbouring_chunks_keep_their_own_ids(house: House) -> None:
    text, headings = _long(3)
    put(house.open_shelf, "Rules", text, headings=headings)
    found = find(house.stranger, "budget alerts")
    assert len({passage.block_id for passage in found}) == len(found) == 3


def test_the_same_words_are_given_once(house: House) -> None:
    put(house.open_shelf, "Policy", "Budget alerts are sent at 80%.")
    put(house.open_shelf, "Copy of policy", "Budget   alerts\nare sent at 80%!")
    put(house.open_shelf, "New policy", "Budget alerts are sent at 85%.")
    found = find(house.stranger, "When are budget alerts sent?")
    assert len(found) == 2
    assert "New policy" in titles(found)


def test_scores_fall_and_ranks_rise(house: House, shelf: Collection) -> None:
    found = find(house.stranger, "When is the office closed and when are tickets answered?")
    assert [passage.rank for passage in found] == list(range(1, len(found) + 1))
    assert [passage.score for passage in found] == sorted((p.score for p in found), reverse=True)


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[EmbeddingServer]:
    """Vectors whose meaning the tests know, from a server on loopback."""
    with embedding_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        # A model name of its own a server: the embedder with its client is kept for the process.
        settings.EMBEDDINGS, settings.EMBEDDING_DIM = "openai", DIMENSION
        settings.EMBEDDING_MODEL = f"test-{server.url}"
        yield server


def put_embedded(collection: Collection, title: str, text: str) -> Document:
    """Shelve a document with its vectors."""
    document = put(collection, title, text)
    assert document.current_version_id is not None
    assert embed_version(document.current_version_id) == 1
    return document


def test_meaning_finds_what_words_do_not(house: House, vectors: EmbeddingServer) -> None:
    put_embedded(house.open_shelf, "Garage", "Every automobile is parked below.")
    put_embedded(house.open_shelf, "Kitchen", "The loaf is on the table.")
    assert titles(find(house.stranger, "car"))[0] == "Garage"


def test_vectors_too_are_filtered_before_they_rank(
    house: House, neighbour: House, vectors: EmbeddingServer
) -> None:
    for number in range(10):
        put_embedded(house.closed_shelf, f"Secret {number}", f"The automobile number {number}.")
        put_embedded(neighbour.open_shelf, f"Foreign {number}", f"The automobile number {number}.")
    put_embedded(house.open_shelf, "Garage", "The vehicle and the dog.")
    assert titles(find(house.stranger, "car", limit=1)) == ["Garage"]
    assert len(find(house.granted, "car", limit=20)) == 11


def test_what_is_not_embedded_yet_is_found_by_its_words(house: House, vectors: EmbeddingServer) -> None:
    put(house.open_shelf, "Garage", "Every automobile is parked below.")
    assert titles(find(house.stranger, "parked automobile")) == ["Garage"]


def test_vectors_of_another_space_are_not_compared(
    house: House, vectors: EmbeddingServer, settings: Settings
) -> None:
    put_embedded(house.open_shelf, "Garage", "Every automobile is parked below.")
    settings.EMBEDDING_MODEL += "-2"
    assert find(house.stranger, "car") == []


def test_without_the_embedding_service_words_still_find(house: House, vectors: EmbeddingServer) -> None:
    put_embedded(house.open_shelf, "Garage", "Every automobile is parked below.")
    vectors.status = 500
    assert titles(find(house.stranger, "automobile parked")) == ["Garage"]
