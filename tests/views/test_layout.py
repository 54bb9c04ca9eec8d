"""What is drawn late has its room from the start: charts, tables and buttons say how much."""

from __future__ import annotations

import contextlib
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.views import charts, layout
from dashboard.views.summary.differences import columns_of


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What Streamlit is asked for, in place of drawing it."""
    seen: dict[str, Any] = {}

    def container(**options: Any) -> contextlib.nullcontext[None]:
        seen.update(options)
        return contextlib.nullcontext()

    def chart(spec: dict[str, Any], **options: Any) -> None:
        seen.update(options, spec=spec, title=spec["title"]["text"])

    monkeypatch.setattr(layout.st, "container", container)
    monkeypatch.setattr(layout.st, "vega_lite_chart", chart)
    for name in ("dataframe", "table"):
        monkeypatch.setattr(layout.st, name, lambda shown, **options: seen.update(options))
    return seen


def test_whole_numbers_of_a_table_have_a_thousands_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(layout.st, "dataframe", lambda table, **_: drawn.append(table))
    layout.rows(pd.DataFrame({"Queries": [7, 182_824], "Place": [1, 2], "Mean": [0.1, 2_000.5]}))
    assert "182,824" in drawn[0].to_html() and ">7<" in drawn[0].to_html()
    few = pd.DataFrame({"Queries": [7, 999]})
    layout.rows(few)
    assert drawn[1] is few, "nothing more is sent where no number needs it"


@pytest.mark.parametrize(("number", "pixels"), [(0, 68), (1, 68), (3, 134), (10, 365), (11, 375)])
def test_a_scrolling_table_is_as_high_as_its_rows_up_to_ten(
    asked: dict[str, Any], number: int, pixels: int
) -> None:
    layout.rows(pd.DataFrame({"a": range(number)}))
    assert asked["height"] == pixels
    layout.rows(pd.DataFrame({"a": range(99)}), seen=number)
    assert asked["height"] == 33 * (number + 1) + 12


WORSE, BETTER = "0.484 :red[▼ -0.068]", "**0.506** :green[▲ +0.065]"


@pytest.mark.parametrize(("cells", "names", "lines"), [
    ({"v": ["1", "2"]}, ["x" * 14, "x" * 15], [1, 1, 1]),  # a word is not broken
    ({"v": [WORSE]}, ["AP"], [1, 1]),
    ({"v": [WORSE]}, [layout.with_details("AP", "y " * 99)], [1, 1]),  # a phone leaves these out
    ({"Ceiling": ["1.000"], "v0.1": [WORSE], "v0.2": ["0.479"], "v0.3": [BETTER],
      "Scored": ["96 of 113"]}, ["Recall@5"], [1, 2]),
    ({"Ceiling": [""], **{f"itq-{bits}": [WORSE] for bits in range(16, 25)},
      "Scored": ["100 of 100"]}, ["nDCG@50"], [1, 3]),
])  # fmt: skip
def test_a_table_tells_its_rows_and_their_lines_on_a_phone(
    asked: dict[str, Any], cells: dict[str, list[str]], names: list[str], lines: list[int]
) -> None:
    layout.table(pd.DataFrame(cells, index=names).rename_axis("Metric"), "mine")
    assert asked["key"] == f"rows-{len(lines)}-tall-{sum(lines)}-mine"


def test_a_long_table_tells_so_many_rows_as_any_screen_holds(asked: dict[str, Any]) -> None:
    layout.table(pd.DataFrame({"v": range(99)}), "long")
    assert asked["key"] == "rows-40-tall-40-long"
    for rule in ("rows-40-", "tall-40-"):
        assert f'[class*="{rule}"]' in layout.rules()


@pytest.mark.parametrize(("labels", "width", "lines"), [
    ([], 380, 1),
    (["x" * 10], 10, 1),  # one that is too wide takes one line all the same
    (["x" * 10] * 4, 380, 1),  # 90 pixels each
    (["x" * 10] * 5, 380, 2),
    (["x" * 10] * 99, 380, 8),
])  # fmt: skip
def test_buttons_that_do_not_fit_take_a_further_line(
    labels: list[str], width: int, lines: int
) -> None:
    assert layout.lines(labels, width) == lines


def test_buttons_tell_their_lines_in_each_window(asked: dict[str, Any]) -> None:
    layout.buttons(["x" * 10] * 12, "by")
    assert asked == {"key": "wide-1-usual-2-narrow-3-by", "width": "stretch"}
    for rule in ("wide-1-", "usual-2-", "narrow-3-"):
        assert f'[class*="{rule}"]' in layout.rules()


def test_a_chart_with_a_row_for_each_metric_grows_by_a_row(asked: dict[str, Any]) -> None:
    row = {"label": "a", "delta": 0.1, "low": 0.0, "high": 0.2, "p": 0.5, "p_holm": 1, "scored": 9}
    heights = []
    for number in (1, 2):
        layout.chart(charts.forest(pd.DataFrame([row] * number)), alt="differences")
        heights.append(asked["height"])
    assert heights[1] - heights[0] == 30 and heights[0] > 100


def test_a_chart_says_what_it_shows_in_lines_that_fit_on_a_phone(asked: dict[str, Any]) -> None:
    row = {"label": "a", "delta": 0.1, "low": 0.0, "high": 0.2, "p": 0.5, "p_holm": 1, "scored": 9}
    chart = charts.forest(pd.DataFrame([row]))
    layout.chart(chart, alt="Recall@5")
    short = asked["height"]
    layout.chart(chart, alt=f"{'word ' * 12}\u202e")
    assert asked["title"] == ["word " * 11 + "word", "⟨U+202E⟩"]
    assert asked["height"] == short + layout.TITLE_LINE
    assert asked["alt"].startswith("word")
    assert asked["spec"]["config"]["axis"]["labelFlush"] is False  # else the first stands aside


def test_a_chart_of_equal_tables_is_built_once(asked: dict[str, Any]) -> None:
    row = {"label": "a", "delta": 0.1, "low": 0.0, "high": 0.2, "p": 0.5, "p_holm": 1, "scored": 9}
    specs = []
    for delta in (0.1, 0.1, 0.15):
        layout.chart(charts.forest(pd.DataFrame([{**row, "delta": delta}])), alt="differences")
        specs.append(asked["spec"])
    assert specs[0] is specs[1] is not specs[2]
    tables = [table for spec in specs for table in spec["datasets"].values()]
    assert tables and not any(table.schema.metadata for table in tables)  # sent for nothing
    deltas = [
        table["delta"][0].as_py()
        for spec in specs
        for table in spec["datasets"].values()
        if "delta" in table.column_names
    ]
    assert deltas == [0.1, 0.1, 0.15]


def test_a_chart_holds_more_rows_than_altair_allows_by_itself(asked: dict[str, Any]) -> None:
    values = [n / 6_000 for n in range(6_000)]
    deltas = pd.DataFrame({"baseline": values, "candidate": values, "delta": 0.0})
    layout.chart(charts.pairs(deltas, "v1", "v2"), alt="each query")
    assert sorted(table.num_rows for table in asked["spec"]["datasets"].values()) == [2, 6_000]


def _unchanged() -> None:
    import pandas as pd

    from dashboard.views import layout

    layout.rows(pd.DataFrame({"Query": ["a van"], "Difference": [0.1]}), {"Difference": str})


def test_an_unchanged_table_is_the_same_message_so_that_no_browser_gets_it_twice() -> None:
    app = AppTest.from_function(_unchanged, default_timeout=60).run()
    first = app.dataframe[0].proto.SerializeToString()
    assert app.run().dataframe[0].proto.SerializeToString() == first
    assert app.dataframe[0].proto.arrow_data.styler.display_values


def test_long_queries_leave_room_for_their_values() -> None:
    short = pd.DataFrame({"Query": ["a van", "a bus"]})
    assert "Query" not in columns_of(short)
    long = short.assign(Query=["a van", "word " * 200])
    assert columns_of(long)["Query"]["width"] == 250
    assert columns_of(long.assign(Picture=""))["Query"]["width"] < 250
