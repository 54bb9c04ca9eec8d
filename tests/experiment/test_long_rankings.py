"""Metrics of long rankings, of which only parts are kept, are those of whole ones."""

import shutil
import weakref

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import REGISTRY, parse
from dashboard.experiment import (
    brief_rankings,
    judging,
    long_rankings,
    measuring,
    memory,
    notes,
    ranking,
)
from dashboard.experiment.collection import media
from dashboard.experiment.collection.collections import collection_in, opened, opened_at
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.protocols import matching
from dashboard.experiment.reviews import corrections, keyword_changes, reviewing
from dashboard.retrieval import runs
from dashboard.retrieval.gallery import Gallery
from dashboard.tables import Findings
from dashboard.views.cards import query_results
from dashboard.views.frame import neighbours
from dashboard.views.report.comparison import Comparison

CASES = [
    ("driving", "alfa", "v0.2", -1.0),
    ("openmoji_composed", "composed without copies", "", -1.0),
    ("driving", "context", "v0.2", -1.0),
    ("openmoji_composed", "composed", "", -1.0),
    ("driving", "alfa without copies", "v0.2", -1.0),
    ("driving", "alfa", "v0.3", 0.3),
    ("driving", "context without copies", "v0.3", 0.2),
    ("driving", "alfa without copies", "v0.3", 0.2),
    ("openmoji_captions", "crossmodal", "", -1.0),
    ("digits_hashes", "hashing", "", 0.5),
    ("digits_hashes", "hashing", "", -1.0),
]


def first(number: int) -> list:
    """All cases, of which the first few are in the first tier."""
    slow = (pytest.param(*each, marks=pytest.mark.slow) for each in CASES[number:])
    return [*CASES[:number], *slow]


NAMES = [
    name
    for metric in REGISTRY.values()
    for name in (
        *([metric.name] if metric.cutoff != "required" else []),
        *([f"{metric.name}@{k}" for k in (1, 5, 150)] if metric.cutoff != "never" else []),
    )
    if "context" not in metric.function.__module__
]
ALL = " ".join([*NAMES, "CAG(DCG)@5", "CAG(RBP)", "AP(annotated)@5", "nDCG(ideal=retrieved)@5"])


def every_third(folder: str, digest: str) -> dict[str, str]:
    """Of nine items the first three are one, and the next two."""
    ids = collection_in(folder, digest).items["item_id"].tolist()
    firsts = [0, 0, 0, 3, 3, 5, 6, 7, 8]
    return {
        item: ids[n - n % 9 + firsts[n % 9]] for n, item in enumerate(ids) if n % 9 != firsts[n % 9]
    }


@pytest.fixture
def short_of_room(monkeypatch):
    """Every version's rankings are long, of which only a few first results are kept."""
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 0)
    monkeypatch.setattr(long_rankings, "DEPTHS", (5, 20))
    monkeypatch.setattr(judging, "copies", every_third)
    yield
    memory.forget()


def test_pairs_of_versions_are_compared_by_rankings_that_are_in_memory(short_of_room, monkeypatch):
    asked = experiment("driving", "alfa", -1.0)
    versions = tuple(v for v in asked.collection.versions if v in asked.collection.searched)
    searched = measuring.pairs(asked, versions, "P@3", None)
    memory.forget()
    measuring.measurements(asked, versions, "AP P@3")
    monkeypatch.setattr(runs, "run_of", None)
    again = measuring.pairs(asked, versions, "P@3", None)
    pd.testing.assert_frame_equal(again, searched, check_exact=True)


def experiment(name: str, protocol: str, at_least: float) -> Experiment:
    collection = opened_at(name)
    protocol, without, _ = protocol.partition(" without copies")
    return Experiment.of(
        collection,
        copies="left_out" if without else "counted",
        protocol=protocol,
        groups=collection.groups,
        mapping_threshold=collection.mapping_threshold,
        queries="all",
        min_similarity=at_least,
    )


