"""Margins, and what a comparison can find, against statsmodels and worked by hand."""

from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from dashboard.errors import ChoiceError
from dashboard.evaluation.decisions import bound_loss, describe_power, parse_margins
from dashboard.evaluation.differences import compare_runs, describe_difference
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import parse
from tests.plugins.worlds import call


def compare(
    differences: np.ndarray, margin: float | None = None, scenes: list[str] | None = None,
    metric: str = "AP"
) -> dict:  # fmt: skip
    ids = tuple(f"q{number:04}" for number in range(len(differences)))
    measures = tuple(parse(metric))
    sides = (
        Measurement(name, measures, ids, values[None])
        for name, values in (("a", 0.5 - differences / 2), ("b", 0.5 + differences / 2))
    )
    (row,) = compare_runs(*sides, scenes or (), {} if margin is None else {metric: margin})
    return row


@pytest.mark.parametrize("number", [5, 40, 400])
def test_power_is_that_of_the_paired_t_test(number: int) -> None:
    differences = np.random.default_rng(number).normal(0.01, 0.1, number).round(12)
    row, spread = compare(differences, 0.02), differences.std(ddof=1)
    size = TTestPower().solve_power(nobs=number, alpha=0.05, power=0.8)
    assert row["detectable"] == pytest.approx(size * spread, rel=1e-3)  # it counts both tails
    needed = TTestPower().solve_power(effect_size=0.02 / spread, alpha=0.05, power=0.8)
    assert row["needed"] == pytest.approx(np.ceil(needed), abs=1)


def test_scenes_are_units() -> None:
    """Four queries of a scene differ alike: they tell as much as one."""
    differences = np.random.default_rng(0).normal(0, 0.1, 10).round(12)
    alone = compare(differences, 0.02)
    together = compare(np.repeat(differences, 4), 0.02, [f"s{n // 4}" for n in range(40)])
    assert together["detectable"] == pytest.approx(alone["detectable"])
    assert together["needed"] == 4 * alone["needed"]


def test_outcomes_of_a_margin() -> None:
    """Of 400 queries 4 lose and 4 gain 0.1: the mean is known to 0.005, with one more 0.010."""
    differences = np.zeros(400)
    differences[:4], differences[4:8] = -0.1, 0.1
    assert [compare(differences, m)["outcome"] for m in (None, 0.004, 0.012)] == [
        "cannot tell", "cannot tell", "not worse",
    ]  # fmt: skip
    row = compare(differences, 0.012)
    assert describe_difference(row, "a", "b").startswith("b is not worse than a by 0.012: ")
    better, worse = compare(np.abs(differences), 0.012), compare(-np.abs(differences), 0.012)
    assert (better["outcome"], worse["outcome"]) == ("better", "not worse")
    assert compare(-np.abs(differences), 0.001)["outcome"] == "worse"
    same = compare(np.zeros(400), 0.012)  # of none in 400 at most 0.0092 lose
    assert (same["outcome"], same["detectable"], same["needed"]) == ("not worse", None, None)
    assert compare(np.zeros(400), 0.009)["outcome"] == "cannot tell"


def test_a_lower_value_can_be_the_better_one() -> None:
    """MnR rises by 1 or falls by 1: with a margin of 2 ranks it is not worse."""
    ranks = np.resize([1.0, -1.0], 200)
    assert compare(ranks, 0.99, metric="t2i_MnR")["outcome"] == "not worse"
    assert compare(ranks + 10, 5, metric="t2i_MnR")["outcome"] == "worse"


def test_the_second_bound_holds_where_nothing_was_lost_yet() -> None:
    """Three of 50 gained 1 and none lost: the mean with one more of each is 3 ÷ 52."""
    gains = np.array([1.0] * 3 + [0.0] * 47)
    error = np.append(gains, [1, -1]).std(ddof=1) / 52**0.5
    bound = bound_loss(gains, np.ones(50), 1.0)
    assert bound == pytest.approx(3 / 52 - 2.0075837 * error, abs=1e-6)
    row = compare(gains, 0.02)
    assert row["low"] > -0.02 > bound == row["bound"] and row["outcome"] == "cannot tell"


