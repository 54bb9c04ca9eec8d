"""What a sample of judgements estimates of two versions, against the metric with all judgements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.rankings import from_lists
from dashboard.evaluation.reviewing import bounds, sampled_results
from dashboard.evaluation.reviewing.bounds import Pool
from dashboard.evaluation.reviewing.samples import Estimate, draw

QUERIES, DEPTH = 30, 10


def pools_and_truth(seed: int = 1) -> tuple[list[Pool], dict[tuple[str, str], float]]:
    """Thirty queries, of whose results a third is judged; and what each result is in truth."""
    random = np.random.default_rng(seed)
    pools, truth = [], {}
    for number in range(QUERIES):
        items = tuple(f"i{place}" for place in range(16))
        places = np.full((2, 16), -1)
        for side in range(2):
            places[side, random.permutation(16)[:DEPTH]] = np.arange(DEPTH)
        real = (random.random(16) < 0.4).astype(float)
        gain = np.where(random.random(16) < 1 / 3, real, np.nan)
        pools.append(Pool(f"q{number}", items, places, gain, np.array([])))
        truth |= {(f"q{number}", item): worth for item, worth in zip(items, real, strict=True)}
    return pools, truth


def worth(found: sampled_results.Population, truth: dict[tuple[str, str], float]) -> pd.Series:
    """Judgements of what was drawn, null of all others."""
    table = found.results
    real = [truth[pair] for pair in zip(table["query_id"], table["item_id"], strict=True)]
    return pd.Series(real).where(table["drawn"].to_numpy(dtype=bool))


KINDS = [("P@5", False), ("DCG@10", False), ("RBP(0.8)@10", True)]


def test_an_interval_ends_at_what_the_results_can_add_up_to() -> None:
    adds = pd.DataFrame({"baseline": [0.1, 0.2, -0.05], "candidate": 0.0})
    found = sampled_results.Population(adds, (0.5, 0.0), 1)
    cut, *_ = sampled_results.of_versions(found, lambda _: Estimate(0.28, -0.3, 0.9, 2, 3))
    assert [cut.value, cut.low, cut.high] == pytest.approx([0.78, 0.45, 0.8])
    found = sampled_results.Population(adds, (0.0, 0.0), 1)
    outside, *_ = sampled_results.of_versions(found, lambda _: Estimate(0.35, 0.1, 0.6, 2, 3))
    assert [outside.low, outside.high] == [0.1, 0.35], "the value stays in its interval"


@pytest.mark.parametrize(("name", "every"), KINDS, ids=[name for name, _ in KINDS])
def test_estimates_are_right_on_average_and_their_intervals_hold(name: str, every: bool) -> None:
    pools, truth = pools_and_truth()
    of = measure(name)
    sums = sum(
        bounds.weights_of_each(pool, of) @ [truth[pool.query_id, item] for item in pool.items]
        for pool in pools
    )
    real = np.asarray(sums) / len(pools)
    wanted = [*real, real[1] - real[0]]
    whole = sampled_results.population(of, pools, 1.0, 10**6, 1, every=every)
    for each, value in zip(
        sampled_results.estimates(whole, worth(whole, truth), of), wanted, strict=True
    ):
        assert each.value == pytest.approx(value) and each.low == each.high == each.value
    strata, table = whole.results["stratum"].to_numpy(dtype=object), whole.results
    found = []
    for seed in range(120):
        drawn = replace(whole, results=table.assign(drawn=draw(strata, 0.4, seed)))
        found.append(sampled_results.estimates(drawn, worth(drawn, truth), of))
    for place, value in enumerate(wanted):
        mine = [each[place] for each in found]
        wide = np.std([each.value for each in mine]) / len(mine) ** 0.5
        assert abs(np.mean([each.value for each in mine]) - value) < 4 * wide, "without a bias"
        assert np.mean([each.low <= value <= each.high for each in mine]) >= 0.88


RATIOS = [("R@5", True), ("nDCG@8", False), ("AP@8", True), ("AP@8", False)]


@pytest.mark.parametrize(("name", "every"), RATIOS, ids=[f"{name} {each}" for name, each in RATIOS])
def test_ratios_are_the_metric_when_all_is_judged_and_near_it_from_a_part(
    name: str, every: bool
) -> None:
    """The truth comes from the metric itself, of lists with all that is relevant in truth."""
    pools, truth = pools_and_truth()
    pools = [replace(pool, elsewhere=np.ones(number % 2)) for number, pool in enumerate(pools)]
    of = measure(name)
    wanted = np.array(
        [
            [
                _value(of, pool, places, [truth[pool.query_id, item] for item in pool.items])
                for places in pool.places
            ]
            for pool in pools
        ]
    ).mean(axis=0)
    whole = sampled_results.population(of, pools, 1.0, 10**6, 1, every=every)
    assert all(" of q" in stratum for stratum in whole.results["stratum"])
    first, second, difference = sampled_results.estimates(whole, worth(whole, truth), of)
    assert [first.value, second.value] == pytest.approx(wanted.tolist())
    assert difference.value == pytest.approx(wanted[1] - wanted[0])
    assert first.low < first.value < first.high, "about queries like these"
    strata = whole.results["stratum"].to_numpy(dtype=object)
    found = []
    for seed in range(12):
        drawn = replace(whole, results=whole.results.assign(drawn=draw(strata, 0.5, seed)))
        found.append([x.value for x in sampled_results.estimates(drawn, worth(drawn, truth), of)])
    assert np.abs(np.mean(found, axis=0)[:2] - wanted).max() < 0.02


def _value(of: Measure, pool: Pool, places: np.ndarray, real: list[float]) -> float:
    order = [place for place in np.argsort(places) if places[place] >= 0]
    hits = [int(real[place]) for place in order]
    rest = int(sum(real)) - sum(hits) + len(pool.elsewhere)
    [value] = of(from_lists([hits], relevant=[sum(hits) + rest]))
    return float(value)


def test_ratios_without_two_queries_with_something_relevant_have_no_estimate() -> None:
    pools, truth = pools_and_truth()
    found = sampled_results.population(measure("R@5"), pools[:3], 1.0, 999, 1, every=True)
    with pytest.raises(ValueError, match="0 queries with a relevant result; the estimate needs"):
        sampled_results.estimates(found, worth(found, dict.fromkeys(truth, 0.0)), measure("R@5"))


def test_the_probability_is_that_of_the_stratum_and_strata_are_ranks_and_labels() -> None:
    pools, _ = pools_and_truth()
    found = sampled_results.population(measure("P@10"), pools, 1.0, 60, 3, every=True).results
    shares = found.groupby("stratum")["drawn"].mean()
    assert found["probability"].tolist() == [shares[name] for name in found["stratum"]]
    assert set(shares.index) == {
        f"ranks {ranks}, {label}"
        for ranks in ("1–3", "4–10")
        for label in ("labelled relevant", "others")
    }
    assert 50 <= found["drawn"].sum() <= 70
    again = sampled_results.population(measure("P@10"), pools, 1.0, 60, 3, every=True).results
    assert again["drawn"].equals(found["drawn"]), "the seed decides"


def test_nothing_is_estimated_from_a_part_of_the_sample_nor_taken_for_certain() -> None:
    pools, truth = pools_and_truth()
    found = sampled_results.population(measure("P@10"), pools, 1.0, 40, 1, every=False)
    judged = worth(found, truth)
    judged[judged.first_valid_index()] = np.nan
    number = int(found.results["drawn"].sum())
    with pytest.raises(ValueError, match=f"{number - 1} of {number} drawn results judged"):
        sampled_results.estimates(found, judged, measure("P@10"))
    alike = worth(found, dict.fromkeys(truth, 0.0))
    for each in sampled_results.estimates(found, alike, measure("P@10")):
        assert each.low <= each.value <= each.high, "no version has less than nothing"
        assert each.low < each.high, "all alike in a sample is not all alike"


def test_what_no_sample_estimates_is_refused() -> None:
    pools, _ = pools_and_truth()
    for name in ("RR@10", "DCG", "AP"):
        with pytest.raises(ValueError, match=r"no sample estimates .*: it estimates P@10"):
            sampled_results.population(measure(name), pools, 1.0, 40, 1, every=False)
    with pytest.raises(ValueError, match="nothing is left to judge"):
        sampled_results.population(measure("P@10"), [], 1.0, 40, 1, every=False)


def test_reviewers_of_one_result_count_together_and_unsure_is_no_judgement() -> None:
    rows = [
        ("q", "a", "Ada", "not"),
        ("q", "a", "Ada", "relevant"),
        ("q", "a", "Bob", "not"),
        ("q", "b", "Ada", "unsure"),
        ("q", "c", "Bob", "relevant"),
    ]
    given = pd.DataFrame(rows, columns=["query_id", "item_id", "author", "value"])
    assert sampled_results.worth_of(given).to_numpy().tolist() == [
        ["q", "a", 2, 0.5],
        ["q", "c", 1, 1.0],
    ]
