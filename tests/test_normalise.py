"""Words as search sees them: levelled spelling, exact places in the input."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.core.normalise import fold, query_tokens, tokens, word_parts
from sources.core.numerals import number_forms
from sources.core.stemming import stem


def words(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


def wholes(text: str) -> list[str]:
    return [token.text for token in tokens(text) if not token.part]


def asked(text: str) -> list[str]:
    return [token.text for token in query_tokens(text)]


def test_it_works() -> None:
    text = "Über die Café-Straße: 1,234.50 €"
    assert [(t.text, text[t.start : t.end]) for t in tokens(text) if not t.part] == [
        ("uber", "Über"),
        ("die", "die"),
        ("cafestrasse", "Café-Straße"),
        ("1234.5", "1,234.50"),
    ]


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("كتاب عربي", "کتاب عربی"),  # Arabic and Persian kaf and yeh
        ("الله", "اهلل"),  # PDFium turns the ligature round
        ("والله", "واهلل"),
        ("اسلام", "اسالم"),  # and so lam-alef
        ("الأهداف", "األهداف"),
        ("ﻻﺯﻡ", "لازم"),  # presentation forms
        ("مُحَمَّد", "محمد"),
        ("محـــمد", "محمد"),
        ("مدرسة", "مدرسه"),
        ("۱۲۳", "123"),
        ("१२३", "١٢٣"),
        ("cafe\u0301", "CAFÉ"),
        ("ﬁnance", "finance"),
        ("İstanbul ıslak", "istanbul islak"),
        ("Æneas œuvre Łódź Ørsted", "aeneas oeuvre lodz orsted"),
        ("ＡＢＣ１２", "abc12"),
        ("Ёлка", "елка"),
        ("क़लम", "कलम"),
        ("が", "か\u3099"),
        ("한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"),
        ("co\u00adoperate", "cooperate"),
        ("us\ufffeing", "using"),  # PDFium's mark for a hyphen at the line end
        ("a\u200eb\u2060c\ufeff", "abc"),
    ],
)
def test_variants_are_one_word(written: str, same: str) -> None:
    assert words(written) == words(same)
    assert fold(written) == fold(same)


@pytest.mark.parametrize(
    ("one", "other"), [("か", "が"), ("कि", "की"), ("หมา", "หม่า"), ("K-7731-B", "K-7731-C")]
)
def test_what_spells_another_word_stays_apart(one: str, other: str) -> None:
    assert wholes(one) != wholes(other)


def test_zwnj_joins_and_its_pieces_are_found_too() -> None:
    assert words("کتاب‌ها") == ["کتابها", "کتاب"]
    assert words("می‌رود") == ["میرود", "رود"]
    assert words("میرود") == ["میرود"]


def test_a_part_number_is_whole_and_split() -> None:
    assert words("K-7731-B") == ["k7731b", "k", "7731", "b"]
    assert wholes("K7731B") == wholes("k 7731 b".replace(" ", "-")) == ["k7731b"]


def test_a_query_for_a_part_number_asks_for_the_whole_only() -> None:
    assert asked("K-7731-B") == ["k7731b"]
    assert "k7731b" not in words("Part K-7731-C, class B")
    assert asked("version 1.2.3") == ["version", "1.2.3"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("公司VPN", ["公司", "vpn"]),
        ("東京都", ["東京", "京都"]),
        ("水", ["水"]),
        ("학교에서", ["학교", "교에", "에서"]),
        ("カタカナ語", ["カタ", "タカ", "カナ", "ナ語"]),
        ("نسخهPDF", ["نسخه", "pdf"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไท", "ไทย"]),
        ("hello世界42", ["hello", "世界", "42"]),
    ],
)
def test_runs_without_spaces_and_mixed_scripts(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n  "])
@pytest.mark.parametrize("hyphen", ["-", "\u2010", "\u00ad"])
def test_a_word_broken_at_a_line_end_is_whole(hyphen: str, newline: str) -> None:
    text = f"partes tres, qua{hyphen}{newline}rum unam"
    token = next(t for t in tokens(text) if t.text == "quarum")
    assert text[token.start : token.end] == f"qua{hyphen}{newline}rum"


def test_a_capital_after_the_line_end_keeps_the_hyphen() -> None:
    assert wholes("Austria-\nHungary") == ["austria", "hungary"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("company's", ["company"]),
        ("l’homme", ["lhomme", "homme"]),
        ("don't", ["dont", "don"]),
        ("O'Brien", ["obrien", "brien"]),
        ("e-mail", ["email", "e", "mail"]),
        ("2024-05-06", ["2024-05-06", "2024", "05", "06"]),
        ("alarm²", ["alarm", "2"]),  # a raised digit is a footnote mark
        ("6½", ["6.5"]),
    ],
)
def test_apostrophes_hyphens_and_raised_digits(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("written", "forms"),
    [
        ("1,234,567.50", ("1234567.5",)),
        ("1.234.567,5", ("1234567.5",)),
        ("1'234'567", ("1234567",)),
        ("12,34,567", ("1234567",)),
        ("3,14", ("3.14",)),
        ("1,234", ("1234", "1.234")),
        ("0.125", ("0.125",)),
        ("1.2.3", ()),
        ("12.05.2024", ()),
    ],
)
def test_number_forms(written: str, forms: tuple[str, ...]) -> None:
    assert number_forms(written) == forms


@pytest.mark.parametrize(
    ("question", "left"),
    [
        (
            "When do enterprise customers get budget alerts?",
            ["enterprise", "customers", "get", "budget", "alerts"],
        ),
        ("هشدار بودجه چه زمانی ارسال می‌شود؟", ["هشدار", "بودجه", "زمانی", "ارسال"]),
        ("Quod flumen Gallos ab Aquitanis dividit?", ["flumen", "gallos", "aquitanis", "dividit"]),
        ("Wann wurde das Gesetz beschlossen?", ["gesetz", "beschlossen"]),
    ],
)
def test_question_words_are_left_out(question: str, left: list[str]) -> None:
    assert asked(question) == left


def test_a_question_of_stop_words_keeps_them() -> None:
    assert asked("Who is it?") == ["who", "is", "it"]
    assert asked("") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("customers", "customer"),
        ("conversations", "conversation"),
        ("الكتابات", "كتاب"),
        ("کتابهای", "کتاب"),
        ("iustitia", "justitiam"),
        ("правительства", "правительство"),
        ("लड़कियों", "लड़की"),
    ],
)
def test_inflected_forms_share_a_stem(one: str, other: str) -> None:
    assert stem(wholes(one)[0]) == stem(wholes(other)[0])


@pytest.mark.parametrize("word", ["1234567", "k7731b", "東京", "ไท", "to"])
def test_numbers_codes_pairs_and_short_words_have_no_stem(word: str) -> None:
    assert stem(word) == word


@given(st.text(max_size=60))
def test_spans_lie_in_the_input_in_order(text: str) -> None:
    found = tokens(text)
    assert all(0 <= t.start < t.end <= len(text) and t.text for t in found)
    wholes_only = [t for t in found if not t.part]
    assert all(a.start <= b.start for a, b in itertools.pairwise(wholes_only))


@given(
    st.text(
        alphabet=st.sampled_from("aÉß1٣.,-'’كیةلاﷲﻻ\u064e\u0640\u200c\u00ad漢가ไ\n ½²ﬁI\u0307"), max_size=40
    )
)
def test_a_token_is_what_its_span_says(text: str) -> None:
    """Cut out by its span, a word of one script gives the same token again."""
    for token in tokens(text):
        again = [t.text for t in tokens(text[token.start : token.end])]
        assert token.text in again or token.text in fold(text)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing_more_for_words(text: str) -> None:
    once = fold(text)
    assert fold(once).replace(" ", "") == fold(fold(once)).replace(" ", "")


@given(st.text(alphabet="aéKB7٣- .'_\u0300\u200cمیکتاب押金을รถ&", max_size=40))
def test_words_are_those_of_the_tokens(text: str) -> None:
    assert list(word_parts(text)) == [(token.text, token.part) for token in tokens(text)]
