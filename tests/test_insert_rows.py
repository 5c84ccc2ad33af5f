"""Rows inserted as JSON are the rows that were given, and no policy is passed by."""

from dataclasses import dataclass

import pytest
from django.db import Error, ProgrammingError, transaction

from citeweb.accounts.models import Tenant
from citeweb.accounts.row_security import acting_for
from sources.insert_rows import insert_rows
from sources.models import Chunk, Version
from tests.conftest import House
from tests.documents import add_waiting, put

TEXTS = [
    "He said: \"100 %s\", \\N and 'no'; DROP TABLE x; --",
    "متن فارسی، با نیم‌فاصله\u200c و \U0001f9ea",
    "line\r\nline\tcell\u2028end\x1f",
    "{a,b} null",
]
PATHS = [[], ["Rules", 'a "b" \\ {c},d'], ["null", "", "NULL"], ["فصل ۱"]]


def chunk(version: Version, ordinal: int, text: str, path: list[str]) -> Chunk:
    return Chunk(
        tenant_id=version.tenant_id,
        document_id=version.document_id,
        version_id=version.pk,
        ordinal=ordinal,
        start=ordinal,
        end=ordinal + 1,
        heading_path=path,
        first_line=1,
        last_line=2,
        first_page=None if ordinal % 2 else 7,
        sha256="0" * 64,
        text=text,
        lexemes=r"'o''clock':1,2B 'a\\b':3 '~x':1",
    )


@dataclass
class Given:
    """What is compared of a chunk."""

    text: str
    path: list[str]
    first_page: int | None
    block_id: str


def given(one: Chunk) -> Given:
    return Given(one.text, one.heading_path, one.first_page, one.block_id)


def test_every_value_comes_out_as_it_went_in(house: House) -> None:
    version = add_waiting(put(house.open_shelf, "House", "Old."))
    rows = [chunk(version, at, *pair) for at, pair in enumerate(zip(TEXTS, PATHS, strict=True))]
    insert_rows(rows)
    stored = list(Chunk.objects.filter(version=version).order_by("ordinal"))
    assert list(map(given, stored)) == list(map(given, rows))
    assert {one.lexemes for one in stored} == {r"'a\\b':3 'o''clock':1,2B '~x':1"}
    assert {(one.tenant_id, one.document_id) for one in stored} == {(version.tenant_id, version.document_id)}


def test_more_rows_than_one_statement_takes(house: House) -> None:
    version = add_waiting(put(house.open_shelf, "House", "Old."))
    insert_rows([chunk(version, at, "word", []) for at in range(1203)])
    assert list(
        Chunk.objects.filter(version=version).order_by("ordinal").values_list("ordinal", flat=True)
    ) == [*range(1203)]


def test_no_rows_are_no_statement(house: House) -> None:
    insert_rows([])


def test_a_row_that_breaks_a_constraint_is_refused_with_all_of_its_statement(house: House) -> None:
    version = add_waiting(put(house.open_shelf, "House", "Old."))
    with pytest.raises(Error), transaction.atomic():
        insert_rows([chunk(version, 0, "a", []), chunk(version, 0, "b", [])])
    assert not Chunk.objects.filter(version=version).exists()


def test_a_row_of_another_tenant_is_refused_by_the_tables_policy(house: House) -> None:
    version = add_waiting(put(house.open_shelf, "House", "Old."))
    stranger = Tenant.objects.create(name="Other", slug="other")
    refused = pytest.raises(ProgrammingError, match="row-level security")
    with acting_for(tenant=stranger), refused, transaction.atomic():
        insert_rows([chunk(version, 0, "a", [])])
    with acting_for(tenant=house.tenant):
        insert_rows([chunk(version, 0, "a", [])])
