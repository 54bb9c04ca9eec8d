"""Codes, distances and rankings, and the bounds over tie orders against every order."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.hashing import (
    binarise,
    code_rankings,
    codes,
    equation_1,
    equation_1_cosine,
    hamming,
    refuse_overlap,
)
from dashboard.evaluation.metrics.ties import bounds, expected_ap
from dashboard.evaluation.rankings import from_lists

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


def mean_over_orders(grades, groups, measure):
    values = []
    blocks = [
        [g for g, n in zip(grades, groups, strict=True) if n == b] for b in sorted(set(groups))
    ]
    for chosen in product(*(list(permutations(block)) for block in blocks)):
        values.append(measure(from_lists([[g for block in chosen for g in block]]))[0])
    return np.mean(values)


@given(signs, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_both_forms_of_equation_1_are_the_hamming_distance(first, random):
    second = [random.choice((-1, 1)) for _ in first]
    different = sum(a != b for a, b in zip(first, second, strict=True))
    pair = np.array([first, second], dtype=float)
    assert equation_1(*pair) == pytest.approx(different, abs=1e-9)
    assert equation_1_cosine(*pair) == pytest.approx(different, abs=1e-9)
    packed = codes(np.array([first, second]))
    assert hamming(packed[:1], packed[1:])[0, 0] == different


def test_codes_of_0_and_1_and_zeros_left_by_sign():
    assert codes(np.array([[0, 1], [1, 1]])).tolist() == [[-1, 1], [1, 1]]
    assert codes(np.array([[0.0, -1.0], [1.0, 1.0]])).tolist() == [[1, -1], [1, 1]]
    assert binarise(np.array([[0.0, -0.2]])).tolist() == [[1, -1]]


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (np.array([[1, 1], [1, 2]]), "Row 2 of the codes has 2 at place 2"),
        (np.array([[0.5, 1.0]]), "Row 1 of the codes has 0.5 at place 1"),
        (np.array([[np.nan]]), "Row 1 of the codes has nan"),
        (np.array([1, 0]), "a table of rows"),
    ],
)
def test_other_codes_are_refused(matrix, said):
    with pytest.raises(ValueError, match=said):
        codes(matrix)


def test_features_without_sign_and_codes_without_direction_are_refused():
    with pytest.raises(ValueError, match="Row 2 of the features holds NaN"):
        binarise(np.array([[1.0], [np.nan]]))
    with pytest.raises(ValueError, match="no direction"):
        equation_1(np.zeros(3), np.ones(3))
    with pytest.raises(ValueError, match="4 places, the gallery's 8"):
        hamming(random_codes(1, 4), random_codes(1, 8))


def test_overlapping_query_and_gallery_are_refused_with_names():
    refuse_overlap(["a", "b"], ["c"])
    with pytest.raises(ValueError, match=r"4 of 4 queries are in the gallery too \(a, b, c …\)"):
        refuse_overlap(list("abcd"), list("dcba"))


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


def test_a_cut_does_not_go_through_equal_distances():
    queries, gallery = random_codes(20, 6), random_codes(200, 6)
    grades = RNG.integers(0, 3, (20, 200))
    whole, cut = (code_rankings(queries, gallery, grades, depth=depth) for depth in (None, 10))
    assert (cut.returned >= 10).all()
    assert cut.depth < 200
    for measure in parse("AP(retrieved)@10 AP@10 AP(min)@10 nDCG(exp)@10 P@10"):
        assert np.array_equal(measure(whole), measure(cut))
        for one, other in zip(bounds(whole, measure), bounds(cut, measure), strict=True):
            assert np.allclose(one, other, atol=1e-12)


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


@given(tied_lists.filter(lambda places: len(places) < 6), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_expected_ap_is_the_mean_over_every_tie_order(places, k):
    grades = [grade for grade, _ in places]
    groups = np.cumsum([not tie for _, tie in places]).tolist()
    rankings = from_lists([grades], ties=[groups])
    for measure, cutoff in ((parse("AP")[0], None), (parse(f"AP@{k}")[0], k)):
        mean = mean_over_orders(grades, groups, measure)
        assert expected_ap(rankings, cutoff)[0] == pytest.approx(mean, nan_ok=True)


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
