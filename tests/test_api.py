"""`import dashboard` is cheap, and its numbers are those of the command line to the last bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dashboard
from dashboard.__main__ import main
from dashboard.experiment.versions import embedding, training
from dashboard.storage.collection import collection as stored
from dashboard.tables import DataError
from tests.storage.tiny import ITEMS, TEXTS, make_collection
from tests.test_screens import no_text_model

__all__ = ["no_text_model"]
ROOT = Path(__file__).parents[1]
MAIN = ROOT / "dashboard" / "main.py"


@pytest.fixture
def tiny(tmp_path: Path) -> dashboard.OpenCollection:
    return dashboard.open(make_collection(tmp_path / "data" / "tiny"))


def vectors(rows: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal((rows, 8)).astype("float32")


def of_command(capsys: pytest.CaptureFixture[str], *call: object) -> list[dict]:
    main([*map(str, call), "--format", "json"])
    return json.loads(capsys.readouterr().out)


def as_rows(table: pd.DataFrame) -> list[dict]:
    return [
        {k: None if pd.isna(v) else getattr(v, "item", lambda v=v: v)() for k, v in row.items()}
        for row in table.to_dict("records")
    ]


def test_importing_it_imports_no_library() -> None:
    script = (
        "import sys, dashboard; print(sorted({'numpy', 'pandas', 'streamlit'} & set(sys.modules)));"
        "dashboard.open; print(sorted({'streamlit', 'torch', 'faiss'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout.split() == ["[]", "[]"], ended.stderr
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dashboard.nothing
    assert set(dashboard.__all__) <= set(dir(dashboard))


@pytest.mark.parametrize("metrics", ["", "P@5 AP nDCG@3"])
def test_numbers_are_those_of_the_command_line(
    capsys: pytest.CaptureFixture[str], metrics: str
) -> None:
    driving = dashboard.open("driving")
    options, choices = ["--threshold", "0.5"], {"threshold": 0.5}
    if metrics:
        options += ["--metrics", metrics]
    table = driving.measure(metrics, **choices)
    assert as_rows(table) == of_command(capsys, "measure", "driving", *options)
    each = driving.measure(metrics, ["v0.1"], by_query=True, **choices)
    call = ["measure", "driving", "--by-query", "--runs", "v0.1", *options]
    assert as_rows(each) == of_command(capsys, *call)
    compared = driving.compare("v0.1", "v0.2", metrics, **choices)
    pair = ["--baseline", "v0.1", "--candidate", "v0.2"]
    assert as_rows(compared) == of_command(capsys, "compare", "driving", *pair, *options)
    verdict = driving.verdict("v0.1", "v0.2", "AP", metrics=metrics, **choices)
    row = compared[compared["metric"] == "AP"].iloc[0]
    assert (verdict.delta, verdict.p) == (row["delta"], row["p_holm"]) and verdict.better
    assert str(verdict) == verdict.sentence and verdict.sentence.startswith("v0.2 is better")


@pytest.mark.parametrize("kind", ["array", "pair", "mapping", "frame", "file", "ids", "vectors"])
def test_vectors_are_taken_as_a_script_has_them(
    tiny: dashboard.OpenCollection, tmp_path: Path, kind: str
) -> None:
    rows, queries = vectors(4), (TEXTS, vectors(3))
    more: dict[str, object] = {}
    items: object = rows
    if kind == "pair":
        items = (ITEMS, rows)
    elif kind == "mapping":
        items = dict(zip(ITEMS, rows, strict=True))
    elif kind == "frame":
        items = pd.DataFrame(rows, index=list(ITEMS))
    elif kind == "file":
        np.save(tmp_path / "rows.npy", rows)
        items = tmp_path / "rows.npy"
    elif kind == "ids":
        more["item_ids"] = ITEMS
    elif kind == "vectors":
        items, more["vectors"] = ITEMS, rows
    table = tiny.add_version("new", items=items, queries=queries, note="x", **more)
    assert table["file"].tolist()[0] == "models/new/items.npy" and "new" in tiny.versions
    saved = stored.open_collection(tiny.folder, allow_path=True).models["new"]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(saved.items.matrix, unit, atol=1e-6)


def test_a_tensor_is_taken_too(tiny: dashboard.OpenCollection) -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(vectors(4), requires_grad=True)
    tiny.add_version("a", items=tensor, queries=list(torch.tensor(vectors(3))))
    tiny.add_version("b", items=tensor.bfloat16(), queries=torch.tensor(vectors(3)))
    assert {"a", "b"} <= set(tiny.versions)


def test_what_is_no_vector_is_refused(tiny: dashboard.OpenCollection) -> None:
    for items in ("nowhere.npy", [], [["a"]], [[1.0], [1.0, 2.0]], {"v00": None}, np.ones(3)):
        with pytest.raises(DataError):
            tiny.add_version("new", items=items)
    with pytest.raises(ValueError, match="one of them"):
        tiny.add_version("new")
    with pytest.warns(UserWarning, match="unknown ids"):
        tiny.add_version("new", items=([*ITEMS, "x"], vectors(5)), queries=vectors(3))


def test_a_frame_of_ranked_lists_is_a_version(tiny: dashboard.OpenCollection) -> None:
    run = pd.DataFrame({"query_id": ["q1", "q2"], "item_id": ["v00", "v01"], "score": [1.0, 1.0]})
    tiny.add_version("bm25", run=run)
    assert "bm25" in tiny.versions and "bm25" in set(tiny.measure()["run"])
    with pytest.raises(DataError, match="no column score"):
        tiny.add_version("bare", run=run[["query_id", "item_id"]])


def offered(app: AppTest) -> set[str]:
    return {option for box in app.selectbox for option in box.options}


def test_a_running_app_has_it_at_its_next_step(
    tiny: dashboard.OpenCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "COLLECTIONS", tiny.folder.parent)
    app = AppTest.from_file(str(MAIN), default_timeout=100)
    app.query_params["collection"] = "tiny"
    app.run()
    assert not app.exception and "v0.3" not in offered(app)
    tiny.add_version("v0.3", items=vectors(4), queries=vectors(3))
    app.run()
    assert not app.exception and "v0.3" in offered(app)


@pytest.mark.slow
def test_the_example_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((ROOT / "dashboard" / "example.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 4 and all(not c.get("outputs") for c in notebook["cells"])
    namespace: dict[str, object] = {"__name__": "notebook"}
    for number, cell in enumerate(cells):
        exec(compile(cell, f"cell {number}", "exec"), namespace)


class Trained:
    """A model in training, whose copy embeds as `tests.encoding` does."""

    def save_pretrained(self, folder: str) -> None:
        Path(folder, "modules.json").write_text("[]")


def test_a_trainers_callback_adds_versions_and_ends_no_training(
    tiny: dashboard.OpenCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import TrainerControl, TrainerState
    from transformers.trainer_callback import CallbackHandler

    items = tiny.folder / "items.csv"
    items.write_text(items.read_text().replace(".mp4,video", ".mp4,text"))
    folders = []

    def encoder_of(folder: str, **rest: object) -> embedding.BatchEncoder:
        folders.append(Path(folder))
        assert (folders[-1] / "modules.json").is_file()
        return embedding.encoder_of("tests.encoding:encode", **rest)

    monkeypatch.setattr(training, "encoder_of", encoder_of)
    callback = tiny.trainer_callback("v5", at=("evaluate", "save", "end"))
    state = TrainerState(global_step=200, max_steps=300, is_world_process_zero=True)
    call = (None, state, TrainerControl())
    trainer = CallbackHandler([callback], Trained(), None, None, None)
    trainer.on_step_end(*call)
    assert not folders
    trainer.on_evaluate(*call, metrics={})
    trainer.on_save(*call)
    trainer.on_train_end(*call)
    assert tiny.versions == ("v0.1", "v0.2", "v5", "v5-200")
    assert tiny._opened.models["v5-200"].note == "step 200 of 300"
    assert not any(folder.exists() for folder in folders) and len(folders) == 2
    recorded = tiny._opened.models["v5-200"].settings["text_model"]
    assert recorded == "the model in training; its copy is text_model/ of this version"
    again = CallbackHandler([tiny.trainer_callback("v5", note="x")], Trained(), None, None, None)
    again.on_save(*call)
    with pytest.warns(UserWarning, match="v5 was not added: .*already"):
        again.on_train_end(*call)
    state.is_world_process_zero = False
    other = CallbackHandler([tiny.trainer_callback("v6")], Trained(), None, None, None)
    other.on_train_end(*call)
    assert "v6" not in tiny.versions, "one process of several adds it"
    with pytest.raises(ValueError, match="choose some of end, evaluate, save"):
        tiny.trainer_callback("v6", at="epoch")
