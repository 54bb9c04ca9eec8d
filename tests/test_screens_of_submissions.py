"""Composed queries on screen: the leaderboard, features that are submitted, and what is refused."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from dashboard.__main__ import main
from dashboard.experiment import memory
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols import submissions
from dashboard.retrieval import runs
from dashboard.storage.collection import collection as stored
from dashboard.views.protocols.composed.places import places
from tests.test_screens import SCREENS, cards, drawn, no_text_model, opened, said, texts  # noqa: F401

NAME = "openmoji_composed"
MINE = "mine=gallery.npy,team/queries.npy"
CANDIDATE = {"collection": NAME, "submissions": MINE, "candidate": "mine"}


def put(path, ids, rows):
    """An array with its ids beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, rows)
    path.with_suffix(".txt").write_text("\n".join(ids))


@pytest.fixture(scope="module")
def features():
    """Those of v0.3 with noise, as another team may have sent them: ids and rows of both sides."""
    model = stored.open_collection(NAME).models["v0.3"]
    noise = 0.2 * np.random.default_rng(1).standard_normal(model.items.matrix.shape)
    rows = model.items.matrix + noise / np.sqrt(noise.shape[1])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    gallery = model.items.ids, rows.astype("float32")
    return gallery, (model.queries.ids, model.queries.matrix)


@pytest.fixture(autouse=True)
def folder(features, tmp_path, monkeypatch):
    """Where they are looked for."""
    gallery, queries = features
    put(tmp_path / "gallery.npy", *gallery)
    put(tmp_path / "team" / "queries.npy", *queries)
    monkeypatch.setenv("DASHBOARD_SUBMISSIONS", str(tmp_path))
    return tmp_path


def board(app):
    """The leaderboard as it is drawn."""
    return next(table.value for table in app.dataframe if "Place" in table.value)


def by_scikit_learn(folder):
    """The mean over queries of scikit-learn's AP of the annotated items."""
    known = stored.open_collection(NAME)
    sides = [folder / "gallery.npy", folder / "team" / "queries.npy"]
    gallery, queries = (
        dict(zip(side.with_suffix(".txt").read_text().split("\n"), np.load(side), strict=True))
        for side in sides
    )
    found = []
    for query, labels in known.qrels.groupby("query_id"):
        cosines = [gallery[item] @ queries[query] for item in labels["item_id"]]
        if labels["grade"].any():
            found.append(average_precision_score(labels["grade"], cosines))
    return np.mean(found)


def test_a_submission_stands_on_the_leaderboard_with_scikit_learns_map(folder):
    table = board(drawn(collection=NAME, submissions=MINE)).set_index("Version")
    assert set(table.index) == {"v0.1", "v0.2", "v0.3", "mine"}
    assert table.loc["mine", "mAP"] == pytest.approx(by_scikit_learn(folder), abs=1e-9)
    assert table.loc["mine", "95 % from"] < table.loc["mine", "mAP"] < table.loc["mine", "to"]
    assert table.loc["mine", "Queries"] == "150 of 150"
    assert "team/queries.npy" in table.loc["mine", "Source"]
    assert table["mAP"].is_monotonic_decreasing and table["Place"].tolist() == [1, 2, 3, 4]


