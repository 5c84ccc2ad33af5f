"""Finding audit records far apart: the numbers of these lie in windows of 16,384 as those of a million do."""

import uuid

import pytest
from django.db import transaction

from chat import audit
from chat.audit.columns import mark
from chat.audit.search import Wanted, find_ids
from chat.models import AuditRecord
from tests.audited import superuser
from tests.conftest import House

pytestmark = pytest.mark.django_db(transaction=True)

WINDOW = 16_384
MANY = 5_001  # as many are too many to be looked through at once


def spread(house: House, *states: str) -> list[int]:
    """Append a record of each state, each in a later window than the one before; return their numbers."""
    numbers = []
    for window, state in enumerate(states, start=1):
        with superuser() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('chat_auditrecord', 'id'), %s)", [window * WINDOW + 7]
            )
        numbers.append(_turn(house, state).pk)
    return numbers


def _turn(house: House, state: str) -> AuditRecord:
    with transaction.atomic():
        body = {"turn_id": str(uuid.uuid4()), "question": "?", "state": state}
        return audit.append(tenant_id=house.tenant.pk, kind="turn", body=body)


def copies(of: AuditRecord, count: int) -> None:
    """Put `count` copies of a record behind its number, as its window may hold."""
    own = {"id", "sequence"}
    names = [field.attname for field in AuditRecord._meta.concrete_fields if field.attname not in own]
    listed = ", ".join(names)
    with superuser() as cursor:
        cursor.execute(
            f"INSERT INTO chat_auditrecord (id, sequence, {listed})"
            f" SELECT id + n, 1000 + n, {listed} FROM chat_auditrecord, generate_series(1, %s) n WHERE id = %s",
            [count, of.pk],
        )


def found(house: House, *marks: str, before: int | None = None, most: int = 50) -> list[int]:
    wanted = Wanted(marks=tuple((one,) for one in marks))
    return find_ids(wanted, tenant_id=house.tenant.pk, before=before, most=most)


def test_the_newest_come_first_from_every_window(house: House) -> None:
    numbers = spread(house, *["cut", "complete"] * 6)
    cut = numbers[0::2]
    assert found(house, mark("s", "cut")) == cut[::-1]
    assert found(house, mark("s", "cut"), most=2) == cut[::-1][:2]


def test_pages_go_on_where_the_last_one_ended(house: House) -> None:
    numbers = spread(house, *["cut"] * 11)
    pages: list[int] = []
    while page := found(house, mark("s", "cut"), before=pages[-1] if pages else None, most=2):
        pages += page
    assert pages == numbers[::-1]


def test_what_two_filters_never_share_is_not_found(house: House) -> None:
    spread(house, *["cut", "complete"] * 6)
    assert found(house, mark("s", "cut"), mark("s", "complete")) == []


def test_what_only_the_oldest_window_has_is_found_however_much_there_is(house: House) -> None:
    oldest, *_ = spread(house, "cut", *["complete"] * 11)
    assert found(house, mark("s", "cut")) == [oldest]
    copies(AuditRecord.objects.get(pk=oldest), MANY)
    assert found(house, mark("s", "cut")) == [oldest + MANY - n for n in range(50)]
    assert found(house, mark("s", "cut"), before=oldest + 3) == [oldest + 2, oldest + 1, oldest]
