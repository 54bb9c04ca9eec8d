"""Bounds of a difference against all ways in which the unjudged results can turn out, each measured
as the project measures everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.evaluation.measure import measure as measured
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols.protocol import judgement
from dashboard.evaluation.reviewing import bounds, queue
from dashboard.evaluation.reviewing.bounds import Span, conclusion, mean_span, pools, span

ITEMS = [f"i{number}" for number in range(7)]
METRICS = ["P@3", "R@3", "R", "DCG@3", "nDCG@3", "nDCG", "RBP(0.8)", "AP", "AP@3", "RR@3",
           "Success@2"]  # fmt: skip
FEW = ("P@3", "nDCG", "AP", "RR@3")  # of each kind of formula one
World = tuple[list[list[str]], dict[str, int]]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Two lists of one query, and the labels of some items, of those outside both lists too."""
    lists = [
        draw(st.lists(st.sampled_from(ITEMS), unique=True, min_size=1, max_size=5))
        for _ in range(2)
    ]
    labels = draw(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 1), min_size=1))
    return lists, labels


def run(items: list[str], *queries: str) -> pd.DataFrame:
    rows = [
        (query, item, 1.0 / rank, rank)
        for query in queries or ("q",)
        for rank, item in enumerate(items, 1)
    ]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])


def judged(labels: dict[str, int], query: str = "q", level: float = 1.0):  # type: ignore[no-untyped-def]
    return all_judged({query: labels}, level)


def all_judged(ways: dict[str, dict[str, int]], level: float = 1.0):  # type: ignore[no-untyped-def]
    rows = [
        (query, item, grade, float(grade >= level))
        for query, labels in ways.items()
        for item, grade in labels.items()
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade", "credit"])
    return judgement(qrels, list(ways), relevant_from=level)


def differences(name: str, lists: list[list[str]], ways: list[dict[str, int]]) -> list[float]:
    """Candidate − baseline for each way of labelling: each a query of its own, measured at once."""
    named = {f"w{number}": labels for number, labels in enumerate(ways)}
    runs = {version: run(items, *named) for version, items in zip("ab", lists, strict=True)}
    every = all_judged(named)
    values = measured(runs, every, "trec", [measure(name)])["value"].fillna(0.0).to_numpy()
    return list(values[len(ways) :] - values[: len(ways)])


def completions(
    name: str, lists: list[list[str]], labels: dict[str, int], others: int = 0
) -> list[float]:
    """The difference of every completion of the pool, with 0 or all of `others` relevant."""
    cutoff = measure(name).cutoff
    pool = {item for each in lists for item in each[:cutoff]}
    unjudged = sorted(pool - set(labels))
    extras = [{f"other{number}": 1 for number in range(more)} for more in range(others + 1)]
    ways = [
        labels | dict(zip(unjudged, grades, strict=True)) | extra
        for grades in product((0, 1), repeat=len(unjudged))
        for extra in extras
    ]
    return differences(name, lists, ways)


def span_of(name: str, lists: list[list[str]], labels: dict[str, int], others: int = 0) -> Span:
    [pool] = pools(run(lists[0]), run(lists[1]), judged(labels), measure(name))
    return span(pool, measure(name), others=others)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        pytest.param(name, others, marks=pytest.mark.slow if others and name not in FEW else ())
        for others in (0, 2)
        for name in METRICS
    ],
)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_bounds_are_what_all_completions_reach(name: str, others: int, world: World) -> None:
    values = completions(name, *world, others)
    found = span_of(name, *world, others)
    assert found.exact
    assert found.low == pytest.approx(min(values), abs=1e-9)
    assert found.high == pytest.approx(max(values), abs=1e-9)


@pytest.mark.parametrize(
    "name",
    ["AP", "RR@3", *(pytest.param(each, marks=pytest.mark.slow) for each in ("AP@3", "Success@2"))],
)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_bounds_of_many_unjudged_are_never_too_narrow(name: str, world: World) -> None:
    values = completions(name, *world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "MOST", -1)
        found = span_of(name, *world)
    assert not found.exact
    assert found.low <= min(values) + 1e-9 and found.high >= max(values) - 1e-9


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_bounds_of_several_grades_are_never_too_narrow(world: World) -> None:
    lists, labels = world
    pool = {item for each in lists for item in each[:3]}
    unjudged = sorted(pool - set(labels))
    ways = [
        labels | dict(zip(unjudged, grades, strict=True))
        for grades in product((0, 1, 2), repeat=len(unjudged))
    ]
    values = differences("nDCG@3", lists, ways)
    [of_query] = pools(run(lists[0]), run(lists[1]), judged(labels), measure("nDCG@3"))
    found = span(of_query, measure("nDCG@3"), gains=(1.0, 2.0))
    assert found.low <= min(values) + 1e-9 and found.high >= max(values) - 1e-9


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_what_is_not_in_the_queue_moves_nothing(name: str, world: World) -> None:
    """No judgement of a result that the queue leaves out changes the bounds."""
    lists, labels = world
    m = measure(name)
    [pool] = pools(run(lists[0]), run(lists[1]), judged(labels), m)
    asked = set(queue.queue(m, [pool])["item_id"])
    left = [item for item in pool.items if item not in labels and item not in asked]
    before = span_of(name, lists, labels)
    for item in left:
        for grade in (0, 1):
            after = span_of(name, lists, labels | {item: grade})
            assert (after.low, after.high) == pytest.approx((before.low, before.high))


