"""Grades of any size: shares are those of exact fractions, what is no number is refused."""

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.explain import explain_run
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.ties import bounds
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import from_lists, rank
from dashboard.tables import DataError
from tests.evaluation.worlds import World

LARGE = [
    [127, 128, 0, 255],
    [128, 255, 3],
    [3, 300, 301],
    [1023, 1024, 5],
    [1024, 1023, 1024],
    [5000, 4999, 5001, 0],
    [2_000_000, 1_999_998, 0],
    [2**31, 2**31 + 1],
    [1_000.5, 1_001.25, 999],
]


def discounts(number):
    return [Fraction(1 / math.log2(rank + 1)) for rank in range(1, number + 1)]


def share(grades, gain):
    """nDCG of a list by exact fractions, its own best order being the ideal.

    exp: all gains divided by 2^(largest − 64), below which nothing counts in a double.
    """
    top = max(grades)

    def worth(grade):
        if gain == "linear":
            return Fraction(grade)
        below = math.floor(top - grade)
        if below > 1_100:
            return Fraction(0)
        one = Fraction(2) ** (-math.floor(top)) if top < 2_000 else Fraction(0)
        return Fraction(2 ** (grade - top + below)) / 2**below - one

    def total(row):
        return sum(worth(g) * d for g, d in zip(row, discounts(len(row)), strict=True))

    return float(total(grades) / total(sorted(grades, reverse=True)))


@pytest.mark.parametrize("gain", ["linear", "exp"])
@pytest.mark.parametrize("grades", LARGE)
def test_ndcg_of_large_grades_is_that_of_exact_fractions(grades, gain):
    name = "nDCG(exp)" if gain == "exp" else "nDCG"
    best = sorted(grades, reverse=True)
    for row in (grades, best, best[::-1], [None, *best]):
        found = parse(name)[0](from_lists([row], judged_grades=[grades]))[0]
        expected = share([g or 0 for g in row], gain)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e300, 1e307, 8e307])
def test_linear_ndcg_does_not_overflow(scale):
    rows = [[1, 2, 0, 2], [2, 1]]
    large = from_lists([[grade * scale for grade in row] for row in rows])
    for name in ("nDCG", "nDCG@2", "nDCG(ideal=retrieved)"):
        small = parse(name)[0](from_lists(rows))
        assert parse(name)[0](large) == pytest.approx(small, rel=1e-12)


def test_queries_of_small_and_of_large_grades_stand_beside_each_other():
    both = parse("nDCG(exp)")[0](from_lists([[1, 2], [5000, 5001]]))
    assert both[0] == parse("nDCG(exp)")[0](from_lists([[1, 2]]))[0]
    assert both[1] == pytest.approx(share([5000, 5001], "exp"))


@pytest.mark.parametrize("least", [0, 1, 126, 254, 300, 1023])
def test_a_higher_grade_first_is_better_whatever_the_grades(least):
    # 127 is the last that stands in a byte, 255 the last in one without a sign
    qrels = pd.DataFrame(
        {"query_id": "q", "item_id": ["a", "b", "c"], "grade": [least, least + 1.0, least + 2.0]}
    )
    made = PROTOCOLS["trec"].judge(World(qrels=qrels), None)
    ideal = made.ideal[0].tolist()
    assert ideal == [grade for grade in (least + 2, least + 1, least) if grade > 0]
    assert made.relevant.tolist() == [3 if least else 2]
    found = {}
    for order in ("abc", "acb", "bac", "bca", "cab", "cba"):
        run = pd.DataFrame({"query_id": "q", "item_id": list(order), "score": [3.0, 2, 1]})
        rankings = rank(run.assign(rank=[1, 2, 3]), made)
        assert rankings.grades[0].tolist() == [least + "abc".index(item) for item in order]
        for name in ("nDCG", "nDCG(exp)", "DCG"):
            found[name, order] = parse(name)[0](rankings)[0]
    for name in ("nDCG", "nDCG(exp)", "DCG"):
        values = [found[name, order] for order in ("cba", "cab", "bca", "bac", "acb", "abc")]
        assert np.isfinite(values).all() and values[0] > values[-1] >= 0
        assert values == pytest.approx(sorted(values, reverse=True)) or least == 0
    assert found["nDCG", "cba"] == found["nDCG(exp)", "cba"] == 1


def test_bounds_over_ties_and_explanations_hold_for_large_grades():
    qrels = pd.DataFrame({"query_id": "q", "item_id": ["a", "b"], "grade": [5000.0, 5002.0]})
    made = PROTOCOLS["trec"].judge(World(qrels=qrels), None)
    run = pd.DataFrame({"query_id": "q", "item_id": ["a", "b"], "score": 1.0, "rank": [1, 2]})
    (wanted,) = parse("nDCG(exp)")
    worst, best = bounds(rank(run, made), wanted)
    assert (worst[0], best[0]) == pytest.approx((share([5000, 5002], "exp"), 1))
    for name in ("nDCG(exp)", "nDCG", "ERR(exp,max=5002)"):
        (wanted,) = parse(name)
        value = measure({"r": run}, made, "trec", name)["value"].iloc[0]
        found = explain_run(wanted, run, made, PROTOCOLS["trec"], "q")
        assert found.value == pytest.approx(value, rel=1e-12) and 0 < value < 1
        assert np.isfinite(found.steps.select_dtypes("number").to_numpy()).all()
        assert max(map(len, found.lines)) < 250
    assert "divided by 2^5002" in " ".join(
        explain_run(parse("nDCG(exp)")[0], run, made, PROTOCOLS["trec"], "q").lines
    )


