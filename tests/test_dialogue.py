"""From a program's messages to a question with its history."""

import pytest

from chat.api.dialogue import BadMessage, Said, answer_said, dialogue, text_of
from chat.core.prompt import HistoryTurn


def test_it_works() -> None:
    made = dialogue(
        [
            Said("system", "Be brief."),
            Said("user", "One?"),
            Said("assistant", "Yes.", ("block_1",)),
            Said("user", "And"),
            Said("developer", "In French."),
            Said("user", "two?"),
        ],
        param="messages",
    )
    assert made.question == "And\n\ntwo?"
    assert made.history == (HistoryTurn("One?", "Yes."),)
    assert made.instructions == "Be brief.\n\nIn French."
    assert made.cited_before == ("block_1",)


def test_an_answer_may_come_first() -> None:
    made = dialogue([Said("assistant", "Hello."), Said("user", "Hi?")], param="messages")
    assert made.history == (HistoryTurn("", "Hello."),)


@pytest.mark.parametrize("last", [[], [Said("assistant", "x")], [Said("user", "  ")], [Said("system", "x")]])
def test_the_last_word_is_the_users(last: list[Said]) -> None:
    with pytest.raises(BadMessage, match="The last message must be the user's"):
        dialogue([*last], param="messages")


def test_content_is_text_nothing_or_parts() -> None:
    parts = [{"type": "text", "text": "Hi"}, {"type": "text", "text": " there"}]
    read = [text_of(content, param="c", allowed=("text",)) for content in ("Hi", None, parts)]
    assert read == ["Hi", "", "Hi there"]


def test_a_picture_is_refused_by_its_place() -> None:
    with pytest.raises(
        BadMessage, match=r"Invalid value: 'image_url'. Supported values are: 'text'."
    ) as caught:
        text_of([{"type": "image_url", "image_url": {}}], param="messages[0].content", allowed=("text",))
    assert caught.value.param == "messages[0].content[0].type"


@pytest.mark.parametrize(
    ("text", "clean"),
    [("It is.[^1] So[^12][^3].", "It is. So."), ("`a[^x]` and [1]", "`a[^x]` and [1]")],
)
def test_our_own_marks_do_not_go_back_to_a_model(text: str, clean: str) -> None:
    assert answer_said(text, None).text == clean


def test_annotations_say_exactly_where_marks_stand() -> None:
    citation = {"start_index": 6, "end_index": 9, "citation_number": 1, "vector_id": "block_1", "url": "u"}
    said = answer_said("It is.[1] Yes [1].", [{"type": "url_citation", "url_citation": citation}])
    assert (said.text, said.cited) == ("It is. Yes [1].", ("block_1",))


@pytest.mark.parametrize("noted", [None, [], [1], [{"url_citation": {"start_index": -1, "end_index": 99}}]])
def test_foreign_annotations_change_nothing(noted: object) -> None:
    assert answer_said("It is.", noted) == Said("assistant", "It is.")