def test_the_command_line_says_the_same_of_the_same_files(folder, capsys):
    files = f"mine={folder}/gallery.npy,{folder}/team/queries.npy"
    call = ["measure", NAME, "--submission", files, "--metrics", "AP(annotated)"]
    assert main([*call, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    table = board(drawn(collection=NAME, submissions=MINE)).set_index("Version")
    assert row["mean"] == pytest.approx(table.loc["mine", "mAP"], abs=1e-12)


def test_where_rankings_end_annotated_items_are_scored_all_the_same(short_of_memory, folder):
    model = stored.open_collection(NAME).models["v0.3"]
    put(folder / "same.npy", model.items.ids, model.items.matrix)
    same = "same=same.npy,team/queries.npy"
    app = opened(collection=NAME, submissions=same)
    table = board(app).set_index("Version")
    assert table.loc["v0.3", "mAP"] == table.loc["same", "mAP"]
    assert "Rankings are cut" not in texts(app), "nothing that counts is behind the end"
    query = opened("query", collection=NAME, query="c001a", submissions=same)
    ranks = next(t.value for t in query.dataframe if "Ranks in the whole gallery" in t.value)
    mine = ranks.set_index("Version")
    assert mine["Ranks in the whole gallery"].str.endswith(" of the first 100").all()
    assert mine.filter(like="annotated").columns.tolist() == ["Ranks among the 50 annotated"]


@pytest.mark.slow
@pytest.mark.parametrize("choices", [{"copies": "left_out"}, {"min_similarity": "0.2"}])
def test_choices_of_what_counts_hold_behind_the_end(choices, monkeypatch):
    memory.forget()
    whole = board(opened(collection=NAME, **choices))
    memory.forget()
    monkeypatch.setattr(runs, "MOST_RESULTS", 1)
    pd.testing.assert_frame_equal(board(opened(collection=NAME, **choices)), whole)
    memory.forget()


@pytest.mark.parametrize(
    "also",
    [
        [],
        pytest.param(["--copies", "left_out"], marks=pytest.mark.slow),
        pytest.param(["--min-similarity", "0.2"], marks=pytest.mark.slow),
    ],
)
def test_the_command_line_scores_them_too(short_of_memory, capsys, monkeypatch, also):
    call = ["measure", NAME, "--metrics", "AP(annotated) P@5", "--format", "json", *also]
    assert main(call) == 0
    cut = capsys.readouterr()
    monkeypatch.undo()
    assert main(call) == 0
    assert capsys.readouterr().out == cut.out
    assert "lists end at rank" not in cut.err


def test_the_labels_are_counted(folder):
    labels = collections.opened(NAME).qrels.groupby("query_id")["grade"].agg(["size", "sum"])
    told = said(drawn(collection=NAME))
    assert f"Annotated: {labels['size'].max()} items for each of 150 queries" in told
    low, high, middle = (getattr(labels["sum"], of)() for of in ("min", "max", "median"))
    assert f"of which {low:g} to {high:g} fulfil it (median {middle:g})" in told


def test_without_submissions_the_versions_are_ranked_alone(monkeypatch):
    monkeypatch.delenv("DASHBOARD_SUBMISSIONS")
    app = opened(collection=NAME)
    assert board(app)["Version"].tolist() == ["v0.3", "v0.2", "v0.1"]
    assert "DASHBOARD_SUBMISSIONS" in said(app)
    assert not app.get("form")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_submission_is_a_version_on_every_screen(screen):
    app = opened(screen, **CANDIDATE)
    assert [problem.value for problem in (*app.exception, *app.error)] == []
    choices = [box for box in app.selectbox if box.label == "Candidate"]
    assert "mine" in choices[0].options and choices[0].value == "mine"


def test_the_cards_show_the_submissions_annotated_items():
    told = cards(opened("query", query="c001a", **CANDIDATE))
    mine = next(row for row in told["rows"] if row["name"] == "mine")
    assert mine["judged"] == mine["number"] == 10
    assert [row["role"] for row in told["rows"] if row["name"].startswith("mine")] == ["version"]


def test_a_model_whose_whole_gallery_is_annotated_is_not_taken_for_a_submission():
    run = pd.DataFrame({"item_id": ["a", "b"], "rank": [1, 2]})
    found = SimpleNamespace(whole={"v1": run, "mine": run}, relevant=("b",), ranked=lambda _: run)
    values = pd.DataFrame({"metric": "AP(annotated)", "run": ["v1", "mine"], "value": 0.5})
    table = places(found, values, {"mine"}).set_index("Version")
    assert table.loc["v1", "Ranks in the whole gallery"] == "2 of 2"
    assert table.loc["mine", "Ranks in the whole gallery"] == "only annotated items are scored"


def test_submitted_features_know_the_stored_queries_only():
    app = opened("search", text="a cat", baseline="mine", **CANDIDATE)
    assert not app.exception
    model = stored.open_collection(NAME).items["item_id"].iloc[0]
    told = cards(opened("search", item=model, **CANDIDATE))
    mine = next(row for row in told["rows"] if row["name"] == "mine")
    assert "stored queries only" in mine["note"] and not mine["results"]


def test_the_form_checks_scores_and_puts_the_files_into_the_address():
    app = opened(collection=NAME)
    app.selectbox(key="submission-gallery").select("gallery.npy")
    app.selectbox(key="submission-queries").select("team/queries.npy")
    app.text_input(key="submission-name").input("mine")
    next(button for button in app.button if button.label == "Check and score").click().run()
    assert not app.exception and not app.error
    assert app.query_params["submissions"] == MINE
    assert app.query_params["runs"] == ["v0.1", "v0.2", "v0.3", "mine"]
    assert "mine" in board(app)["Version"].tolist()
    assert "mine: every check passed" in said(app)
    app.button(key="remove-mine").click().run()
    assert "submissions" not in app.query_params
    assert "mine" not in board(app)["Version"].tolist()


def test_the_form_says_what_is_wrong_and_changes_nothing(folder):
    put(folder / "gallery.npy", ["a"], np.ones((1, 128), dtype=np.float32))
    app = opened(collection=NAME)
    before = dict(app.query_params)
    button = next(button for button in app.button if button.label == "Check and score")
    app = button.click().run()
    assert "Choose both files" in app.error[0].value
    app.selectbox(key="submission-gallery").select("gallery.npy")
    app.selectbox(key="submission-queries").select("team/queries.npy")
    app.text_input(key="submission-name").input("mine")
    next(button for button in app.button if button.label == "Check and score").click().run()
    assert "no features of" in app.error[0].value.replace("\\", "")
    assert dict(app.query_params) == before


def test_an_array_without_ids_is_named_with_what_to_do(folder):
    put(folder / "new" / "gallery*2.npy", ["a"], np.ones((1, 128), dtype=np.float32))
    (folder / "new" / "gallery*2.txt").unlink()
    app = opened(collection=NAME)
    told = said(app)
    assert "Not listed: new/gallery*2.npy, because new/gallery*2.txt is missing." in told
    assert "new/gallery*2.npy" not in app.selectbox(key="submission-gallery").options
    for number in range(7):
        np.save(folder / f"g{number}.npy", np.ones(1))
    assert "3 more files are not listed for the same reason." in texts(opened(collection=NAME))


def rows_of(folder):
    return np.load(folder / "gallery.npy")


def changed(folder, row, value):
    rows = rows_of(folder)
    rows[row] = value
    np.save(folder / "gallery.npy", rows)


def fewer_ids(folder):
    ids = (folder / "gallery.txt").read_text().split("\n")
    (folder / "gallery.txt").write_text("\n".join(ids[:-1]))


MISTAKES = {
    "64 wide": (
        lambda f: np.save(f / "gallery.npy", rows_of(f)[:, :64]),
        "gallery.npy: found vectors of 64 dimensions; wanted 128 dimensions",
    ),
    "NaN": (lambda f: changed(f, 3, np.nan), "gallery.npy: found NaN or infinity in row 3 ("),
    "zeros": (lambda f: changed(f, 5, 0), "gallery.npy: found only zeros in row 5 ("),
    "one id too few": (fewer_ids, "gallery.npy: found 576 vectors and 575 ids; wanted one id for"),
    "an id twice": (
        lambda f: (f / "gallery.txt").write_text("a\n" * 576),
        "gallery.txt, line 2: found 'a' again (lines 1 and 2); wanted each id once",
    ),
    "a query without features": (
        lambda f: put(f / "team/queries.npy", ["q"], np.eye(1, 128)),
        "team/queries.npy: found no features of 150 annotated query ids, the first 'c001a'",
    ),
    "pickled": (
        lambda f: np.save(f / "gallery.npy", np.array([{}], dtype=object)),
        "gallery.npy: found pickled objects; wanted a complete array of numbers",
    ),
    "whole numbers": (
        lambda f: np.save(f / "gallery.npy", rows_of(f).astype(int)),
        "gallery.npy: found int64 values of the shape (576, 128); wanted a table of floats",
    ),
    "cut off": (
        lambda f: (f / "gallery.npy").write_bytes((f / "gallery.npy").read_bytes()[:9000]),
        "gallery.npy: found no complete array",
    ),
    "gone": (lambda f: (f / "gallery.npy").unlink(), "gallery.npy: found no such file"),
    "no ids": (lambda f: (f / "gallery.txt").unlink(), "gallery.txt: found no such file"),
    "elsewhere": (
        lambda f: (
            (f / "gallery.npy").replace(f.parent / "g.npy")
            and (f / "gallery.npy").symlink_to(f.parent / "g.npy")
        ),
        "gallery.npy: found a name that leads out of the folder",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_files_is_a_sentence(folder, mistake):
    plant, said = MISTAKES[mistake]
    plant(folder)
    app = opened(collection=NAME, submissions=MINE)
    assert not app.exception
    assert said in app.error[0].value.replace("\\", "").replace("\u2060", "")
    assert str(folder) not in app.error[0].value
    assert board(app)["Version"].tolist() == ["v0.3", "v0.2", "v0.1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mine=../secret.npy,team/queries.npy", "leads out of the folder"),
        ("mine=gallery.npy", "wanted NAME=GALLERY.npy,QUERIES.npy"),
        ("v0.3=gallery.npy,team/queries.npy", "names two versions 'v0.3'"),
    ],
)
def test_a_link_that_names_something_else_is_a_sentence(text, said):
    assert said in opened(collection=NAME, submissions=text).error[0].value.replace("\\", "")


@pytest.mark.slow
def test_files_are_scored_once_under_whatever_names(monkeypatch):
    scorings, kept = [], submissions.score_against
    monkeypatch.setattr(submissions, "score_against", lambda *of: scorings.append(1) or kept(*of))
    memory.forget()
    names = [f"m{number}" for number in range(8)]
    app = opened(collection=NAME, submissions=[MINE.replace("mine", name) for name in names])
    assert not app.exception and not app.error and len(scorings) == 1
    assert set(names) <= set(board(app)["Version"])


def test_a_link_holds_at_most_eight_submissions(monkeypatch):
    monkeypatch.setattr(submissions, "score_against", None)  # they are counted first
    many = [MINE.replace("mine", f"m{number}") for number in range(9)]
    app = opened(collection=NAME, submissions=many)
    assert "asks for 9 submissions; at most 8 fit" in app.error[0].value.replace("\\", "")
    assert board(app)["Version"].tolist() == ["v0.3", "v0.2", "v0.1"]


def test_submissions_are_for_composed_queries():
    app = opened(collection="driving", submissions=MINE)
    told = app.error[0].value.replace("\\", "")
    assert "asks for submissions, which need the protocol composed" in told


def test_a_link_whose_submission_is_gone_computes_nothing_until_it_is_left_out(folder):
    (folder / "gallery.npy").unlink()
    app = opened(runs="mine", **CANDIDATE)
    assert "Nothing was computed" in texts(app)
    assert len(app.error) == 2 and not app.dataframe
    next(b for b in app.button if b.label.startswith("Open with default")).click().run()
    assert not app.error and board(app)["Version"].tolist() == ["v0.3", "v0.2", "v0.1"]
    assert app.query_params["candidate"] == "v0.3" and "submissions" not in app.query_params


@pytest.mark.slow
def test_lengths_are_a_warning_and_a_replaced_file_is_scored_anew(folder):
    before = board(opened(collection=NAME, submissions=MINE)).set_index("Version")["mAP"]["mine"]
    rows = rows_of(folder)
    np.save(folder / "new.npy", 2 * rows[::-1])
    (folder / "new.npy").replace(folder / "gallery.npy")
    app = opened(collection=NAME, submissions=MINE)
    assert "576 of 576 vectors are not of length 1" in said(app)
    after = board(app).set_index("Version")["mAP"]["mine"]
    assert after == pytest.approx(by_scikit_learn(folder), abs=1e-9) and after != before


def test_a_query_says_where_its_fulfilled_items_stand_and_what_else_is_asked():
    app = opened("query", query="c001a", **CANDIDATE)
    places = next(t.value for t in app.dataframe if "Ranks in the whole gallery" in t.value)
    assert places["Version"].tolist() == ["v0.2", "mine"]
    assert places["Ranks in the whole gallery"].tolist()[1] == "only annotated items are scored"
    run = collections.opened(NAME).qrels
    fulfilled = run[(run["query_id"] == "c001a") & (run["grade"] == 1)]
    column = next(name for name in places if name.startswith("Ranks among the 50"))
    assert len(places[column].iloc[0].split(", ")) == len(fulfilled)
    others = next(t.value for t in app.dataframe if "AP in mine" in t.value)
    assert others["Query"].tolist() == ["with lighter skin; this time: firefighter; still a man"]
