"""Labels with the reviewers' corrections: the rule for several reviewers, and what it changes."""

from __future__ import annotations

import pandas as pd
import pytest

from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols.protocol import judgement
from dashboard.evaluation.reviewing.corrections import changes, corrected, corrections

NONE: list[tuple[str, str, str]] = []


def said(rows: list[tuple[str, str, str]]) -> pd.DataFrame:
    """item, author, value; oldest first."""
    table = pd.DataFrame(rows, columns=["item_id", "author", "value"])
    return table.assign(query_id="q")


def rule(verdicts: list[tuple[str, str, str]], decisions: list[tuple[str, str, str]]) -> dict:
    table = corrections(said(verdicts), said(decisions))
    return {row["item_id"]: (row["value"], row["reviewers"], row["by"]) for row in
            table.to_dict("records")}  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "decisions", "expected"),
    [
        ([("i", "A", "not")], NONE, {"i": ("not", 1, "majority")}),
        ([("i", "A", "not"), ("i", "B", "relevant")], NONE, {}),
        ([("i", "A", "not"), ("i", "B", "unsure")], NONE, {"i": ("not", 1, "majority")}),
        ([("i", "A", "not"), ("i", "A", "unsure")], NONE, {}),
        (
            [("i", "A", "not"), ("i", "B", "relevant"), ("i", "C", "not")],
            NONE,
            {"i": ("not", 3, "majority")},
        ),
        ([("i", "A", "not")] * 3 + [("i", "B", "relevant")], NONE, {}),
        ([("i", "A", "3"), ("i", "B", "2"), ("i", "C", "1")], NONE, {}),
        ([("i", "A", "not")], [("i", "Z", "relevant")], {"i": ("relevant", 1, "curator")}),
        ([("i", "A", "not")], [("i", "Z", "unsure")], {}),
        ([("i", "A", "not")], [("i", "Z", "not"), ("i", "Y", "2")], {"i": ("2", 1, "curator")}),
        (NONE, NONE, {}),
    ],
)
def test_a_curator_decides_else_more_than_half_of_the_people(
    verdicts: list, decisions: list, expected: dict
) -> None:
    assert rule(verdicts, decisions) == expected


QRELS = pd.DataFrame(
    {
        "query_id": ["q", "q", "q", "p"],
        "item_id": ["i1", "i2", "i3", "i1"],
        "grade": [2.0, 0.0, 1.0, 0.0],
        "credit": [1.0, 0.0, 0.5, 0.4],
    }
)


def test_a_label_that_already_says_so_stays_and_others_change() -> None:
    given = judgement(QRELS, ["q", "p"], leave_out={"q": "own"})
    votes = [("i1", "relevant"), ("i2", "relevant"), ("i3", "not"), ("new", "3"), ("own", "not")]
    table = corrections(said([(item, "A", value) for item, value in votes]), said(NONE))
    found = changes(given, table)
    assert found[["item_id", "corrected"]].values.tolist() == [
        ["i2", 1.0],
        ["i3", 0.0],
        ["new", 3.0],
    ]
    assert found["given"].isna().tolist() == [False, False, True]
    made = corrected(given, table)
    rows = made.qrels.set_index(["query_id", "item_id"])
    assert rows.loc[("q", "i2")].tolist() == [1.0, 0.5], "credit as of other pairs of this grade"
    assert rows.loc[("q", "new")].tolist() == [3.0, 1.0]
    assert rows.loc[("q", "i3")].tolist() == [0.0, 0.0], "not the part that another one has"
    assert rows.loc[("q", "i1")].tolist() == [2.0, 1.0] and len(rows) == 5
    assert "3 pairs" in made.notes[-1]
    assert corrected(given, table.iloc[:0]) is given


def test_a_query_without_a_relevant_item_is_scored_once_it_has_one() -> None:
    given = judgement(QRELS, ["q", "p"], nothing_relevant="nothing is relevant")
    assert "p" in given.unscorable
    table = corrections(said([("i9", "A", "relevant")]).assign(query_id="p"), said(NONE))
    made = corrected(given, table)
    assert "p" not in made.unscorable
    run = pd.DataFrame({"query_id": ["p"], "item_id": ["i9"], "score": [1.0], "rank": [1]})
    values = measure({"v": run}, made, "trec", "P@1").set_index("query_id")["value"]
    assert values["p"] == 1.0
