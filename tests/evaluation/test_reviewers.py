"""Agreement of reviewers and estimates from samples, against numbers of books and of trec_eval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.reviewing import raters, samples


def verdicts(rows: dict[str, list[str | None]]) -> pd.DataFrame:
    """author → what they said of item 0, 1 …; None: nothing."""
    said = [
        ("q", f"i{place:02}", author, value)
        for author, values in rows.items()
        for place, value in enumerate(values)
        if value is not None
    ]
    return pd.DataFrame(said, columns=["query_id", "item_id", "author", "value"])


def both(yes: int, first: int, second: int, no: int) -> pd.DataFrame:
    """Two reviewers: both yes, only the first, only the second, neither."""
    ada = ["relevant"] * (yes + first) + ["not"] * (second + no)
    bob = ["relevant"] * yes + ["not"] * first + ["relevant"] * second + ["not"] * no
    return verdicts({"Ada": ada, "Bob": bob})


def test_kappa_is_the_textbook_s() -> None:
    """Of 50 proposals 20 both yes, 15 both no, 5 and 10 apart: 0.4 (Wikipedia's worked example)."""
    alpha, kappa = raters.agreement(raters.ratings(both(20, 5, 10, 15)))
    assert kappa.value == pytest.approx(0.4) and kappa.alike == pytest.approx(0.7)
    assert kappa.low < 0.4 < kappa.high and kappa.pairs == 50 and not kappa.few
    assert kappa.raters == alpha.raters == ("Ada", "Bob")


def test_alpha_is_krippendorff_s_with_missing_values() -> None:
    """Computing Krippendorff's alpha-reliability (2011), section C: 4 observers, nominal 0.743 and
    ordinal 0.815; the unit that one observer judged alone counts for nothing."""
    table = [
        "1 2 3 3 2 1 4 1 2 - - -",
        "1 2 3 3 2 2 4 1 2 5 - 3",
        "- 3 3 3 2 3 4 2 2 5 1 -",
        "1 2 3 3 2 4 4 1 2 5 1 -",
    ]
    rows = {
        f"observer {number}": [None if cell == "-" else cell for cell in row.split()]
        for number, row in enumerate(table)
    }
    judged = raters.ratings(verdicts(rows))
    assert len(judged) == 11
    assert raters.agreement(judged)[0].value == pytest.approx(0.743, abs=5e-4)
    assert raters.agreement(judged, ordinal=True)[0].value == pytest.approx(0.815, abs=5e-4)


def test_single_verdicts_and_unsure_ones_are_no_agreement() -> None:
    alone = verdicts(
        {"Ada": ["relevant", "not", "unsure", None], "Bob": [None, None, "not", "not"]}
    )
    assert raters.agreement(raters.ratings(alone)) == []
    assert raters.disagreements(alone).empty


def test_where_all_say_one_thing_there_is_no_figure() -> None:
    found = raters.agreement(raters.ratings(both(12, 0, 0, 0)))
    assert all(np.isnan(each.value) and np.isnan(each.low) and each.few for each in found)
    assert {each.alike for each in found} == {1.0}


def test_the_last_word_of_each_counts_and_intervals_stay() -> None:
    twice = pd.concat([both(0, 8, 0, 8), both(8, 0, 0, 8)])
    figures = raters.agreement(raters.ratings(twice))
    assert [each.value for each in figures] == [pytest.approx(1.0)] * 2
    again = both(20, 5, 10, 15)
    assert raters.agreement(raters.ratings(again)) == raters.agreement(raters.ratings(again))


def test_the_most_evenly_divided_come_first() -> None:
    said = verdicts(
        {
            "Ada": ["relevant", "relevant", "relevant"],
            "Bob": ["relevant", "not", "not"],
            "Eve": ["relevant", "not", None],
        }
    )
    table = raters.disagreements(said)
    assert table[["item_id", "reviewers", "values"]].values.tolist() == [
        ["i02", 2, "not 1, relevant 1"],
        ["i01", 3, "not 2, relevant 1"],
    ]


def test_a_stratified_estimate_by_hand() -> None:
    """Strata of 4 and 2; of the first 1, 1, 0 are drawn: 4 · 2/3, of the second all: 1."""
    worth = np.array([1.0, 1.0, 0.0, 99.0, 1.0, 0.0])
    strata, drawn = np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 1, 1], dtype=bool)
    found = samples.estimated_total(worth, strata, drawn)
    assert found.value == pytest.approx(4 * 2 / 3 + 1)
    wide = 4.302653 * (16 * (1 - 3 / 4) * (1 / 3) / 3) ** 0.5  # t with 2 degrees of freedom
    assert (found.low, found.high) == pytest.approx((found.value - wide, found.value + wide))
    assert str(found).startswith("estimated 3.6667 (95 % ") and "from 5 of 6" in str(found)
    every = samples.estimated_total(worth, strata, np.ones(6, dtype=bool))
    assert every.value == every.low == every.high == 102.0
    with pytest.raises(ValueError, match="1 of 4 results drawn of a stratum"):
        samples.estimated_total(worth, strata, np.array([1, 0, 0, 0, 1, 1], dtype=bool))


def test_intervals_of_samples_hold_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    strata = np.repeat([0, 1, 2], [40, 80, 200])
    worth = (random.random(320) < np.array([0.6, 0.3, 0.1])[strata]) / 320
    held = [
        found.low <= worth.sum() <= found.high
        for seed in range(400)
        for found in [samples.estimated_total(worth, strata, samples.draw(strata, 0.3, seed))]
    ]
    values = [
        samples.estimated_total(worth, strata, samples.draw(strata, 0.3, seed)).value
        for seed in range(400)
    ]
    assert 0.91 <= np.mean(held) <= 0.99
    assert np.mean(values) == pytest.approx(worth.sum(), abs=0.006), "without a bias"


def test_agreement_in_words_is_the_figure_of_alpha() -> None:
    table = raters.ratings(both(20, 5, 10, 15))
    (alpha, _) = raters.agreement(table)
    sentence = raters.in_words(table, "results")
    assert sentence.startswith(f"Krippendorff's alpha {alpha.value:.3f} (95 % {alpha.low:.3f} to")
    assert sentence.endswith(
        "on 50 results that two or more judged; the same in 70.0 % of comparisons of two reviewers."
    )
    assert raters.in_words(raters.ratings(verdicts({"Ada": ["not"]})), "results") == ""
    all_one = raters.in_words(raters.ratings(both(3, 0, 0, 0)), "results")
    assert all_one.startswith("Reviewers all say one thing of 3 results") and "few" in all_one
