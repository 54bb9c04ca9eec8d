"""Collections without a version of their own: lists that people saw, and a challenge that waits
for its first submission."""

import shutil

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.experiment.collection.checking import check
from dashboard.storage.collection import collection as collections
from tests.test_screens import no_text_model, opened, said  # noqa: F401

LISTS = ("lists.csv", "relevance.csv", "satisfaction.csv")
FIRST, SECOND = "mine=g1.npy,q1.npy", "yours=g2.npy,q2.npy"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder of collections. `lists`: what people saw, without versions; `bare`: nothing but
    these three files; `challenge`: composed queries without a version. Beside it, submissions."""
    source, place = collections.COLLECTIONS, tmp_path_factory.mktemp("without") / "data"
    for name, of in (("lists", "openmoji_context"), ("challenge", "openmoji_composed")):
        (place / name).mkdir(parents=True)
        for path in (source / of).glob("*.csv"):
            shutil.copy(path, place / name)
    (place / "bare").mkdir()
    for file in LISTS:
        shutil.copy(source / "openmoji_context" / file, place / "bare")
    for name, protocol in (("lists", "context"), ("bare", "context"), ("challenge", "composed")):
        settings = f'title = "{name}"\nprotocols = ["{protocol}"]\n'
        (place / name / "collection.toml").write_text(settings, encoding="utf-8")
    submitted = place.parent / "submitted"
    submitted.mkdir()
    for place_of, version in ((1, "v0.1"), (2, "v0.2")):
        model = source / "openmoji_composed/models" / version
        for side, letter in (("items", "g"), ("queries", "q")):
            shutil.copy(model / f"{side}.npy", submitted / f"{letter}{place_of}.npy")
            shutil.copy(model / f"{side}.txt", submitted / f"{letter}{place_of}.txt")
    return place


@pytest.fixture
def shelf(written, tmp_path, monkeypatch):
    """These collections, which a test leaves as they are: they are opened and measured once."""
    monkeypatch.setattr(collections, "COLLECTIONS", written)
    monkeypatch.setenv("DASHBOARD_SUBMISSIONS", str(written.parent / "submitted"))
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "reviews"))
    return written


@pytest.fixture
def own_shelf(shelf, tmp_path, monkeypatch):
    """A copy of them, which a test may change."""
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    return shutil.copytree(shelf, tmp_path / "data")


@pytest.mark.parametrize("name", ["bare", pytest.param("lists", marks=pytest.mark.slow)])
def test_the_overview_of_lists_alone_draws_the_sources_tables_and_figures(shelf, name):
    app = opened(collection=name)
    assert not app.exception and not app.error
    told = "\n".join([said(app), *(section.label for section in app.expander)])
    for part in ("Table 1 of the source", "Figure 3a", "Figure 3b", "Table 2 of the source",
                 "Original and context-aware gain", "Table 3 of the source"):  # fmt: skip
        assert part in told
    assert "152 lists of at least 10 rows" in told, "as the command `satisfaction` counts them"
    assert "this collection has no version" in told and "models/NAME" in told


@pytest.mark.parametrize("settings", ["", None])
def test_check_of_lists_alone_names_the_line_to_write(own_shelf, capsys, settings):
    path, line = own_shelf / "bare" / "collection.toml", 'protocols = ["context"]'
    path.unlink()
    if settings is not None:
        path.write_text(settings)
    assert main(["check", str(own_shelf / "bare")]) != 0
    assert line in " ".join("\n".join(capsys.readouterr()).split())
    path.write_text(line)
    findings = check(str(own_shelf / "bare"))
    assert "error" not in findings["level"].tolist()


@pytest.mark.parametrize("name", ["lists", "bare"])
def test_query_walks_through_the_lists_of_each_query(shelf, name):
    app = opened("query", collection=name, query="w31")
    assert not app.exception and not app.error
    chosen = app.selectbox(key="choice-list")
    assert len(chosen.options) > 1 and "r′" in said(app)
    app.selectbox(key="choice-query").set_value("w11").run()
    assert app.query_params["query"] == "w11" and not app.exception
    assert opened("query", collection=name, find="zzzz").button  # a way out, no dead end


@pytest.mark.parametrize("screen", ["compare", "slices", "search"])
def test_other_screens_say_what_is_missing_and_what_to_do(shelf, screen):
    app = opened(screen, collection="lists")
    assert not app.exception and not app.error
    told = said(app)
    assert "this collection has no version. To add one, type python -m dashboard embed " in told
    assert " --version v1 --encoder MODEL, or put a model's vectors into models/NAME" in told
    assert "can be viewed without a version" in told, "links to what there is"
    waiting = said(opened(screen, collection="challenge"))
    assert "or submit features on the Overview" in waiting


def test_lists_of_a_collection_of_other_protocols_are_pointed_to(own_shelf):
    (own_shelf / "lists/collection.toml").write_text('protocols = ["trec"]\n', encoding="utf-8")
    assert 'write protocols = ["context"] in collection.toml' in said(
        opened("compare", collection="lists")
    )


def test_broken_versions_are_said_where_none_is_left(own_shelf):
    (own_shelf / "lists/models/v1").mkdir(parents=True)
    told = said(opened("compare", collection="lists"))
    assert "no usable version (models/v1/" in told


def test_the_form_takes_the_first_submission_and_then_holds_the_second_against_it(shelf):
    app = opened(collection="challenge")
    assert not app.exception and not app.error and "No entries yet" in said(app)
    for name, place in (("mine", 1), ("yours", 2)):
        app.selectbox(key="submission-gallery").set_value(f"g{place}.npy")
        app.selectbox(key="submission-queries").set_value(f"q{place}.npy")
        app.text_input(key="submission-name").input(name)
        next(button for button in app.button if button.label == "Check and score").click().run()
        assert not app.exception and not app.error
    assert app.query_params["submissions"] == [FIRST, SECOND]
    assert app.query_params["baseline"] == "mine" and app.query_params["candidate"] == "yours"
    assert app.query_params["runs"] == ["mine", "yours"]
    assert "2 versions" in said(app) and "0 versions" not in said(app)
    app.button(key="remove-mine").click().run()
    assert not app.exception and not app.error
    assert app.query_params["baseline"] == app.query_params["candidate"] == "yours"
    app.button(key="remove-yours").click().run()
    assert not app.exception and not app.error and "No entries yet" in said(app)


@pytest.mark.parametrize("screen", ["overview", "compare", "slices", "query", "search"])
def test_a_link_with_submissions_alone_is_followed_on_every_screen(shelf, screen):
    app = opened(screen, collection="challenge", submissions=[FIRST, SECOND])
    assert not app.exception and not app.error
    assert "no version" not in said(app)
    assert app.selectbox(key="choice-baseline").value == "mine"
    assert app.selectbox(key="choice-candidate").value == "yours"
    alone = opened(screen, collection="challenge", submissions=FIRST)
    assert not alone.exception and not alone.error


def test_the_command_line_measures_and_compares_first_submissions(shelf, capsys):
    folder, options = shelf.parent / "submitted", []
    for name, place in (("mine", 1), ("yours", 2)):
        options += ["--submission", f"{name}={folder}/g{place}.npy,{folder}/q{place}.npy"]
    challenge = str(shelf / "challenge")
    assert main(["measure", challenge, *options, "--format", "csv"]) == 0
    assert "mine,AP(annotated)" in capsys.readouterr().out
    roles = ["--baseline", "mine", "--candidate", "yours"]
    assert main(["compare", challenge, *options, *roles]) == 0
    assert main(["measure", challenge]) == 2
    assert "or features: --submission NAME=" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["lists", "bare", "challenge"])
def test_check_finds_no_error_where_no_version_is_needed(shelf, name):
    found = check(str(shelf / name))
    assert not (found["level"] == "error").any()
    assert (found["found"] == "no version").any()


def test_ids_of_items_and_queries_come_from_the_lists_alone(shelf):
    bare, whole = (collections.open_collection(name) for name in ("bare", "lists"))
    assert set(bare.items["item_id"]) <= set(whole.items["item_id"])
    assert (bare.queries["text"] == bare.queries["query_id"]).all()
    assert np.isin(bare.queries["query_id"], whole.queries["query_id"]).all()
