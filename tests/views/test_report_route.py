"""The report behind its address: what it answers where there is nothing to report on."""

import shutil

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.storage.collection import collection as stored
from dashboard.tables import DataError
from dashboard.views import summary
from dashboard.views.summary import downloads


def report(**choices):
    """The answer to the address of a report."""
    site = TestClient(Starlette(routes=summary.routes()))
    return site.get("/report", params={"collection": "driving", **choices})


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"collection": "gone"}, "There is no collection"),
        ({"candidate": "<b>v9</b>"}, "&lt;b&gt;v9&lt;/b&gt;"),
        ({"candidate": "v0.2"}, "Baseline and candidate are the same version"),
        ({"metric": "nonsense"}, "nonsense"),
        ({"slice": "kind of query=gone"}, "slice"),
        ({"groups": ""}, "leaves groups empty"),
        ({"mapping_threshold": "abc"}, "keyword match threshold"),
    ],
    ids=str,
)
def test_what_is_not_there_has_a_sentence_and_no_report(choices, sentence):
    answer = report(**choices)
    assert answer.status_code == 404
    assert "There is no report on this" in answer.text and sentence in answer.text
    assert "<b>" not in answer.text


def test_a_fault_of_the_data_is_a_sentence(monkeypatch):
    def refuse(view):
        raise DataError("items.npy", "nothing", "<vectors>")

    monkeypatch.setattr(downloads, "_report", refuse)
    answer = report()
    assert answer.status_code == 404 and "&lt;vectors&gt;" in answer.text


def test_versions_that_are_not_comparable_have_a_report_on_request(tmp_path, monkeypatch):
    driving = tmp_path / "data" / "driving"
    left_out = shutil.ignore_patterns("build", "media", "posters")
    shutil.copytree(stored.COLLECTIONS / "driving", driving, ignore=left_out)
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    place = driving / "models" / "v0.1"
    np.save(place / "items.npy", np.load(place / "items.npy")[:-1])
    ids = (place / "items.txt").read_text().split()
    (place / "items.txt").write_text("\n".join(ids[:-1]))
    monkeypatch.setattr(downloads, "_report", lambda view: "<p>made</p>")
    pair = {"baseline": "v0.1", "candidate": "v0.2"}
    refused = report(**pair)
    assert refused.status_code == 404 and "These versions are not comparable" in refused.text
    assert report(**pair, anyway="yes").text == "<p>made</p>"


def test_it_is_shown_in_the_browser_and_saved_under_the_names_of_the_versions(monkeypatch):
    monkeypatch.setattr(downloads, "_report", lambda view: "<p>made</p>")
    answer = report(baseline="v0.1", candidate="v0.3")
    named = "inline; filename*=UTF-8''driving-v0.3-against-v0.1.html"
    assert answer.headers["content-disposition"] == named
    assert answer.headers["cache-control"] == "no-store"
