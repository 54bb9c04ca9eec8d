"""A judgement whose pairs are looked up in bits is the table of all pairs, to the last value."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.duplicates import judged_as_one
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols.keyword_judgement import KeywordJudgement
from dashboard.evaluation.rankings import rank
from dashboard.evaluation.reviewing.bounds import gains_of, pools
from dashboard.evaluation.reviewing.corrections import COLUMNS, corrected
from dashboard.evaluation.reviewing.queue import suspects

PAIRS = st.tuples(st.sampled_from(["g", "h"]), st.sampled_from(["a", "b", "c"]))
ITEMS = [f"i{number}" for number in range(70)]
OWNED = st.dictionaries(st.sampled_from(ITEMS), st.sets(PAIRS, min_size=1), max_size=70)
ASKED = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.sets(PAIRS, min_size=1))
OWN = st.dictionaries(st.sampled_from(["q1", "q2"]), st.sampled_from(ITEMS))
COPIES = {"i1": "i0", "i5": "i0", "i4": "i3", "new": "i2", "newer": "nowhere", "i60": "i50"}
ASKING = st.sampled_from(["q1", "q2", "q3", "nobody"])
SEVERAL = {item: one for item, one in COPIES.items() if item in ITEMS}
CORRECTED = st.tuples(ASKING, st.sampled_from([*ITEMS[:9], "new", "newer"]))
CORRECTIONS = st.dictionaries(CORRECTED, st.sampled_from(["relevant", "not", "0.5", "3"]))
ARRAYS = (
    "grade_values",
    "credit_values",
    "number_judged",
    "relevant",
    "missable",
    "credit_is_hit",
    "ideal",
    "ideal_credit",
)


def table(owned, key):
    rows = [(owner, *pair) for owner, pairs in owned.items() for pair in sorted(pairs)]
    return pd.DataFrame(rows, columns=[key, "group", "keyword"], dtype="str")


@pytest.fixture(scope="module")
def run():
    """Every item for every query, and one that nobody knows."""
    names = [*reversed(ITEMS), "stranger"]
    rows = [
        (q, item, -float(r), r) for q in ("q1", "q2", "q3", "q4") for r, item in enumerate(names, 1)
    ]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])


def compare(made, plain, run, ordered=True):
    """A judgement says what a table of all its pairs says."""
    assert made.leave_out == plain.leave_out
    for name in ARRAYS:
        mine, theirs = (np.asarray(getattr(of, name)) for of in (made, plain))
        assert mine.dtype == theirs.dtype or not mine.size, name
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    mine, theirs = (rank(run, judgement) for judgement in (made, plain))
    for name in ("grades", "credit", "judged", "hits", "misses"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    for which in ("hit", "worth", "judged"):
        pairs = [
            sorted(zip(of["query_id"].astype("str"), of["item_id"].astype("str"), strict=True))
            for of in (made.pairs(which), plain.pairs(which))
        ]
        assert pairs[0] == pairs[1]
    for query in made.query_ids:
        mine, theirs = (of.of_queries([query]) for of in (made, plain))
        tables = [of.qrels.astype({"query_id": "str", "item_id": "str"}) for of in (mine, theirs)]
        if not ordered:
            tables = [each.sort_values("item_id").astype({"grade": "float64"}) for each in tables]
        pd.testing.assert_frame_equal(*(each.reset_index(drop=True) for each in tables))
        grades = dict(zip(theirs.qrels["item_id"], theirs.qrels["grade"], strict=True))
        for of in (made, mine):
            looked_up = of.grades_of(query)
            assert dict(looked_up) == grades and len(looked_up) == len(grades)
            assert looked_up.get("stranger") is None
            assert set(of.relevant_ids(query)) == set(plain.relevant_ids(query))
            best = [each.best_first(query, most) for each in (of, plain) for most in (None, 2, 0)]
            for one, other in zip(chain(*best[:3]), chain(*best[3:]), strict=True):
                np.testing.assert_array_equal(one, other)
            for most in (1, 2, 7, 60, 1_000):
                best, expected = of.best(query, most), plain.best(query, most)
                assert dict(best) == dict(expected)
                assert sorted(best.credit.tolist()) == sorted(expected.credit.tolist())
        for labels in (made.labels(query), plain.labels(query), mine.labels(query)):
            if not ordered:
                credits = dict(zip(labels.ids(), labels.credit.tolist(), strict=True))
                assert dict(labels) == grades and sorted(credits) == sorted(grades)
                continue
            assert list(labels.items()) == list(grades.items()) and "stranger" not in labels
            assert labels.relevant == tuple(
                item for item, grade in grades.items() if grade >= made.relevant_from
            )
            assert labels.credit.tolist() == theirs.qrels["credit"].tolist()
    if plain.highest is None:
        assert made.highest is None
    else:
        assert made.highest["grade"] == plain.highest["grade"]


@settings(deadline=None, max_examples=6)
@given(OWNED, ASKED, OWN)
def test_bits_say_what_the_table_of_all_pairs_says(run, owned, asked, own):
    required, keywords = table(asked, "query_id"), table(owned, "item_id")
    made = KeywordJudgement(required, keywords, ("q1", "q2", "q3"), unscorable={}, leave_out=own)
    compare(made, Judgement(made.qrels, made.query_ids, {}, leave_out=own), run)
    graded = made.graded(100.0, relevant_from=50.0)
    assert graded.qrels["grade"].tolist() == (made.qrels["credit"] * 100).tolist()
    plain = Judgement(graded.qrels, made.query_ids, {}, 50.0, own)
    compare(graded, plain, run)
    none = made.graded(100.0, relevant_from=101.0)  # no grade is so high
    compare(none, Judgement(none.qrels, made.query_ids, {}, 101.0, own), run)
    name, other = measure("nDCG(credit)@3"), run[::-1].assign(rank=run["rank"])
    for mine, theirs in (
        (made, Judgement(made.qrels, made.query_ids, {}, leave_out=own)),
        (graded, plain),
    ):
        found = [suspects(run, other, of, SEVERAL, 40) for of in (mine, theirs)]
        pd.testing.assert_frame_equal(*found)
        assert gains_of(mine, name) == gains_of(theirs, name)
        for one, same in zip(*(pools(run, other, of, name) for of in (mine, theirs)), strict=True):
            assert (one.query_id, one.items) == (same.query_id, same.items)
            np.testing.assert_array_equal(one.gain, same.gain)
            np.testing.assert_array_equal(one.elsewhere, same.elsewhere)
    compare(*(judged_as_one(of, COPIES) for of in (graded, plain)), run, ordered=False)
    pd.testing.assert_frame_equal(pd.concat(graded.tables(), ignore_index=True), graded.qrels)


@settings(deadline=None, max_examples=5)
@given(OWNED, ASKED, OWN, CORRECTIONS, CORRECTIONS)
def test_corrected_bits_say_what_the_corrected_table_says(run, owned, asked, own, first, second):
    required, keywords = table(asked, "query_id"), table(owned, "item_id")
    made = KeywordJudgement(required, keywords, ("q1", "q2", "q3"), unscorable={}, leave_out=own)
    plain = Judgement(made.qrels, made.query_ids, {}, leave_out=own)
    for given_again in (first, second):
        rows = [(*pair, value, 2, "majority") for pair, value in given_again.items()]
        corrections = pd.DataFrame(rows, columns=COLUMNS).astype({"value": "str"})
        made, plain = corrected(made, corrections), corrected(plain, corrections)
        compare(made, plain, run)
        compare(*(judged_as_one(of, COPIES) for of in (made, plain)), run, ordered=False)
        assert (made.notes, made.unscorable) == (plain.notes, plain.unscorable)


def test_nothing_of_the_size_of_all_pairs_is_made(run, monkeypatch):
    """Ranked and counted without the table; a look at one query makes its own alone."""
    keywords = table({item: {("g", "a"), ("h", item[-1])} for item in ITEMS}, "item_id")
    asked = {q: {("g", "a"), ("h", q[-1])} for q in ("q1", "q2", "q3")}
    required, made_for = table(asked, "query_id"), []
    make = KeywordJudgement._table
    monkeypatch.setattr(
        KeywordJudgement, "_table", lambda of, q: made_for.append(len(q)) or make(of, q)
    )
    made = KeywordJudgement(required, keywords, tuple(asked), unscorable={}, leave_out={})
    rank(run, made)
    assert made.relevant.tolist() == [7, 7, 7] and not made.credit_is_hit
    assert len(made.pairs("hit")) == 21 and made.grade_values.tolist() == [0, 1]
    assert made_for == []
    assert len(suspects(run, run, made, SEVERAL, 5)) and len(pools(run, run, made, measure("AP@5")))
    assert made_for == []
    verdicts = pd.DataFrame([("q1", "i11", "not", 1, "curator")], columns=COLUMNS)
    amended = corrected(made, verdicts)
    rank(run, amended)
    assert amended.relevant.tolist() == [6, 7, 7] and len(amended.pairs("hit")) == 20
    assert made_for == []
    assert made.of_queries(["q2"]).qrels["grade"].sum() == 7 and made_for == [1]
