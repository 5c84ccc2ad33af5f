"""Which sentences of an answer state something and cite nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.core.uncited import uncited_claims


def uncited(marked: str) -> list[str]:
    """Return the uncited sentences of a text in which `^` stands for a citation."""
    text, positions = "", []
    for char in marked:
        if char == "^":
            positions.append(len(text))
        else:
            text += char
    return [text[start:end] for start, end in uncited_claims(text, positions)]


def test_it_works() -> None:
    assert uncited("Alerts come at eight in the morning.^ They are sent by mail to all owners. ") == [
        "They are sent by mail to all owners."
    ]


@pytest.mark.parametrize(
    "marked",
    [
        "",
        "Alerts come at eight^ in the morning.",
        "Alerts come at eight in the morning. ^They too.",
        "# What the alerts of this year say",
        "The documents say the following about alerts:",
        "Would you like to know more about alerts?",
        "Of course, gladly.",
        "I could not find anything about alerts in the documents.",
        "The documents do not mention when alerts are sent.",
        "The documents say nothing about this.",
        "I found nothing about this in the documents that you can read.",
        "These words of the question do not stand in the passages found: alert.",
        "در اسنادی که می‌توانید بخوانید چیزی در این باره پیدا نکردم.",
        "```\nprint the alerts of this year and the next\n```",
        "| When | To whom it goes by mail |^\n|---|---|\n| At eight in the morning | owners |^",
    ],
)
def test_what_needs_no_citation(marked: str) -> None:
    assert uncited(marked) == []


def test_each_item_of_a_list_is_a_statement_of_its_own() -> None:
    found = uncited("- Alerts come at eight in the morning.^\n- Reports come at nine in the evening.\n")
    assert found == ["- Reports come at nine in the evening."]


def test_what_is_said_beside_what_is_missing_is_a_statement() -> None:
    sentence = "The documents name no limit, but the fee is 30 euros a month."
    assert uncited(sentence) == [sentence]


def test_time_is_linear() -> None:
    text = "Alerts come at eight in the morning. " * 20_000
    begin = time.perf_counter()
    assert uncited_claims(text, range(10, len(text), 37)) == []
    assert time.perf_counter() - begin < 10


def test_persian() -> None:
    assert uncited("هشدارها ساعت هشت صبح فرستاده می‌شوند.^ گزارش‌ها ساعت نه شب فرستاده می‌شوند.") == [
        "گزارش‌ها ساعت نه شب فرستاده می‌شوند."
    ]


@given(st.text(alphabet="ab .\n?#`|-^۱。", max_size=80))
def test_any_text_gives_spans_of_it(marked: str) -> None:
    text = marked.replace("^", "")
    spans = uncited_claims(text, [0, len(text)])
    assert all(0 <= start < end <= len(text) for start, end in spans)
