"""What readers may write from the screens: nothing, unless the operator allows it."""

import io

import numpy as np
import pandas as pd
import pytest

from dashboard.experiment.collection import checking, collections, from_screens
from dashboard.storage.collection import collection as stored
from dashboard.tables import DataError
from tests.storage.tiny import ITEMS, make_collection
from tests.test_screens import no_text_model, opened, said  # noqa: F401

PAIR = {"collection": "tiny", "baseline": "v0.1", "candidate": "v0.2"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small collection on record, below a data folder of its own; the operator allows writing."""
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    monkeypatch.setenv("DASHBOARD_WRITE", "1")
    made = make_collection(tmp_path / "data" / "tiny")
    checking.record_fingerprints(collections.opened("tiny"))
    return made


@pytest.mark.parametrize("value", ["", "0", "no", "off", " "])
def test_nothing_may_be_written_unless_the_operator_says_so(folder, monkeypatch, value):
    monkeypatch.setenv("DASHBOARD_WRITE", value)
    assert not from_screens.allowed()
    with pytest.raises(PermissionError):
        from_screens.renew_record(collections.opened("tiny"), "v0.2")


def test_a_version_trained_anew_is_not_compared_until_its_record_is_renewed(folder, monkeypatch):
    vectors = folder / "models/v0.2/items.npy"
    np.save(vectors, np.load(vectors)[::-1])
    monkeypatch.setenv("DASHBOARD_WRITE", "0")
    app = opened("compare", **PAIR)
    assert "v0.2 has other vectors than recorded" in said(app)
    assert app.code[0].value == "python -m dashboard digests tiny --renew v0.2"
    assert [button.label for button in app.button if "Renew" in button.label] == []
    monkeypatch.setenv("DASHBOARD_WRITE", "1")
    app.run()
    app.button(key="renew-v0.2").click().run()
    assert not app.exception and "not comparable" not in said(app)
    assert "v0.1" in said(app) and not app.code
    assert set(checking.fingerprints(collections.opened("tiny"))["state"]) == {"same"}


def test_where_nothing_is_labelled_compare_says_what_is_missing(folder):
    for name in ("unified_annotation.csv", "vocabulary.toml"):
        (folder / name).unlink()
    app = opened("compare", **PAIR)
    assert not app.exception
    assert "neither keywords of its items (unified_annotation.csv) nor judgements" in said(app)
    assert "python -m dashboard check tiny" in said(app)


def test_where_no_item_shares_the_keywords_of_all_groups_compare_says_to_choose_fewer(folder):
    app = opened("compare", **PAIR, queries="item")
    assert "No item has all keywords of a query in object type, actor behavior" in said(app)
    app = opened("compare", **PAIR, queries="item", groups="pv_object_type")
    assert not app.exception and "choose fewer" not in said(app)


def test_a_version_that_only_the_gallery_left_behind_is_not_whitewashed(folder):
    items = (folder / "items.csv").read_text()
    (folder / "items.csv").write_text(items.replace("v03,v03.mp4,video,another car\n", ""))
    app = opened("compare", **PAIR)
    assert "another state of the gallery" in said(app) and not app.code


def npy(rows):
    file = io.BytesIO()
    np.save(file, rows)
    return file.getvalue()


ROWS = np.random.default_rng(5).standard_normal((4, 8)).astype("float32")
RUN = b"query_id,item_id,score\nq1,v01,2\nq1,v00,1\n"


def parquet(**columns):
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


DROPPED = {
    "vectors": [("v.npy", npy(ROWS))],
    "vectors with ids": [("v.npy", npy(ROWS)), ("ids.txt", "\n".join(ITEMS).encode())],
    "vectors in Parquet": [("v.parquet", parquet(item_id=list(ITEMS), v=ROWS.tolist()))],
    "a run": [("../../bm25.csv", RUN)],
    "a run in Parquet": [("r.parquet", parquet(query_id=["q1"], item_id=["v01"], score=[1.0]))],
}


@pytest.mark.parametrize("kind", DROPPED)
def test_dropped_files_become_a_version_as_the_command_adds_it(folder, kind):
    files = [from_screens.Dropped(*file) for file in DROPPED[kind]]
    queries = [from_screens.Dropped("q.npy", npy(ROWS[:3]))]
    is_run = "run" in kind
    opened_now = collections.opened("tiny")
    from_screens.add_version(opened_now, "v9", files, () if is_run else queries, "dropped")
    after = collections.opened("tiny")
    assert "v9" in (after.run_files if is_run else after.models)
    assert is_run or after.models["v9"].note == "dropped"
    with pytest.raises(DataError, match="a version 'v9' already"):
        from_screens.add_version(after, "v9", files, () if is_run else queries)


WRONG = {
    "nothing": ([], "no file"),
    "two files": ([("a.npy", npy(ROWS)), ("b.npy", npy(ROWS))], "a.npy, b.npy"),
    "a pickle": ([("a.npy", npy(np.array([{}], dtype=object)))], "a.npy"),
    "an index that is none": ([("a.faiss", b"no index")], "no index that faiss reads"),
    "other ids": ([("a.csv", b"query_id,item_id,score\nx,y,1\n")], "the collection lacks"),
    "a picture": ([("a.png", b"")], "a.png"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_used_is_a_sentence_and_nothing_is_written(folder, kind):
    files, sentence = WRONG[kind]
    before = sorted(folder.rglob("*"))
    with pytest.raises(DataError, match=sentence):
        from_screens.add_version(
            collections.opened("tiny"), "v9", [from_screens.Dropped(*file) for file in files]
        )
    assert sorted(folder.rglob("*")) == before


TABLE = b"""name,what,clip
a1,a car,car
a2,a bus,bus
a3,a car,car
a4,a bus,bus
a5,a car,car
a6,,bus
"""


def test_collections_has_no_form_without_the_operators_word_and_adds_by_one_with_it(
    folder, monkeypatch
):
    monkeypatch.setenv("DASHBOARD_WRITE", "")
    assert not opened("collections", collection="tiny").get("file_uploader")
    monkeypatch.setenv("DASHBOARD_WRITE", "1")
    app = opened("collections", collection="tiny")
    app.text_input[0].set_value("../v9")
    app.get("file_uploader")[0].upload("bm25.csv", RUN, "text/csv")
    next(button for button in app.button if button.label == "Add version").click().run()
    assert "1 to 100 letters" in said(app) and not (folder / "runs").exists()
    app.text_input[0].set_value("bm25")
    next(button for button in app.button if button.label == "Add version").click().run()
    assert not app.exception and "bm25 is a version of tiny now" in app.success[0].value
    assert (folder / "runs" / "bm25.csv").read_bytes() == RUN


def test_the_columns_of_a_dropped_table_are_mapped_before_a_collection_is_made(folder):
    app = opened("collections", collection="tiny")
    app.get("file_uploader")[2].upload("t.csv", TABLE, "text/csv").run()
    rows = app.dataframe[0].value
    assert len(rows) == 5 and list(rows.columns) == ["name", "what", "clip"]
    app.selectbox(key="column-name").select("item_id")
    app.selectbox(key="column-what").select("caption")
    app.selectbox(key="column-clip").select("keywords")
    app.text_input(key="new-name").set_value("mine").run()
    app.selectbox(key="column-clip").select("—").run()
    next(button for button in app.button if button.label == "Preview").click().run()
    assert "–" in app.dataframe[-1].value["guessed"].tolist(), "no None on a screen"
    assert "unified_annotation.csv" not in app.dataframe[-1].value["file"].tolist()
    app.selectbox(key="column-clip").select("keywords").run()
    next(button for button in app.button if button.label == "Preview").click().run()
    assert not app.exception and not (folder.parent / "mine").exists()
    assert "items.csv" in app.dataframe[-1].value["file"].tolist()
    next(button for button in app.button if button.label == "Create collection").click().run()
    assert not app.exception and "The collection mine is there" in app.success[0].value
    made = stored.open_collection("mine")
    assert made.items["item_id"].tolist() == [f"a{number}" for number in range(1, 7)]
    assert made.items["caption"].tolist()[:2] == ["a car", "a bus"]
    assert made.groups == ("pv_clip",) and set(made.keywords["keyword"]) == {"car", "bus"}


@pytest.mark.parametrize("name", ["../mine", ".mine", "a/b", "tiny/x"])
def test_a_new_collection_has_a_name_and_no_path(folder, name):
    with pytest.raises(DataError):
        from_screens.new_collection(name, [from_screens.Dropped("t.csv", TABLE)], {}, dry_run=False)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["tiny"]
