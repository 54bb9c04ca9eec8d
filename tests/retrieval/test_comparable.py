"""Two versions are comparable only if asked the same, of the same gallery, equally deep."""

import shutil

import numpy as np

from dashboard.retrieval.comparable import identical, unlike
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.runs.run_record import RunRecord, write_record


def said(folder, baseline="v0.1", candidate="v0.2"):
    return unlike(open_collection(folder, allow_path=True), baseline, candidate)


def without_last(folder, version, stem):
    """Take the last vector of a version away."""
    place = folder / "models" / version
    np.save(place / f"{stem}.npy", np.load(place / f"{stem}.npy")[:-1])
    ids = (place / f"{stem}.txt").read_text().split()
    (place / f"{stem}.txt").write_text("\n".join(ids[:-1]))


def test_versions_of_the_same_items_and_queries_are_comparable(folder):
    assert said(folder) == []


def test_an_item_that_one_version_does_not_know_is_named(folder):
    without_last(folder, "v0.2", "items")
    assert said(folder) == ["v0.2 lacks 1 item of the other version (v03)"]


def test_a_query_that_the_baseline_does_not_know_is_named(folder):
    without_last(folder, "v0.1", "queries")
    assert said(folder) == ["v0.1 lacks 1 text query of the other version (q3)"]


def test_text_queries_that_are_not_asked_keep_no_versions_apart(folder):
    """A version of an encoder that sees pictures only is compared by queries that are items."""
    for end in (".npy", ".txt"):
        (folder / "models" / "v0.2" / f"queries{end}").unlink()
    assert "v0.2 lacks 3 text queries" in said(folder)[0]
    collection = open_collection(folder, allow_path=True)
    assert unlike(collection, "v0.1", "v0.2", texts=False) == []


def test_lists_of_another_depth_are_said_with_both_depths(folder):
    (folder / "runs").mkdir()
    lines = [f"{query} Q0 v0{i} {i} {9 - i} x" for query in ("q1", "q2", "q3") for i in (0, 1)]
    (folder / "runs" / "old.trec").write_text("\n".join(lines))
    (sentence,) = said(folder, "old", "v0.2")
    assert "old go to rank 2" in sentence and "v0.2 to rank 4" in sentence
    assert sentence.endswith("alone"), "a file of lists cannot be asked again"


def test_lists_are_as_deep_as_a_service_was_asked_for(folder):
    """Two services that answer what matches are compared, however few results that is."""
    (folder / "runs").mkdir()
    for name, queries in (("old", "q1 q2"), ("new", "q1 q2 q3")):
        lines = ["query_id,item_id,score"]
        lines += [f"{query},v0{i},{-i}" for query in queries.split() for i in range(len(name) - 2)]
        (folder / "runs" / f"{name}.csv").write_text("\n".join(lines))
        record = RunRecord("x.toml", depth=100, answered=5)
        write_record(folder / "runs" / f"{name}.json", record)
    assert said(folder, "old", "new") == [] and said(folder, "old", "v0.2") == []
    write_record(folder / "runs" / "old.json", RunRecord(depth=2, answered=5))
    assert "old go to rank 2" in said(folder, "old", "new")[0]
    record = RunRecord("x.toml", depth=2, answered=5)
    write_record(folder / "runs" / "old.json", record)
    cure = f"run {folder.name} --version NEW --search x.toml --depth 4"
    assert said(folder, "old", "v0.2")[0].endswith(cure), "it makes the lists as deep"
    failing = RunRecord(depth=100, answered=4, not_run={"q3": "no answer within 1 s"})
    write_record(folder / "runs" / "old.json", failing)
    assert said(folder, "old", "new") == ["old lacks 1 text query of the other version (q3)"]


def test_a_version_made_for_another_state_of_the_queries_is_said(folder):
    settings = folder / "models" / "v0.1" / "model.toml"
    today = open_collection(folder, allow_path=True).digests
    settings.write_text(settings.read_text() + f'queries_digest = "{today["queries"]}"\n')
    assert said(folder) == []
    settings.write_text(settings.read_text().replace(today["queries"], "0" * 64))
    assert said(folder) == ["v0.1 was made for another state of the queries"]


def test_two_names_of_the_same_content_are_known_to_be_so(folder):
    shutil.copytree(folder / "models" / "v0.1", folder / "models" / "again")
    runs = folder / "runs"
    runs.mkdir()
    (runs / "old.trec").write_text("q1 Q0 v01 1 9 x\n")
    shutil.copy(runs / "old.trec", runs / "older.trec")
    collection = open_collection(folder, allow_path=True)
    assert identical(collection, "v0.1", "again") and identical(collection, "old", "older")
    assert not identical(collection, "v0.1", "v0.2") and not identical(collection, "v0.1", "old")


def test_a_file_of_results_counts_before_the_model_of_the_same_name(folder):
    shutil.copytree(folder / "models" / "v0.1", folder / "models" / "again")
    runs = folder / "runs"
    runs.mkdir()
    (runs / "v0.1.trec").write_text("q1 Q0 v01 1 9 x\n")
    collection = open_collection(folder, allow_path=True)
    assert set(collection.searched) == {"again", "v0.2"} < set(collection.models)
    assert not identical(collection, "v0.1", "again")
    (runs / "again.trec").write_text("q1 Q0 v01 1 9 x\n")
    assert identical(open_collection(folder, allow_path=True), "v0.1", "again")
