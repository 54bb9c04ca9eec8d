"""Slices: the worst one, the table of two columns, and the queries of a pair."""

import json
from pathlib import Path

import numpy as np
import pytest

from dashboard.evaluation.slicing import compare_slices, cross_slices, describe_worst, list_means
from dashboard.views.comparison import make_cells, make_lines
from tests.core.test_screens import draw, read_payload


def make_row(name: str, delta: float, queries: int = 9, p: float | None = 0.2) -> dict:
    bounds = {"low": delta - 0.1, "high": delta + 0.1, "p": p, "p_adjusted": p}
    return {"slice": name, "queries": queries, "delta": delta, "gain": delta} | bounds


def test_rounding_is_not_the_worst() -> None:
    rows = [make_row("digit=4", -1e-12), make_row("digit=5", -0.3, queries=4)]
    assert describe_worst(rows) == "No slice got worse (of 1 with 5 queries or more)."
    assert describe_worst(rows[1:]) == "No slice has 5 queries or more."
    told = describe_worst([make_row("digit=6", -0.00002), *rows])
    assert told.startswith("Worst slice: digit=6, −0.00002 on 9 queries")
    told = describe_worst([make_row("digit=6", -0.01), *rows])
    assert told.startswith("Worst slice: digit=6, −0.010 on 9 queries (not clear, p = 0.200")
    assert "(clear, p < 0.001" in describe_worst([make_row("a=x", -0.2, p=0.0001)])


def test_worst_is_by_the_direction_of_the_metric() -> None:
    slices = {"a=x": np.arange(12) < 6, "a=y": np.arange(12) >= 6}
    ids = [f"q{place:02d}" for place in range(12)]
    differences = np.where(slices["a=x"], 2.0, -1.0) + np.arange(12) / 100
    rows = compare_slices(differences, slices, [""] * 12, ids, sign=-1)
    assert [row["slice"] for row in rows] == ["a=x", "a=y"]
    assert [row["delta"] > 0 for row in rows] == [True, False]  # candidate minus baseline
    assert describe_worst(rows).startswith("Worst slice: a=x, +2.025 on 6 queries")
    assert [line["outcome"] for line in make_lines(rows)] == ["cannot tell", "cannot tell"]
    assert rows[0]["gain"] == -2.025


def test_two_columns() -> None:
    slices = {
        "a=x": np.array([True, True, False, True]),
        "a=y": np.array([False, False, True, False]),
        "b=u": np.array([True, False, True, True]),
    }
    differences = np.array([0.2, 0.4, -0.6, np.nan])
    pairs, crossed = cross_slices(slices, "a", "b")
    rows = list_means(differences, crossed)
    found = {row["slice"]: (row["queries"], row["delta"]) for row in rows}
    assert found == {
        "a=x & b=u": (1, 0.2), "a=x": (2, 0.3), "a=y & b=u": (1, -0.6), "a=y": (1, -0.6),
        "b=u": (2, -0.2), "": (3, 0.0),
    }  # fmt: skip
    (cell,) = make_cells([rows[0] | dict(zip(("first", "second"), pairs[0], strict=True))])
    assert cell.items() >= {"first": "x", "second": "u", "note": "+0.200", "count": "n 1*"}.items()


def test_equal_values_of_two_columns_show_their_column() -> None:
    lines = make_lines([make_row("a=x", 0.1), make_row("b=x", 0.2, p=0.01), make_row("b=y", 0.0)])
    assert [line["label"] for line in lines] == ["a=x", "b=x", "y"]
    assert [line["outcome"] for line in lines] == ["cannot tell", "better", "cannot tell"]


def test_picked_pair_lists_its_queries(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = world / "queries.csv"
    table.write_text(table.read_text().replace(",s1", ",s2", 1))
    drawn = draw(world, monkeypatch, "slices", metric="P@2")
    picks = [json.loads(each.proto.spec)["params"][0] for each in drawn.get("vega_lite_chart")]
    assert ["value" in each for each in picks] == [False, False]  # nor all queries of two columns
    assert not drawn.exception and not drawn.error
    assert any("No slice has 5 queries" in each.value for each in drawn.markdown)
    assert not any("Pairs of slices" in each.value for each in drawn.markdown)  # none has five
    drawn.query_params["picked_slice"] = "pv_object_type=car & pv_object_type=bus"
    payload = read_payload(drawn.run(), "cutoff")
    assert [row["id"] for row in payload["rows"]] == ["q2"] and not payload["opened"]
    drawn.query_params["query"] = "q2"
    assert read_payload(drawn.run(), "cutoff")["opened"] == "q2"
    drawn.query_params["slice"] = "pv_object_type=bus"
    tables = "".join(each.proto.body for each in drawn.run().get("html"))
    assert "slice=pv_object_type%3Dbus+%26+pv_object_type%3Dcar" in tables  # within the slice
    drawn.query_params["picked_slice"] = "gone=x"
    drawn.run()
    assert "There is no picked slice 'gone=x'" in drawn.error[0].value.replace("\\", "")
