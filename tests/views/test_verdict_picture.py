"""The verdict as a picture: its numbers are those of the sentence, and nothing is invented."""

from __future__ import annotations

import re
from html import unescape

import pandas as pd
import pytest

from dashboard.evaluation.comparison.verdict import verdict as sentence
from dashboard.views import address, summary
from dashboard.views.charts.axes import round_end
from dashboard.views.charts.verdict import Verdict, picture

ROW = {
    "metric": "P", "cutoff": 5, "baseline": 0.442, "candidate": 0.506, "delta": 0.065,
    "low": 0.021, "high": 0.106, "p": 0.0045, "p_holm": 0.036, "tests": 9, "method": "exact",
    "scored": 96, "total": 113, "better": 39, "same": 40, "worse": 17,
}  # fmt: skip
LINKS = {name: f"compare?outcome={name}&a=1" for name in ("better", "same", "worse")}
NULL = dict.fromkeys(("baseline", "candidate", "delta", "low", "high", "p", "p_holm"), float("nan"))
NULL |= dict.fromkeys(("scored", "better", "same", "worse", "tests"), 0)


def drawn(alike: bool = True, names: tuple[str, str] = ("v1", "v2"), **changes: object) -> str:
    row = pd.Series({**ROW, **changes})
    return picture(
        Verdict(
            row=row, baseline=names[0], candidate=names[1], metric="P@5", alike=alike, links=LINKS
        )
    )


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_the_figures_are_those_of_the_sentence() -> None:
    said = sentence(pd.Series(ROW), "v1", "v2")
    read = words(drawn())
    assert "v2 is better than v1" in said and "v2 is better than v1" in read
    for figure in ("+0.065", "+0.021", "+0.106", "39 better", "40 same", "17 worse"):
        assert figure in said and figure in read
    assert "▲ +0.065" in read and "0.442 → 0.506" in read


def test_the_parts_of_the_bar_lead_to_their_queries() -> None:
    html = drawn(same=0)
    for name in ("better", "worse"):
        assert html.count(f'href="compare?outcome={name}&amp;a=1"') == 2, "the part and its words"
    assert "outcome=same" not in html and "0 same" in words(html), "nothing leads to no query"
    assert 'class="better" style="flex-grow:39"' in html


@pytest.mark.parametrize(
    ("changes", "mark"),
    [({}, "▲"), ({"delta": -0.065}, "▼"), ({"p_holm": 0.06}, ""), ({"p_holm": None}, "")],
)
def test_only_a_clear_difference_has_a_mark_and_a_colour(changes: dict, mark: str) -> None:
    html = drawn(**changes)
    figure = re.search(r'<div class="delta">(.*?)</div>', html)
    assert figure and figure[1].split(" ")[0].strip("+-0123456789.") == mark
    kind = {"▲": "better", "▼": "worse", "": "unclear"}[mark]
    assert html.startswith(f'<div class="verdict {kind}">')


def test_versions_that_may_not_be_compared_are_neither_better_nor_worse() -> None:
    html = drawn(alike=False)
    assert html.startswith('<div class="verdict unlike">') and "not comparable" in html
    assert not set("▲▼") & set(html)
    assert "better" not in words(html) and "39 higher" in words(html)
    assert '<i class="' not in html.split('class="counts"')[1]


def test_nothing_is_drawn_where_nothing_was_scored() -> None:
    html = drawn(**NULL)
    assert "No query is scored in both" in html and ">–<" in html
    assert "no interval" in html and 'class="span"' not in html and "flex-grow" not in html


def test_names_of_data_stay_text() -> None:
    html = drawn(names=("<b>x</b>", "שלום 🚲"))
    assert "<b>" not in html and "<bdi>שלום 🚲 is better than &lt;b&gt;x&lt;/b&gt;</bdi>" in html


@pytest.mark.parametrize("low", [-0.3, -0.0004, 0.021, -40.0])
def test_the_interval_stands_within_its_axis(low: float) -> None:
    places = [float(found) for found in re.findall(r"left:([-\d.]+)%", drawn(low=low))]
    assert len(places) == 5 and all(0 <= place <= 100 for place in places)
    assert places[-3:] == [0, 50, 100]
    assert round_end(abs(low)) >= abs(low)


def test_the_lowest_slice_has_the_numbers_of_its_own_comparison() -> None:
    view, _ = address.view_of({"collection": ["driving"]})
    found = summary.composed(view)
    link = found.lowest_link.partition("?")[2]
    there, problems = address.view_of({"collection": ["driving"], "slice": [link_slice(link)]})
    assert not problems
    rows = summary.comparison(there).set_index("metric_name")
    for name in ("delta", "low", "high", "scored"):
        assert rows.loc[view.metric, name] == found.lowest_row[name]
    assert summary.composed(there).lowest_row is None, "a slice is in view already"
    for name, number in zip(("better", "same", "worse"), (39, 40, 17), strict=True):
        view, _ = address.view_of({"collection": ["driving"], "outcome": [name]})
        assert len(summary.chosen(view, summary.deltas(view))) == number == found.row[name]


def link_slice(query: str) -> str:
    from urllib.parse import parse_qs

    return parse_qs(query)["slice"][0]
