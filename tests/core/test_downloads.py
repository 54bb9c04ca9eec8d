"""Tables, charts and Markdown that a reader takes along."""

import csv
import io
import json
from pathlib import Path

import pytest

from dashboard.views.charts import draw_histogram
from dashboard.views.data_tables import Column
from dashboard.views.downloads import make_file, write_markdown
from tests.core.test_screens import draw, read_payload


def test_no_cell_of_a_table_is_a_formula() -> None:
    cells = ["=1+1", "+1", "-1", "@x", "\t=1", "a=1", "a, b", -0.1234567, None]
    content = ([{"cell": cell} for cell in cells], ("cell",))
    rows = [row for (row,) in csv.reader(io.StringIO(make_file("csv", content).decode()))]
    found = ["'=1+1", "'+1", "'-1", "'@x", "'\t=1", "a=1", "a, b", "-0.1234567", ""]
    assert rows == ["cell", *found]
    assert [row["cell"] for row in json.loads(make_file("json", content))] == cells


def test_charts() -> None:
    chart = draw_histogram([{"bin": 0, "change": 0.0, "queries": 3, "outcome": "same"}], "P@5")
    drawn = make_file("svg", chart)
    assert drawn.startswith(b"<svg") and b"Change in P@5" in drawn
    assert b"#0f141b" in make_file("svg", chart, "#e8edf4")
    assert make_file("png", chart).startswith(b"\x89PNG")


def test_markdown_is_readable() -> None:
    columns = [Column("name", "Metric"), Column("value", "v0.3", "number")]
    rows = [{"name": "Recall@5 | x\ny", "value": 0.5}, {"name": "nDCG_1 * [2]", "value": None}]
    lines = write_markdown("Title", "v0.3 is better: -0.010.", columns, rows).splitlines()
    assert lines[:3] == ["## Title", "", "v0.3 is better: -0.010."]
    assert lines[4:8] == [
        "| Metric | v0.3 |",
        "| --- | ---: |",
        "| Recall@5 \\| x y | 0.500 |",
        "| nDCG_1 * [2] | – |",
    ]


@pytest.mark.parametrize("screen", ["overview", "compare", "slices"])
def test_screens_offer_them(world: Path, monkeypatch: pytest.MonkeyPatch, screen: str) -> None:
    drawn = draw(world, monkeypatch, screen)
    assert not drawn.exception
    labels = [each.proto.label for each in drawn.get("download_button")]
    assert labels[:2] == ["CSV", "JSON"] and {"SVG", "PNG"} <= set(labels)
    copied = read_payload(drawn, "buttons")["buttons"][0]["text"]
    assert copied.startswith("## World\n") and "| P@1 |" in copied or screen == "slices"