@pytest.mark.parametrize(("name", "protocol", "version", "at_least"), first(3))
def test_all_metrics_are_the_same_to_the_last_bit(
    name, protocol, version, at_least, short_of_room, monkeypatch
):
    asked = experiment(name, protocol, at_least)
    version = version or next(
        v for v in asked.collection.versions if v in asked.collection.searched
    )
    monkeypatch.setattr(long_rankings, "PAIRS", 2_000)  # of which there are more in all
    few = "P@1 Success@5 nDCG@5 Judged@5"

    def measured() -> tuple[list[int], list[pd.DataFrame]]:
        of = (ALL, few, "AP Judged@5", "R@20", "bpref")
        lengths = [
            len(long_rankings.measured_run(asked, version, parse(metrics))) for metrics in of
        ]
        values = [measuring.measurements(asked, (version,), metrics) for metrics in of]
        return lengths, [*values, measuring.counts(asked, (version,), None)]

    assert ranking.is_long(asked, version)
    lengths, ours = measured()
    memory.forget()
    with monkeypatch.context() as whole:
        whole.setattr(runs, "LONG", 10**9)
        assert not ranking.is_long(asked, version)
        whole_lengths, theirs = measured()
    memory.forget()
    assert all(part <= all_ for part, all_ in zip(lengths, whole_lengths, strict=True))
    for mine, other in zip(ours, theirs, strict=True):
        pd.testing.assert_frame_equal(mine, other, check_exact=True)
    if not long_rankings.closes_up(asked, version):  # else all that is judged belongs to it
        few_first = long_rankings.measured_run(asked, version, parse(few))
        assert len(few_first) <= 5 * len(asked.collection.queries)


def test_lists_that_leave_nothing_out_are_read_no_deeper_than_metrics_read_them(
    short_of_room, monkeypatch
):
    """Keywords judge each item of the drive, people some fifty drawings a query."""
    every, some = (
        experiment(*of, -1.0) for of in (("driving", "context"), ("openmoji_composed", "composed"))
    )
    first = every.collection.versions[0]
    assert not long_rankings.closes_up(every, first)
    assert long_rankings.measured_run(every, first, parse("CAG(DCG)@5"))["rank"].max() == 5
    assert long_rankings.closes_up(some, some.collection.versions[0])
    whole = judging.judgement(every)
    for lacking in (whole.qrels["item_id"] == whole.item_ids[0], whole.qrels.index == 0):
        memory.forget()
        part = Judgement(whole.qrels[~lacking], whole.query_ids, whole.unscorable)
        monkeypatch.setattr(long_rankings, "counted_judgement", lambda _, part=part: part)
        assert long_rankings.closes_up(every, first), "an item is not judged, or not for a query"


def test_sums_of_recalls_read_ten_results(short_of_room):
    asked = experiment("openmoji_captions", "crossmodal", -1.0)
    run = long_rankings.measured_run(asked, "v0.1", parse("Rsum mR i2t_R@1"))
    assert run["rank"].max() == 20


@pytest.mark.parametrize("metrics", ["P@1 nDCG@5", "R@20", "RR"])
def test_no_block_of_queries_reads_more_pairs_than_it_may(metrics, short_of_room, monkeypatch):
    monkeypatch.setattr(long_rankings, "PAIRS", 2_000)
    asked = experiment("openmoji_captions", "crossmodal", -1.0)
    blocks = list(long_rankings.measured_parts(asked, "v0.1", parse(metrics)))
    assert len(blocks) > 5 and max(len(run) for run, _ in blocks) <= 2_000
    queries = tuple(query for _, judged in blocks for query in judged.query_ids)
    assert queries == judging.counted_judgement(asked).query_ids


