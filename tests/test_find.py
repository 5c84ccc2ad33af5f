"""Search inside one document: what counts as the same words, and where exactly they stand."""

import pytest

from sources.core.find import MOST_HITS, find, snippet


def hits(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in find(text, query).spans]


def test_it_works() -> None:
    assert find("The fee is ten euro. The Fee is due.", "fee").spans == ((4, 7), (25, 28))


@pytest.mark.parametrize(
    ("text", "query", "hit"),
    [
        ("Die Größe zählt", "grosse", "Größe"),
        ("Café crème", "cafe creme", "Café crème"),
        ("The ﬁrst oﬃce", "first office", "ﬁrst oﬃce"),
        ("کتاب‌های كهن", "کتابهای کهن", "کتاب‌های كهن"),
        ("می روم و می‌روم", "می‌روم", "می روم"),
        ("کتاب‌ها", "کتاب ها", "کتاب‌ها"),
        ("قیمت ۱۲۵ یورو", "125", "۱۲۵"),
        ("مُحَمَّد آمد", "محمد", "مُحَمَّد"),
        ("退还押金时", "押金", "押金"),
        ("全角ＡＢＣ", "abc", "ＡＢＣ"),
        ("It’s here", "it's", "It’s"),
    ],
)
def test_variants_of_writing_are_one(text: str, query: str, hit: str) -> None:
    assert hits(text, query)[0] == hit


@pytest.mark.parametrize(
    ("text", "query", "hit"),
    [
        ("The valve torque\nis 35 newton", "torque is 35", "torque\nis 35"),
        ("a word that is bro-\nken here", "broken here", "bro-\nken here"),
        ("申请退还押\n金时", "押金", "押\n金"),
        ("two   spaces", "two spaces", "two   spaces"),
    ],
)
def test_the_end_of_a_line_hides_nothing(text: str, query: str, hit: str) -> None:
    assert hits(text, query) == [hit]


def test_the_words_must_stand_together_if_they_do_anywhere() -> None:
    found = find("late fee. The fee. A late train.", "late fee")
    assert (found.spans, found.apart) == (((0, 8),), False)


def test_words_that_stand_nowhere_together_are_found_one_by_one() -> None:
    text = "The fee is late. A train."
    found = find(text, "train fee")
    assert found.apart
    assert [text[start:end] for start, end in found.spans] == ["fee", "train"]


@pytest.mark.parametrize("query", ["", "  ", "\u200e", "zebra"])
def test_nothing_is_found_for_nothing(query: str) -> None:
    assert find("The fee is ten euro.", query).spans == ()


@pytest.mark.parametrize("query", ["a.c", "(", "[x", "\\", "fee*", "?"])
def test_signs_mean_themselves(query: str) -> None:
    assert hits(f"abc {query} xyz", query) == [query]


def test_a_flood_of_hits_is_cut_and_says_so() -> None:
    found = find("a " * 5000, "a")
    assert (len(found.spans), found.more) == (MOST_HITS, True)


def test_a_snippet_has_whole_words_around_its_hit() -> None:
    text = "one two three four five\nsix needle seven eight nine ten eleven"
    cut = snippet(text, (text.index("needle"), text.index("needle") + 6), around=15)
    assert (cut.before, cut.hit, cut.after) == ("four five six ", "needle", " seven eight")


def test_a_snippet_at_an_end_is_not_cut_there() -> None:
    text = "fee now"
    assert snippet(text, (0, 3)).before == ""
    assert snippet(text, (4, 7)).after == ""
    assert snippet(text, (4, 7)).before == "fee "