def test_the_queue_begins_with_what_moves_the_difference_most() -> None:
    """By hand: at rank 1 of b only, x is worth 1; y at rank 2 of a only 1 ÷ log2(3) = 0.631; z at
    rank 3 of both nothing."""
    lists = [["j", "y", "z"], ["x", "j", "z"]]
    m = measure("DCG@3")
    made = pools(run(lists[0]), run(lists[1]), judged({"j": 1}), m)
    table = queue.queue(m, made)
    assert table["item_id"].tolist() == ["x", "y"]
    assert table["effect"].round(3).tolist() == [1.0, 0.631]
    assert table["rank_baseline"].isna().tolist() == [True, False]
    of_ap = queue.queue(measure("AP"), made)
    assert of_ap["item_id"].tolist()[0] == "x" and len(of_ap) == 3


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(worlds(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_what_is_decided_stays_so_whatever_is_judged(worlds_of, random) -> None:  # type: ignore[no-untyped-def]
    m, said = measure("P@3"), set()
    truth = {(n, item): random.randint(0, 1) for n in range(len(worlds_of)) for item in ITEMS}
    labels = [dict(world[1]) for world in worlds_of]
    while True:
        made = [
            pools(run(w[0][0], f"q{n}"), run(w[0][1], f"q{n}"), judged(labels[n], f"q{n}"), m)[0]
            for n, w in enumerate(worlds_of)
        ]
        mean = mean_span([span(pool, m) for pool in made])
        if mean.low > 1e-12 or mean.high < -1e-12:
            said.add("candidate" if mean.low > 0 else "baseline")
        table = queue.queue(m, made)
        if table.empty:
            assert mean.low == pytest.approx(mean.high)
            break
        query, item = table.loc[0, ["query_id", "item_id"]]
        n = int(query[1:])
        labels[n][item] = truth[n, item]
    assert len(said) <= 1
    if said:
        assert ("candidate" if mean.low > 0 else "baseline") in said


def test_sentences_say_what_is_certain() -> None:
    cases = {
        Span(0.01, 0.3, True, 41): "decided: whatever the remaining 41 are, v0.3 stays ahead",
        Span(
            -0.3, -0.1, False, 1200
        ): "decided: whatever the remaining 1,200 are, v0.2 stays ahead",
        Span(0.1, 0.1, True, 0): "decided: v0.3 is ahead",
        Span(0.0, 0.0, True, 3): "decided: whatever the remaining 3 are, v0.2 and v0.3 stay equal",
        Span(-0.02, 0.11, True, 41): "open: 41 unjudged results; the difference may lie between "
        "-0.0200 and +0.1100",
        Span(0.0, 0.2, False, 1): "open: 1 unjudged result; the difference lies somewhere between "
        "+0.0000 and +0.2000",
    }
    assert {each: conclusion(each, "v0.2", "v0.3") for each in cases} == cases


def test_metrics_without_bounds_say_so() -> None:
    with pytest.raises(ValueError, match=r"AP\(retrieved\) has no bounds: P, DCG, RBP, R, nDCG"):
        pools(run(["i1"]), run(["i2"]), judged({"i1": 1}), measure("AP(divisor=retrieved)"))


def test_a_query_that_a_version_was_not_run_on_is_left_out() -> None:
    baseline = run(["i1"])
    baseline.attrs["not_run"] = {"q": "failed"}
    assert pools(baseline, run(["i2"]), judged({"i1": 1}), measure("P@1")) == []
    assert mean_span([]) == Span(0.0, 0.0, True, 0)


def test_gains_are_those_of_the_metric() -> None:
    labels = {"i1": 3, "i2": 1, "i3": 0}
    for name, expected in (("DCG@3", (1, 3)), ("DCG(exp)@3", (1, 7)), ("P@3", (1,)), ("AP", (1,))):
        assert bounds.gains_of(judged(labels), measure(name)) == expected
    [pool] = pools(run(["i1", "i9"]), run(["i2"]), judged(labels), measure("DCG(exp)@3"))
    found = span(pool, measure("DCG(exp)@3"), gains=(1, 7))
    assert found.high == 1 - 7 and found.low == pytest.approx(1 - 7 - 7 / np.log2(3))
    with pytest.raises(ValueError, match="has no bounds"):
        bounds.check_bounded(measure("DCG(per=image)@3"))


def test_suspects_are_labels_that_both_versions_contradict_and_split_duplicates() -> None:
    labels = {"i0": 0, "i1": 1, "i2": 0, "i3": 1, "i4": 0, "i5": 1}
    lists = [["i0", "i1", "i4", "i2"], ["i0", "i3", "i2", "i4"]]
    copies = {"i4": "i5", "i5": "i5"}
    found = queue.suspects(run(lists[0]), run(lists[1]), judged(labels), copies, depth=3)
    assert found[["item_id", "reason", "other"]].values.tolist() == [
        ["i0", "both versions rank it high; its label says no", ""],
        ["i4", "a near-duplicate has another label", "i5"],
    ]
    assert found["rank_candidate"].tolist() == [1, 4]
    none = queue.suspects(run(lists[0]), run(lists[1]), judged({"i1": 1}))
    assert none.empty and list(none.columns) == list(found.columns)


def test_a_suspect_that_a_version_does_not_rank_stands_behind_those_that_both_do() -> None:
    """Of two labels that near-duplicates contradict, i0 has rank 1 in one version only."""
    labels = {"i0": 0, "i1": 1, "i2": 0, "i3": 1}
    lists = [["i0", "i1", "i3", "i2"], ["i1", "i3", "i2"]]
    copies = {"i1": "i0", "i3": "i2"}
    found = queue.suspects(run(lists[0]), run(lists[1]), judged(labels), copies, depth=1)
    assert found["item_id"].tolist() == ["i2", "i0"]
    assert found["rank_baseline"].tolist() == [4, 1]
    assert found["rank_candidate"].tolist() == [3, pd.NA]
