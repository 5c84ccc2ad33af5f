"""What a browser may send over the socket, and what is refused."""

import json
import uuid

import pytest

from chat import frames

CLIENT, TURN = uuid.uuid4(), uuid.uuid4()


def frame(**fields: object) -> str:
    return json.dumps(fields)


def test_a_question() -> None:
    text = frame(
        action="ask", question=" When? ", client_id=str(CLIENT), model="m", HEADERS={"HX-Request": "true"}
    )
    assert frames.parse(text) == frames.Ask("When?", CLIENT, "m")


def test_a_stop() -> None:
    assert frames.parse(frame(action="stop", turn=str(TURN))) == frames.Stop(TURN)


def test_a_doubled_retry_is_one_retry() -> None:
    text = frame(action="retry", turn=str(TURN))
    assert frames.parse(text) == frames.parse(text)


def test_characters_that_the_database_refuses_are_left_out() -> None:
    action = frames.parse(frame(action="ask", question="a\0b\ud800c", client_id=str(CLIENT)))
    assert isinstance(action, frames.Ask)
    assert action.question == "abc"


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "no json",
        "[]",
        "12",
        "[" * 100_000,
        frame(),
        frame(action="dance"),
        frame(action=["ask"]),
        frame(action="ask", question="When?", client_id="no uuid"),
        frame(action="ask", question=["When?"], client_id=str(CLIENT)),
        frame(action="ask", question=" ", client_id=str(CLIENT)),
        frame(action="ask", question="x" * (frames.QUESTION_CHARACTERS + 1), client_id=str(CLIENT)),
        frame(action="stop"),
        frame(action="stop", turn=7),
    ],
)
def test_a_bad_frame_is_refused_with_a_sentence(text: str | None) -> None:
    with pytest.raises(frames.BadFrame, match=r"\.$"):
        frames.parse(text)