def test_a_value_that_depends_on_other_queries_finds_them_in_other_blocks(
    short_of_room, monkeypatch
):
    """A picture's sum of recalls is that of its texts, too, which all come after the pictures."""
    asked = experiment("openmoji_captions", "crossmodal", -1.0)

    def measured(most: int) -> pd.DataFrame:
        memory.forget()
        monkeypatch.setattr(long_rankings, "PAIRS", most)
        return measuring.measurements(asked, ("v0.1",), "Rsum mR i2t_R@1 t2i_R@5 RR")

    in_blocks, at_once = measured(2_000), measured(10**9)
    assert in_blocks.loc[in_blocks["metric"] == "Rsum", "value"].count() == 400
    pd.testing.assert_frame_equal(in_blocks, at_once, check_exact=True)


def test_a_block_is_let_go_before_the_next_is_read(short_of_room, monkeypatch):
    monkeypatch.setattr(long_rankings, "PAIRS", 200)
    monkeypatch.setattr(long_rankings, "ROWS", 200)  # or first results are held for other work
    read, there = long_rankings._part_run, []

    def reading(*of: object) -> pd.DataFrame:
        assert not [block for block in there if block() is not None]
        run = read(*of)
        there.append(weakref.ref(run))
        return run

    monkeypatch.setattr(long_rankings, "_part_run", reading)
    measuring.measurements(experiment("driving", "alfa", -1.0), ("v0.2",), "P@5")
    assert len(there) > 2


def test_first_results_that_can_be_held_are_searched_once_however_many_blocks(
    short_of_room, monkeypatch
):
    monkeypatch.setattr(long_rankings, "PAIRS", 500)
    asked, searched, search = experiment("driving", "alfa", -1.0), [], runs.run_of

    def searching(*of: object, **more: object) -> pd.DataFrame:
        searched.append(of)
        return search(*of, **more)

    monkeypatch.setattr(runs, "run_of", searching)
    measuring.measurements(asked, ("v0.2",), "P@5")
    measuring.measurements(asked, ("v0.2",), "nDCG@5")
    measuring.counts(asked, ("v0.2",), None)
    assert len(searched) == 1


@pytest.mark.parametrize(("metrics", "copies"), [("AP", ""), ("P@5", " without copies")])
def test_blocks_of_queries_without_a_vector_are_not_run_as_in_the_whole(
    metrics, copies, short_of_room, monkeypatch, tmp_path
):
    folder = tmp_path / "driving"
    shutil.copytree(opened("driving").folder, folder)
    names, vectors = (folder / "models" / "v0.2" / f"queries.{kind}" for kind in ("txt", "npy"))
    names.write_text("\n".join(names.read_text().splitlines()[30:]) + "\n")
    np.save(vectors, np.load(vectors)[30:])
    (folder / "models" / "v0.2" / "model.toml").write_text("")  # no text model gives the others
    asked = experiment(str(folder), f"alfa{copies}", -1.0)

    def measured(most: int) -> pd.DataFrame:
        memory.forget()
        for bound in ("PAIRS", "ROWS"):  # or first results are held for all blocks
            monkeypatch.setattr(long_rankings, bound, most)
        return measuring.measurements(asked, ("v0.2",), metrics)

    in_blocks, at_once = measured(60), measured(10**9)
    not_run = ranking.outline(asked, "v0.2").attrs["not_run"]
    assert list(not_run) == asked.collection.queries["query_id"].tolist()[:30]
    pd.testing.assert_frame_equal(in_blocks, at_once, check_exact=True)


def test_how_many_queries_are_scored_is_counted_without_the_ranks_of_judged_items(
    short_of_room, monkeypatch
):
    asked = experiment("driving", "alfa", -1.0)
    monkeypatch.setattr(runs, "ranked_run", None)
    found = measuring.counts(asked, ("v0.2",), None)
    assert found["scored"].tolist() == [
        measuring.measurements(asked, ("v0.2",), "P@5")["value"].count()
    ]


def test_nothing_ends_early_and_nothing_is_said(short_of_room):
    asked, findings = experiment("driving", "alfa", -1.0), Findings()
    assert notes.note_versions(asked, ["v0.2", "v0.3"], findings) == []
    assert findings.frame().empty and ranking.ends(asked, ["v0.2", "v0.3"]) is None


