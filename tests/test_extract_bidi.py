"""Right-to-left lines are read from where their glyphs stand, whatever order the file gives them in."""

import random

import pytest

from sources.core.extract.pdf_bidi import Glyph, in_logical_order, is_right_to_left

EM = 10.0
WIDTH = 5.0


def glyphs(seen: str) -> list[Glyph]:
    """Set what is seen on the page from left to right; a space is a gap, letters of one word touch."""
    places = random.Random(1).sample(range(0, 10 * len(seen), 2), len(seen))
    return [
        Glyph(char, (place,), WIDTH * column, WIDTH * (column + 1))
        for column, (char, place) in enumerate(zip(seen, places, strict=True))
        if char != " "
    ]


def read(seen: str) -> str:
    return "".join(glyph.text for glyph in in_logical_order(glyphs(seen), EM))


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("ایند مالس", "سلام دنیا"),
        ("تسا 80 رد", "در 80 است"),
        ("ناموت ۱۲٬۰۰۰", "۱۲٬۰۰۰ تومان"),
        ("زا %50 لقادح", "حداقل 50% از"),
        ("تسا OpenAI GPT 4 API لدم", "مدل OpenAI GPT 4 API است"),
        ("یور (K-7731-B) شرافس", "سفارش (K-7731-B) روی"),
        ("تسا 3D ۀخسن", "نسخۀ 3D است"),
        ("تعاس 10:30 رد", "در 10:30 ساعت"),
        ("خروم 1403/09/19", "1403/09/19 مورخ"),
        ("رد 01-05-2024 خيرات", "تاريخ 2024-05-01 در"),
        ("יאמב 12-ב", "ב-12 במאי"),
        ("درادناتسا -2-5", "5-2- استاندارد"),
        ("تسا «هنومن» تکرش", "شرکت «نمونه» است"),
        ("example.com/help تیاس", "سایت example.com/help"),
    ],
)
def test_what_is_seen_from_the_left_is_read_from_the_right(seen: str, text: str) -> None:
    assert read(seen) == text


def test_marks_stay_with_their_letter() -> None:
    base = [Glyph("ب", (4,), 10, 15), Glyph("د", (2,), 5, 10), Glyph("ه", (0,), 0, 5)]
    mark = Glyph("\u0654", (6,), -1, 3)
    assert "".join(glyph.text for glyph in in_logical_order([mark, *base], EM)) == "بده\u0654"


def test_letters_that_would_join_and_do_not_are_parted_by_a_non_joiner() -> None:
    word = [
        Glyph(char, (8 - 2 * column,), 5.0 * column, 5.0 * column + 5) for column, char in enumerate("دوشیم")
    ]
    apart = word[:3] + [
        Glyph(glyph.text, glyph.places, glyph.left + 0.6, glyph.right + 0.6) for glyph in word[3:]
    ]
    assert "".join(glyph.text for glyph in in_logical_order(word, EM)) == "میشود"
    assert "".join(glyph.text for glyph in in_logical_order(apart, EM)) == "می\u200cشود"


def test_the_last_letter_of_a_ligature_decides_whether_it_joins() -> None:
    word = [Glyph("ی", (0,), 0, 5), Glyph("لا", (4, 2), 5.8, 10.8), Glyph("ک", (6,), 10.8, 15.8)]
    assert "".join(glyph.text for glyph in in_logical_order(word, EM)) == "کلای"


def test_cells_of_a_row_are_kept_apart() -> None:
    seen = glyphs("436    هسلج")
    assert "".join(glyph.text for glyph in in_logical_order(seen, EM)) == "جلسه\t436"


def test_every_glyph_comes_back_once() -> None:
    seen = glyphs("تسا OpenAI (GPT-4) ۲۵٪ «هنومن» 3D لدم")
    ordered = [glyph.places for glyph in in_logical_order(seen, EM) if glyph.places]
    assert sorted(ordered) == sorted(glyph.places for glyph in seen)


@pytest.mark.parametrize(
    ("words", "expected"), [("سلام world", False), ("سلام دنیا is", True), ("12:30", False), ("", False)]
)
def test_the_letters_decide_the_direction(words: str, expected: bool) -> None:
    assert is_right_to_left(words) is expected
