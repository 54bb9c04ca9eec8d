"""Versions without query vectors: texts are encoded once and kept, or it is said why they are not.

The encoder here is a stand-in: a text's vector is made of its letters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.retrieval import comparable, one_query, runs
from dashboard.retrieval.encoders import encoders, query_vectors
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.versions import versions
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError

ENCODER = "sentence-transformers"


def letters(text: str) -> np.ndarray:
    return np.array([text.count(letter) + 0.1 for letter in "aceginor"], dtype="float32")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts of each call of the stand-in."""
    found: list[list[str]] = []

    def encode(_: Model, texts: Sequence[str]) -> np.ndarray:
        found.append(list(texts))
        return np.stack([letters(text) for text in texts])

    monkeypatch.setitem(encoders.ENCODERS, ENCODER, encode)
    return found


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def without_vectors(folder: Path, encoder: str, only: str = "") -> Collection:
    """v0.2 without vectors of its text queries, or without those of one of them."""
    place = folder / "models/v0.2"
    (place / "model.toml").write_text(f'encoder = "{encoder}"\n')
    if only:
        text = (place / "queries.txt").read_text()
        (place / "queries.txt").write_text(text.replace(only, "other"))
    else:
        (place / "queries.npy").unlink(missing_ok=True)
    return opened(folder)


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").rglob("*.vectors"))


def test_the_names_of_encoders_are_known_where_files_are_read() -> None:
    assert set(versions.ENCODERS) == set(encoders.ENCODERS)


def test_texts_without_vectors_are_encoded_once_and_kept(
    folder: Path, calls: list[list[str]], tmp_path: Path
) -> None:
    collection = without_vectors(folder, ENCODER)
    run = runs.run_of(collection, "v0.2")
    assert run.attrs["not_run"] == {}
    assert calls == [["car", "person crossing", "cyclist entering ego lane"]]
    asks = letters("car") / np.linalg.norm(letters("car"))
    model = collection.models["v0.2"]
    best = dict(zip(model.items.ids, (model.items.matrix @ asks).round(6), strict=True))
    mine = run[run["query_id"] == "q1"]
    scores = dict(zip(mine["item_id"].astype("str"), mine["score"], strict=True))
    assert scores == pytest.approx(best, abs=2e-6)
    typed = one_query.text_run(collection, "v0.2", "car", 4)
    assert typed["score"].tolist() == mine["score"].tolist()
    assert not comparable.unlike(collection, "v0.1", "v0.2")
    again = runs.run_of(opened(folder), "v0.2", "text")
    assert len(calls) == 1, "read from the cache folder"
    assert again[again["query_id"] == "q1"]["score"].tolist() == mine["score"].tolist()
    assert len(kept(tmp_path)) == 1


def test_only_what_is_missing_is_encoded(folder: Path, calls: list[list[str]]) -> None:
    collection = without_vectors(folder, ENCODER, "q2")
    assert runs.run_of(collection, "v0.2").attrs["not_run"] == {}
    assert calls == [["person crossing"]]
    assert not (collection.findings["level"] == "error").any()


@pytest.mark.parametrize("spoil", ["", "cut", "other", "longer"])
def test_a_kept_file_that_is_spoiled_is_thrown_away(
    folder: Path, calls: list[list[str]], tmp_path: Path, spoil: str
) -> None:
    whole = runs.run_of(without_vectors(folder, ENCODER), "v0.2", "text")
    (path,) = kept(tmp_path)
    content = path.read_bytes()
    spoiled = {"": b"", "cut": content[:-4], "other": content[:-1] + b"?", "longer": content * 2}
    path.write_bytes(spoiled[spoil])
    assert runs.run_of(opened(folder), "v0.2", "text").equals(whole)
    assert len(calls) == 2
    assert path.read_bytes() == content


def test_another_text_or_encoder_is_encoded_anew(
    folder: Path, calls: list[list[str]], tmp_path: Path
) -> None:
    runs.run_of(without_vectors(folder, ENCODER), "v0.2")
    queries = folder / "queries.csv"
    queries.write_text(queries.read_text().replace("q1,car", "q1,lorry"))
    runs.run_of(opened(folder), "v0.2")
    assert calls[1][0] == "lorry"
    (folder / "models/v0.2/text_model").mkdir()
    (folder / "models/v0.2/text_model/a.safetensors").write_text("other weights")
    runs.run_of(opened(folder), "v0.2")
    assert len(calls) == 3 and len(kept(tmp_path)) == 3


def test_without_an_encoder_check_measure_and_compare_say_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = without_vectors(folder, "none")
    reasons = runs.run_of(collection, "v0.2").attrs["not_run"]
    assert set(reasons) == {"q1", "q2", "q3"}
    assert "models/v0.2, and no encoder that embeds its text (encoder = 'none')" in reasons["q1"]
    assert main(["check", str(folder), "--format", "json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    (row,) = [row for row in rows if row["level"] == "error" and "queries.npy" in row["file"]]
    assert "3 queries need a vector (q1, q2, q3)" in row["found"]
    assert main(["measure", str(folder), "--queries", "text"]) == 2
    said = "v0.2: 3 of 3 queries were not run (q1, q2, q3): no vector for it in models/v0.2"
    assert said in capsys.readouterr().err.replace("found ", "")
    call = ["compare", str(folder), "--baseline", "v0.1", "--candidate", "v0.2", "--anyway"]
    assert main([*call, "--queries", "text"]) == 1
    assert "no encoder that embeds its text" in capsys.readouterr().err
    assert main(["measure", str(folder), "--queries", "item", "--metrics", "P@1"]) == 0


def test_an_encoder_that_fails_is_a_reason_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> np.ndarray:
        raise DataError("the text model", "no package torch", "the package")

    monkeypatch.setitem(encoders.ENCODERS, ENCODER, broken)
    collection = without_vectors(folder, ENCODER)
    assert "no package torch" in runs.run_of(collection, "v0.2").attrs["not_run"]["q1"]
    assert main(["check", str(folder), "--format", "json"]) == 1
    assert "no package torch" in capsys.readouterr().out


def test_items_and_pictures_have_reasons_of_their_own(folder: Path, calls: list[list[str]]) -> None:
    text = (folder / "models/v0.2/items.txt").read_text()
    (folder / "models/v0.2/items.txt").write_text(text.replace("v01", "other"))
    table = folder / "queries.csv"
    table.write_text("query_id,text,item_id,image\nq1,car,,\nq2,like this,,a.png\ni,,v01,\n")
    collection = without_vectors(folder, ENCODER)
    found = query_vectors.query_vectors(collection.models["v0.2"], collection.queries)
    assert found.vectors.ids == ("q1",)
    assert found.missing["i"] == "no vector of the item 'v01' in models/v0.2"
    assert found.missing["q2"] == "no vector for it in models/v0.2"
    assert calls == [["car"]]
