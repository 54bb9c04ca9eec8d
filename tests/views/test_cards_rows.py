"""The rows of a query by hand: what was missed and by whom, what differs, how deep is looked."""

from types import SimpleNamespace

import pandas as pd
import pytest

from dashboard.experiment.experiment import TYPED
from dashboard.views.cards import Row, payload
from dashboard.views.cards.head import Head
from dashboard.views.cards.query_results import QueryResults
from dashboard.views.cards.rows import (
    _cut_in,
    _ideal_note,
    _missed_row,
    _only_judged,
    depth_in_rows,
    hidden_count,
    missed,
    notes_above,
    only_differing,
    row_versions,
)
from dashboard.views.cards.similarity_histogram import histogram, similarities


def ranked(*item_ids):
    ranks = range(1, len(item_ids) + 1)
    return pd.DataFrame(
        {"item_id": item_ids, "rank": ranks, "score": [1 - rank / 10 for rank in ranks]}
    )


def found(runs, relevant, **kept):
    whole = kept.pop("whole", runs)
    problems = kept.pop("problems", {})
    labels = {item: float(item in relevant) for item in "abcdefg"}
    return QueryResults(None, "q", runs, whole, problems, (), tuple(relevant), labels, **kept)


RUNS = {"v1": ranked("a", "b", "c", "d", "e"), "v2": ranked("b", "e", "d", "c", "a")}


def test_what_nobody_shows_comes_first_and_each_says_who_has_it():
    lost = missed(found(RUNS, "acd"), 2)
    assert lost[["item_id", "note"]].to_numpy().tolist() == [
        ["c", "missed by both"],
        ["d", "missed by both"],
        ["a", "only v1"],
    ]
    assert lost["rank"].tolist() == [3, 3, 1], "the best rank in any version"
    assert "b" not in missed(found(RUNS, "b"), 2)["item_id"].tolist(), "both show it"


def test_a_version_that_could_not_be_asked_misses_nothing():
    runs = {**RUNS, "v2": RUNS["v2"].head(0)}
    lost = missed(found(runs, "acd", problems={"v2": "The server is away."}), 2)
    assert lost[["item_id", "note"]].to_numpy().tolist() == [
        ["c", "missed by v1"],
        ["d", "missed by v1"],
    ]
    assert missed(found(runs, "acd", problems=dict.fromkeys(RUNS, "away")), 2).empty


def test_a_relevant_item_that_no_version_ranks_is_missed_too():
    lost = missed(found(RUNS, ["g"]), 2)
    assert lost["item_id"].tolist() == ["g"] and lost["rank"].isna().all()


def test_what_the_cut_leaves_out_is_missed_with_its_rank():
    cut = {version: run.head(1) for version, run in RUNS.items()}
    lost = missed(found(cut, ["e"], whole=RUNS), 3)
    assert lost[["item_id", "rank", "note"]].to_numpy().tolist() == [["e", 2, "missed by both"]]


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
    none, _ = only_differing([row("v1", ranked()), row("v2", ranked("a"))])
    assert none[0].results["item_id"].tolist() == [], "a version that found nothing has a row, too"


def test_movements_and_hits_count_what_is_hidden():
    items = pd.DataFrame({"item_id": list("abc"), "hit": [True, False, True]})
    rows = [row("v1", ranked("a", "b", "c")), row("v2", ranked("a", "c", "b"))]
    told = payload(only_differing(rows)[0], items, baseline="v1")["rows"]
    assert [(r["hits"], r["number"], len(r["results"])) for r in told] == [(2, 3, 2)] * 2
    assert [result["move"] for result in told[1]["results"]] == ["↑1", "↓1"]


