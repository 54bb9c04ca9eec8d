"""Labels as given or with the reviewers' corrections: a choice of every screen and link."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import dashboard
from dashboard.__main__ import main
from dashboard.experiment.reviews.corrections import State
from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews.review_file import review_file
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import TAKEN_BACK, VERDICT, Review, append
from dashboard.views import protocols, table_files
from dashboard.views.address import view_of
from dashboard.views.experiments import experiment_of
from dashboard.views.summary import corrected_labels
from dashboard.views.summary.downloads import answer
from tests.storage.tiny import reviewed_collection
from tests.test_screens import no_text_model, opened, said  # noqa: F401

FILES = ("Patch", "Corrections as CSV", "All labels as CSV", "Metrics as CSV")
CORRECTED = {"collection": "tiny", "labels": "corrected"}


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection with judgements of which a reviewer corrects one."""
    folder = reviewed_collection(tmp_path, monkeypatch, '["trec", "context"]')
    says(folder, "relevant")
    return folder


def says(folder: Path, value: str, item: str = "v03", author: str = "Ada") -> None:
    key = key_of(stored.open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, value, author, query_id="q3", item_id=item))


@pytest.mark.parametrize("screen", ["overview", "compare", "slices"])
def test_each_screen_says_which_labels_count(tiny: Path, screen: str) -> None:
    app = opened(screen, **CORRECTED)
    assert "Labels with corrections: reviewers change 1 label." in said(app)
    assert not app.exception and not app.error


def test_the_notes_above_the_cards_say_which_labels_count(tiny: Path) -> None:
    assert "Labels as given: reviewers would change 1 label." in said(
        opened("query", collection="tiny")
    )
    app = opened("query", **CORRECTED)
    assert "Labels with corrections by reviewers: 1 pair" in said(app) and not app.error


def test_a_search_counts_labels_as_given_and_says_so(tiny: Path) -> None:
    app = opened("search", **CORRECTED)
    assert "Labels as given: corrections count for stored queries" in said(app)


def test_one_click_counts_corrections_and_back(tiny: Path) -> None:
    app = opened("compare", collection="tiny")
    assert "Labels as given: reviewers would change 1 label." in said(app)
    (button,) = [each for each in app.button if each.label == "Count corrections"]
    button.click().run()
    assert app.query_params["labels"] == "corrected"
    (button,) = [each for each in app.button if each.label == "Labels as given"]
    button.click().run()
    assert app.query_params["labels"] == "given"


def test_without_corrections_nothing_is_said(tiny: Path) -> None:
    says(tiny, TAKEN_BACK)
    assert "Labels" not in said(opened("compare", collection="tiny"))
    assert "reviewers change 0 labels" in said(opened("compare", **CORRECTED))


def test_both_values_stand_beside_each_other_as_the_command_prints_them(
    tiny: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {}
    for labels in ("given", "corrected"):
        words = ["measure", str(tiny), "--metrics", "P@3", "--labels", labels, "--format", "json"]
        assert main(words) == 0
        for row in json.loads(capsys.readouterr().out):
            values[labels, row["run"]] = row["mean"]
        api = dashboard.open(tiny).measure("P@3", labels=labels).set_index("run")["mean"]
        assert all(api[run] == values[labels, run] for run in api.index)
    app = opened("compare", **CORRECTED, metric="P@3")
    (title,) = [box.label for box in app.expander if "with 1 correction" in box.label]
    for run in ("v0.1", "v0.2"):
        assert values["given", run] != values["corrected", run]
        change = f"of {run} {values['given', run]:.3f} → {values['corrected', run]:.3f}"
        assert change in title.replace("\\", "")
    links = [button.proto.url for button in app.get("link_button") if button.proto.label in FILES]
    assert len(links) == 4
    site = TestClient(Starlette(routes=table_files.routes(protocols.load_sections)))
    files = {label: site.get(f"/{link}") for label, link in zip(FILES, links, strict=True)}
    assert all(file.status_code == 200 for file in files.values())
    assert files["Patch"].text.startswith("--- a/qrels")
    assert "q3,v03,," in files["Corrections as CSV"].text
    assert "q3,v03,1" in files["All labels as CSV"].text
    assert str(values["corrected", "v0.2"]) in files["Metrics as CSV"].text
    monkeypatch.setattr(corrected_labels, "MOST_LABELS", 0)
    app = opened("compare", **CORRECTED, metric="P@3")
    labels = [button.proto.label for button in app.get("link_button")]
    assert "All labels as CSV" not in labels
    refused = site.get(f"/{links[2]}")
    assert refused.status_code == 404 and "reviews export --qrels FILE" in refused.text
    assert "`python -m dashboard reviews export` writes all " in said(app)


def test_a_new_correction_changes_the_next_run(tiny: Path) -> None:
    before = said(opened("overview", **CORRECTED))
    says(tiny, "not", item="v02")
    after = opened("overview", **CORRECTED)
    assert "reviewers change 1 label" in before and "reviewers change 2 labels" in said(after)
    view, _ = view_of({key: [value] for key, value in CORRECTED.items()})
    assert isinstance(experiment_of(view).corrections, State)


def test_the_report_names_its_labels_and_both_values(tiny: Path) -> None:
    status, _, page = answer({key: [value] for key, value in CORRECTED.items()})
    assert status == 200 and "with 1 correction by reviewers" in page and "→" in page
    assert "correction" not in answer({"collection": ["tiny"]})[2]


def test_a_link_that_corrects_labels_of_a_protocol_without_grades_says_so(tiny: Path) -> None:
    view, problems = view_of({**{k: [v] for k, v in CORRECTED.items()}, "protocol": ["context"]})
    assert view is not None and view.labels is None
    assert problems[0].sentence == (
        "This link asks for corrected labels; the protocol context has them as given."
    )
    app = opened("overview", **CORRECTED)
    app.selectbox(key="choice-protocol").set_value("context").run()
    assert app.query_params["labels"] == "given" and not app.exception
    assert all(group.key != "choice-labels" for group in app.get("button_group"))


def test_a_store_that_cannot_be_read_is_one_sentence(tiny: Path) -> None:
    review_file().write_bytes(b"not a database" * 100)
    app = opened("query", **CORRECTED)
    assert not app.exception and len(app.error) == 1
    assert "a file of reviews that can be read" in said(app)
    assert not opened("overview", collection="tiny").error, "labels as given need no reviews"
