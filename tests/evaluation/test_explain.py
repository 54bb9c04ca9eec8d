"""How a value comes about: the explanation's own arithmetic gives the metric's value, always."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.explain import explain, explain_run
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import REGISTRY, parse
from dashboard.evaluation.metrics.explanation import write_result as result
from dashboard.evaluation.metrics.names import printed
from dashboard.evaluation.metrics.registry import explains
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, qrels_table, trec_run
from tests.evaluation.worlds import World

GRADE = st.sampled_from([None, -1, 0, 0, 0.5, 1, 1, 2, 3])
CREDIT = st.sampled_from([0, 0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1])
PAIRS = st.lists(st.tuples(GRADE, CREDIT), max_size=14)
NUMBERS = {"p": (0.95, 0.8, 0.3, 0.0, 1.0), "rows": (0, 1, 2, 5), "w": (10, 1, 3), "max": (4, 1, 2)}
NUMBERS |= {"recall": (0.0, 0.1, 0.5, 1.0), "x": (1.0, 0.0, 0.5)}
"""What the settings that are numbers are tried with; those of choices are tried with each."""


@st.composite
def worlds(draw):
    """Two queries with results of any grade and credit, and judged items that were not found."""
    lists = [draw(PAIRS), draw(PAIRS)]
    grades = [[grade for grade, _ in row] for row in lists]
    beyond = [draw(st.lists(st.sampled_from([-1, 0, 1, 2]), max_size=4)) for _ in lists]
    return from_lists(
        grades,
        credit=[[credit for _, credit in row] for row in lists],
        judged_grades=[
            [g for g in row if g is not None] + more
            for row, more in zip(grades, beyond, strict=True)
        ],
        relevant_from=draw(st.sampled_from([1.0, 0.5, 2.0])),
    )


@st.composite
def measures(draw, entry):
    """A metric with any settings and any cutoff that it takes."""
    values = {
        each.name: draw(st.sampled_from(each.choices or NUMBERS[each.name]))
        for each in entry.settings
    }
    cutoffs = {"never": [None], "required": [1, 3, 50], "optional": [None, 1, 3, 50]}
    cutoff = draw(st.sampled_from(cutoffs[entry.cutoff]))
    name = printed(entry.name, entry.settings, values)
    (asked,) = parse(name if cutoff is None else f"{name}@{cutoff}")
    return asked


def said(name, grades, **known):
    return explain(parse(name)[0], from_lists([grades], **known), "q1")


@pytest.mark.parametrize("name", REGISTRY)
def test_every_metric_has_an_explanation(name):
    entry = REGISTRY[name]
    assert entry.explain, f"write @explains({entry.function.__name__}) below it"


def test_only_a_metric_can_be_explained():
    with pytest.raises(ValueError, match="is no metric: decorate it with @metric first"):
        explains(measures)(lambda ranked: None)


@pytest.mark.parametrize("name", REGISTRY)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_the_steps_give_the_metrics_value(name, data):
    asked, rankings = data.draw(measures(REGISTRY[name])), data.draw(worlds())
    for place, query_id in enumerate(rankings.query_ids):
        found, value = explain(asked, rankings, query_id), asked(rankings)[place]
        np.testing.assert_allclose(found.value, value, rtol=1e-12, atol=1e-12, err_msg=str(asked))
        ending = found.lines[-1]
        if math.isnan(value):
            assert "no value" in ending
        else:
            assert result(value) in ending or ending.endswith(f": {value:.0f}"), ending
        assert found.steps["rank"].tolist() == list(range(1, len(found.steps) + 1))
        assert all(line and "nan" not in line for line in found.lines)


@pytest.mark.parametrize(
    ("name", "grades", "known", "lines"),
    [
        ("P@5", [1, 0, 1, 0, 0], {}, ["Hits in the first 5: ranks 1, 3 → 2", "2 ÷ 5 = 0.400"]),
        (
            "P@5",
            [1, None],
            {},
            [
                "Only 2 results came back.",
                "Hits in the first 5: rank 1 → 1",
                "Not judged and therefore no hits: rank 2.",
                "1 ÷ 5 = 0.200",
            ],
        ),
        (
            "R@3",
            [1, 0, 1, 1],
            {"relevant": [4]},
            [
                "Hits in the first 3: ranks 1, 3 → 2",
                "Relevant items in all: R = 4.",
                "2 ÷ 4 = 0.500",
            ],
        ),
        ("Success@2", [0, 0], {}, ["Hits in the first 2: none → 0", "Not one hit: 0"]),
        ("RR", [0, 0, 1], {}, ["First hit: rank 3", "1 ÷ 3 = 0.333"]),
        ("RR@1", [0, 1], {}, ["Hits in the first result: none", "No first hit: 0"]),
        (
            "AP",
            [1, 0, 1],
            {"relevant": [4]},
            [
                "Hits in all results (3): ranks 1, 3",
                "Each hit adds: hits so far ÷ its rank.",
                "Relevant items in all: R = 4.",
                "(1/1 + 2/3) ÷ 4 = 0.417",
            ],
        ),
        # 1.667 ÷ the two found, ÷ min(4, 3), and over the judged results alone
        ("AP(retrieved)@3", [1, 0, 1], {"relevant": [4]}, ["(1/1 + 2/3) ÷ 2 = 0.833"]),
        ("AP(min)@3", [1, 0, 1], {"relevant": [4]}, ["(1/1 + 2/3) ÷ 3 = 0.556"]),
        ("AP(annotated)", [None, 1, 0, 1], {}, ["(1/1 + 2/3) ÷ 2 = 0.833"]),
        ("AP(retrieved)@1", [0, 1], {}, ["No hit was found to divide by: 0"]),
        ("Rprec", [1, 0, 1], {}, ["Hits in the first 2: rank 1 → 1", "1 ÷ 2 = 0.500"]),
        ("Judged@2", [0, None], {}, ["Judged in the first 2: rank 1 → 1", "1 ÷ 2 = 0.500"]),
        ("Ceiling@5", [1, 1], {}, ["min(5, 2) ÷ 5 = 0.400"]),
        ("Rsum", [0, 1], {}, ["First hit: rank 2", "0 + 1 + 1 = 2.000"]),
        ("mR", [0, 1], {}, ["(0 + 1 + 1) ÷ 3 = 0.667"]),
        (
            "nDCG@3",
            [1, 0, 2],
            {"judged_grades": [[1, 0, 2, 3]]},
            [
                "DCG: 1 × 1 + 2 × 0.500 = 2.000",
                "Ideal: the best order of all judged items begins with the gains 3, 2, 1.",
                "Ideal DCG: 3 × 1 + 2 × 0.631 + 1 × 0.500 = 4.762",
                "2 ÷ 4.762 = 0.420",
            ],
        ),
        ("DCG(exp)", [2, 0, 1], {}, ["DCG: 3 × 1 + 1 × 0.500 = 3.500"]),
        ("CG(per=image)", [1, 1], {}, ["1 + 1 = 2.000", "2 ÷ 2 (results looked at) = 1.000"]),
        ("AVG(rows=2)", [1, 1, 0], {}, ["Means of the rows of 2: 1, 0", "(1 + 0) ÷ 2 = 0.500"]),
        (
            "MAX@2",
            [0, 1, 1],
            {"credit": [[0.2, 0.4, 1]]},
            ["Largest credit in the first 2: 0.400 at rank 2"],
        ),
        ("RBP(0.5)", [1, 0, 1], {}, ["1 × 0.500 + 1 × 0.125 = 0.625"]),
        ("ERR", [1, 1], {"credit": [[0.5, 0.5]]}, ["1 × 0.500 ÷ 1 + 0.500 × 0.500 ÷ 2 = 0.625"]),
        # r′ = 0.8, 0.4² ÷ 0.8 = 0.2, 1; g = 0.8, 1.0 ÷ 2, 1.2 ÷ 2 with w = 2
        (
            "CAG(DCG,w=2)",
            [1, 0, 1],
            {"credit": [[0.8, 0.4, 1.0]]},
            [
                "For example g(3) = (0.200 + 1) ÷ 2 = 0.600",
                "0.800 × 1 + 0.500 × 0.631 + 0.600 × 0.500 = 1.415",
                "1.415 ÷ 3 (results looked at) = 0.472",
            ],
        ),
        (
            "CAG(CG,w=2,divide=w,per=list)",
            [1, 0, 1],
            {"credit": [[0.8, 0.4, 1.0]]},
            ["0.400 + 0.500 + 0.600 = 1.500"],
        ),
        ("CAG(MAX)@2", [1, 1], {"credit": [[0.5, 1]]}, ["the first 2: 0.750 at rank 2"]),
        ("P@1", [], {"relevant": [2]}, ["No result came back.", "0 ÷ 1 = 0.000"]),
        ("AP", [0], {}, ["No relevant item exists (R = 0), so there is no value."]),
        ("nDCG", [0], {}, ["Nothing can be divided by an ideal of 0, so there is no value."]),
    ],
)
def test_the_lines_are_the_computation_in_numbers(name, grades, known, lines):
    found = said(name, grades, **known)
    rest = iter(found.lines)
    for line in lines:
        assert any(each.endswith(line) for each in rest), (line, found.lines)
    if len(lines) > 3:
        assert [line for line in found.lines if "discount 1" not in line] == lines


def test_long_sums_and_lists_of_ranks_are_cut():
    found = said("AP", [1] * 12)
    assert found.lines[0].endswith("ranks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more")
    assert found.lines[-1] == "(1/1 + 2/2 + 3/3 + 4/4 + 5/5 + 6/6 + … 6 more) ÷ 12 = 1.000"


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("P@2", ["hit", "hits so far"]),
        ("Judged", ["has a grade", "judged so far"]),
        ("Ceiling@3", []),
        ("AP", ["hit", "hits so far", "term", "running sum"]),
        ("AP(annotated)", ["place", "hit", "hits so far", "term", "running sum"]),
        ("DCG", ["grade", "discount", "term", "running sum"]),
        ("DCG(credit)", ["credit", "discount", "term", "running sum"]),
        ("nDCG", ["grade", "discount", "term", "running sum", "ideal gain", "ideal term"]),
        ("AVG(rows=2)", ["credit", "row", "mean of the row"]),
        ("ERR", ["r", "arrives", "term", "running sum"]),
        ("CAG(MAX)", ["credit", "largest so far", "r′", "g(k)"]),
        (
            "CAG(DCG)",
            ["credit", "largest so far", "r′", "g(k)", "discount", "term", "running sum"],
        ),
    ],
)
def test_the_steps_hold_only_what_the_metric_reads(name, columns):
    assert list(said(name, [2, None, 1]).steps.columns) == ["rank", *columns]


def test_a_grade_that_is_not_there_is_not_shown_as_zero():
    steps = said("nDCG", [2, None, -1], judged_grades=[[2, -1, 1, 1, 1]]).steps
    np.testing.assert_array_equal(steps["grade"], [2, np.nan, -1, np.nan])
    np.testing.assert_array_equal(steps["gain"], [2, 0, 0, np.nan])
    np.testing.assert_array_equal(steps["ideal gain"], [2, 1, 1, 1])


def test_a_metric_without_an_explainer_still_says_its_formula(monkeypatch):
    monkeypatch.setitem(REGISTRY, "P", replace(REGISTRY["P"], explain=None))
    found = said("P@2", [1, 0])
    assert found.lines == ("P@2: hits in the first K ÷ K", "= 0.500")
    assert found.steps["hit"].tolist() == [True, False]
    assert found.value == 0.5


def test_a_query_that_is_not_there_is_a_sentence():
    with pytest.raises(ValueError, match="There is no query 'q9'"):
        explain(parse("P@1")[0], from_lists([[1]]), "q9")


GROUPS = ["pv_object_type", "pv_actor_behavior"]


def explained(world, protocol, run, query_id, metric):
    judgement = protocol.judge(world, GROUPS)
    return explain_run(parse(metric)[0], run, judgement, protocol, query_id)


@pytest.mark.parametrize("name", ["alfa", "trec", "composed"])
def test_under_a_protocol_every_value_is_the_one_that_is_measured(name, tiny_world):
    protocol, world, run = PROTOCOLS[name], tiny_world, tiny_world.runs["v1"]
    if name != "alfa":
        qrels, found = made_up(5, queries=5, items=20, grades=(0, 1))
        world, run = World(qrels=qrels_table(qrels)), trec_run(found)
    judgement = protocol.judge(world, GROUPS)
    asked = parse(f"{protocol.metrics} RR ERR DCG(exp) Judged@5 CAG(RBP)")
    table = measure({"r": run}, judgement, protocol, asked)
    values = table["value"].to_numpy().reshape(len(asked), -1).T
    for query_id, row in zip(judgement.query_ids, values, strict=True):
        found = [explain_run(each, run, judgement, protocol, query_id).value for each in asked]
        np.testing.assert_allclose(found, row, rtol=1e-12, atol=1e-12)


def test_the_steps_of_a_run_name_the_items_in_the_order_that_counts(tiny_world):
    alfa = PROTOCOLS["alfa"]
    # q3 asks with its own clip i3, which stands first and does not count
    found = explained(tiny_world, alfa, tiny_world.runs["v1"], "q3", "P@2")
    assert found.steps["item_id"].tolist() == ["i1", "i4"]
    assert found.steps["hit"].tolist() == [False, True]
    # one result, two relevant items: the ideal is longer than the list
    world = World(qrels=qrels_table({"q1": {"d1": 1, "d2": 1}}))
    found = explained(world, PROTOCOLS["trec"], trec_run({"q1": {"d1": 1.0}}), "q1", "nDCG")
    assert found.steps["item_id"].isna().tolist() == [False, True]
    assert found.steps["ideal gain"].tolist() == [1, 1]


def test_a_query_without_a_value_says_why(tiny_world):
    alfa, run = PROTOCOLS["alfa"], tiny_world.runs["v1"]
    for query_id, line in (("q2", "no relevant item"), ("q4", "no keyword mapped")):
        found = explained(tiny_world, alfa, run, query_id, "P@1")
        assert math.isnan(found.value) and found.lines == (f"Not scored: {line}.",)
        assert found.steps.empty
    run.attrs["not_run"] = {"q1": "the encoder failed"}
    found = explained(tiny_world, alfa, run, "q1", "P@1")
    assert found.lines == ("Not run: the encoder failed.",) and math.isnan(found.value)


def test_a_zero_that_only_the_protocol_gives_is_said():
    world = World(qrels=qrels_table({"q1": {"d1": 0}, "q2": {"d1": 1}}))
    run = trec_run({"q1": {"d1": 1.0}})
    found = explained(world, PROTOCOLS["trec"], run, "q1", "AP")
    assert found.value == 0
    assert found.lines[-1].startswith("Nothing is relevant; the protocol “")
    found = explained(world, PROTOCOLS["trec"], run, "q2", "Judged@5")
    assert found.value == 0
    assert found.lines[-1].startswith("No result came back; the protocol “")