@pytest.mark.parametrize(
    ("metric", "columns", "said"),
    [
        ("P@10", "5", "P@10 counts the first 10 results: 2 rows of 5."),
        ("P@5", "5", "P@5 counts the first 5 results: 1 row of 5."),
        ("P@10", "6", "P@10 counts the first 10 results: 1 row of 6 and 4 cards."),
        ("P@5", "10", "P@5 counts the first 5 results: 5 cards."),
        ("P@5", "line", "P@5 counts the first 5 results."),
        ("P@10", "line", ""),
        ("P@20", "line", "P@20 counts the first 20 results; the first 10 are shown."),
        (
            "P@20",
            "5",
            "P@20 counts the first 20 results: 4 rows of 5; the first 10 are shown.",
        ),
        ("AP", "5", "AP counts every result."),
        ("AVG(rows=5)@10", "5", "AVG(rows=5)@10 counts the first 10 results: 2 rows of 5."),
        (
            "AVG(rows=5)@10",
            "6",
            "AVG(rows=5)@10 counts the first 10 results in rows of 5; the grid shows 6 side by "
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
    assert row_versions(view) == ["v2", "v3", "v1", "v4"]
    assert row_versions(SimpleNamespace(baseline="v1", candidate="v1", also="")) == ["v1"]


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
    ranks = {item: rank for item, (rank, _) in of.places("v1", ["a", "b", "c", "d"]).items()}
    assert ranks == {"b": 1, "c": 2, "a": 1}
    assert missed(of, 0)["rank"].tolist() == [1]


def view_of(**choices):
    usual = {"shown": "2", "min_similarity": -1.0, "also": "", "metric": "P@2", "names": "standard"}
    usual |= {
        "missed": "",
        "baseline": "v1",
        "candidate": "v2",
        "columns": "line",
        "protocol": "alfa",
    }
    return SimpleNamespace(**usual | choices)


@pytest.mark.parametrize(
    ("asked", "ids", "ways", "said"),
    [
        ("", "ab", (0, 3), "; showing 1 to 2"),
        ("3", "cd", (1, 5), "; showing 3 to 4"),
        ("4", "cd", (1, 5), "; showing 3 to 4"),
        ("5", "e", (3, 0), "; showing 5 to 5"),
        ("900", "e", (3, 0), "; showing 5 to 5"),
    ],
)
def test_all_that_was_missed_can_be_reached(asked, ids, ways, said):
    runs = {"v1": ranked("f", "g", "a", "b", "c", "d", "e")}
    (row,) = _missed_row(found(runs, "abcde"), view_of(missed=asked))
    assert row.results["item_id"].tolist() == list(ids)
    assert (row.total, (row.previous_page, row.next_page)) == (5, ways) and row.note.endswith(said)
    told = payload([row], pd.DataFrame({"item_id": list("abcde")}))["rows"][0]
    assert (told["total"], (told["previous_page"], told["next_page"])) == (5, ways)


def test_what_was_missed_and_fits_needs_no_further_row():
    (row,) = _missed_row(found(RUNS, "cd"), view_of(missed="3"))
    assert row.results["item_id"].tolist() == ["c", "d"] and row.total == row.next_page == 0
    assert _missed_row(found(RUNS, "ab"), view_of(shown="5")) == []


def test_a_cut_by_the_reader_is_said_with_what_it_leaves_out():
    half = {version: run.head(2) for version, run in RUNS.items()}
    none = {version: run.head(0) for version, run in RUNS.items()}
    cut = view_of(min_similarity=0.75)
    assert _cut_in(found(half, "a", whole=RUNS), cut, "v1") == (
        "3 of 5 results are below the similarity threshold 0.75"
    )
    assert _cut_in(found(none, "a", whole=RUNS), cut, "v1").startswith("all 5 results are below")
    assert _cut_in(found(RUNS, "a"), cut, "v1") == _cut_in(found(half, "a"), view_of(), "v1") == ""
    assert "Results below the similarity threshold 0.75 are removed" in " ".join(notes_above(cut))
    assert "left out" not in " ".join(notes_above(view_of()))


def test_versions_without_a_row_are_named():
    asked = view_of(also="v3,v4,v5,v6")
    assert "At most 4 versions fit; v5, v6 have no row." in notes_above(asked)
    assert "v5 has no row" in " ".join(notes_above(view_of(also="v3,v4,v5")))
    assert "no row" not in " ".join(notes_above(view_of(also="v3,v4")))


def test_one_version_differs_from_nothing_and_an_ideal_without_a_value_says_why():
    assert hidden_count(1, 0).startswith("Only one version")
    assert hidden_count(2, 1) == "1 result with the same rank in all versions is hidden."
    assert "no value" not in _ideal_note(view_of(), 0.5)
    assert "not measured for this query" in _ideal_note(view_of(), None)
    assert "another order may be better" in _ideal_note(view_of(metric="CAG(MAX)@10"), float("nan"))


def test_a_long_query_reaches_the_page_whole():
    text = "a word " * 1_000
    assert Head(title=text).record()["title"] == text


@pytest.mark.parametrize(
    ("query", "number", "sentence"),
    [
        (TYPED, 0, "a typed query has no judgements, so no item counts"),
        ("q1", 0, "nothing is judged here, so no item counts"),
        ("q1", 3, "only the 3 judged items count"),
    ],
)
def test_what_counts_is_a_sentence_without_a_zero(query: str, number: int, sentence: str):
    results = SimpleNamespace(query_id=query)
    assert _only_judged(results, number).startswith(sentence)
