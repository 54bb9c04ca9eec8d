"""Compare: verdict, metrics, and one list of queries that charts and outcomes narrow."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.evaluation.differences import describe_certainty
from dashboard.study.changes import (
    count_outcomes,
    group_changes,
    group_values,
    list_changes,
    list_moves,
    list_ranks,
)
from dashboard.views.charts import write_bin
from dashboard.views.comparison import write_row
from dashboard.views.data_tables import Column, write_table
from tests.core.test_links import read_errors
from tests.core.test_screens import draw, read_payload
from tests.plugins.worlds import open_world


def list_rows(drawn: AppTest) -> list[str]:
    """Return the queries of the list."""
    return [row["id"] for row in read_payload(drawn, "versions")["rows"]]


def test_changes(world: Path) -> None:
    rows = list_changes(open_world(world), "v1", "v2", "P@2")
    found = [(row["query_id"], row["delta"], row["outcome"]) for row in rows]
    assert found == [("q1", 0.5, "better"), ("q2", 0.5, "better"), ("q4", None, "not scored")]
    assert count_outcomes(rows) == {"worse": 0, "same": 0, "better": 2, "not scored": 1}


def test_bins_and_points_hold_every_scored_query() -> None:
    deltas = [-0.4, -0.2, -0.2, 0.0, 0.05, 0.2, None]
    rows = [
        {"delta": d, "baseline": 0.5, "candidate": None if d is None else 0.5 + d, "outcome": "x"}
        for d in deltas
    ]
    bins = {row["change"]: row["queries"] for row in group_changes(rows)}
    assert bins == {-0.4: 1, -0.3: 0, -0.2: 2, -0.1: 0, 0.0: 1, 0.1: 1, 0.2: 1}
    assert "bin" not in rows[-1] and rows[0]["bin"] == -4
    assert [row["queries"] for row in group_values(rows)] == [1, 2, 1, 1, 1]
    assert rows[1]["point"] == rows[2]["point"] == "0.500 → 0.300"


def test_ranks_and_moves(world: Path) -> None:
    """Items a and b are relevant to q1: v1 ranks a, c, b, d and v2 a, b, c, d."""
    study = open_world(world)
    (before,), (after,) = (
        list_ranks(study, name, ["q1"], 2, is_deep=True) for name in ("v1", "v2")
    )
    assert before == {"items": [0, 2], "marks": [True, False], "ranks": {0: 1, 1: 3}}
    assert after == {"items": [0, 1], "marks": [True, True], "ranks": {0: 1, 1: 2}}
    fell, came = list_moves(after, before, 2)
    assert (fell, came) == ([{"item": 1, "before": 2, "after": 3}], 0)


def test_list_shows_both_versions(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", metric="P@2")
    assert not drawn.exception and not drawn.error
    (row, *_) = (shown := read_payload(drawn, "versions"))["rows"]
    assert (shown["versions"], shown["cutoff"]) == (["v1", "v2"], 2)
    assert (row["id"], row["change"], row["values"]) == ("q1", "+0.500", "0.500 → 1.000")
    assert row["marks"][0] == [True, False, True, None]
    assert row["href"].startswith("query?") and row["href"].endswith("query=q1")
    assert row["moves"] == "1 came in"


def test_outcome_and_charts_narrow_the_list(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", metric="P@2", outcome="not scored")
    assert list_rows(drawn) == ["q4"]
    (filtered,) = drawn.button_group
    filtered.set_value("better").run()
    assert list_rows(drawn) == ["q1", "q2"]
    assert [drawn.button_group[0].options[at] for at in (0, -1)] == ["All 3", "Not scored 1"]
    drawn = draw(world, monkeypatch, "compare", metric="AP")
    before = list_rows(drawn)
    drawn.query_params["picked"] = "0.333 → 1.000"
    assert list_rows(drawn.run()) == ["q2"]
    assert "Better 1" in str(drawn.button_group[0].proto)
    drawn.query_params["picked"] = "+0.800"  # the bar from 0.6 to 0.8
    assert list_rows(drawn.run()) == ["q2"]
    drawn.query_params["picked"] = "many"
    assert drawn.run().info[0].value == "No query is at many in AP\\." and not list_rows(drawn)
    assert list_rows(drawn.button(key="chip-picked").click().run()) == before
    drawn = draw(world, monkeypatch, "query", metric="AP", picked="+0.800", outcome="better")
    assert [name for name, _ in read_payload(drawn, "buttons")["queries"]] == ["q2"]
    drawn.query_params["query"] = "q4"  # of a link; it is shown, and said why others are
    assert drawn.run().info[0].value.startswith("The open query is not among the 1 that")
    assert len(read_payload(drawn, "buttons")["queries"]) > 1
    drawn.query_params["picked"] = "many"
    assert drawn.run().info[0].value.startswith("No query is left by these filters")
    drawn.button(key="chip-picked").click().run()
    assert "picked" not in drawn.query_params
    drawn = draw(world, monkeypatch, "query", picked_slice="pv_object_type=car")
    assert len(read_payload(drawn, "buttons")["queries"]) == 2


def test_verdict_says_what_changes_numbers(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", metric="P@2", slice="pv_object_type=car")
    said = drawn.header[0].value.replace("\\", "")
    assert said.endswith("2 of 2 queries scored). Slice: pv_object_type=car.")


def test_wrong_margins_leave_the_page(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", metric="P@2", margins="P@2=2 R@7=0.1")
    (error,) = read_errors(drawn)
    assert error.endswith("P@2=2 is no loss that a query can have; choose one below 1.")
    said = [each.value.replace("\\", "") for each in drawn.caption]
    assert "No effect: the margin of R@7, which is not compared." in said
    assert "P@2" in drawn.header[0].value.replace("\\", "")


def test_bounds_have_three_decimals_or_show_that_they_are_not_zero() -> None:
    row = {"low": 1e-12, "high": 0.05, "p": 0.04, "p_holm": 0.0004, "delta": 0.02}
    row |= {"better": 1, "same": 2, "worse": 3, "scored": 6, "outcome": "better"}
    written = write_row(row | {"baseline": 0.0031, "candidate": 0.0034})
    assert (written["interval"], written["p"]) == ("+1.0e−12 to +0.050", "< 0.001")
    assert (written["baseline"], written["counts"]) == ("0.0031", "1, 2, 3")


def test_certainty_is_said_where_it_applies() -> None:
    few = {"low": 0.0, "high": 0.1, "p": 0.5, "scored": 25, "delta": 0.1, "better": 5, "worse": 1}
    few |= {"margin": None, "corrected_over": "P@5, AP"}
    many = few | {"scored": 26}
    assert any("70 to 87 %" in each for each in describe_certainty([few, many], False))
    assert not any("70 to 87 %" in each for each in describe_certainty([many], False))
    assert "error up to 0.0016), after Holm over P@5, AP." in describe_certainty([few], False)[0]
    assert not any("never below 0.06" in each for each in describe_certainty([few], False))
    assert "never below 0.06" in describe_certainty([few | {"worse": 0}], False)[-1]


def test_tables_escape_texts() -> None:
    column = Column(key="name", label="<b>", link="href")
    written = write_table([column], [{"name": "<i>", "href": 'x"y'}, {"name": None}])
    assert "<i>" not in written and "&lt;i&gt;" in written and 'x"y' not in written
    assert "–" in written


def test_bins_have_names_of_their_own() -> None:
    """A step of 0.0005 needs more decimals than 3: two bars of one name would be one."""
    rows = [{"delta": change, "outcome": "worse"} for change in (-0.0005, -0.001, -0.0015, -0.002)]
    names = [write_bin(row["change"]) for row in group_changes(rows)]
    assert names == ["−0.002", "−0.0015", "−0.001", "−0.0005"]
    assert write_bin(0.4) == "+0.400"
