"""What a question in a conversation is searched with (case B77)."""

import pytest

from chat.core.followup import asks_by_itself, leans, search_query
from chat.core.prompt import HistoryTurn

TYRES = HistoryTurn("What does the Model 3 tyre change cost?", "It costs 90 euro.")


def test_it_works() -> None:
    assert search_query("And a service?", [TYRES]) == f"And a service? {TYRES.question}"


@pytest.mark.parametrize(
    "question",
    [
        "And for B1?",
        "Why?",
        "How much does it cost?",
        "What about Berlin?",
        "Is that still valid?",
        "Und in Berlin?",
        "Et pour Paris ?",
        "و برای برلین؟",
        "قیمت آن چقدر است؟",
        "وهل هذا صحيح؟",
        "А в Берлине?",
        "那服务呢？",
        "它多少钱？",
        "Et quid de hoc?",
    ],
)
def test_what_leans_on_the_question_before_is_searched_with_it(question: str) -> None:
    assert search_query(question, [TYRES]) == f"{question} {TYRES.question}"


@pytest.mark.parametrize(
    "question",
    [
        "When do enterprise customers get budget alerts?",
        "How long does it take to renew a passport in Lisbon?",
        "And which insurance covers a rented van abroad in winter?",
        "Welche Fristen gelten für die Kündigung eines Mietvertrags?",
        "مشتریان سازمانی چه زمانی هشدار بودجه می‌گیرند؟",
        "企业客户什么时候收到预算提醒邮件？",
        "Quando clientes magni admonentur de sumptu?",
    ],
)
def test_what_stands_by_itself_is_searched_as_typed(question: str) -> None:
    assert search_query(question, [TYRES]) == question


@pytest.mark.parametrize("question", ["yes", "Yes, please!", "Ja, bitte.", "بله", "да", "好的", "はい"])
def test_a_yes_is_about_what_was_offered(question: str) -> None:
    offer = "Winter tyres need a second visit."
    offered = HistoryTurn(TYRES.question, f"It costs 90 euro. {offer[:-1]}; shall I list the dates?")
    assert search_query(question, [offered]) == f"{offer[:-1]}; shall I list the dates?"
    assert search_query(question, [TYRES]) == TYRES.question
    assert not asks_by_itself(question)


def test_a_chain_of_such_questions_keeps_its_subject() -> None:
    second = HistoryTurn("And a service?", "A service costs 200 euro. Shall I list what it covers?")
    assert search_query("yes", [TYRES, second]) == "Shall I list what it covers?"
    assert search_query("Why?", [TYRES, second]) == f"Why? And a service? {TYRES.question}"


def test_a_first_question_is_searched_as_typed() -> None:
    assert search_query("Why?", []) == "Why?"
    assert leans("Why?")


def test_a_new_subject_ends_the_chain() -> None:
    other = HistoryTurn("When do enterprise customers get budget alerts?", "At 80%.")
    assert search_query("And monthly?", [TYRES, other]) == f"And monthly? {other.question}"
