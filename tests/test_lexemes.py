"""What PostgreSQL is given to store and to search."""

from sources.core.lexemes import quote, search_terms, tsvector


def lexemes(literal: str) -> set[str]:
    """The quoted words of a literal without quotes or `:positions`, for words without blanks."""
    return {part.rpartition(":")[0].strip("'") for part in literal.split(" ") if part}


def test_words_are_kept_with_their_stems() -> None:
    assert tsvector("Invoices") == "'invoices':1 '~inuoic':1"


def test_positions_count_words_and_repeat() -> None:
    assert "'one':1,3" in tsvector("one two one")


def test_titles_and_headings_weigh_less_and_come_after() -> None:
    assert tsvector("alerts", "Pricing") == "'alerts':1 '~alerts':1 'pricing':2B '~pricin':2B"


def test_quotes_and_backslashes_are_escaped() -> None:
    assert quote("o'clock") == "'o''clock'"
    assert quote("a\\b") == "'a\\\\b'"


def test_positions_stay_within_the_bounds_of_postgresql() -> None:
    literal = tsvector("word " * 20_000 + "last")
    assert "'last':16383" in literal


def test_encoded_data_makes_no_endless_lexeme() -> None:
    assert max(map(len, lexemes(tsvector("A" * 5000)))) <= 121


def test_nothing_gives_nothing() -> None:
    assert tsvector("  \n ") == ""
    assert search_terms("") == ()


def test_a_question_asks_for_each_word_once() -> None:
    terms = search_terms("Invoices, invoices and INVOICES?")
    assert [(term.word, term.stem) for term in terms] == [("invoices", "~inuoic")]


def test_a_pasted_text_asks_for_a_bounded_number_of_words() -> None:
    assert len(search_terms(" ".join(f"word{number}" for number in range(1000)))) == 24
