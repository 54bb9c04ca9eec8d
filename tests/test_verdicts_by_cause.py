"""Verdicts by cause and slice: the same counts on the screens, in the report, by the gate and as
the command prints them; null where nobody judged."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.reviewing.cause_counts import cause_counts, sentence
from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews.review_file import review_file
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import CAUSES, VERDICT, Review, append
from dashboard.views.summary.downloads import answer
from tests.storage.tiny import make_collection
from tests.test_screens import no_text_model, opened, said  # noqa: F401

ROWS = [
    # query, item, reviewer, value, cause
    ("q1", "v00", "Ada", "not", "label"),  # replaced by her next
    ("q1", "v00", "Ada", "not", "model"),
    ("q1", "v00", "Bob", "not", "duplicate"),  # one result, two causes
    ("q1", "v01", "Bob", "relevant", ""),
    ("q2", "v01", "Ada", "not", "look-alike"),
    ("gone", "v01", "Eve", "not", "model"),  # of a query that is no more
    ("q2", "gone", "Eve", "not", "model"),  # of an item that is no more
]
SAID = "2 people judged 3 results of 2 queries. Causes: model 1 of 3, look-alike 1 of 3, "
SAID += "duplicate 1 of 3."


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection whose queries are divided by a column, with verdicts on two of three."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    folder = make_collection(tmp_path / "data" / "tiny")
    (folder / "qrels.txt").write_text("q1 0 v00 1\nq2 0 v01 1\nq3 0 v02 1\n")
    head, *rows = (folder / "queries.csv").read_text().splitlines()
    light = [f"{row},{'day' if row.startswith('q1') else 'night'}" for row in rows]
    (folder / "queries.csv").write_text("\n".join([f"{head},light", *light]) + "\n")
    settings = (folder / "collection.toml").read_text().replace('["alfa"]', '["trec"]')
    (folder / "collection.toml").write_text(settings)
    key = key_of(stored.open_collection(folder, allow_path=True), saying=True)
    for query, item, author, value, cause in ROWS:
        append(Review(VERDICT, key, value, author, query_id=query, item_id=item, cause=cause))
    return folder


def test_a_result_counts_once_for_each_cause_and_nobody_s_slice_is_null() -> None:
    columns = ["query_id", "item_id", "author", "value", "cause"]
    slices = pd.DataFrame(
        [("q1", "light", "day"), ("q2", "light", "night"), ("q3", "light", "dusk")],
        columns=["query_id", "by", "slice"],
    )
    table = cause_counts(pd.DataFrame(ROWS[:5], columns=columns), slices, CAUSES)
    rows = table.set_index("slice").astype(object).where(table.set_index("slice").notna(), None)
    named = ["people", "queries", "judged", *CAUSES, "no cause"]
    assert rows.loc["all queries", named].tolist() == [2, 2, 3, 1, 0, 0, 1, 1, 1]
    assert rows.loc["day", named].tolist() == [2, 1, 2, 1, 0, 0, 0, 1, 1]
    assert rows.loc["night", named].tolist() == [1, 1, 1, 0, 0, 0, 1, 0, 0]
    assert rows.loc["dusk", named].tolist() == [None] * 9
    nobody = cause_counts(pd.DataFrame(columns=columns), slices, CAUSES)
    assert nobody["judged"].isna().all() and len(nobody) == 4
    assert sentence(nobody, CAUSES) == "No reviewer has judged a result of these queries."


def test_the_same_counts_stand_everywhere(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reviews", "causes", str(tiny), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    night = next(row for row in json.loads(out) if row["slice"] == "night")
    assert (night["judged"], night["look-alike"], night["model"]) == (1, 1, 0)
    assert f"note: {SAID}" in err

    markdown, pair = tmp_path / "gate.md", ("--baseline", "v0.1", "--candidate", "v0.2")
    gate = ("--fail-on", "P@3<-1", "--slices", "light", "--summary", str(markdown))
    assert main(["compare", str(tiny), *pair, *gate]) == 0
    text = markdown.read_text()
    assert SAID in text and "| `light: night` | 1 | 1 | 1 | 0 | 0 | 0 | 1 | 0 | 0 |" in text

    page = answer({"collection": ["tiny"]})[2]
    assert SAID in page and "<bdi>night</bdi> <small>" in page

    assert f"Verdicts: {SAID}" in words_of_boxes(opened("compare", collection="tiny"))
    app = opened("slices", collection="tiny", by="light")
    agreed = "Reviewers all say one thing of 1 results that two or more judged (few)"
    assert agreed in " ".join(each.value.replace("\\", "") for each in app.caption)
    table = next(each.value for each in app.dataframe if "Judged" in each.value.columns)
    assert table["Slice"].tolist() == ["all queries", "day", "night"]
    assert table["Judged"].tolist() == [3, 2, 1] and not app.exception


def test_of_a_slice_only_its_queries_count(tiny: Path) -> None:
    app = opened("compare", collection="tiny", slice="light=night")
    assert "Verdicts: 1 person judged 1 result of 1 query." in words_of_boxes(app)


def test_a_store_that_cannot_be_read_is_a_sentence(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review_file().write_bytes(b"no database")
    markdown, pair = tmp_path / "gate.md", ("--baseline", "v0.1", "--candidate", "v0.2")
    command = ["compare", str(tiny), *pair, "--fail-on", "P@3<-1", "--summary", str(markdown)]
    assert main(command) == 0, "a gate depends on no review"
    assert "reviews.sqlite: found" in markdown.read_text()
    assert "reviews.sqlite: found" in answer({"collection": ["tiny"]})[2]


def words_of_boxes(app) -> str:
    return " ".join(box.label.replace("\\", "") for box in app.expander)