def test_interval_and_p_that_disagree_are_said() -> None:
    """P is 0.04 alone and 0.08 of two: which metrics it is corrected for, in the sentence."""
    row = compare(np.resize([1.0, 0.0], 12), 0.02) | {"low": 0.1, "p_holm": 0.08, "scored": 12}
    row |= {"corrected_over": "AP, P@5", "outcome": "cannot tell"}
    over = "which is corrected for all 2 metrics compared (AP, P@5), decides."
    assert f"The interval alone excludes 0; p, {over}" in describe_difference(row, "a", "b")
    row |= {"low": -0.1, "corrected_over": "AP", "p_holm": 0.01}
    assert "alone includes 0; p decides." in describe_difference(row, "a", "b")
    row |= {"low": 0.1}
    assert "alone" not in describe_difference(row, "a", "b")


def test_equal_differences_have_no_power() -> None:
    """The sum of three times 0.1 is a little more than 0.3; that is no spread."""
    for count in (1, 3):
        row = compare(np.full(count, 0.1), 0.02)
        assert (row["detectable"], row["needed"], row["low"]) == (None, None, None)
    told = "Not worse takes a lower bound above −0.02; it is −"
    assert describe_power(row).startswith(told)


def test_few_queries_and_tiny_margins() -> None:
    """Two queries need as many as the paired t test says; beyond 1e12 nobody asks how many."""
    differences = np.array([0.3, -0.2])
    needed = TTestPower().solve_power(0.001 / differences.std(ddof=1), alpha=0.05, power=0.8)
    assert compare(differences, 0.001)["needed"] == pytest.approx(needed, rel=1e-5)
    row = compare(np.array([1.0, -1.0, 0.5]))  # it would take a difference above 1
    told = "With 3 queries no difference that AP can have is found 80 times of 100"
    assert row["detectable"] is None and describe_power(row) == f"{told}."
    row["corrected_over"] = "AP, P@5"
    assert describe_power(row) == f"{told}, before Holm over 2 metrics."
    row = compare(differences, 1e-200)
    assert row["needed"] is None and "margin" not in describe_power(row)


@pytest.mark.parametrize("text", ["P@5", "=0.1", "P@5=0", "P@5=x", "Q=0.1"])
def test_bad_margins(text: str, world: Path) -> None:
    with pytest.raises(ValueError, match=r"margin|Q"):
        parse_margins(text)
    code, _, said = call("compare", world, "--margins", text)
    assert code == 2 and said.startswith("error: ")


def test_a_margin_that_no_loss_reaches() -> None:
    """Ranks 5 and 9 in both versions: a loss of 2 ranks can be, though none is seen."""
    with pytest.raises(ChoiceError, match="AP=2 is no loss"):
        compare(np.array([0.1, 0.2]), 2.0)
    ids, measures, values = ("a", "b"), tuple(parse("t2i_MnR")), np.array([[5.0, 9.0]])
    sides = (Measurement(name, measures, ids, values) for name in ("v1", "v2"))
    (row,) = compare_runs(*sides, (), {"t2i_MnR": 2.0})
    assert (row["margin"], row["delta"]) == (2.0, 0.0)


def test_margins_of_a_collection(world: Path) -> None:
    """They are those of collection.toml, unless a call gives others; bad ones name the file."""
    toml = world / "collection.toml"
    given = toml.read_text()
    toml.write_text(f'{given}margins = ["P@1=0.3"]\n')
    words = ("compare", world, "--metrics", "P@1")
    assert call(*words)[1][0]["margin"] == 0.3
    assert call(*words, "--margins", "P@1=0.1")[1][0]["margin"] == 0.1
    toml.write_text(f'{given}margins = ["P@1"]\n')
    code, _, said = call(*words)
    assert code == 2 and "collection.toml: found margins: 'P@1' names no metric" in said
