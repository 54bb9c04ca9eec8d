"""Real-valued outputs under `hashing`: ranked, measured and searched as their sign codes are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.retrieval import one_query, runs
from dashboard.retrieval.encoders import encoders
from dashboard.storage.collection.collection import open_collection
from tests.storage.tiny import ITEMS, TEXTS

BITS = 16
QRELS = "query_id,item_id,grade\nq1,v00,2\nq1,v03,1\nq2,v01,2\nq3,v02,1\n"
ENCODED = 'encoder = "sentence-transformers"\n'


@pytest.fixture
def outputs(folder: Path) -> Path:
    """The tiny collection for hashing: outputs in `tanh`, their signs as int8 in `codes`."""
    settings = (folder / "collection.toml").read_text()
    (folder / "collection.toml").write_text(settings.replace('["alfa"]', '["hashing"]'))
    (folder / "qrels.csv").write_text(QRELS)
    (folder / "queries.csv").write_text("query_id,text\nq1,car\nq2,walker\nq3,bike\n")
    rng = np.random.default_rng(5)
    drawn = {"items": (ITEMS, 4), "queries": (TEXTS, 3)}
    for stem, (ids, number) in drawn.items():
        real = np.tanh(rng.standard_normal((number, BITS)) * rng.uniform(0.1, 3, BITS))
        for name, matrix in (("tanh", real), ("codes", np.where(real >= 0, 1, -1).astype("int8"))):
            place = folder / "models" / name
            place.mkdir(exist_ok=True)
            (place / "model.toml").write_text(ENCODED)
            np.save(place / f"{stem}.npy", matrix)
            (place / f"{stem}.txt").write_text("\n".join(ids))
    return folder


def test_outputs_are_ranked_and_measured_as_their_sign_codes(
    outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hashing = open_collection(outputs, allow_path=True).under("hashing")
    tanh, codes = (runs.run_of(hashing, version) for version in ("tanh", "codes"))
    assert tanh.equals(codes)
    call = ["measure", str(outputs), "--runs", "tanh", "codes", "--format", "csv", "--by-query"]
    assert main(call) == 0
    printed = capsys.readouterr()
    rows = [line.split(",", 1) for line in printed.out.splitlines()[1:]]
    values = {run: [rest for name, rest in rows if name == run] for run in ("tanh", "codes")}
    assert values["tanh"] == values["codes"] != []
    assert "models/tanh/items.npy: found real-valued vectors of 16 numbers" in printed.err


def test_a_typed_text_is_searched_by_its_signs(
    outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = np.tanh(np.linspace(-2, 2.5, BITS, dtype="float32"))
    monkeypatch.setitem(encoders.ENCODERS, "sentence-transformers", lambda *_: typed[None])
    hashing = open_collection(outputs, allow_path=True).under("hashing")
    items = hashing.models["codes"].items
    differ = ((items.matrix > 0) != (typed >= 0)).sum(axis=1).tolist()
    far = dict(zip(items.ids, differ, strict=True))
    for version in ("tanh", "codes"):
        run = one_query.text_run(hashing, version, "something else", 4)
        cosines = [1 - 2 * far[item] / BITS for item in run["item_id"].astype("str")]
        assert run["score"].tolist() == pytest.approx(cosines)
        assert cosines == sorted(cosines, reverse=True)