def test_bounds_over_ties_are_those_of_whole_rankings_or_not_known(short_of_room, monkeypatch):
    asked = experiment("digits_hashes", "hashing", -1.0)
    version = next(v for v in asked.collection.versions if v in asked.collection.searched)
    metrics = "AP P@1 P@5 AP(retrieved)@20 nDCG(exp)@20"
    monkeypatch.setattr(long_rankings, "DEPTHS", (300, 1_000))
    ours = measuring.tie_bounds(asked, (version,), metrics)
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 10**9)
    theirs = measuring.tie_bounds(asked, (version,), metrics)
    known = ours["worst"].notna()
    assert known.tolist() == [False, True, True, True, True]
    pd.testing.assert_frame_equal(ours[known], theirs[known], check_exact=True)
    pd.testing.assert_series_equal(ours["mean"], theirs["mean"], check_exact=True)


def test_bounds_of_first_results_that_are_all_there_is_are_not_known_at_their_end(
    short_of_room, monkeypatch
):
    """Of 300 results that are kept, more may share the last one's distance than are there."""
    asked = experiment("digits_hashes", "hashing", -1.0)
    version = next(v for v in asked.collection.versions if v in asked.collection.searched)
    monkeypatch.setattr(long_rankings, "DEPTHS", (300, 1_000))
    found = measuring.tie_bounds(asked, (version,), "P@1 P@300")
    assert found["worst"].notna().tolist() == found["best"].notna().tolist() == [True, False]


@pytest.mark.parametrize(("name", "protocol", "version", "at_least"), first(3))
def test_one_query_is_ranked_whole_and_alone(
    name, protocol, version, at_least, short_of_room, monkeypatch
):
    asked = experiment(name, protocol, at_least)
    version = version or next(
        v for v in asked.collection.versions if v in asked.collection.searched
    )
    queries = asked.collection.queries["query_id"].tolist()[:: len(asked.collection.queries) // 3]

    def of_queries() -> list[pd.DataFrame]:
        found = [ranking.query_runs(asked, version, query) for query in queries]
        counted = [ranking.counted_query_run(asked, version, query) for query in queries]
        parts = [part for both in found for part in both] + counted
        return [part.astype({"query_id": "str", "item_id": "str"}) for part in parts]

    assert ranking.is_long(asked, version)
    with monkeypatch.context() as alone:
        alone.setattr(ranking, "run", None)
        alone.setattr(ranking, "whole_run", None)
        alone.setattr(ranking, "counted_run", None)
        long = of_queries()
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 10**9)
    for one, other in zip(long, of_queries(), strict=True):
        pd.testing.assert_frame_equal(one, other.reset_index(drop=True), check_exact=True)


@pytest.mark.slow
def test_a_report_of_long_rankings_prints_what_one_of_whole_ones_does(short_of_room, monkeypatch):
    asked = experiment("driving", "alfa", -1.0)
    front = parse("P@5")[0]

    def tables() -> dict[str, pd.DataFrame]:
        return Comparison(asked, "v0.2", "v0.3", [front], front, "today").tables

    ours = tables()
    memory.forget()
    with monkeypatch.context() as whole:
        whole.setattr(runs, "LONG", 10**9)
        theirs = tables()
    for name, table in theirs.items():
        pd.testing.assert_frame_equal(ours[name], table, check_exact=True)


