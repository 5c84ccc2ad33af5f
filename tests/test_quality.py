"""The dashboard: right figures, for whom they are, and pictures that a strict policy lets stand."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from chat.audit import charts, quality
from chat.audit.quality import Rejected, Span
from chat.core.grouping import group_questions
from chat.models import TurnState
from citeweb.threads import in_thread
from sources.models import Document
from tests.answering import answered_turn
from tests.audited import last
from tests.browser import browser_context, sign_in, strict
from tests.conftest import House
from tests.documents import put
from tests.page_reading import read
from tests.web_server import WebServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def handbook(house: House) -> Document:
    return put(house.open_shelf, "Handbook", "Leave is 30 days a year. Alerts come at eight.")


@pytest.fixture
def secret(house: House) -> Document:
    return put(house.closed_shelf, "Salaries", "The director earns 9,000 a month.")


def fill(house: House, handbook: Document, secret: Document) -> None:
    answered_turn(house.stranger, handbook, "How many days of leave?", "Leave is 30 days a year.^")
    answered_turn(
        house.stranger,
        handbook,
        "And what else is there?",
        "Nobody ever works on Mondays here. [[block_zzzz]]",
    )
    answered_turn(house.granted, secret, "What does the director earn?", "4,000.^", verdict="unsupported")
    answered_turn(house.granted, handbook, "Is there a canteen menu?", "I could not find anything.")
    answered_turn(house.stranger, handbook, "Where is the canteen menu?", "I could not find anything.")
    answered_turn(house.stranger, handbook, "Why?", "", state=TurnState.FAILED)


def test_the_figures_of_a_day(house: House, handbook: Document, secret: Document) -> None:
    fill(house, handbook, secret)
    span = Span(house.tenant.pk, 7)
    found = quality.days(span)
    today = found[-1]
    assert [day.asked for day in found] == [0, 0, 0, 0, 0, 0, 6]
    assert (today.day, today.answers, today.failed) == (timezone.localdate(), 5, 1)
    assert (today.faulty, today.unanswered, today.both) == (2, 3, 1)
    # The four parts of a bar, each turn in one of them.
    assert (today.sound, today.faulty, today.without, today.failed) == (1, 2, 2, 1)
    assert (today.first_text_half, today.total_half, today.retrieval_half) == (300, 900, 20)
    assert quality.rejected(span) == [Rejected("some-model", "unknown_id", 1)]
    assert dict(quality.cited(span, most=9)) == {handbook.pk: 1, secret.pk: 1}


def test_another_tenants_answers_do_not_count(house: House, neighbour: House, handbook: Document) -> None:
    answered_turn(house.stranger, handbook, "How many days?", "Leave is 30 days a year.^")
    assert sum(day.answers for day in quality.days(Span(neighbour.tenant.pk, 7))) == 0
    assert quality.cited(Span(neighbour.tenant.pk, 7), most=9) == []
    assert sum(day.answers for day in quality.days(Span(None, 7))) == 1


def test_days_before_the_span_do_not_count(house: House) -> None:
    assert Span(house.tenant.pk, 7).since.date() == timezone.localdate() - timedelta(days=6)


def test_questions_about_one_thing_stand_together() -> None:
    groups = group_questions(
        [
            "Is there a canteen menu?",
            "Where is the canteen menu?",
            "How do I reset my password?",
        ]
    )
    assert [(group.count, group.sample) for group in groups] == [
        (2, "Is there a canteen menu?"),
        (1, "How do I reset my password?"),
    ]
    assert "canteen" in groups[0].common_words


def shown(client: Client, days: str = "") -> list[str]:
    response = client.get(f"/audit/quality/?days={days}")
    assert response.status_code == 200
    return read(response.content.decode()).texts


def test_a_curator_sees_only_what_they_may_read(
    client: Client, house: House, handbook: Document, secret: Document
) -> None:
    fill(house, handbook, secret)
    house.closed_shelf.grants.all().delete()
    client.force_login(house.owner.user)
    texts = " ".join(shown(client))
    assert "Handbook" in texts
    assert "Salaries" not in texts
    assert "Is there a canteen menu?" in texts or "Where is the canteen menu?" in texts
    assert house.stranger.user.email not in texts
    assert client.get("/audit/").status_code == 404


def test_an_auditor_sees_all_and_leaves_a_record(
    client: Client, house: House, handbook: Document, secret: Document
) -> None:
    fill(house, handbook, secret)
    put(house.open_shelf, "Unread", "Nobody asks for this.")
    client.force_login(house.auditor.user)
    texts = shown(client, "7")
    assert {"Handbook", "Salaries", "Unread"} <= set(texts)
    assert (last(house.tenant)["kind"], last(house.tenant)["days"]) == ("quality_read", 7)


@pytest.mark.parametrize("person", ["granted", "stranger"])
def test_to_members_it_does_not_exist(client: Client, house: House, person: str) -> None:
    client.force_login(getattr(house, person).user)
    assert client.get("/audit/quality/").status_code == 404


def test_an_empty_dashboard_stands(client: Client, house: House) -> None:
    client.force_login(house.auditor.user)
    assert "None" in shown(client)


def test_a_picture_brings_no_script_and_no_style() -> None:
    labels = ["<b>&", "2", "3"]
    for svg in (
        charts.stacked_bars(labels, {"a": [1, 2, 3], "b": [0, 1, 0]}),
        charts.lines(labels, {"a": [1.5, None, 3]}),
        charts.bars(labels, {"a": [1, 2, 3]}),
        charts.bars([], {"a": []}),
    ):
        page = read(svg)
        assert {e.tag for e in page.elements} & {"script", "style", "foreignobject", "image", "b"} == set()
        names = {name for e in page.elements for name in e.attributes}
        assert {name for name in names if name == "style" or name.startswith("on") or "href" in name} == set()


@pytest.mark.parametrize(
    ("values", "signs"),
    [([1, 0], "0 1"), ([3, 2], "0 1 2 3"), ([23], "0 5 10 15 20 25"), ([140], "0 50 100 150")],
)
def test_counts_stand_at_whole_numbers(values: list[float], signs: str) -> None:
    svg = charts.stacked_bars(["day"] * len(values), {"a": values})
    shown = {e.text.strip() for e in read(svg).elements if e.tag == "text"} - {"day"}
    assert set(signs.split()) <= shown
    assert not any("." in one for one in shown)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
async def test_the_browser_has_nothing_to_refuse(
    server: WebServer, house: House, transactional_db: None
) -> None:
    def prepare() -> None:
        fill(
            house,
            put(house.open_shelf, "Handbook", "Leave is 30 days a year."),
            put(house.open_shelf, "B", "C."),
        )

    await in_thread(prepare)
    problems: list[str] = []
    async with browser_context(server) as context:
        page = await context.new_page()
        await sign_in(page, house.auditor.user.email)
        strict(page, problems)
        for address in ("/audit/quality/", "/audit/", "/audit/exports/"):
            await page.goto(address)
        await page.goto("/audit/quality/")
        bars = page.locator(".chart .bar .rect")
        assert await bars.count() > 0
        fill_colour = await bars.first.evaluate("bar => getComputedStyle(bar).fill")
        assert re.fullmatch(r"rgb\(.*\)", fill_colour)
        assert fill_colour != "rgb(0, 0, 0)"
    assert problems == []
