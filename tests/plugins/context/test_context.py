"""Relevance from 0 to 100, gains in context, and lists beside satisfaction."""

import json
import lzma
from pathlib import Path

import pytest

from dashboard.evaluation.metrics import NAMES, parse
from tests.plugins.worlds import call, measure_values, open_world, write_world

ROOT = Path(__file__).parents[3]
VECTORS = {"a": [1.0, 0.0], "b": [3.0, 1.0], "c": [1.0, 1.0], "d": [0.0, 1.0]}
ITEMS = "item_id\na\nb\nc\nd\n"
QUERIES = "query_id,text\nq1,cats\nq2,dogs\n"
WORKERS = (
    "query_id,item_id,worker,relevance\n"
    "q1,a,w1,80\nq1,a,w2,-1\nq1,b,w1,20\nq1,b,w2,60\nq1,c,w1,-2\nq1,d,w1,100\n"
    "q2,a,w1,-1\n"
)


def write(folder: Path, workers: str = WORKERS) -> Path:
    asked = {"q1": [1.0, 0.0], "q2": [0.0, 1.0]}
    made = write_world(folder, 'protocols = ["context"]\n', ITEMS, QUERIES, VECTORS, asked)
    (made / "relevance.csv").write_text(workers)
    return made


def test_invalid_answers_are_left_out(tmp_path: Path) -> None:
    """Ranked: a 0.8, b 0.4, d 1.0; c has no valid answer, and q2 none at all.

    r' = 0.8, 0.2, 1.0; with w = 2 the gains are 0.8, 0.5, 0.6.
    """
    names = "CAG(CG,w=2) CAG(MAX,w=2) CAG(AVG,w=2,divide=w) AVG MAX CG(per=image) num_ret P@3"
    assert measure_values(write(tmp_path / "w"), names) == {
        "CAG(CG,w=2)": [round((0.8 + 0.5 + 0.6) / 3, 9), None],
        "CAG(MAX,w=2)": [0.8, None],
        "CAG(AVG,w=2,divide=w)": [round((0.4 + 0.5 + 0.6) / 3, 9), None],
        "AVG": [round(2.2 / 3, 9), None],
        "MAX": [1.0, None],
        "CG(per=image)": [round(2.2 / 3, 9), None],
        "num_ret": [3, None],
        "P@3": [round(2 / 3, 9), None],
    }


def test_equal_relevance_cannot_tell_versions_apart(tmp_path: Path) -> None:
    equal = "query_id,item_id,relevance\nq1,a,40\nq1,b,40\nq2,c,70\nq2,d,70\nq2,a,-1\n"
    folder = write(tmp_path / "w", equal)
    code, _, said = call("measure", folder)
    assert code == 0 and "note: All judged items of a query are equally relevant" in said
    (folder / "relevance.csv").write_text(equal.replace("q1,b,40", "q1,b,50"))
    assert "note" not in call("measure", folder)[2]


def test_names_of_settings() -> None:
    names = "CAG(RBP(0.8),w=5,divide=w) CAG(RBP) CAG(AVG(rows=5)) RBP(0.95,per=image) CG(per=list)"
    assert [str(each) for each in parse(names)] == [
        "CAG(RBP(0.8),w=5,divide=w)", "CAG(RBP(0.95))", "CAG(AVG(rows=5))", "RBP(0.95,per=image)",
        "CG",
    ]  # fmt: skip
    for wrong in ("CAG(DCG,w=0)", "CAG(DCG,w=2.5)", "CAG(DCG,x=1)", "CAG(DCG,per=row)", "P(3)@5"):
        with pytest.raises(ValueError):
            parse(wrong)


@pytest.mark.parametrize("table", ["gains", "depths"])
def test_satisfaction_equals_the_frozen_table(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_DATA", str(ROOT / "data"))
    packed = (ROOT / "tests" / "golden" / "tables.json.xz").read_bytes()
    name = "satisfaction openmoji_context" + ("" if table == "gains" else f" --table {table}")
    frozen = json.loads(lzma.decompress(packed))[name]
    code, rows, _ = call("satisfaction", "openmoji_context", "--table", table)
    assert (code, len(rows)) == (frozen["code"], len(frozen["rows"]))
    for new, old in zip(rows, frozen["rows"], strict=True):
        assert new == pytest.approx(old, abs=1e-9)


def test_every_metric_is_the_same_alone_and_among_others(tmp_path: Path) -> None:
    """What a metric reads is fetched for it, and not only because another asks for it."""
    folder = write(tmp_path / "w")
    parse("P@2")
    names = [
        each.title if each.cutoff == "never" else f"{each.title}@2"
        for each in dict.fromkeys(NAMES.values())
        if not each.name.startswith(("DCG(exp", "nDCG(exp", "ERR(exp", "P(H"))  # of grades to 4
    ]
    together = measure_values(folder, " ".join(names))
    assert len(together) > 30
    for name, values in together.items():
        assert measure_values(folder, name) == {name: values}


def test_notes_are_the_terms_of_the_metric(tmp_path: Path) -> None:
    """Ranked a 0.8, b 0.4, d 1.0: r' = 0.8, 0.2, 1.0, and the gains of two results 0.8, 0.5, 0.6.

    Their mean is the value of the metric; c, without a valid answer, is no result.
    """
    study = open_world(write(tmp_path / "w"))
    found = study.query("q1", ["v1"], 5, "CAG(CG,w=2)")
    assert [row["notes"] for row in found.rows] == [
        ["r 0.80 → r′ 0.80", "gain 0.80"],
        ["r 0.40 → r′ 0.20", "gain 0.50"],
        ["r 1.00 → r′ 1.00", "gain 0.60"],
    ]
    assert found.values["v1"] == pytest.approx((0.8 + 0.5 + 0.6) / 3)
    assert [row["notes"] for row in found.ideal] == [["r 1.00"], ["r 0.80"]]
    halved = study.query("q1", ["v1"], 2, "CAG(CG,w=2,divide=w)")
    assert [row["notes"][1] for row in halved.rows] == ["gain 0.40", "gain 0.50"]
    plain = study.query("q1", ["v1"], 2, "AVG@2")
    assert [row["notes"][0] for row in plain.rows] == ["r 0.80 → r′ 0.80", "r 0.40 → r′ 0.20"]
    assert not any("notes" in row for row in study.query("q2", ["v1"], 5, "AVG").rows)
