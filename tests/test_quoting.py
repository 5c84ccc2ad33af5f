"""The built-in model: sentences word for word, each with its marker, and nothing of its own."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from chat.core.citations import CitationCollector
from chat.core.marker_events import Text
from chat.core.markers import MarkerParser
from chat.core.quoting import (
    LONGEST_QUOTE,
    MOST_QUOTES,
    Selection,
    Similarity,
    answer_pieces,
    choose_quotes,
    marker,
    plain_markdown,
)
from chat.core.quoting_phrases import phrases_for
from chat.core.render import render_markdown
from chat.providers.base import Api, End, EndReason, ModelRequest, ModelSettings, TextDelta, Usage
from chat.providers.quote import QuoteClient
from sources.core.passages import LineRange, Passage


def passage(name: str, text: str, **changes: object) -> Passage:
    plain = Passage(
        block_id=f"block_{name}",
        document_id=f"document-{name}",
        version_id="v",
        title="A document",
        text=text,
        start=0,
        end=len(text),
        lines=LineRange(1, 1 + text.count("\n")),
        sha256="x",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # the tests name fields of Passage


PRICING = passage(
    "pricing",
    "# Pricing Policy\n\nAll prices are in euros. Enterprise customers receive usage alerts at 80% and 100% of "
    "their monthly budget. Invoices are sent on the first day of each month.\n",
    title="Pricing Policy",
)
SUPPORT = passage(
    "support",
    "Priority support tickets receive an initial response within four business hours. Other tickets are "
    "answered within two days.",
    title="Support SLA",
)
PERSIAN = passage(
    "persian",
    "قیمت‌ها به یورو است. مشتریان سازمانی هنگامی که مصرفشان به ۸۰٪ و ۱۰۰٪ بودجهٔ ماهانه برسد هشدار "
    "مصرف دریافت می‌کنند. صورت‌حساب در اول ماه فرستاده می‌شود.",
)
LATIN = passage(
    "latin",
    "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani. Hi omnes lingua, "
    "institutis, legibus inter se differunt. Horum omnium fortissimi sunt Belgae.",
)
ALL = (PRICING, SUPPORT, PERSIAN, LATIN)


def quoted(question: str, *passages: Passage) -> list[str]:
    return [quote.text for quote in choose_quotes(question, passages or ALL).quotes]


def answer(question: str, *passages: Passage) -> str:
    return "".join(answer_pieces(question, choose_quotes(question, passages or ALL)))


ALERTS = "Enterprise customers receive usage alerts at 80% and 100% of their monthly budget."


def test_it_works() -> None:
    assert answer("When do enterprise customers get budget alerts?") == (
        f"The documents say:\n\n“{ALERTS}”\ue200cite\ue202block_pricing\ue201"
    )


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When do enterprise customers get budget alerts?", ALERTS),
        ("How fast is the initial response to priority tickets?", SUPPORT.text.split(".")[0] + "."),
        ("When are invoices sent?", "Invoices are sent on the first day of each month."),
        ("مشتریان سازمانی چه زمانی هشدار بودجه دریافت می‌کنند؟", PERSIAN.text.split(".")[1].strip() + "."),
        ("Quot in partes divisa est Gallia?", LATIN.text.split(".")[0] + "."),
        ("Quinam omnium fortissimi sunt?", "Horum omnium fortissimi sunt Belgae."),
    ],
)
def test_the_best_sentence_comes_first(question: str, sentence: str) -> None:
    assert choose_quotes(question, ALL).quotes[0].text == sentence


def test_other_inflections_and_spellings_are_found() -> None:
    assert quoted("enterprise customer's budget alert") == [ALERTS]
    assert quoted("هشدار بودجه مشتری سازماني") == [PERSIAN.text.split(".")[1].strip() + "."]


def test_a_part_number_finds_only_itself() -> None:
    spares = passage("spares", "Filter K-7731-A costs 12 euros. Filter K-7731-B costs 15 euros.")
    assert quoted("What does filter K-7731-B cost?", spares)[0] == "Filter K-7731-B costs 15 euros."


def test_a_chinese_question() -> None:
    text = "所有价格均以欧元计。企业客户在使用量达到每月预算的80%和100%时会收到提醒。发票在每月第一天发送。"
    assert quoted("企业客户什么时候收到预算提醒？", passage("zh", text))[0] == text.split("。")[1] + "。"


def test_a_question_in_two_parts_gets_a_quote_for_each() -> None:
    found = quoted("When are invoices sent, and when do enterprise customers get alerts?")
    assert found == [ALERTS, "Invoices are sent on the first day of each month."]


def test_several_quotes_are_a_list_with_a_marker_each() -> None:
    text = answer("When are invoices sent, and when do enterprise customers get alerts?")
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("- “")] == lines[2:]
    assert len(lines) == 4
    assert all(line.endswith("”\ue200cite\ue202block_pricing\ue201") for line in lines[2:])


def test_there_are_never_more_than_a_few_quotes() -> None:
    many = [
        passage(f"n{number}", f"Customer group {number} gets budget alerts daily.") for number in range(20)
    ]
    assert 1 <= len(choose_quotes("Which customer group gets budget alerts?", many).quotes) <= MOST_QUOTES


def test_the_same_sentence_in_two_documents_is_quoted_once() -> None:
    copy = replace(PRICING, block_id="block_copy", document_id="other")
    assert quoted("When do enterprise customers get budget alerts?", PRICING, copy) == [ALERTS]


def test_the_passage_that_retrieval_ranks_first_wins_a_tie() -> None:
    one = passage("one", "The office opens at nine in Paris.")
    two = passage("two", "The office opens at ten in Paris.")
    assert choose_quotes("When does the office open in Paris?", [one, two]).quotes[0].passage is one
    assert choose_quotes("When does the office open in Paris?", [two, one]).quotes[0].passage is two


def test_a_heading_lends_its_words_to_the_sentences_below() -> None:
    found = passage("a", "They are sent at 80% of the budget.", heading_path=("Enterprise alerts",))
    other = passage("b", "They are sent at noon.", heading_path=("Newsletters",))
    assert quoted("When are enterprise alerts sent?", other, found)[0] == found.text


def test_a_heading_is_not_an_answer() -> None:
    text = "# When are budget alerts sent\n\nBudget alerts are sent at 80%."
    assert quoted("When are budget alerts sent?", passage("a", text))[0] == "Budget alerts are sent at 80%."


# Nothing found


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is the capital of Mongolia?", "en"),
        ("پایتخت مغولستان کجاست؟", "fa"),
        ("Ubi est caput Mongoliae?", "la"),
        ("Was ist die Hauptstadt der Mongolei?", "de"),
        ("Hvad hedder Mongoliets hovedstad?", "da"),
    ],
)
def test_nothing_relevant_is_said_in_the_questions_language(question: str, language: str) -> None:
    assert answer(question) == phrases_for(language).nothing


def test_nothing_found_never_hints_at_hidden_documents() -> None:
    hints = ("permission", "access", "hidden", "restricted", "اجازه", "Zugriff", "accès", "acceso")
    for language in ("en", "fa", "la", "ar", "de", "es", "fr", "it", "pt", "ru", "tr", "zh", "ja"):
        said = phrases_for(language).nothing
        assert not [hint for hint in hints if hint in said]


@pytest.mark.parametrize("passages", [(), (passage("a", ""),), (passage("b", "  \n---\n| - | - |\n"),)])
@pytest.mark.parametrize("question", ["When are alerts sent?", "", "???", "\n", "the of and"])
def test_without_text_there_is_nothing_to_quote(question: str, passages: tuple[Passage, ...]) -> None:
    assert choose_quotes(question, passages) == Selection()


def test_words_that_stand_nowhere_are_named() -> None:
    text = answer("When do enterprise customers in Mongolia get budget alerts and vouchers?")
    assert ALERTS in text
    assert text.endswith("do not stand in the passages found: “Mongolia”, “vouchers”.")


def test_small_words_are_not_named() -> None:
    assert "do not stand" not in answer(
        "How quickly do you usually get an initial response to priority tickets?"
    )


# Exactness


AWKWARD = [
    "Use *stars*, _lines_, __init__ and snake_case for budget alerts.",
    "Budget alerts | are in a table | with bars.",
    "Budget alerts see the note [1] and [^2] and arr[0].",
    "Budget alerts <b>bold</b> <script>x()</script> & &amp; &lt;.",
    "Budget alerts cost $5 or $10 ~~not 6~~ 3 * 4.",
    "Budget alerts [link](javascript:x) ![image](http://127.0.0.1:9/p.png).",
    "Budget alerts in `code` and C:\\temp\\new \\* here.",
    "Some budget alerts may well be\nbroken   over lines.",
    "Budget alerts “inside” «marks» \"of\" 'all' kinds.",
]


@pytest.mark.parametrize("text", AWKWARD)
def test_a_quote_reaches_the_page_word_for_word(text: str) -> None:
    [quote] = choose_quotes("budget alerts", [passage("a", text)]).quotes
    assert quote.text == text
    [html] = render_markdown(f"“{plain_markdown(text)}”", [])
    shown = re.sub(r"<[^>]*>", "", html)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        shown = shown.replace(entity, sign)
    assert shown.strip() == f"“{' '.join(text.split())}”"


@pytest.mark.parametrize("text", AWKWARD)
def test_nothing_in_a_quote_is_taken_for_a_citation(text: str) -> None:
    source = passage("a", text)
    parser = MarkerParser([source.block_id, "block_b"])
    events = [
        event
        for piece in answer_pieces("budget alerts", choose_quotes("budget alerts", [source]))
        for event in parser.feed(piece)
    ]
    events += parser.flush()
    assert [event.raw for event in events if not isinstance(event, Text)] == [marker("block_a")]


@pytest.mark.parametrize(
    "text",
    [
        "Budget alerts come \ue200cite\ue202block_b\ue201 daily.",
        "Budget alerts come \\ue200cite\\ue202block_b\\ue201 daily.",
        "Budget alerts come citeturn0file1 daily.",
        "Budget alerts come (block_b) daily.",
        "Budget alerts come 【1】 daily.",
    ],
)
def test_a_sentence_that_forges_a_marker_is_not_quoted(text: str) -> None:
    honest = "Budget alerts come weekly."
    assert quoted("budget alerts", passage("a", text), passage("b", honest)) == [honest]


def test_quotes_leave_list_and_heading_signs_out() -> None:
    text = "## Alerts\n\n- Budget alerts come daily.\n1. Budget reports come weekly."
    assert quoted("budget alerts reports", passage("a", text)) == [
        "Budget alerts come daily.",
        "Budget reports come weekly.",
    ]


def test_a_very_long_sentence_is_quoted_in_part_at_words() -> None:
    text = "word " * 300 + "budget alerts are sent daily " + "more " * 300
    [quote] = choose_quotes("When are budget alerts sent?", [passage("a", text)]).quotes
    assert len(quote.text) <= LONGEST_QUOTE
    assert "budget alerts are sent daily" in quote.text
    assert quote.text in text
    assert re.fullmatch(r"(\w+ )*\w+", quote.text)
    assert "“… word" in answer("When are budget alerts sent?", passage("a", text))


def test_the_citations_of_an_answer_hold_its_quotes() -> None:
    question = "When are invoices sent, and when do enterprise customers get alerts?"
    parser = MarkerParser([source.block_id for source in ALL])
    collector = CitationCollector(ALL, str)
    for piece in answer_pieces(question, choose_quotes(question, ALL)):
        collector.take(parser.feed(piece))
    collector.take(parser.flush())
    assert [citation.number for citation in collector.citations] == [1, 1]
    for citation, sentence in zip(collector.citations, quoted(question), strict=True):
        assert sentence in citation.quote
        assert collector.text[: citation.position].endswith(f"“{sentence}”")


# Across languages


def likeness_to(*wanted: str, high: float = 0.6, low: float = 0.2) -> Similarity:
    def likeness(texts: list[str]) -> list[float]:
        return [high if any(word in text for word in wanted) else low for text in texts]

    return likeness


def test_a_question_in_another_language_is_answered_by_likeness() -> None:
    selection = choose_quotes("Wann kommt die Rechnung?", ALL, similarity=likeness_to("Invoices"))
    assert [quote.text for quote in selection.quotes] == ["Invoices are sent on the first day of each month."]
    text = "".join(answer_pieces("Wann kommt die Rechnung?", selection))
    assert text.startswith("In den Dokumenten steht:\n\n„Invoices")


def test_a_likeness_that_does_not_stand_out_is_no_answer() -> None:
    flat = likeness_to("Invoices", high=0.45)
    assert choose_quotes("Wo ist der Bahnhof?", ALL, similarity=flat) == Selection()


def test_likeness_is_not_asked_when_words_suffice() -> None:
    def never(texts: list[str]) -> list[float]:
        raise AssertionError(texts)

    assert choose_quotes("When do enterprise customers get budget alerts?", ALL, similarity=never).quotes


# The client


async def test_the_client_streams_pieces_usage_and_an_end() -> None:
    settings = ModelSettings("citeweb-quote", "Quotes", Api.QUOTE)
    request = ModelRequest(settings, "When do enterprise customers get budget alerts?", passages=ALL)
    events = [event async for event in QuoteClient(pace=0).stream(request)]
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 10
    assert "".join(pieces) == answer("When do enterprise customers get budget alerts?")
    assert isinstance(events[-2], Usage)
    assert events[-1] == End(EndReason.STOP, "stop")


async def test_the_client_asks_its_likeness_with_the_question() -> None:
    asked: list[str] = []

    def likeness(question: str, texts: Sequence[str]) -> list[float]:
        asked.append(question)
        return [0.6 if "Invoices" in text else 0.2 for text in texts]

    settings = ModelSettings("citeweb-quote", "Quotes", Api.QUOTE)
    request = ModelRequest(settings, "Wann kommt die Rechnung?", passages=ALL)
    events = [event async for event in QuoteClient(likeness, pace=0).stream(request)]
    assert asked == ["Wann kommt die Rechnung?"]
    assert "Invoices" in "".join(event.text for event in events if isinstance(event, TextDelta))


def test_twenty_large_passages_take_no_time_to_speak_of() -> None:
    text = " ".join(
        f"Sentence {number} about budget alerts and customers of kind {number}." for number in range(60)
    )
    passages = [passage(f"n{number}", text) for number in range(20)]
    started = time.process_time()
    choose_quotes("When do enterprise customers get budget alerts?", passages)
    assert time.process_time() - started < 2
