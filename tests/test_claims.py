"""The sentence that a citation supports."""

from chat.core.claims import LONGEST_CLAIM, claim_before


def test_it_is_the_last_sentence() -> None:
    assert claim_before("Alerts exist. They come at 80% and 100%.") == "They come at 80% and 100%."


def test_a_marker_before_the_full_stop_gets_the_sentence_so_far() -> None:
    assert claim_before("Alerts exist. They come at 80%") == "They come at 80%"


def test_markdown_signs_are_no_part_of_it() -> None:
    assert claim_before("- **Fees** are `monthly`.") == "Fees are monthly ."


def test_persian() -> None:
    assert claim_before("هشدارها وجود دارند. هشدار در ۸۰٪ می‌آید.") == "هشدار در ۸۰٪ می‌آید."


def test_nothing_said_is_no_claim() -> None:
    assert claim_before("  \n") == ""


def test_it_is_bounded() -> None:
    assert len(claim_before("word " * 2_000)) <= LONGEST_CLAIM
