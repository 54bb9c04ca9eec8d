"""What is passed on: the link, and the verdict as Markdown with the numbers of the screen."""

from __future__ import annotations

from html import unescape

import pytest

from dashboard.evaluation.digits import number, signed
from dashboard.experiment import ranking
from dashboard.views import address, summary
from dashboard.views.summary.sharing import copy_button

LINK = "https://search.example.org/compare?collection=driving"


@pytest.fixture
def view():
    made, problems = address.view_of({"collection": ["driving"]})
    assert made is not None and not problems
    return made


def test_the_markdown_holds_verdict_table_and_link(view) -> None:
    text = summary.as_markdown(view, LINK)
    read = text.replace("\\", "").replace("\u2060", "")
    rows = summary.comparison(view)
    front = rows[rows["metric_name"] == view.metric].iloc[0]
    assert read.startswith("▲ v0.3 is better than v0.2 at Recall@5 (hits ÷ 5")
    assert signed(front["delta"]) in read.splitlines()[0]
    table = [line for line in read.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(rows) and len({line.count("|") for line in table}) == 1
    for line, (_, row) in zip(table[2:], rows.iterrows(), strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1:4] == [*map(number, row[["baseline", "candidate"]]), signed(row["delta"])]
    assert text.endswith(f"(<{LINK}>)")


def test_versions_that_are_not_comparable_have_no_mark(view, monkeypatch) -> None:
    monkeypatch.setattr(ranking, "unlike", lambda *versions: ["other galleries"])
    text = summary.as_markdown(view, LINK)
    assert text.startswith("These versions are not comparable") and not set("▲▼") & set(text)


def test_names_in_the_markdown_stay_names(view, monkeypatch) -> None:
    view.baseline, view.candidate = "v0.3", "v0.2"
    monkeypatch.setattr(
        summary.sharing, "comparison", lambda view: summary.comparison(view).assign(label="a|b`c")
    )
    assert "| a\\|b\\`c |" in summary.as_markdown(view, LINK)


def test_a_button_copies_its_text_letter_for_letter() -> None:
    text = '"><script>alert(1)</script>\n| a | – |'
    html = copy_button("Copy", text, "Copied")
    assert html.count("<") == 2
    assert unescape(html.split('data-copy="')[1].split('"')[0]) == text
