"""The demo's files are what its manifest says, and what they hold can be found, quoted and kept apart."""

import re
from collections import Counter
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from sources.core.extract import ExtractionError, extract_in_child
from sources.core.extract.types import FailureReason
from sources.demo.documents import (
    AURORA,
    COLLEGIUM,
    FOLDER,
    TENANTS,
    DemoDocument,
    DemoTenant,
    first_questions,
)

EVERY = [(tenant, document) for tenant in TENANTS for document in tenant.documents]
READY = [(tenant, document) for tenant, document in EVERY if document.failure is None]
FAILING = [(tenant, document) for tenant, document in EVERY if document.failure is not None]
RESTRICTED = [(tenant, document) for tenant, document in READY if tenant.is_restricted(document)]


def name(value: object) -> str:
    return value.file_name if isinstance(value, DemoDocument) else str(getattr(value, "slug", value))


def raw_text(path: Path) -> str:
    """The text as PDFium (or the file itself) has it."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    pdf = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def flowing(text: str) -> str:
    """The text on one line, with words joined that a hyphen divides at a line's end."""
    return " ".join(re.sub(r"[\u2010\x02\ufffe]\s*\n", "", text.replace("\r", "")).split())


def document(tenant: DemoTenant, file_name: str) -> DemoDocument:
    return next(entry for entry in tenant.documents if entry.file_name == file_name)


# Files and manifest


def test_every_file_is_in_the_manifest_and_the_other_way_round() -> None:
    named = {tenant.path(entry) for tenant, entry in EVERY}
    lying = {path for tenant in TENANTS for path in (FOLDER / tenant.slug).iterdir()}
    assert named == lying


def test_there_are_pdf_and_markdown_documents_in_all_three_languages() -> None:
    assert {entry.language for _, entry in READY} == {"en", "fa", "la"}
    kinds = {(entry.language, Path(entry.file_name).suffix) for _, entry in READY}
    assert kinds == {(language, suffix) for language in ("en", "fa", "la") for suffix in (".pdf", ".md")}


def test_the_files_are_small() -> None:
    assert max(tenant.path(entry).stat().st_size for tenant, entry in EVERY) < 120_000


def test_titles_and_file_names_are_unique_in_a_tenant() -> None:
    for tenant in TENANTS:
        for names in (
            Counter(e.title for e in tenant.documents),
            Counter(e.file_name for e in tenant.documents),
        ):
            assert set(names.values()) == {1}


def test_every_document_and_grant_names_a_collection_of_its_tenant() -> None:
    for tenant in TENANTS:
        shelves = {shelf.name for shelf in tenant.collections}
        assert {entry.collection for entry in tenant.documents} <= shelves
        assert {grant for user in tenant.users for grant in user.grants} <= shelves


# Ready documents


@pytest.mark.parametrize(("tenant", "entry"), READY, ids=name)
def test_a_ready_document_holds_its_facts(tenant: DemoTenant, entry: DemoDocument) -> None:
    text = flowing(raw_text(tenant.path(entry)))
    for fact in (*entry.facts, *entry.secrets):
        assert fact in text


@pytest.mark.parametrize(("tenant", "entry"), READY, ids=name)
def test_a_ready_document_is_read_whole_by_our_extraction(tenant: DemoTenant, entry: DemoDocument) -> None:
    extracted = extract_in_child(tenant.path(entry), file_name=entry.file_name)
    text = flowing(extracted.text)
    assert extracted.title == entry.title
    for fact in entry.facts:
        assert all(part in text for part in _cells(entry, fact))


def _cells(entry: DemoDocument, fact: str) -> list[str]:
    """A sentence as it is; a table row (no full stop) by its cells, whose spacing is the extraction's affair."""
    return [fact] if fact.endswith((".", ";")) else fact.split()


@pytest.mark.parametrize(("tenant", "entry"), READY, ids=name)
def test_a_ready_document_is_of_a_believable_length(tenant: DemoTenant, entry: DemoDocument) -> None:
    assert 280 <= len(raw_text(tenant.path(entry)).split()) <= 900


@pytest.mark.parametrize(("tenant", "entry"), READY, ids=name)
def test_a_ready_document_has_no_characters_that_only_software_sees(
    tenant: DemoTenant, entry: DemoDocument
) -> None:
    """Soft hyphens, replacement and private-use characters would end up in quotations."""
    assert not re.search(
        r"[\u00ad\ufffd\ue000-\uf8ff\ufb50-\ufdff\ufe70-\ufefc]", raw_text(tenant.path(entry))
    )


def test_the_two_blocks_of_the_seed_stand_in_their_documents() -> None:
    pricing, sla = document(AURORA, "pricing-policy.pdf"), document(AURORA, "support-sla.md")
    assert (pricing.title, sla.title) == ("Pricing Policy", "Support SLA")
    assert (
        "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget." in pricing.facts
    )
    assert "Priority support tickets receive an initial response within four business hours." in sla.facts


def test_the_persian_pdf_keeps_its_non_joiners_and_its_reading_order() -> None:
    text = flowing(raw_text(AURORA.path(document(AURORA, "pricing-policy-fa.pdf"))))
    source = (FOLDER / "html" / "pricing-policy-fa.html").read_text(encoding="utf-8")
    assert text.count("\u200c") == source.partition("<body>")[2].count("\u200c") > 60
    assert "در سومین روز کاری ماه بعد صادر می‌شود و باید ظرف ۳۰ روز پرداخت شود." in text
    assert "لازم‌الاجراست" in text  # with two lam-alefs, which PDFium turns round if they are mapped badly


