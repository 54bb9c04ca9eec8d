"""Lists of which only the first results and the judged ones are there have the values of whole
ones, to the last bit, under every metric."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.registry import REGISTRY
from dashboard.evaluation.rankings import Rankings, list_lengths, rank

SETTINGS = {
    "AP": ["retrieved", "min", "annotated"],
    "DCG": ["exp", "credit", "per=image"],
    "nDCG": ["exp", "credit", "ideal=retrieved", "credit,ideal=retrieved"],
    "AVG": ["rows=3"],
    "RBP": ["0.5,per=image"],
    "ERR": ["exp", "per=image"],
    "IPrec": ["0.4", "0.4,rounding=nearest"],
    "set_F": ["2"],
}


def names():
    """Every metric as it is and with its settings, without a cutoff and with several."""
    for metric in REGISTRY.values():
        bare = metric.name
        for name in [bare, *(f"{bare}({s})" for s in SETTINGS.get(bare, []))]:
            if metric.cutoff != "required":
                yield name
            if metric.cutoff != "never":
                yield from (f"{name}@{k}" for k in (1, 3, 7, 20, 500))
    yield from ("CAG(ERR,w=2)", "CAG(MAX,w=1)@9", "CAG(DCG,w=3,divide=w)", "CAG(AVG(rows=4),w=2)@9")


@st.composite
def worlds(draw):
    """A whole run of several queries, its judgement, and the depth to which all results stay."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    queries, items = draw(st.integers(1, 6)), draw(st.integers(1, 60))
    graded = draw(st.sampled_from(["hits", "grades", "credits"]))
    rows, pairs = [], []
    for query in range(queries):
        length = int(random.integers(0, items + 1)) if draw(st.booleans()) else items
        order = random.permutation(items)
        scores = np.sort(random.integers(0, 20, items))[::-1] / 20
        rows += [
            (f"q{query}", f"i{item}", score, place + 1)
            for place, (item, score) in enumerate(zip(order[:length], scores, strict=False))
        ]
        for item in np.flatnonzero(random.random(items) < draw(st.sampled_from([0, 0.1, 0.5, 1]))):
            grade = int(random.integers(-1, 2 if graded == "hits" else 5))
            credit = float(grade > 0) if graded != "credits" else float(random.random())
            pairs.append((f"q{query}", f"i{item}", grade, credit))
    run = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])
    qrels = pd.DataFrame(pairs, columns=["query_id", "item_id", "grade", "credit"])
    text = {"query_id": "str", "item_id": "str"}
    number = {"score": "float64", "rank": "int64"}
    judgement = Judgement(
        qrels.astype(text | {"grade": "float64", "credit": "float64"}),
        tuple(f"q{query}" for query in range(queries)),
        {},
        draw(st.sampled_from([1.0, 2.0])),
    )
    return run.astype(text | number), judgement, draw(st.integers(0, 12))


def shortened(run: pd.DataFrame, judgement: Judgement, depth: int) -> pd.DataFrame:
    """The run with nothing beyond a rank but what is judged, and how long its lists are."""
    judged = set(zip(judgement.qrels["query_id"], judgement.qrels["item_id"], strict=True))
    pairs = zip(run["query_id"], run["item_id"], strict=True)
    some = run[(run["rank"] <= depth) | np.array([pair in judged for pair in pairs], dtype=bool)]
    some.attrs["lengths"] = run["query_id"].value_counts().to_dict()
    return some


@given(worlds())
@settings(max_examples=20, deadline=None)
def test_every_metric_is_the_same_to_the_last_bit(world):
    run, judgement, depth = world
    whole, short = rank(run, judgement), rank(shortened(run, judgement, depth), judgement)
    assert short.gapless >= min(depth, short.width)
    for each in (run, shortened(run, judgement, depth)):
        assert list_lengths(each, judgement).tolist() == whole.returned.tolist()
    for name in names():
        (measure,) = parse(name)
        theirs, ours = measure(whole), measure(short)
        assert theirs.tobytes() == ours.tobytes(), (name, theirs, ours)


def test_most_of_the_list_may_be_left_out():
    run = pd.DataFrame(
        {"query_id": "q", "item_id": ["a", "b"], "score": [0.5, 0.1], "rank": [1, 100_000]}
    ).astype({"query_id": "str", "item_id": "str"})
    run.attrs["lengths"] = {"q": 200_000}
    qrels = pd.DataFrame({"query_id": ["q"], "item_id": ["b"], "grade": [1.0], "credit": [1.0]})
    rankings = rank(run, Judgement(qrels.astype({"query_id": "str", "item_id": "str"}), ("q",), {}))
    values = {str(each): float(each(rankings)[0]) for each in parse("AP RR P@5 Judged num_ret")}
    assert values == {"AP": 1e-5, "RR": 1e-5, "P@5": 0, "Judged": 1 / 200_000, "num_ret": 200_000}
    assert (rankings.width, rankings.depth, rankings.gapless) == (2, 200_000, 1)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9, None])
def test_every_rank_is_handed_out_in_turn(k):
    tables = {name: np.zeros((2, 3)) for name in ("grades", "judged", "tied", "ideal")}
    credit = np.array([[0.5, 0.25, 1.0], [1.0, 0.125, 0.0]])
    rankings = Rankings(
        ("a", "b"),
        credit=credit,
        returned=np.array([5, 4]),
        relevant=np.array([1, 1]),
        best_credit=lambda: credit,
        places=np.array([[0, 1, 4], [0, 2, 0]]),
        **tables,
    )
    whole = np.array([[0.5, 0.25, 0, 0, 1.0], [1.0, 0, 0.125, 0, 0]])
    found = np.array(list(rankings.by_rank(rankings.credit, k))).T
    assert (found == whole[:, :k]).all()
    assert rankings.gapless == 1 and rankings.whole().returned.tolist() == [1, 1]
    dense = replace(rankings, credit=whole, grades=whole, places=None)
    assert (whole[:, :k] == np.array(list(dense.by_rank(dense.credit, k))).T).all()
