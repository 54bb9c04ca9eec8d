"""Codes, distances and rankings, and the bounds over tie orders against every order."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from dashboard.evaluation.binary_codes import equation_1, equation_1_cosine, hamming
from dashboard.evaluation.curves import bounded
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.ties import bounds
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import from_lists
from dashboard.retrieval import runs
from dashboard.storage.collection.collection import open_collection
from tests.evaluation.worlds import code_rankings

RNG = np.random.default_rng(5)
signs = st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=70)
# grades of a list and which of its places tie with the one before
tied_lists = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=7)


def random_codes(rows, bits):
    return RNG.choice([-1, 1], (rows, bits)).astype(np.int8)


def orders(grades, groups):
    """Every list that another order of tied results would give."""
    blocks = [
        [g for g, group in zip(grades, groups, strict=True) if group == number]
        for number in sorted(set(groups))
    ]
    for chosen in product(*(set(permutations(block)) for block in blocks)):
        yield [grade for block in chosen for grade in block]


@given(signs, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_both_forms_of_equation_1_are_the_hamming_distance(first, random):
    second = [random.choice((-1, 1)) for _ in first]
    different = sum(a != b for a, b in zip(first, second, strict=True))
    pair = np.array([first, second], dtype=float)
    assert equation_1(*pair) == pytest.approx(different, abs=1e-9)
    assert equation_1_cosine(*pair) == pytest.approx(different, abs=1e-9)
    assert hamming(*pair[:, None].astype(np.int8))[0, 0] == different


def test_codes_without_direction_or_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="no direction"):
        equation_1(np.zeros(3), np.ones(3))
    with pytest.raises(ValueError, match="4 places, the gallery's 8"):
        hamming(random_codes(1, 4), random_codes(1, 8))


@pytest.mark.parametrize("bits", [1, 8, 64, 100, 300])
def test_distances_and_order_equal_a_plain_computation(bits):
    queries, gallery = random_codes(7, bits), random_codes(50, bits)
    grades = RNG.integers(0, 3, (7, 50))
    plain = (queries[:, None, :] != gallery).sum(axis=2)
    assert np.array_equal(hamming(queries, gallery), plain)
    order = np.argsort(plain, axis=1, kind="stable")
    found = code_rankings(queries, gallery, grades)
    assert np.array_equal(found.grades, np.take_along_axis(grades, order, axis=1))
    ascending = np.take_along_axis(plain, order, axis=1)
    assert np.array_equal(found.tied[:, 1:], ascending[:, 1:] == ascending[:, :-1])
    assert found.relevant.tolist() == (grades >= 1).sum(axis=1).tolist()


def test_ap_equals_scikit_learn_where_no_distances_tie():
    gallery = np.ones((32, 40), dtype=np.int8)
    for row in range(32):
        gallery[row, :row] = -1
    shuffled = gallery[RNG.permutation(32)]
    query, grades = np.ones((1, 40), dtype=np.int8), RNG.integers(0, 2, (1, 32))
    theirs = average_precision_score(grades[0], -hamming(query, shuffled)[0].astype(int))
    assert parse("AP")[0](code_rankings(query, shuffled, grades))[0] == pytest.approx(theirs)


def test_bounds_of_a_run_that_was_cut_are_those_of_the_whole_or_not_known(monkeypatch):
    collection, hashing = open_collection("digits_hashes"), PROTOCOLS["hashing"]
    judgement = hashing.judge(collection, None)
    whole = runs.run_of(collection, "itq-32")
    monkeypatch.setattr(runs, "MOST_RESULTS", 1)
    cut = runs.run_of(collection, "itq-32")
    metrics = "AP(retrieved)@5 AP(retrieved)@50 AP(retrieved)@100 nDCG(exp)@20 P@100"
    known = 0
    for query in judgement.query_ids[:8]:
        theirs, ours = (bounded(of, judgement, hashing, metrics, [query]) for of in (whole, cut))
        assert ours["mean"].tolist() == theirs["mean"].tolist()
        scores = whole.loc[whole["query_id"] == query, "score"].tolist()
        before = scores.index(scores[99]) if scores[100] == scores[99] else 100
        for row, other in zip(ours.itertuples(), theirs.itertuples(), strict=True):
            if row.cutoff > before:
                assert np.isnan([row.worst, row.best]).all()
            else:
                known += 1
                assert (row.worst, row.best) == pytest.approx((other.worst, other.best))
    assert 8 < known < 32


@given(tied_lists, st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_bounds_are_the_least_and_greatest_over_every_tie_order(places, k):
    grades = [grade for grade, _ in places]
    groups = np.cumsum([not tie for _, tie in places]).tolist()
    rankings = from_lists([grades], ties=[groups])
    every = [from_lists([order], judged_grades=[grades]) for order in orders(grades, groups)]
    names = "AP AP@{k} AP(min)@{k} AP(retrieved) AP(retrieved)@{k} nDCG(exp)@{k} P@{k} RR ERR RBP"
    for measure in parse(names.format(k=k)):
        values = [measure(each)[0] for each in every]
        worst, best = bounds(rankings, measure)
        assert worst[0] == pytest.approx(min(values), nan_ok=True)
        assert best[0] == pytest.approx(max(values), nan_ok=True)


def test_bounds_of_metrics_that_may_fall_are_refused():
    rankings = from_lists([[1, 0]], ties=[[0, 0]])
    for name in ("CAG(DCG)@5", "Judged@5", "AVG(rows=2)"):
        with pytest.raises(ValueError, match="Bounds over ties are known for"):
            bounds(rankings, parse(name)[0])


def test_many_lists_at_once_give_what_each_gives_alone():
    queries, gallery = random_codes(12, 5), random_codes(60, 5)
    grades = RNG.integers(0, 3, (12, 60))
    together = code_rankings(queries, gallery, grades)
    for measure in parse("AP(retrieved)@7 nDCG(exp)@7"):
        worst, best = bounds(together, measure)
        for q in range(12):
            alone = code_rankings(queries[q : q + 1], gallery, grades[q : q + 1])
            assert (worst[q], best[q]) == tuple(each[0] for each in bounds(alone, measure))
            assert worst[q] <= measure(alone)[0] <= best[q]
