"""Writing chunks: exact slices, one transaction, vectors kept where nothing changed."""

import pytest
from django.db import connection

from sources.core.chunking import chunk_spans
from sources.core.extract.types import Extracted, Heading, PageLayout
from sources.index import (
    chunks_without_vector,
    sha256_of,
    space_named,
    versions_without_vectors,
    write_vectors,
    write_version,
)
from sources.models import Chunk, ChunkEmbedding, Document, EmbeddingSpace, Page, Version, VersionState
from tests.conftest import House
from tests.documents import add_version, add_waiting, put

RULES = "# Rules\n\nNo smoking.\n\n# Hours\n\nWe open at nine.\n"
HEADINGS = (Heading(2, 7, 1, "Rules"), Heading(24, 29, 1, "Hours"))


@pytest.fixture
def space(db: None) -> EmbeddingSpace:
    """A space of three dimensions."""
    return space_named("test@1/3", 3)


def embed(version: Version, space: EmbeddingSpace) -> int:
    """Give each chunk that lacks one a vector; return how many did."""
    batch = chunks_without_vector(version.pk, space, 100)
    write_vectors(batch, [[1.0, 0.0, 0.0]] * len(batch), space)
    return len(batch)


def test_chunks_are_exact_slices(house: House) -> None:
    version = add_version(put(house.open_shelf, "House", "Old."), RULES, headings=HEADINGS)
    chunks = list(Chunk.objects.filter(version=version).order_by("ordinal"))
    assert [version.text[chunk.start : chunk.end] for chunk in chunks] == [
        "# Rules\n\nNo smoking.",
        "# Hours\n\nWe open at nine.",
    ]
    for chunk in chunks:
        assert chunk.text == version.text[chunk.start : chunk.end]
        assert chunk.sha256 == sha256_of(version.text[chunk.start : chunk.end])
    assert [(chunk.first_line, chunk.last_line) for chunk in chunks] == [(1, 3), (5, 7)]
    assert [chunk.heading_path for chunk in chunks] == [["Rules"], ["Hours"]]


def test_block_ids_say_nothing(house: House) -> None:
    put(house.open_shelf, "Secret plan", RULES)
    for block_id in Chunk.objects.values_list("block_id", flat=True):
        assert len(block_id) == 18
        assert block_id.startswith("block_")


def test_a_version_becomes_ready_and_current_at_once(house: House) -> None:
    document = put(house.open_shelf, "House", RULES, headings=HEADINGS)
    version = document.current_version
    assert version is not None
    assert (version.state, version.chunk_count) == (VersionState.READY, 2)
    assert version.ready_at is not None
    assert version.state_since == version.ready_at


def test_pages_are_stored_with_their_boxes(house: House) -> None:
    document = put(house.open_shelf, "House", "Old.")
    page = PageLayout(1, "iii", 0, 4, 595.0, 842.0, b"\0" * 64)
    version = add_waiting(document)
    extracted = Extracted(
        "Text", "application/pdf", pages=(page,), title="Better title", language="en", warnings=("Odd.",)
    )
    assert write_version(version, extracted, chunk_spans(extracted))
    stored = Page.objects.get(version=version)
    assert (stored.label, bytes(stored.boxes), stored.width) == ("iii", b"\0" * 64, 595.0)
    version.refresh_from_db()
    assert (version.pages, version.pages_done, version.language) == (1, 1, "en")
    assert version.warnings == ["Odd."]
    document.refresh_from_db()
    assert document.title == "Better title"


def test_a_finished_version_is_not_written_again(house: House) -> None:
    document = put(house.open_shelf, "House", RULES, headings=HEADINGS)
    version = document.current_version
    assert version is not None
    before = set(Chunk.objects.values_list("block_id", flat=True))
    assert not write_version(version, Extracted("Other", "text/plain", title="Other"), [])
    assert set(Chunk.objects.values_list("block_id", flat=True)) == before


