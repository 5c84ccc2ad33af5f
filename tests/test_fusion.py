"""Fusing rankings and spreading over groups."""

from sources.core.fusion import reciprocal_ranks, spread


def test_what_two_rankings_agree_on_comes_first() -> None:
    fused = reciprocal_ranks([["a", "b", "c"], ["c", "b", "d"]])
    assert list(fused) == ["c", "b", "a", "d"]


def test_scores_are_those_of_the_formula() -> None:
    assert reciprocal_ranks([["a"], ["b", "a"]])["a"] == 1 / 61 + 1 / 62


def test_a_weight_counts_a_ranking_more() -> None:
    assert list(reciprocal_ranks([["a"], ["b"]], weights=[1.0, 2.0])) == ["b", "a"]


def test_no_rankings_give_nothing() -> None:
    assert reciprocal_ranks([]) == {}
    assert reciprocal_ranks([[], []]) == {}


def test_one_group_does_not_crowd_out_another() -> None:
    items = [("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("a4", "a")]
    assert spread(items, 2) == ["a1", "a2", "b1", "a3", "a4"]


def test_a_group_alone_keeps_its_order() -> None:
    assert spread([("a1", "a"), ("a2", "a"), ("a3", "a")], 1) == ["a1", "a2", "a3"]