@pytest.mark.parametrize("largest", [4, 20, 1024, 5000])
def test_err_makes_chances_of_grades_up_to_its_largest(largest):
    grades = [largest - 1, largest, 1, 0]
    chances = [Fraction(1, 2) if n == 0 else Fraction(1) for n in (0, 1)]
    chances = [float(c) - 2.0**-largest for c in chances]
    chances += [2.0 ** (1 - largest) - 2.0**-largest, 0.0]
    expected, going = 0.0, 1.0
    for place, chance in enumerate(chances, start=1):
        expected += going * chance / place
        going *= 1 - chance
    found = parse(f"ERR(exp,max={largest})")[0](from_lists([grades]))[0]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.fixture
def files(tmp_path):
    """A file of judgements with one high grade in its third line, and a perfect run."""

    def made(grade):
        judged, run = tmp_path / "judged.txt", tmp_path / "a.trec"
        judged.write_text(f"q1 0 x 1\nq1 0 y 0\nq1 0 z {grade}\nq2 0 x 2\n")
        run.write_text("q1 Q0 z 1 3 t\nq1 Q0 x 2 2 t\nq2 Q0 x 1 1 t\n")
        return ["measure", "--qrels", str(judged), "--run", str(run), "--format", "json"]

    return made


@pytest.mark.parametrize("grade", [127, 128, 255, 256, 1023, 1024, 5000, 2**31, 2**33])
def test_a_perfect_ranking_has_a_share_of_one_and_nothing_is_warned(files, grade, capsys):
    assert main([*files(grade), "--metrics", "nDCG(exp) nDCG nDCG(exp)@1 AP"]) == 0
    out, err = capsys.readouterr()
    assert [row["mean"] for row in json.loads(out)] == [1.0] * 4 and err == ""


@pytest.mark.parametrize(
    ("grade", "metric", "cure"),
    [
        (5, "ERR(exp)", "Write ERR(exp,max=5)"),
        (1024, "ERR(exp)@5", "Write ERR(exp,max=1024)"),
        (20_000, "ERR(exp)", "Divide the grades by a number: max is at most 10,000."),
        (1024, "DCG(exp)", "nDCG(exp), which is a share"),
        (5000, "DCG(exp)@3", "nDCG(exp)@3, which is a share"),
    ],
)
def test_what_has_no_number_is_refused_with_file_and_line(files, grade, metric, cure, capsys):
    assert main([*files(grade), "--metrics", metric]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"judged.txt, line 3: found grade {grade}")
    assert cure in err and len(err.splitlines()) == 1


def test_the_cure_for_err_is_one(files, capsys):
    assert main([*files(1024), "--metrics", "ERR(exp,max=1024) DCG(exp)@1 DCG"]) == 2
    capsys.readouterr()
    assert main([*files(1024), "--metrics", "ERR(exp,max=1024) DCG"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["mean"] == pytest.approx(0.5)


def test_a_refusal_in_a_collection_names_its_file(tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    (tmp_path / "collection.toml").write_text('protocols = ["trec"]\n')
    (tmp_path / "items.csv").write_text("item_id\nx\ny\n")
    (tmp_path / "queries.csv").write_text("query_id,text\nq,words\n")
    (tmp_path / "qrels.csv").write_text("query_id,item_id,grade\nq,x,1\nq,y,2000\n")
    for name, order in (("a", "xy"), ("b", "yx")):
        rows = "".join(f"q,{item},{2 - n}\n" for n, item in enumerate(order))
        (tmp_path / f"runs/{name}.csv").write_text(f"query_id,item_id,score\n{rows}")
    pair = ["--baseline", "a", "--candidate", "b", "--metrics", "DCG(exp)"]
    page = str(tmp_path / "r.html")
    for words in (["measure"], ["compare", *pair], ["report", *pair, "-o", page]):
        command, *further = words
        further += ["--metrics", "DCG(exp)"] if command == "measure" else []
        assert main([command, str(tmp_path), *further]) == 2
        said = capsys.readouterr().err.splitlines()
        assert sum("qrels.csv, line 3: found grade 2000" in line for line in said) == 1


def test_a_metric_that_needs_no_chance_takes_a_grade_above_four():
    qrels = pd.DataFrame({"query_id": "q", "item_id": ["a"], "grade": [80.0]})
    made = PROTOCOLS["trec"].judge(World(qrels=qrels), None)
    run = pd.DataFrame({"query_id": ["q"], "item_id": ["a"], "score": [1.0], "rank": [1]})
    assert measure({"r": run}, made, "trec", "ERR nDCG(exp)")["value"].tolist() == [1, 1]
    with pytest.raises(DataError, match="wanted grades up to 4"):
        measure({"r": run}, made, "trec", "ERR(exp)")
