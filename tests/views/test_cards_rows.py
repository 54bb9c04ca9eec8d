"""The rows of a query by hand: what was missed and by whom, what differs, how deep is looked."""

from types import SimpleNamespace

import pandas as pd
import pytest

from dashboard.views.cards import Row, payload
from dashboard.views.cards.results import Found
from dashboard.views.cards.rows import depth_in_rows, missed, only_differing, versions
from dashboard.views.cards.similarities import histogram, similarities


def ranked(*item_ids):
    ranks = range(1, len(item_ids) + 1)
    return pd.DataFrame(
        {"item_id": item_ids, "rank": ranks, "score": [1 - rank / 10 for rank in ranks]}
    )


def found(runs, relevant, **kept):
    whole = kept.pop("whole", runs)
    none = pd.DataFrame({"group": [], "keyword": []})
    judged = frozenset("abcdefg")
    return Found(None, "q", runs, whole, {}, none, tuple(relevant), judged, **kept)


RUNS = {"v1": ranked("a", "b", "c", "d", "e"), "v2": ranked("b", "e", "d", "c", "a")}


def test_what_nobody_shows_comes_first_and_each_says_who_has_it():
    lost = missed(found(RUNS, "acd"), 2)
    assert lost[["item_id", "note"]].to_numpy().tolist() == [
        ["c", "nobody has it"],
        ["d", "nobody has it"],
        ["a", "v1 has it"],
    ]
    assert lost["rank"].tolist() == [3, 3, 1], "the best rank in any version"
    assert "b" not in missed(found(RUNS, "b"), 2)["item_id"].tolist(), "both show it"


def test_a_relevant_item_that_no_version_ranks_is_missed_too():
    lost = missed(found(RUNS, ["g"]), 2)
    assert lost["item_id"].tolist() == ["g"] and lost["rank"].isna().all()


def test_what_the_cut_leaves_out_is_missed_with_its_rank():
    cut = {version: run.head(1) for version, run in RUNS.items()}
    lost = missed(found(cut, ["e"], whole=RUNS), 3)
    assert lost[["item_id", "rank", "note"]].to_numpy().tolist() == [["e", 2, "nobody has it"]]


def test_a_copy_stands_for_what_it_is_a_copy_of():
    lost = missed(found({"v1": ranked("b", "c")}, ["a", "b"], copy_of={"b": "a"}), 1)
    assert lost.empty


def row(name, run):
    return Row(name, run, "#000000")


def test_only_what_differs_hides_what_stands_at_the_same_rank_everywhere():
    rows = [row("v1", ranked("a", "b", "c")), row("v2", ranked("a", "c", "b"))]
    kept, hidden = only_differing([*rows, Row("Missed", ranked("a"), role="missed")])
    assert hidden == 1
    assert [r.results["item_id"].tolist() for r in kept] == [["b", "c"], ["c", "b"], ["a"]]
    assert only_differing(rows[:1])[1] == 0, "one version alone differs from nothing"


def test_movements_and_hits_count_what_is_hidden():
    items = pd.DataFrame({"item_id": list("abc"), "hit": [True, False, True]})
    rows = [row("v1", ranked("a", "b", "c")), row("v2", ranked("a", "c", "b"))]
    told = payload(only_differing(rows)[0], items, baseline="v1")["rows"]
    assert [(r["hits"], r["number"], len(r["results"])) for r in told] == [(2, 3, 2)] * 2
    assert [result["move"] for result in told[1]["results"]] == ["↑1", "↓1"]


@pytest.mark.parametrize(
    ("metric", "columns", "said"),
    [
        ("P@10", "5", "P@10 looks at the first 10 results: 2 rows of 5."),
        ("P@5", "5", "P@5 looks at the first 5 results: 1 row of 5."),
        ("P@10", "6", "P@10 looks at the first 10 results: 1 row of 6 and 4 cards."),
        ("P@5", "10", "P@5 looks at the first 5 results: 5 cards."),
        ("P@5", "line", "P@5 looks at the first 5 results."),
        ("P@10", "line", ""),
        ("AP", "5", "AP looks at every result."),
        ("AVG(rows=5)@10", "5", "AVG(rows=5)@10 looks at the first 10 results: 2 rows of 5."),
        (
            "AVG(rows=5)@10",
            "6",
            "AVG(rows=5)@10 looks at the first 10 results in rows of 5; the grid shows 6 side by "
            "side.",
        ),
    ],
)
def test_a_depth_is_said_in_rows_of_the_grid(metric, columns, said):
    view = SimpleNamespace(
        metric=metric, columns=columns, shown="10", names="standard", protocol="alfa"
    )
    assert depth_in_rows(view) == said


def test_baseline_and_candidate_come_first_and_four_rows_are_the_most():
    view = SimpleNamespace(baseline="v2", candidate="v3", also="v1,v2,v4,v5")
    assert versions(view) == ["v2", "v3", "v1", "v4"]
    assert versions(SimpleNamespace(baseline="v1", candidate="v1", also="")) == ["v1"]


def test_similarities_are_counted_once_each_in_bins_of_all_versions():
    counted = similarities(found(RUNS, "ab"))
    assert counted.groupby("run")["items"].sum().to_dict() == {"v1": 5, "v2": 5}
    by_kind = counted.groupby(["run", "kind"])["items"].sum()
    assert by_kind["v1", "relevant"] == 2 and by_kind["v1", "not relevant"] == 3
    drawn = histogram(counted, "v1", 0.75).to_dict()
    assert drawn["layer"][1]["mark"]["type"] == "rule"
    assert similarities(found({"v1": RUNS["v1"].head(0)}, "a")).empty


def test_a_place_is_among_what_counts_and_of_the_rest_in_the_whole():
    judged = ranked("b", "c")  # what the protocol ranks of a, b, c
    of = found({"v1": ranked("a", "b", "c")}, "b", counted={"v1": judged})
    assert of.placed("v1").set_index("item_id")["rank"].to_dict() == {"b": 1, "c": 2, "a": 1}
    assert missed(of, 0)["rank"].tolist() == [1]
