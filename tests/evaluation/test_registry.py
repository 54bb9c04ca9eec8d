"""What holds for every metric in the register, so that a new one is tested by being entered."""

import doctest
import math
from importlib import import_module

import numpy as np
import pytest

from dashboard.evaluation.metrics import REGISTRY, parse
from dashboard.evaluation.metrics.registry import metric
from dashboard.evaluation.rankings import from_lists

OF_RANKINGS = [m for m in REGISTRY.values() if m.reads in ("hits", "grades", "credit", "judged")]
# a swap of two results can lower these, by their definitions and on purpose
REWARDS_MORE_THAN_ORDER = {
    "CAG(MAX)": "the best stretch of neighbours counts, wherever it stands",
}
ASKED = [
    f"{m.title}{'' if m.cutoff == 'never' else at}"
    for m in OF_RANKINGS
    for at in ("", "@1", "@3", "@50")
    if (m.cutoff != "required" or at) and (m.cutoff != "never" or not at)
]
FROM_ELSEWHERE = ("i2t_R", "t2i_R", "Rsum", "mR")  # directions, told by the queries
SETTINGS = [
    "AP(retrieved)",
    "AP(min)@3",
    "AP(annotated)",
    "nDCG(exp)@3",
    "nDCG(credit)",
    "nDCG(exp,ideal=retrieved)@3",
    "DCG(exp,per=image)",
    "AVG(rows=2)",
    "ERR(exp)",
    "CAG(DCG,w=2,divide=w,per=list)@3",
    "CAG(AVG(rows=2),w=3)",
]


@pytest.fixture
def rankings():
    random = np.random.default_rng(3)
    lists, credit = [], []
    for _ in range(40):
        length = int(random.integers(0, 8))
        grades = random.choice([None, 0, 0, 1, 2], length).tolist()
        lists.append(grades)
        credit.append([0.0 if g is None else g / 2 for g in grades])
    relevant = [
        sum(g is not None and g >= 1 for g in row) + int(random.integers(0, 3)) for row in lists
    ]
    return from_lists(lists, credit=credit, relevant=relevant)


def one(rankings, query):
    """The rankings of one query alone, cut to its own length."""
    length = int(rankings.returned[query])
    take = slice(query, query + 1)
    fields = ("grades", "credit", "judged", "tied")
    cut = {name: getattr(rankings, name)[take, :length] for name in fields}
    whole = ("returned", "relevant", "ideal", "missable")
    cut |= {name: getattr(rankings, name)[take] for name in whole}
    cut["best_credit"] = lambda: rankings.ideal_credit[take]
    return type(rankings)(query_ids=("alone",), relevant_from=rankings.relevant_from, **cut)


@pytest.mark.parametrize("name", REGISTRY)
def test_a_metric_says_what_it_is(name):
    entry = REGISTRY[name]
    assert entry.summary.endswith(".") and "\n" not in entry.summary
    assert len(entry.summary) <= 100
    assert entry.formula and entry.source
    assert name in FROM_ELSEWHERE or f"(reads {entry.reads}" in entry.summary
    assert parse(entry.title if entry.cutoff != "required" else f"{entry.title}@5")


def test_every_file_of_metrics_has_worked_examples():
    files = {m.function.__module__ for m in REGISTRY.values()}
    assert len(files) >= 3
    for file in files:
        examples = doctest.DocTestFinder().find(import_module(file))
        assert any(found.examples for found in examples), file


@pytest.mark.parametrize("name", ASKED + SETTINGS)
def test_one_value_for_each_query_alone_as_among_others(name, rankings):
    (measure,) = parse(name)
    together = measure(rankings)
    assert together.dtype == np.float64
    assert together.shape == (40,)
    alone = [measure(one(rankings, query))[0] for query in range(40)]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("name", ASKED + SETTINGS)
def test_nothing_relevant_gives_zero_or_nothing(name):
    nothing = from_lists([[0, 0, 0], [None], []], relevant=[0, 0, 0])
    for value in parse(name)[0](nothing):
        assert math.isnan(value) or value == 0 or name.startswith("Judged")


@pytest.mark.parametrize("name", ASKED + SETTINGS)
def test_a_value_does_not_hang_on_the_width_of_floats(name, rankings):
    narrow = type(rankings)(
        **{
            **vars_of(rankings),
            "grades": np.asfortranarray(rankings.grades.astype(np.int8)),
            "ideal": rankings.ideal.astype(np.int8),
            "credit": np.ascontiguousarray(rankings.credit),
        }
    )
    np.testing.assert_array_equal(parse(name)[0](rankings), parse(name)[0](narrow))


def vars_of(rankings):
    return {name: getattr(rankings, name) for name in type(rankings).__dataclass_fields__}


@pytest.mark.parametrize(
    "name", [n for n in ASKED if n.split("@")[0] not in REWARDS_MORE_THAN_ORDER]
)
def test_moving_a_relevant_result_up_never_hurts(name):
    (measure,) = parse(name)
    random = np.random.default_rng(4)
    for _ in range(60):
        worse = random.integers(0, 2, random.integers(2, 9)).tolist()
        downs = [i for i in range(len(worse) - 1) if worse[i] < worse[i + 1]]
        if downs:
            at = int(random.choice(downs))
            better = [*worse[:at], 1, 0, *worse[at + 2 :]]
            values = measure(from_lists([worse, better]))
            assert values[0] <= values[1] + 1e-12, (worse, better)


@pytest.mark.parametrize("name", REWARDS_MORE_THAN_ORDER)
def test_the_exceptions_are_real(name):
    # w = 2: two hits at ranks 3 and 4 fill a window; moved apart they do not
    values = parse(name.replace(")", ",w=2)"))[0](from_lists([[0, 0, 1, 1], [0, 1, 0, 1]]))
    assert values.tolist() == [1, 0.5]


def test_two_metrics_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two metrics are called"):
        metric("hits_over_K", formula="", source="", reads="hits")(lambda rankings, k: None)


def test_no_whole_setting_is_without_bound():
    for each in REGISTRY.values():
        for setting in each.settings:
            assert not setting.whole or setting.high <= 10_000, (each.name, setting.name)
