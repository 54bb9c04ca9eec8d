"""Hundreds of random lists against formulas written once more, in plain Python."""

import math

import numpy as np
import pytest

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import plain_cag, plain_err

LISTS = 600
CUTOFFS = (None, 1, 3, 10, 100)


@pytest.fixture(scope="module")
def graded():
    """Lists of grades (None is unjudged), the grades of all judged items, and the rankings."""
    random = np.random.default_rng(5)
    grades = [None, 0, 0, 1, 1, 2, 3, -1, 0.5, 1.5]
    lists = [
        [grades[i] for i in random.integers(0, len(grades), random.choice([0, 1, 2, 5, 8, 40]))]
        for _ in range(LISTS)
    ]
    missed = [random.choice([0, 1, 2, 3, -2, 0.5], random.choice([0, 1, 4, 20])) for _ in lists]
    judged = [
        [g for g in found if g is not None] + more.tolist()
        for found, more in zip(lists, missed, strict=True)
    ]
    return lists, judged, from_lists(lists, judged_grades=judged)


@pytest.fixture(scope="module")
def credited():
    """Lists of credit and their rankings."""
    random = np.random.default_rng(6)
    lists = [
        random.choice([0, 0.1, 1 / 3, 0.5, 0.7, 1], random.choice([1, 2, 5, 8, 40])).tolist()
        for _ in range(LISTS)
    ]
    return lists, from_lists([[1] * len(row) for row in lists], credit=lists)


def is_hit(grade):
    return grade is not None and grade >= 1


def gain(grade):
    return max(grade or 0, 0)


def dcg(grades, exp=False):
    gains = [2 ** gain(g) - 1 if exp else gain(g) for g in grades]
    return sum(g / math.log2(place + 1) for place, g in enumerate(gains, 1))


def ndcg(exp=False, retrieved=False):
    def value(found, judged, k):
        best = dcg(sorted(map(gain, found if retrieved else judged), reverse=True)[:k], exp)
        return dcg(found[:k], exp) / best if best else math.nan

    return value


def ap(divisor):
    def value(found, judged, k):
        total = hits = 0
        for place, grade in enumerate(found[:k], 1):
            hits += is_hit(grade)
            total += is_hit(grade) * hits / place
        relevant = sum(map(is_hit, judged))
        by = {"R": relevant, "retrieved": hits, "min": min(relevant, k or relevant)}[divisor]
        return math.nan if not relevant else total / by if by else 0.0

    return value


def recall(found, judged, k):
    relevant = sum(map(is_hit, judged))
    return sum(map(is_hit, found[:k])) / relevant if relevant else math.nan


def rr(found, judged, k):
    first = next((1 / n for n, g in enumerate(found[:k], 1) if is_hit(g)), 0.0)
    return first if any(map(is_hit, judged)) else math.nan


PLAIN = {
    "P": lambda found, judged, k: sum(map(is_hit, found[:k])) / k,
    "R": recall,
    "Success": lambda found, judged, k: float(any(map(is_hit, found[:k]))),
    "AP": ap("R"),
    "AP(retrieved)": ap("retrieved"),
    "AP(min)": ap("min"),
    "RR": rr,
    "nDCG": ndcg(),
    "nDCG(exp)": ndcg(exp=True),
    "nDCG(ideal=retrieved)": ndcg(retrieved=True),
    "DCG": lambda found, judged, k: dcg(found[:k]),
}
NEEDS_CUTOFF = ("P", "R", "Success")


@pytest.mark.parametrize("name", PLAIN)
def test_grades_give_what_the_plain_formula_gives(name, graded):
    lists, judged, rankings = graded
    for k in CUTOFFS[name in NEEDS_CUTOFF :]:
        ours = parse(name if k is None else f"{name}@{k}")[0](rankings)
        pairs = zip(lists, judged, strict=True)
        theirs = np.array([PLAIN[name](found, known, k) for found, known in pairs])
        defined = ~np.isnan(theirs)
        assert np.abs(ours - theirs)[defined].max() < 1e-12, k
        undefined = ours[~defined]
        assert (np.isnan(undefined) | (undefined == 0)).all(), "null or 0 is measure's to decide"


SUMS = {
    "CG": sum,
    "AVG": lambda row: sum(row) / len(row),
    "MAX": max,
    "ERR": lambda row: plain_err(row, None),
    "RBP(0.8)": lambda row: sum(r * 0.2 * 0.8**place for place, r in enumerate(row)),
    "RBP(0.95,per=image)": lambda row: (
        sum(r * 0.05 * 0.95**place for place, r in enumerate(row)) / len(row)
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_credit_gives_what_the_plain_formula_gives(name, credited):
    lists, rankings = credited
    for k in CUTOFFS:
        ours = parse(name if k is None else f"{name}@{k}")[0](rankings)
        assert np.abs(ours - [SUMS[name](row[:k]) for row in lists]).max() < 1e-12, k


@pytest.mark.parametrize("divide", ["window", "w"])
@pytest.mark.parametrize("w", [1, 2, 10])
@pytest.mark.parametrize("discount", ["RBP", "DCG", "CG", "AVG", "ERR", "MAX"])
def test_context_gives_what_the_plain_loop_gives(discount, w, divide, credited):
    lists, rankings = credited
    for per in ("image", "list"):
        for k in (3, 50):
            name = f"CAG({discount},w={w},divide={divide},per={per})@{k}"
            theirs = [plain_cag(row, discount, k, w=w, divide=divide, per=per) for row in lists]
            assert np.abs(parse(name)[0](rankings) - theirs).max() < 1e-12, name
