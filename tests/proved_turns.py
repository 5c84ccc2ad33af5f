"""A check behind every end-to-end test: each turn that the product ended has one record, and the record is right."""

import json
from collections.abc import Iterator

import pytest

from chat import audit
from chat.audit.columns import TURN
from chat.audit.replay import Purged, replayed
from chat.models import AuditRecord, Turn, TurnState
from citeweb.accounts.row_security import acting_as_system

# What tests.citing stores is no turn of the product's.
MADE_BY_TESTS = "r"


@pytest.fixture(autouse=True)
def every_turn_is_proved(request: pytest.FixtureRequest, _django_db_marker: None) -> Iterator[None]:
    """After a test that used the running product, look at all that it left in the audit."""
    yield
    if request.node.get_closest_marker("django_db") and "models_file" in request.fixturenames:
        with acting_as_system("what a test left"):
            assert faults() == []


def faults() -> list[str]:
    """Return what is wrong with the turns and records of the database."""
    return [*_missing(), *_wrong(), *_broken_chains()]


def _missing() -> Iterator[str]:
    ended = Turn.objects.exclude(state=TurnState.RUNNING).exclude(request_id=MADE_BY_TESTS)
    for turn in ended:
        count = AuditRecord.objects.filter(turn_id=turn.pk).count()
        if count != 1:
            yield f"turn {turn.pk} ({turn.state}) has {count} records"


def _wrong() -> Iterator[str]:
    for record in AuditRecord.objects.filter(kind=TURN):
        if "reading" not in json.loads(record.body):
            continue
        try:
            yield from (f"record of turn {record.turn_id}: {fault}" for fault in replayed(record))
        except Purged:
            continue


def _broken_chains() -> Iterator[str]:
    for tenant_id in set(AuditRecord.objects.values_list("tenant_id", flat=True)):
        if broken := audit.verify(tenant_id):
            yield str(broken)
