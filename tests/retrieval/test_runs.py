"""The run of a version: searched by its stored vectors, or read from its file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dashboard.retrieval import one_query, runs
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.tables import DataError


def results(run, query: str) -> list[str]:
    return run.loc[run["query_id"] == query, "item_id"].astype("str").tolist()


def test_all_stored_queries_are_searched_over_the_whole_gallery(tiny: Collection) -> None:
    run = runs.run_of(tiny, "v0.2")
    assert sorted(run["query_id"].astype("str").unique()) == sorted(tiny.queries["query_id"])
    assert run.attrs["not_run"] == {}
    assert results(run, "q1")[0] == "v00"
    assert len(results(run, "q1")) == 4


def test_an_item_query_never_finds_itself(tiny: Collection) -> None:
    run = runs.run_of(tiny, "v0.1", "item", depth=2)
    assert set(run["query_id"].astype("str")) == {"item_v00", "item_v01"}
    assert "v00" not in results(run, "item_v00")
    assert len(results(run, "item_v00")) == 2
    assert results(one_query.item_run(tiny, "v0.1", "v00", 2), "item_v00") == results(
        run, "item_v00"
    )


def test_a_query_without_a_vector_is_recorded_as_not_run(folder: Path) -> None:
    for stem, name in (("queries", "q2"), ("items", "v01")):
        path = folder / f"models/v0.1/{stem}.txt"
        path.write_text(path.read_text().replace(name, "other"))
    run = runs.run_of(open_collection(folder, allow_path=True), "v0.1")
    assert set(run.attrs["not_run"]) == {"q2", "item_v01"}
    assert "models/v0.1" in run.attrs["not_run"]["q2"]


def test_a_stored_text_needs_no_language_model(tiny: Collection) -> None:
    run = one_query.text_run(tiny, "v0.2", "  car ", 2)
    assert results(run, "q1") == results(runs.run_of(tiny, "v0.2", "text", 2), "q1")


def test_another_text_needs_an_encoder_and_says_so(tiny: Collection) -> None:
    with pytest.raises(DataError, match="encoder = 'none'"):
        one_query.text_run(tiny, "v0.2", "a blue car", 2)


@pytest.mark.parametrize(
    ("text", "said"), [("  ", "empty"), ("\u200b", "empty"), ("w" * 1_001, "1,001")]
)
def test_texts_that_cannot_be_searched(tiny: Collection, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        one_query.text_run(tiny, "v0.2", text, 2)


def test_an_unknown_version_names_those_there_are(tiny: Collection) -> None:
    with pytest.raises(DataError, match=r"no such version; wanted one of: v0\.1, v0\.2"):
        runs.run_of(tiny, "v9")


def test_a_broken_version_says_what_is_wrong_with_it(folder: Path) -> None:
    (folder / "models/v0.1/items.npy").write_bytes(b"")
    with pytest.raises(DataError, match=r"models/v0\.1/items\.npy: found an empty file"):
        runs.run_of(open_collection(folder, allow_path=True), "v0.1")


def test_a_run_file_is_read_in_gallery_order_without_the_item_itself(folder: Path) -> None:
    (folder / "runs").mkdir()
    lines = ["item_v00 Q0 v00 1 0.9 x", "item_v00 Q0 v02 2 0.5 x", "item_v00 Q0 v01 3 0.5 x"]
    lines += ["q1 Q0 v03 1 0.3 x", "q99 Q0 v03 1 0.3 x", "q1 Q0 gone 2 0.2 x"]
    (folder / "runs/bm25.trec").write_text("\n".join(lines))
    collection = open_collection(folder, allow_path=True)
    run = runs.run_of(collection, "bm25")
    assert results(run, "item_v00") == ["v01", "v02"]
    assert run.loc[run["query_id"] == "item_v00", "rank"].tolist() == [1, 2]
    assert results(run, "q1") == ["v03", "gone"], "what is no item keeps its rank"
    assert set(run["query_id"].astype("str")) == {"item_v00", "q1"}
    said = " ".join(runs.check_runs(collection)["found"])
    assert "results of 1 unknown query" in said
    assert "1 result that is no item (gone)" in said
    assert results(one_query.text_run(collection, "bm25", "car", 5), "q1") == ["v03", "gone"]
    assert one_query.text_run(collection, "bm25", "person crossing", 5).empty, (
        "asked, and nothing found"
    )
    for ask, what in ((one_query.text_run, "a blue car"), (one_query.item_run, "v03")):
        with pytest.raises(DataError, match="stored results only"):
            ask(collection, "bm25", what, 5)


def test_opening_and_searching_stored_queries_loads_no_language_model(folder: Path) -> None:
    code = (
        "import sys\n"
        "from dashboard.retrieval import keywords, runs\n"
        "from dashboard.retrieval.encoders import encoders\n"
        "from dashboard.storage.collection.collection import open_collection\n"
        f"runs.run_of(open_collection({str(folder)!r}, allow_path=True), 'v0.1')\n"
        "slow = {'torch', 'keybert', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "sys.exit(f'{slow} loaded' if slow else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_rankings_that_would_not_fit_in_memory_are_cut_alike_and_say_so(
    tiny: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs.run_of(tiny, "v0.2")
    assert "cut" not in whole.attrs
    monkeypatch.setattr(runs, "MOST_RESULTS", 5)
    monkeypatch.setattr(runs, "LEAST_DEPTH", 2)
    cut = runs.run_of(tiny, "v0.2")
    assert cut.attrs["cut"] == 2
    for query in tiny.queries["query_id"]:
        assert results(cut, query) == results(whole, query)[:2]
    assert len(results(runs.run_of(tiny, "v0.2", depth=3), "q1")) == 3  # as was asked for


def test_a_run_that_ends_within_equal_scores_says_for_which_queries(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_collection(folder, allow_path=True).models["v0.2"]
    rows, q1 = model.items.matrix.copy(), model.queries.rows(["q1"]).matrix[0]
    second = np.argsort(-(rows @ q1))[1]
    rows[(second + 1) % 4 or 1] = rows[second]
    np.save(folder / "models/v0.2/items.npy", rows)
    collection = open_collection(folder, allow_path=True)
    whole = runs.run_of(collection, "v0.2")
    monkeypatch.setattr(runs, "MOST_RESULTS", 5)
    monkeypatch.setattr(runs, "LEAST_DEPTH", 2)
    cut = runs.run_of(collection, "v0.2")
    scores = {q: of["score"].tolist() for q, of in whole.groupby("query_id", observed=True)}
    assert set(cut.attrs["torn"]) == {q for q, of in scores.items() if of[2:3] == of[1:2]}
    assert 0 < len(cut.attrs["torn"]) < len(scores)
