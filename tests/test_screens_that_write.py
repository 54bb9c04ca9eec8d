"""What readers may write from the screens: nothing, unless the operator allows it."""

import numpy as np
import pytest

from dashboard.experiment.collection import checking, collections, from_screens
from dashboard.storage.collection import collection as stored
from tests.storage.tiny import make_collection
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


def test_a_version_that_only_the_gallery_left_behind_is_not_whitewashed(folder):
    items = (folder / "items.csv").read_text()
    (folder / "items.csv").write_text(items.replace("v03,v03.mp4,video,another car\n", ""))
    app = opened("compare", **PAIR)
    assert "another state of the gallery" in said(app) and not app.code