def test_the_travel_policies_disagree_about_hotels() -> None:
    old, new = (document(AURORA, f"travel-policy-{year}") for year in ("2022.pdf", "2026.md"))
    limits = [re.findall(r"up to €(\d+) per night", raw_text(AURORA.path(entry))) for entry in (old, new)]
    assert limits == [["120"], ["165"]]


@pytest.mark.parametrize(
    ("tenant", "file_name"), [(AURORA, "incident-review-metering.pdf"), (COLLEGIUM, "chronicon-collegii.pdf")]
)
def test_a_two_column_pdf_divides_words_at_line_ends(tenant: DemoTenant, file_name: str) -> None:
    path = tenant.path(document(tenant, file_name))
    page = pypdfium2.PdfDocument(path)[0]
    textpage = page.get_textpage()
    hyphens = [place for place, char in enumerate(textpage.get_text_range()) if char == "\u2010"]
    assert len(hyphens) >= 10
    right_ends = {round(textpage.get_charbox(place)[2] / page.get_width(), 1) for place in hyphens}
    assert len(right_ends) == 2


# Failing documents


@pytest.mark.parametrize(("tenant", "entry"), FAILING, ids=name)
def test_a_failing_document_fails_for_its_reason(tenant: DemoTenant, entry: DemoDocument) -> None:
    with pytest.raises(ExtractionError) as failure:
        extract_in_child(tenant.path(entry), file_name=entry.file_name)
    assert failure.value.reason == entry.failure


def test_there_is_one_failing_document_for_each_reason_that_a_small_file_can_have() -> None:
    assert sorted(entry.failure for _, entry in FAILING if entry.failure) == sorted(
        (
            FailureReason.EMPTY,
            FailureReason.ENCRYPTED,
            FailureReason.NO_TEXT,
            FailureReason.CORRUPT,
            FailureReason.UNSUPPORTED_TYPE,
        )
    )


def test_the_encrypted_pdf_asks_for_a_password() -> None:
    with pytest.raises(pypdfium2.PdfiumError, match="Incorrect password"):
        pypdfium2.PdfDocument(AURORA.path(document(AURORA, "supplier-agreement.pdf")))


def test_the_broken_pdf_begins_like_one_and_has_no_end() -> None:
    content = AURORA.path(document(AURORA, "usage-archive-2019.pdf")).read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"%%EOF" not in content
    with pytest.raises(pypdfium2.PdfiumError, match="Data format error"):
        pypdfium2.PdfDocument(content)


def test_the_floor_plan_is_a_picture() -> None:
    with Image.open(AURORA.path(document(AURORA, "office-floor-plan.pdf"))) as plan:
        assert plan.format == "PNG"


def test_the_scan_is_a_page_with_a_picture_and_no_text() -> None:
    pdf = pypdfium2.PdfDocument(COLLEGIUM.path(document(COLLEGIUM, "letter-of-1991.pdf")))
    assert len(pdf) == 1
    assert pdf[0].get_textpage().get_text_range().strip() == ""
    assert [thing.type for thing in pdf[0].get_objects()] == [pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]


def test_the_empty_file_is_empty() -> None:
    assert COLLEGIUM.path(document(COLLEGIUM, "reading-list.md")).read_bytes() == b""


# Rights


def test_each_tenant_has_restricted_documents_that_one_user_reads_and_another_does_not() -> None:
    for tenant in TENANTS:
        shelves = {entry.collection for owner, entry in RESTRICTED if owner is tenant}
        readers = {user.email for user in tenant.users if shelves & set(user.grants)}
        assert shelves
        assert 0 < len(readers) < len(tenant.users)


@pytest.mark.parametrize(("tenant", "entry"), RESTRICTED, ids=name)
def test_the_secrets_of_a_restricted_document_stand_nowhere_else(
    tenant: DemoTenant, entry: DemoDocument
) -> None:
    assert entry.secrets
    others = [raw_text(owner.path(other)) for owner, other in READY if other is not entry]
    pages = [
        page.read_text("utf-8")
        for page in (FOLDER / "html").glob("*.html")
        if page.stem != Path(entry.file_name).stem
    ]
    questions = [question.text for owner in TENANTS for question in owner.questions]
    for secret in entry.secrets:
        assert not [text for text in others + pages + questions if secret in flowing(text)]


def test_only_robin_is_in_both_tenants() -> None:
    people = Counter(user.email for tenant in TENANTS for user in tenant.users)
    assert [email for email, count in people.items() if count > 1] == ["robin@citeweb.example"]


# First questions


@pytest.mark.parametrize("tenant", TENANTS, ids=name)
def test_a_tenant_offers_four_questions_in_languages_of_its_documents(tenant: DemoTenant) -> None:
    assert first_questions(tenant.slug) == tuple(question.text for question in tenant.questions)
    assert len(tenant.questions) == 4
    assert {question.language for question in tenant.questions} == {
        entry.language for entry in tenant.documents
    }


def test_another_tenant_gets_no_questions() -> None:
    assert first_questions("elsewhere") == ()


@pytest.mark.parametrize("tenant", TENANTS, ids=name)
def test_the_answers_stand_in_documents_that_every_member_may_read(tenant: DemoTenant) -> None:
    for answer in (answer for question in tenant.questions for answer in question.answers):
        entry = document(tenant, answer.file_name)
        assert not tenant.is_restricted(entry)
        assert answer.sentence in flowing(raw_text(tenant.path(entry)))
