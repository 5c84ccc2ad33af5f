"""Telling a passage that speaks of what was asked from the nearest of those that don't."""

import math

import pytest

from sources.core.relevance import Background, relevance


def test_holding_all_words_is_relevant_and_holding_few_is_not() -> None:
    assert relevance(1.0) > 0.95
    assert relevance(0.7) > 0.9
    assert relevance(0.1) < 0.1
    assert relevance(0.0) == 0.0


def test_a_cosine_that_stands_out_is_relevant_without_a_common_word() -> None:
    assert relevance(0.0, 2.0) > 0.95
    assert relevance(0.0, -2.0) < 0.1


def test_standing_is_measured_against_the_highest_by_chance() -> None:
    few = Background(0.7, 0.02, 100, 100)
    many = Background(0.7, 0.02, 100_000, 100_000)
    assert few.standing(0.78) == pytest.approx(4 - math.sqrt(2 * math.log(100)))
    assert (many.standing(0.78) or 0) < (few.standing(0.78) or 0)


def test_the_same_standing_on_another_models_scale() -> None:
    one, other = Background(0.7, 0.02, 100, 100), Background(0.1, 0.1, 100, 100)
    assert one.standing(0.8) == pytest.approx(other.standing(0.6))


def test_few_vectors_are_judged_by_what_is_known_of_the_model() -> None:
    own, expected = Background(0.9, 0.0, 1, 1), Background(0.7, 0.02, 20)
    believed = own.toward(expected)
    assert 0.7 < believed.mean < 0.72
    assert believed.standing(0.9) is not None


def test_few_vectors_of_an_unknown_model_can_not_be_judged() -> None:
    nothing = Background(0.0, 0.0, 0, 0)
    assert Background(0.9, 0.0, 3, 3).toward(nothing).standing(0.95) is None
    assert nothing.toward(nothing).standing(0.95) is None


def test_equal_cosines_raise_nothing() -> None:
    assert relevance(0.0, Background(0.5, 0.0, 50, 50).standing(0.5)) < 0.1
