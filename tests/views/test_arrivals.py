"""What open pages are told of a collection: new versions and mended files, whole ones only."""

import re
import shutil
from urllib.parse import parse_qs

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.experiment.collection import arrivals
from dashboard.storage.collection import collection as stored
from dashboard.views.frame import arrivals as told
from tests.storage.tiny import make_collection
from tests.test_screens import no_text_model, opened  # noqa: F401

LINK = {"collection": "tiny", "baseline": "v0.1", "candidate": "v0.1", "metric": "P@3"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small collection below a data folder of its own; each look is a new one."""
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    monkeypatch.setattr(arrivals, "_look", arrivals._look.__wrapped__)
    return make_collection(tmp_path / "tiny")


@pytest.fixture
def ask(folder):
    """Ask as a page does that is drawn now; twice, as a look must find what the one before did."""
    state = arrivals.drawn_from("tiny")
    site = TestClient(Starlette(routes=told.routes()))

    def asked(page="compare", state=state, **choices):
        params = {**LINK, **choices}
        first = site.get(f"/arrivals/{state}/{page}", params=params)
        return first, site.get(f"/arrivals/{state}/{page}", params=params)

    assert [answer.status_code for answer in asked()] == [204, 204]
    return asked


def lines_of(answer):
    return [(line["text"], line["link"]) for line in answer.json()["lines"]]


def test_a_new_version_is_announced_once_it_is_whole_with_a_link_to_the_same_view(folder, ask):
    shutil.copytree(folder / "models/v0.1", folder / "models/v4")
    first, answer = ask()
    assert (first.status_code, answer.status_code) == (202, 200)
    assert answer.headers["cache-control"] == "no-store"
    assert lines_of(answer) == [("v4 has arrived.", "Show it")]
    link = parse_qs(answer.json()["lines"][0]["query"])
    assert (
        link["candidate"] == ["v4"] and link["metric"] == ["P@3"] and link["baseline"] == ["v0.1"]
    )
    assert link["runs"][-1] == "v4"
    _, in_rows = ask("query", also="v0.1")
    link = parse_qs(in_rows.json()["lines"][0]["query"])
    assert link["also"] == ["v0.1,v4"] and link["candidate"] == ["v0.1"]
    now = answer.json()["state"]
    assert [each.status_code for each in ask(state=now)] == [204, 204]


def test_mended_and_removed_files_are_told_by_their_names(folder, ask):
    model = folder / "models/v0.1/model.toml"
    model.write_text(model.read_text() + "# mended\n" if model.exists() else 'note = "mended"\n')
    (folder / "items.csv").write_text((folder / "items.csv").read_text() + "\n")
    (folder / ".items.csv.new").write_text("a draft")
    answer = ask()[1]
    assert lines_of(answer) == [("v0.1 has other files; items.csv changed.", "Update")]
    assert parse_qs(answer.json()["lines"][0]["query"]) == {k: [v] for k, v in LINK.items()}
    shutil.rmtree(folder / "models/v0.1")
    assert lines_of(ask()[1]) == [("v0.1 is gone; items.csv changed.", "Update")]


def test_a_run_with_what_stands_beside_it_is_one_version(folder, ask):
    (folder / "runs").mkdir(exist_ok=True)
    (folder / "runs/bm25.v2.csv").write_text("query_id,item_id,score\nq1,v01,1\n")
    (folder / "runs/bm25.v2.json").write_text("{}")
    assert lines_of(ask()[1]) == [("bm25.v2 has arrived.", "Show it")]


def test_many_new_versions_take_few_lines(folder, ask):
    for number in range(10, 15):
        shutil.copytree(folder / "models/v0.1", folder / f"models/v{number}")
    sentences = [text for text, _ in lines_of(ask()[1])]
    assert sentences == [
        *(f"v{number} has arrived." for number in (10, 11, 12)),
        "v13, v14 have arrived.",
    ]


def test_a_server_that_does_not_know_the_state_says_that_files_changed(ask):
    assert lines_of(ask(state="of-another-server")[1]) == [
        ("Files of this collection changed.", "Update")
    ]
    assert ask(collection="gone")[1].status_code == 204
    assert ask(collection="../tiny")[1].status_code == 204


def test_all_pages_share_one_look_at_the_folder(folder, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(stored, "COLLECTIONS", folder.parent)
    looked = []
    monkeypatch.setattr(arrivals, "stamp", lambda place: looked.append(place) or "a state")
    for _ in range(20):
        arrivals._look(str(folder))
    assert len(looked) == 1


def test_a_page_holds_the_state_that_it_is_drawn_from(folder):
    app = opened("compare", **LINK)
    html = "".join(each.proto.body for each in app.get("html"))
    state = re.search(r'data-state="(\w+)"', html)[1]
    assert state == arrivals.drawn_from("tiny")
    shutil.copytree(folder / "models/v0.1", folder / "models/v4")
    assert arrivals.drawn_from("tiny") != state
