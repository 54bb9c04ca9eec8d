"""Metrics of versions with an index: those of its lists, and null where they read unknown ranks."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from dashboard.experiment import judging, measuring, memory, notes, ranking
from dashboard.experiment.collection.collections import opened_at
from dashboard.experiment.experiment import Experiment
from dashboard.retrieval import runs
from dashboard.tables import Findings

DATA = Path(__file__).parents[2] / "data"
DRIVING = DATA / "driving"
AWAY = shutil.ignore_patterns("media", "posters", "networks")


@pytest.fixture(scope="module")
def driving(tmp_path_factory) -> Path:
    """The collection driving, whose v0.2 has an index that may miss results."""
    folder = tmp_path_factory.mktemp("indexed") / "driving"
    shutil.copytree(DRIVING, folder, ignore=AWAY)
    with (folder / "models" / "v0.2" / "model.toml").open("a") as described:
        described.write('\n[index]\nkind = "ivf"\nnprobe = 2\ndepth = 20\n')
    return folder


def experiment(folder: Path, protocol: str = "", **choices: object) -> Experiment:
    collection = opened_at(str(folder))
    return Experiment.of(
        collection,
        protocol=protocol or collection.protocols[0],
        groups=collection.groups,
        mapping_threshold=collection.mapping_threshold,
        queries="all",
        **choices,  # type: ignore[arg-type]
    )


def test_metrics_within_the_depth_have_values_and_deeper_ones_have_none(driving: Path) -> None:
    asked = experiment(driving)
    found = measuring.measurements(asked, ("v0.2",), "P@5 P@20 P@21 nDCG@10 AP RR")
    scored = found.groupby(["metric", "cutoff"], dropna=False)["value"].count()
    assert scored["P", 5] == scored["P", 20] == scored["nDCG", 10] > 100
    assert scored["P", 21] == 0  # also of lists that ended before
    assert found.loc[found["cutoff"].isna(), "value"].isna().all()
    assert not ranking.is_long(asked, "v0.2")


@pytest.mark.parametrize("long", [0, runs.LONG])
@pytest.mark.parametrize("metrics", ["P@5 AP", "P@5 nDCG@10"])
def test_exactly_searched_it_is_the_version_without_an_index(
    metrics: str, long: int, driving: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.forget()
    monkeypatch.setattr(runs, "LONG", long)
    asked, plainly = experiment(driving), experiment(DRIVING)
    through_index = measuring.measurements(asked, ("v0.2",), metrics)
    exact = measuring.measurements(replace(asked, exact=True), ("v0.2",), metrics)
    plain = measuring.measurements(plainly, ("v0.2",), metrics)
    pd.testing.assert_frame_equal(exact, plain, check_exact=True)
    assert not through_index.equals(exact)
    query = plainly.collection.queries["query_id"].iloc[3]
    whole = ranking.query_runs(replace(asked, exact=True), "v0.2", query)[1]
    assert (
        whole["score"].tolist() == ranking.query_runs(plainly, "v0.2", query)[1]["score"].tolist()
    )
    other = measuring.measurements(asked, ("v0.3",), metrics)
    without = measuring.measurements(plainly, ("v0.3",), metrics)
    pd.testing.assert_frame_equal(other, without, check_exact=True)
    memory.forget()


def test_what_is_not_known_is_said_and_nothing_is_said_to_be_cut(driving: Path) -> None:
    asked, findings = experiment(driving), Findings()
    notes.note_versions(asked, ["v0.2", "v0.3"], findings)
    (row,) = findings.frame().to_dict("records")
    assert row["file"] == "v0.2"
    assert "approximately, through ivf (nprobe = 2), 20 results a query" in row["found"]
    assert ranking.ends(asked, ["v0.2", "v0.3"]) is None


def test_a_least_similarity_that_ends_a_list_leaves_nothing_unknown(driving: Path) -> None:
    asked = experiment(driving, min_similarity=0.9)
    found = measuring.measurements(asked, ("v0.2",), "P@5 P@100 AP")
    partial = ranking.run(asked, "v0.2").attrs["partial"]
    unknown = found.loc[found["metric"] == "AP"].dropna(subset="value")["query_id"]
    assert not set(unknown) & set(partial)
    assert len(unknown) > 100


def test_where_judged_items_alone_are_ranked_a_short_list_is_not_known(tmp_path: Path) -> None:
    folder = tmp_path / "composed"
    shutil.copytree(DATA / "openmoji_composed", folder, ignore=AWAY)
    with (folder / "models" / "v0.1" / "model.toml").open("a") as described:
        described.write('\n[index]\nkind = "hnsw"\ndepth = 40\n')
    asked = experiment(folder)
    assert asked.rules.condensed
    found = measuring.measurements(asked, ("v0.1",), "P@5")
    judged = judging.counted_judgement(asked).qrels[["query_id", "item_id"]].astype("str")
    run = ranking.run(asked, "v0.1")[["query_id", "item_id"]].astype("str")
    sizes = run.merge(judged)["query_id"].value_counts()
    assert (sizes < 5).sum() > 0
    known = found["value"].notna()
    assert set(found.loc[known, "query_id"]) <= set(sizes.index[sizes >= 5])
