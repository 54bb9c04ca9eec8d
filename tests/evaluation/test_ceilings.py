"""What a perfect ranking gets: min(K, R) over K or over R, and no other metric has a ceiling."""

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.ideal import ceilings, mean_ceiling
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from tests.evaluation.worlds import World

# R is 1, 3 and 0; s was asked and never judged
LABELS = pd.DataFrame(
    [("p", "a", 1.0), ("p", "b", 0.0)]
    + [("q", item, 1.0) for item in "abc"]
    + [("r", "a", 0.0), ("r", "b", 0.0)],
    columns=["query_id", "item_id", "grade"],
)
QUERIES = pd.DataFrame({"query_id": list("pqrs")}, dtype="str")
JUDGEMENT = PROTOCOLS["composed"].judge(World(qrels=LABELS, queries=QUERIES), None)


@pytest.mark.parametrize(
    ("metric", "each", "mean"),
    [
        ("P@1", [1, 1], 1),
        ("P@2", [1 / 2, 1], 3 / 4),
        ("P@5", [1 / 5, 3 / 5], 2 / 5),
        ("R@1", [1, 1 / 3], 2 / 3),
        ("R@5", [1, 1], 1),
    ],
)
def test_the_ceiling_of_each_query_and_its_mean(metric, each, mean):
    (wanted,) = parse(metric)
    values = ceilings(wanted, JUDGEMENT)
    assert values[:2] == pytest.approx(each)
    assert np.isnan(values[2:]).all(), "nothing relevant, and never judged"
    assert mean_ceiling(wanted, JUDGEMENT) == pytest.approx(mean)
    assert mean_ceiling(wanted, JUDGEMENT, ("q", "r")) == pytest.approx(each[1])
    assert mean_ceiling(wanted, JUDGEMENT, ("r",)) is None


@pytest.mark.parametrize("metric", ["AP", "nDCG@5", "RR", "Ceiling@5", "CAG(DCG)@5"])
def test_other_metrics_have_none(metric):
    (wanted,) = parse(metric)
    assert ceilings(wanted, JUDGEMENT) is None


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_a_perfect_ranking_reaches_it_and_the_registered_metric_agrees(k):
    best = LABELS.sort_values(["query_id", "grade"], ascending=[True, False], kind="stable")
    best = best.assign(rank=best.groupby("query_id").cumcount() + 1)
    run = best.assign(score=-best["rank"].astype(float)).drop(columns="grade")
    values = measure({"best": run}, JUDGEMENT, "composed", f"P@{k} R@{k} Ceiling@{k}")["value"]
    p, r, registered = values.to_numpy().reshape(3, -1)
    for metric, found in (("P", p), ("R", r), ("P", registered)):
        (wanted,) = parse(f"{metric}@{k}")
        np.testing.assert_allclose(ceilings(wanted, JUDGEMENT), found)