@pytest.mark.parametrize(("name", "protocol", "version", "at_least"), first(1))
def test_cards_of_a_query_show_what_whole_rankings_give(
    name, protocol, version, at_least, short_of_room, monkeypatch
):
    monkeypatch.setattr(brief_rankings, "DEPTH", 10)
    collection = opened(name)
    queries = collection.queries["query_id"].tolist()[:: len(collection.queries) // 3]
    address = {"collection": [name], "queries": ["all"], "min_similarity": [str(at_least)]}
    address["protocol"] = [protocol.partition(" without copies")[0]]

    def cards(**more: list[str]) -> list[bytes]:
        return [neighbours.packed_cards({**address, **more, "query": [q]}) for q in queries]

    with monkeypatch.context() as alone:
        if at_least == -1:
            alone.setattr(ranking, "_long_query_run", None)
        brief = cards()
    a_player_is_open = {"clip": [collection.items["item_id"].iloc[-7]]}  # of what no row shows
    brief += cards(**a_player_is_open)
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 10**9)
    assert all(brief) and brief == [*cards(), *cards(**a_player_is_open)]


@pytest.mark.parametrize(("most_held", "again"), [(4 * 190, 0), (4 * 190 - 1, 1)])
def test_queries_beside_each_other_share_one_search(short_of_room, monkeypatch, most_held, again):
    """Products are made once for each version; where they may not be held, once more."""
    monkeypatch.setattr(brief_rankings, "TOGETHER", 4)
    asked, made, below = experiment("driving", "alfa", -1.0), [], Gallery._below
    order, versions = asked.collection.queries["query_id"].tolist(), ("v0.2", "v0.3")

    def counting(gallery, queries, some, *others):
        made.append((gallery.vectors is asked.collection.searched["v0.2"].items, len(some)))
        return below(gallery, queries, some, *others)

    monkeypatch.setattr(Gallery, "_below", counting)
    monkeypatch.setattr(runs, "MOST_HELD", most_held)
    for query in order[:5]:
        near = brief_rankings.together(order, query)
        found = query_results.results_of(asked, query, versions, near)
        assert found.brief == set(versions) and not found.problems
    assert made == [(False, 4), (True, 4), *[(False, 4)] * again] * 2


def test_not_all_annotated_items_are_ranked_for_the_cards_of_a_query(short_of_room, monkeypatch):
    asked = experiment("driving", "alfa", -1.0)
    judged, queries = judging.judgement(asked), asked.collection.queries["query_id"].tolist()[:16]
    relevant = int(judged.relevant[:16].sum())
    monkeypatch.setattr(brief_rankings, "DEPTH", 1)
    wanted = brief_rankings._needed(asked, "v0.2", tuple(queries))
    assert relevant <= len(wanted) < sum(len(judged.labels(query)) for query in queries) / 2
    for most, number in ((relevant, 16), (relevant - 1, 8), (0, 1)):
        monkeypatch.setattr(brief_rankings, "MOST_PAIRS", most)
        few = brief_rankings._few(asked, queries[9], tuple(queries))
        assert queries[9] in few and len(few) == number


def test_a_protocol_that_ranks_judged_items_alone_has_whole_rankings_of_many(
    short_of_room, monkeypatch
):
    (version,) = opened("openmoji_composed").versions[-1:]
    asked = experiment("openmoji_composed", "composed", -1.0)
    assert brief_rankings.is_brief(asked, version)
    monkeypatch.setattr(brief_rankings, "MOST_JUDGED", 0)
    assert not brief_rankings.is_brief(asked, version)
    everything_is_judged = experiment("driving", "context", -1.0)
    assert brief_rankings.is_brief(everything_is_judged, "v0.2")


def test_no_column_of_all_items_becomes_texts_of_python(monkeypatch):
    memory.forget()
    asked = experiment("driving", "alfa", -1.0)
    collection = asked.collection
    strings, every = type(collection.items["item_id"].array), set(collection.items["item_id"])
    isin = strings.isin

    def of_others(column, values):
        assert set(values) != every
        return isin(column, values)

    monkeypatch.setattr(strings, "isin", of_others)
    reviewing.verdicts_by_cause(asked)
    state = corrections.state_of(collection, "alfa")
    keyword_changes.keyword_changes(collection, state)
    media.pictures_of(collection, collection.queries["query_id"].tolist()[:5])


