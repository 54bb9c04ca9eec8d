"""Charts as SVG: shapes and text only, whatever the data say, and the same each time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import altair as alt
import pandas as pd
import pytest

from dashboard.views import charts
from dashboard.views.charts.svg import as_svg

ODD = "\u202e\x01</text><script>\" onload='x' &amp <a href='http://x'> <!--"


def pairs(odd: str) -> alt.LayerChart:
    rows = {"query_id": ["q1", "q2"], "baseline": [0.0, 0.5], "candidate": [1.0, 0.5]}
    return charts.pairs(pd.DataFrame({**rows, "delta": [1.0, 0.0]}), f"a{odd}", f"b{odd}")


def intervals(odd: str) -> alt.LayerChart:
    row = {"by": f"part{odd}", "slice": f"north{odd}", "delta": 0.2, "low": 0.1, "high": 0.3}
    return charts.slice_intervals(pd.DataFrame([{**row, "scored": 9}]))


@pytest.mark.parametrize("chart", [pairs, intervals])
def test_no_text_of_the_data_becomes_markup(chart) -> None:
    plain, odd = (ElementTree.fromstring(as_svg(chart(text), text, 400)) for text in ("", ODD))
    shapes = {"svg", "g", "path", "rect", "line", "text", "title"}
    assert {each.tag for each in odd.iter()} <= shapes
    names = {name for each in odd.iter() for name in each.attrib}
    assert names <= {name for each in plain.iter() for name in each.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name]
    words = " ".join(text for each in odd.iter() for text in [each.text or ""])
    assert "<script>" in words, "it is written as it is"
    assert "⟨U+202E⟩" in words and "␁" in words and "\u202e" not in words


def test_an_address_in_a_chart_is_not_fetched() -> None:
    chart = alt.Chart(alt.UrlData("http://127.0.0.1:9/x.json")).mark_point().encode(x="a:Q")
    with pytest.raises(ValueError, match="127.0.0.1"):
        as_svg(chart.properties(height=100), "", 200)


def test_a_chart_is_drawn_the_same_each_time_in_any_thread() -> None:
    with ThreadPoolExecutor(4) as threads:
        drawn = set(threads.map(lambda _: as_svg(pairs(""), "", 400), range(4)))
    assert len(drawn) == 1


def test_axes_take_the_colour_of_the_text_around_them() -> None:
    drawn = ElementTree.fromstring(as_svg(intervals(""), "Slices", 400))
    words = {each.text: each.get("fill") for each in drawn.iter("text")}
    assert words["part: north"] == words["candidate − baseline"] == "currentColor"
    assert drawn.get("aria-label") == "Slices" and drawn.get("role") == "img"
    assert not [each for each in drawn.iter() if each.get("font-family")]
