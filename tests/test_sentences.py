"""Sentences of all scripts are spans of the input, cut where a reader would cut."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.core.sentences import sentence_spans


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_it_works() -> None:
    assert cut("One thing. Another thing! A third?") == ["One thing.", "Another thing!", "A third?"]


def test_spans_are_trimmed_and_half_open() -> None:
    assert sentence_spans("  Yes.  No. ") == [(2, 6), (8, 11)]


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t\n"])
def test_nothing_gives_no_sentence(text: str) -> None:
    assert sentence_spans(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met J. R. Tolkien at Oxford.",
        "See Art. 5 and No. 12 of the code.",
        "It grew, e.g. in Rome, by 3.5 percent.",
        "The U.S. Senate met at 5 p.m. on Monday.",
        "Sie kamen am 3. Oktober nach Bonn.",
        "Im Laufe des 18. und 19. Jahrhunderts wuchs die Stadt.",
        "Das gilt z. B. für Gemeinden mit 2 Mio. Einwohnern.",
        "Vivió en los EE.UU. durante el s. XX con la Sra. García.",
        "M. Tullius Cicero et C. Iulius Caesar, cf. Liv. 3, 12.",
        "В 1990 г. и др. странах было 3 млн. Человек не знал.",
    ],
)
def test_abbreviations_initials_decimals_and_ordinals_end_nothing(text: str) -> None:
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("این یک جمله است. آیا درست است؟ بله!", ["این یک جمله است.", "آیا درست است؟", "بله!"]),
        ("هذه جملة. هل هي صحيحة؟ نعم۔ انتهى", ["هذه جملة.", "هل هي صحيحة؟", "نعم۔", "انتهى"]),
        ("今天天气好。明天会下雨吗？会！", ["今天天气好。", "明天会下雨吗？", "会！"]),
        ("彼は「雨だ。」と言った。終わり。", ["彼は「雨だ。」と言った。", "終わり。"]),
        ("यह एक वाक्य है। यह दूसरा है॥", ["यह एक वाक्य है।", "यह दूसरा है॥"]),
        ("Η πρώτη. Η δεύτερη; Η τρίτη.", ["Η πρώτη.", "Η δεύτερη; Η τρίτη."]),
        ("¿Qué es? Es esto. «Sí.» Bien.", ["¿Qué es?", "Es esto.", "«Sí.»", "Bien."]),
    ],
)
def test_each_script_has_its_stops(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


def test_closing_quotes_and_brackets_stay_with_their_sentence() -> None:
    assert cut('He said "Go." She went. (It rained.) Later') == [
        'He said "Go."',
        "She went.",
        "(It rained.)",
        "Later",
    ]


def test_a_small_letter_goes_on() -> None:
    assert cut("It is (approx. half) done... more or less. Yes") == [
        "It is (approx. half) done... more or less.",
        "Yes",
    ]


def test_wrapped_lines_go_on() -> None:
    text = "Enterprise customers receive alerts when they\nreach the quota that was agreed\nin the contract. New."
    assert cut(text) == [text[:-5], "New."]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blank_lines_and_headings_end_a_sentence(newline: str) -> None:
    text = newline.join(["# Prices", "All prices hold", "", "Terms", "", "Pay soon"])
    assert cut(text) == ["# Prices", "All prices hold", "Terms", "Pay soon"]


def test_a_short_line_before_a_wrapped_paragraph_is_a_heading() -> None:
    text = "Pricing Policy\nEnterprise customers receive alerts when they reach eighty percent\nof it."
    assert cut(text)[0] == "Pricing Policy"


def test_list_items_and_table_rows_stand_alone() -> None:
    text = "We offer\n- bread\n- wine and\n  water\n1. First\n2) Second\n| a | b |\n| 1 | 2 |\nx\ty\nz\tw"
    assert cut(text) == [
        "We offer", "- bread", "- wine and\n  water", "1. First", "2) Second", "| a | b |", "| 1 | 2 |", "x\ty", "z\tw",
    ]  # fmt: skip


def test_a_year_in_brackets_at_a_line_start_is_no_list_item() -> None:
    text = "Open-domain question answering as by (Voorhees,\n1999) is a task that answers factoid questions."
    assert cut(text) == [text]


def test_thai_without_stops_is_cut_at_spaces_after_a_while() -> None:
    clause = "ประเทศไทยมีประชากรมากกว่าหกสิบล้านคนและมีเมืองหลวงคือกรุงเทพมหานคร"
    text = f"{clause} {clause} {clause}"
    assert len(cut(text)) > 1
    assert all(len(piece) > 40 for piece in cut(text))


def test_a_sentence_without_end_is_cut_somewhere() -> None:
    text = "; ".join(f"clause number {n} goes on" for n in range(400))
    assert max(map(len, cut(text))) < 2000


@given(st.text(alphabet=st.sampled_from("aB1.!?。؟।,;()\"'«» \n\r\t-#|می漢ไ\u200c\u00a0"), max_size=80))
def test_every_visible_character_is_in_just_one_span(text: str) -> None:
    spans = sentence_spans(text)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    joined = "".join(text[start:end] for start, end in spans)
    assert "".join(joined.split()) == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize("unit", ["A. ", "1. ", ". ", "a\n", "| ", "\"'(", "und 1. ", "ก ", "! "])
def test_time_grows_with_length_and_no_faster(unit: str) -> None:
    """Ten thousand stops in one line once took a minute; now it is hundredths of a second."""
    began = time.process_time()
    sentence_spans(unit * 20_000)
    assert time.process_time() - began < 2