def test_what_a_long_ranking_says_of_each_query_is_not_copied_with_every_use(short_of_room):
    asked = experiment("driving", "alfa", -1.0)
    run = long_rankings.measured_run(asked, "v0.2", parse("AP"))
    lengths = run.attrs["lengths"]
    assert len(lengths) == len(asked.collection.queries)
    assert run[run["rank"] < 3].assign(more=1).attrs["lengths"] is lengths


def test_right_answers_stand_at_their_ranks_in_the_whole_however_deep(short_of_room, monkeypatch):
    monkeypatch.setattr(long_rankings, "DEPTHS", (2, 2))
    asked = experiment("openmoji_captions", "crossmodal", -1.0)
    version = asked.collection.versions[-1]
    long = matching.first_hits(asked, version, None)
    pairs = matching.answers(asked, asked.collection.queries["query_id"].iloc[3])[0]
    found = matching.ranks(asked, pairs, version)
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 10**9)
    whole = matching.first_hits(asked, version, None)
    assert long.drop(columns="tied").equals(whole.drop(columns="tied"))
    assert (whole["rank"] > 2).any() and long["tied"].isna().any()
    known = long["tied"].notna()
    assert (long["tied"][known] == whole["tied"][known]).all()
    assert found.equals(matching.ranks(asked, pairs, version)) and found.notna().all()


def test_for_the_ranks_of_one_picture_and_its_texts_no_other_query_is_ranked(
    short_of_room, monkeypatch
):
    asked = experiment("openmoji_captions", "crossmodal", -1.0)
    own, asking = matching.answers(asked, asked.collection.queries["query_id"].iloc[3])
    ranked, counted = [], Gallery.ranked

    def counting(gallery, queries, *others):
        ranked.extend(queries.ids)
        return counted(gallery, queries, *others)

    monkeypatch.setattr(Gallery, "ranked", counting)
    for pairs in (own, asking):
        assert len(pairs) == 5 and matching.ranks(asked, pairs, "v0.1").notna().all()
    assert sorted(ranked) == sorted({*own["query_id"], *asking["query_id"]})


def test_first_right_answers_are_the_same_block_by_block(short_of_room, monkeypatch):
    asked = experiment("openmoji_captions", "crossmodal", -1.0)
    only = tuple(asked.collection.queries["query_id"].tolist()[::3])

    def found(most: int) -> list[pd.DataFrame]:
        memory.forget()
        monkeypatch.setattr(long_rankings, "PAIRS", most)
        return [matching.first_hits(asked, "v0.1", queries) for queries in (None, only)]

    for mine, other in zip(found(2_000), found(10**9), strict=True):
        pd.testing.assert_frame_equal(mine, other)


@pytest.mark.parametrize(("depth", "least"), [(2, -1.0), (2, 0.4), (5_000, -1.0)])
def test_only_right_answers_that_stand_deep_are_counted(depth, least, short_of_room, monkeypatch):
    """Those among the first results stand where they are; of the others each has its whole."""
    monkeypatch.setattr(long_rankings, "DEPTHS", (depth, depth))
    asked = experiment("openmoji_captions", "crossmodal", least)
    counted, part_run = [], long_rankings._part_run

    def counting(*of: object) -> pd.DataFrame:
        if of[3]:  # pairs are wanted, and not first results alone
            counted.extend(of[4].query_ids)
        return part_run(*of)

    monkeypatch.setattr(long_rankings, "_part_run", counting)
    long = matching.first_hits(asked, "v0.3", None)
    shallow = long["rank"].fillna(depth + 1) < depth  # its ties cannot go on where lists end
    assert not set(counted) & set(long.loc[shallow, "query_id"]) and shallow.any()
    assert bool(counted) == (depth == 2)
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 10**9)
    whole = matching.first_hits(asked, "v0.3", None)
    assert long.drop(columns="tied").equals(whole.drop(columns="tied"))
    known = long["tied"].notna()
    assert (long["tied"][known] == whole["tied"][known]).all()
