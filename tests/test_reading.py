"""Model events in, answer events out: what a claim is compared with, and when."""

import time
import uuid
from dataclasses import replace

import pytest
from pytest_django import Settings

from chat.likeness import claim_likeness
from chat.providers.base import End, EndReason, ModelEvent, TextDelta
from chat.reading import Cited, Ended, Raw, ReadEvent, Reading, Said
from chat.rereading import reread
from sources.core.passages import LineRange
from sources.embedding_local import local_is_there
from tests.test_citations import ALERTS

SAID = "هشدارها در ۸۰٪ و ۱۰۰٪ فرستاده می‌شوند."


def read(*pieces: str) -> list[ReadEvent]:
    """Return what an answer in these pieces gives."""
    reading = Reading(turn_id=uuid.UUID(int=1), question="When?", offered=(ALERTS,))
    events: list[ModelEvent] = [*map(TextDelta, pieces), End(EndReason.STOP)]
    return [found for event in events for found in reading.take(event)]


def test_it_works() -> None:
    events = read("Alerts are sent at 80% and 100%.", "\ue200cite\ue202block_a7\ue201")
    assert [type(event) for event in events if not isinstance(event, Raw)] == [Said, Cited, Ended]
    (cited,) = [event for event in events if isinstance(event, Cited)]
    assert cited.claim == "Alerts are sent at 80% and 100%."
    assert cited.support is not None
    assert cited.support.verdict == "supported"
    assert not cited.incomparable


@pytest.mark.skipif(not local_is_there(), reason="the local embedding model is a wheel for Linux on x86-64")
def test_a_claim_in_another_language_is_compared_by_its_likeness(settings: Settings) -> None:
    settings.EMBEDDINGS = "local"
    (cited,) = [event for event in read(f"{SAID}\ue200cite\ue202block_a7\ue201") if isinstance(event, Cited)]
    assert cited.incomparable
    likeness = claim_likeness(cited.claim, cited.citation.quote)
    assert likeness is not None
    assert cited.support is not None
    compared = cited.compared(likeness)
    assert (cited.support.verdict, compared.support and compared.support.verdict) == ("weak", "supported")
    unlike = claim_likeness("گربه روی دیوار نشسته است و باران می‌بارد.", cited.citation.quote)
    assert unlike is not None
    assert unlike < 0.3 < likeness


def test_thousands_of_citations_are_read_again_in_seconds() -> None:
    long = "\n".join(f"Clause {number}: alerts come at {number} per cent of it." for number in range(60))
    block = replace(ALERTS, text=long, start=0, end=len(long), lines=LineRange(1, 60))
    marker = f"\ue200cite\ue202{block.block_id}\ue201"
    raw = "".join(f"Alerts come at {number} per cent.{marker}\n" for number in range(4_000))
    begin = time.perf_counter()
    again = reread(turn_id=uuid.uuid4(), question="When?", offered=[block], inputs={}, raw=raw)
    assert time.perf_counter() - begin < 20
    assert [cited.claim for cited in again.cited[-2:]] == [
        f"Alerts come at {number} per cent." for number in (3_998, 3_999)
    ]
    # Nobody asked whether the passages bear it out; who wants to know asks each.
    assert {cited.support for cited in again.cited} == {None}
    assert again.cited[0].compared(None).support is not None