def test_an_earlier_version_that_ends_late_does_not_become_current(house: House) -> None:
    document = Document.objects.create(tenant=house.tenant, collection=house.open_shelf, title="House")
    late = add_waiting(document)
    newest = add_version(document, "The second version.")
    extracted = Extracted("The first version.", "text/plain", title="First")
    assert write_version(late, extracted, chunk_spans(extracted))
    document.refresh_from_db()
    assert document.current_version_id == newest.pk
    assert document.title == "House"


def test_vectors_stay_with_what_did_not_change(house: House, space: EmbeddingSpace) -> None:
    document = put(house.open_shelf, "House", RULES, headings=HEADINGS)
    assert document.current_version is not None
    assert embed(document.current_version, space) == 2
    longer = RULES.replace("nine", "ten")
    second = add_version(document, longer, headings=HEADINGS)
    assert ChunkEmbedding.objects.filter(version=second).count() == 1
    kept = ChunkEmbedding.objects.get(version=second).chunk
    assert second.text[kept.start : kept.end] == "# Rules\n\nNo smoking."
    assert embed(second, space) == 1
    assert not ChunkEmbedding.objects.exclude(version=second).exists()


def test_earlier_versions_leave_the_index_and_keep_their_chunks(house: House) -> None:
    document = put(house.open_shelf, "House", RULES, headings=HEADINGS)
    first = document.current_version
    add_version(document, "All new.")
    chunks = Chunk.objects.filter(version=first)
    assert chunks.count() == 2
    assert set(chunks.values_list("lexemes", "text")) == {(None, "")}


def test_only_current_versions_want_vectors(house: House, space: EmbeddingSpace) -> None:
    document = put(house.open_shelf, "House", RULES, headings=HEADINGS)
    first = document.current_version
    assert first is not None
    assert versions_without_vectors(space) == [str(first.pk)]
    second = add_version(document, "All new.")
    assert versions_without_vectors(space) == [str(second.pk)]
    assert chunks_without_vector(first.pk, space, 10) == []
    embed(second, space)
    assert versions_without_vectors(space) == []


def test_what_is_embedded_says_where_it_stands(house: House, space: EmbeddingSpace) -> None:
    document = put(house.open_shelf, "House", "Old.")
    version = add_version(document, RULES, headings=HEADINGS)
    assert chunks_without_vector(version.pk, space, 1)[0].input == "House › Rules\n# Rules\n\nNo smoking."


def test_vectors_of_two_spaces_live_side_by_side(house: House, space: EmbeddingSpace) -> None:
    document = put(house.open_shelf, "House", "One chunk.")
    version = document.current_version
    assert version is not None
    other = space_named("test@2/3", 3)
    assert (embed(version, space), embed(version, other)) == (1, 1)
    assert embed(version, space) == 0


def test_a_chunk_deleted_meanwhile_gets_no_vector(house: House, space: EmbeddingSpace) -> None:
    document = put(house.open_shelf, "House", "One chunk.")
    batch = chunks_without_vector(document.current_version_id or "", space, 10)
    Chunk.objects.all().delete()
    write_vectors(batch, [[1.0, 0.0, 0.0]], space)
    assert not ChunkEmbedding.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "it's o'clock' 'quoted' \\backslash \\' a:1B & | ! ( ) <-> * 'x':1",
        "A" * 100_000,
        "漢" * 1000,
        "سلام‌ها " * 500,
        "😀 👩‍👩‍👧 \u202etxt\u202c �",
        " ".join(f"w{number}" for number in range(5000)),
    ],
)
def test_postgresql_takes_whatever_text_there_is(house: House, text: str) -> None:
    document = put(house.open_shelf, "Odd 'title' \\", text)
    assert document.current_version is not None
    assert document.current_version.text == text
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sources_chunk WHERE lexemes IS NOT NULL")
        assert cursor.fetchone()[0] >= 1
