"""`embed` makes a version with an encoder, goes on after a kill, and the same encoder then embeds
what is typed and uploaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.experiment.collection.collections import opened_in, usual_queries
from dashboard.experiment.versions import embedding_parts
from dashboard.retrieval import services
from dashboard.retrieval.encoders import encoders, endpoints, language_models, networks, pictures
from dashboard.storage.versions.model_record import outdated
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError
from tests import encoding
from tests.retrieval.networks import mean_colours, of_tokens
from tests.retrieval.test_pictures import small_clip, small_siglip
from tests.services import Asked, served
from tests.storage.tiny import ITEMS, make_collection

ROOT = Path(__file__).parents[1]
TEXTS = {"v00": "a car on a motorway", "v01": "somebody crosses", "v02": "a bike comes in"}
FUNCTION = "tests.encoding:encode"


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "PAUSE", 0.0)
    monkeypatch.setattr(embedding_parts, "PART_SECONDS", 0.0)
    encoding.calls.clear()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """The tiny collection, its items as texts."""
    folder = make_collection(tmp_path / "tiny")
    items = folder / "items.csv"
    items.write_text(items.read_text().replace(".mp4,video", ".mp4,text"))
    return folder


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The tiny collection with three pictures and a damaged one."""
    folder = make_collection(tmp_path / "tiny")
    (folder / "media").mkdir()
    lines = ["item_id,file,kind,caption"]
    for place, item in enumerate(ITEMS):
        file = folder / "media" / f"{item}.png"
        Image.new("RGB", (40, 30), (60 * place, 200 - 60 * place, 90)).save(file)
        lines.append(f"{item},{item}.png,image,")
    file.write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    (folder / "items.csv").write_text("\n".join(lines) + "\n")
    return folder


def embed(folder: Path, encoder: object, *more: str) -> int:
    return main(["embed", str(folder), "v1", "--encoder", str(encoder), *more])


def made(folder: Path) -> Model:
    return opened_in(folder).models["v1"]


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def test_a_function_embeds_items_and_queries(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert embed(texts, FUNCTION, "--note", "hashed", "--format", "json") == 0
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert [(r["what"], r["done"], r["skipped"]) for r in rows] == [
        ("items", 4, 0),
        ("queries", 3, 0),
    ]
    model = made(texts)
    wanted = unit(encoding.encode([TEXTS[item] for item in ITEMS[:3]]))
    np.testing.assert_allclose(model.items.rows(ITEMS[:3]).matrix, wanted, atol=1e-6)
    assert model.note == "hashed" and model.encoder == "none" and model.queries is not None
    assert not (texts / ".drafts").exists() and "candidate=v1" in printed.err
    with pytest.raises(DataError, match="found encoder = 'none'"):  # never called by the app
        encoders.encode_text(model, ["x"])
    assert embed(texts, FUNCTION) == 2, "no version is written over"


@pytest.mark.parametrize(
    ("encoder", "sentence"),
    [
        ("tests.encoding:half", "an array of the shape (2, 8) for 4 inputs"),
        ("tests.encoding:broken", "RuntimeError: out of \\x1b[31mcheese"),
        ("tests.encoding:nothing", "no such function"),
        ("tests.encoding:WIDTH", "a int"),
        ("no.such.module:encode", "no such function"),
        ("nowhere.onnx", "no such file"),
        ("./nowhere", "wanted a folder or hub name"),
        ("ftp://x/y", "a folder or hub name"),
        ("http://user:secret@127.0.0.1/", "a name or password in it"),
    ],
)
def test_an_encoder_that_cannot_be_used_is_a_sentence(
    texts: Path, capsys: pytest.CaptureFixture[str], encoder: str, sentence: str
) -> None:
    assert embed(texts, encoder) == 2
    error = capsys.readouterr().err
    assert sentence in error and "\x1b" not in error and "Traceback" not in error
    assert not (texts / "models" / "v1").exists()


def test_rows_without_a_direction_are_skipped_and_listed(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert embed(texts, "tests.encoding:sometimes_nan") == 0
    assert "'v01' skipped: a vector with NaN" in capsys.readouterr().err
    assert set(made(texts).items.ids) == {"v00", "v02", "v03"}


def test_what_was_embedded_before_it_failed_is_not_embedded_again(texts: Path) -> None:
    assert embed(texts, "tests.encoding:stops", "--batch", "2") == 2
    assert encoding.calls == [2, 2] and not (texts / "models" / "v1").exists()
    assert embed(texts, "tests.encoding:stops", "--batch", "2") == 0
    assert encoding.calls == [2, 2, 2, 2, 1]  # the other two items, then three queries
    assert made(texts).items.ids == ITEMS


def test_another_encoder_does_not_go_on_with_the_first_ones_vectors(texts: Path) -> None:
    assert embed(texts, "tests.encoding:stops", "--batch", "2") == 2
    assert embed(texts, "tests.encoding:counted") == 0
    assert encoding.calls[2:] == [4, 3]


@pytest.mark.slow
def test_killed_at_any_moment_the_next_call_goes_on(texts: Path) -> None:
    call = ["embed", str(texts), "v1", "--encoder", FUNCTION, "--batch", "1", "--format", "json"]
    loop = [sys.executable, "-m", "tests.kills", str(texts), *call]
    some = {**os.environ, "KILLS_STEP": "9"}
    ended = subprocess.run(
        loop, cwd=ROOT, capture_output=True, text=True, env=some, check=True, timeout=400
    )
    states = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"killed')]
    assert len(states) > 4 and not states[-1]["killed"]
    assert all(set(state["there"]) >= {"v0.1", "v0.2"} for state in states)
    model = made(texts)
    assert model.items.ids == ITEMS and not opened_in(texts).broken
    wanted = unit(encoding.encode([TEXTS[item] for item in ITEMS[:3]]))
    np.testing.assert_allclose(model.items.rows(ITEMS[:3]).matrix, wanted, atol=1e-6)


def test_a_network_sees_pictures_and_uploads_alike(
    seen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = mean_colours(tmp_path / "net.onnx", 3)
    assert embed(seen, network) == 2
    assert 'wanted --picture "size = [224, 224], mean' in capsys.readouterr().err
    assert embed(seen, network, "--picture", "size = [4, 4], spread = 255") == 0
    error = capsys.readouterr().err
    assert "'v03' skipped:" in error
    model = made(seen)
    assert model.items.ids == ITEMS[:3] and model.picture is not None
    upload = Image.open(seen / "media" / "v01.png")
    vector = pictures.encode_picture(model, upload, "x").matrix[0]
    np.testing.assert_allclose(vector, model.items.rows(["v01"]).matrix[0], atol=1e-6)
    mean_colours(seen / "models" / "v1" / "picture.onnx", 3)  # the same file again
    pictures.encode_picture(made(seen), upload, "x")
    settings = seen / "models" / "v1" / "model.toml"
    settings.write_text(settings.read_text().replace("spread = 255", "spread = 1"))
    with pytest.raises(DataError, match="a query side that differs"):
        pictures.encode_picture(made(seen), upload, "x")


def test_versions_that_see_pictures_only_open_with_queries_that_are_items(
    seen: Path, tmp_path: Path
) -> None:
    network = mean_colours(tmp_path / "net.onnx", 3)
    words = "query_id,ngram,group,keyword,score\nq1,car,pv_object_type,small vehicle,1\n"
    (seen / "query_keywords.csv").write_text(words)
    assert usual_queries(opened_in(seen)) == "text"
    shutil.rmtree(seen / "models")
    assert embed(seen, network, "--picture", "size = [4, 4], spread = 255") == 0
    assert usual_queries(opened_in(seen)) == "item"


def test_without_any_readable_item_there_is_no_version(
    seen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (seen / "media").iterdir():
        file.write_bytes(b"nothing")
    assert embed(seen, FUNCTION) == 2
    assert "no item that can be embedded" in capsys.readouterr().err


def test_a_clip_is_the_mean_of_its_frames(tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "tiny")
    clip = next((ROOT / "data" / "driving" / "media").glob("*.mp4"))
    (folder / "media").mkdir()
    (folder / "media" / "v00.mp4").write_bytes(clip.read_bytes())
    assert embed(folder, FUNCTION, "--frames", "2", "--batch", "1") == 0
    from dashboard.storage.media.frames import pictures_of

    collection = opened_in(folder)
    row = {"file": "v00.mp4", "kind": "video"}
    frames = pictures_of(collection, row, 2)
    assert len(frames) == 2 and np.asarray(frames[0]).std() > 5
    assert not np.array_equal(np.asarray(frames[0]), np.asarray(frames[1]))
    wanted = unit(unit(encoding.encode(frames)).mean(axis=0))
    np.testing.assert_allclose(made(folder).items.matrix[0], wanted, atol=1e-6)


@pytest.mark.slow
def test_clip_embeds_pictures_texts_and_uploads(seen: Path, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    model_folder = small_clip(tmp_path / "made")
    try:
        assert embed(seen, model_folder) == 0
        model = made(seen)
        text = encoders.encode_text(model, ["car"])[0]
        np.testing.assert_allclose(text, model.queries.rows(["q1"]).matrix[0], atol=1e-4)
        upload = Image.open(seen / "media" / "v01.png")
        vector = pictures.encode_picture(model, upload, "x").matrix[0]
        np.testing.assert_allclose(vector, model.items.rows(["v01"]).matrix[0], atol=1e-4)
        config = seen / "models" / "v1" / "text_model" / "modules.json"
        config.write_text(config.read_text() + "\n")
        with pytest.raises(DataError, match="a query side that differs"):
            encoders.encode_text(made(seen), ["car"])
    finally:
        language_models.EMBEDDING.end()
        language_models.PROCESSES.end()


TABLE = np.array([[9, 9, 9], [1, 0, 0], [0, 1, 0], [0, 0, 2]], "float32")


@pytest.mark.parametrize(
    ("pooling", "masked", "vector"),
    [
        ("mean", True, [1, 1, 0]),
        ("mean", False, [1, 1, 0]),
        ("first", True, [1, 0, 0]),
        ("last", True, [0, 1, 0]),
    ],
)
def test_an_onnx_network_of_texts_pools_its_tokens(tmp_path, pooling, masked, vector) -> None:
    path = of_tokens(tmp_path / "net.onnx", TABLE, masked=masked)
    texts = ["a car", "a bike car bike a", "bike"]
    given = (path, path.with_name("tokenizer.json"), "net.onnx")
    found = networks.text_vectors(*given, texts, pooling, 512)
    np.testing.assert_allclose(unit(found[0]), unit(np.array(vector, "float32")), atol=1e-6)
    cut = networks.text_vectors(*given, ["bike car"], pooling, 1)
    np.testing.assert_allclose(unit(cut[0]), [0, 0, 1], atol=1e-6)


def test_an_onnx_network_of_texts_embeds_items_queries_and_what_is_typed(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = of_tokens(tmp_path / "net" / "model.onnx", TABLE)
    prompts = ("--prompt-queries", "bike ", "--prompt-items", "a ")
    assert embed(texts, network, "--pooling", "last", *prompts) == 0
    model = made(texts)
    assert model.encoder == "onnx" and model.settings["pooling"] == "last"
    typed = encoders.encode_text(model, ["car"])[0]
    np.testing.assert_allclose(typed, unit(TABLE[2]), atol=1e-6)
    assert model.settings["prompt_queries"] == "bike " and model.settings["prompt_items"] == "a "
    file = texts / "models" / "v1" / "model.toml"
    file.write_text(file.read_text().replace('pooling = "last"', 'pooling = "first"'))
    with pytest.raises(DataError, match="a query side that differs"):
        encoders.encode_text(made(texts), ["car"])
    (network.with_name("tokenizer.json")).write_text("{}")
    call = ["embed", str(texts), "v2", "--encoder", str(network)]
    assert main(call) == 2 and "a tokenizer.json that cannot be read" in capsys.readouterr().err


def test_prompts_stand_before_the_texts_of_each_side(texts: Path) -> None:
    assert embed(texts, FUNCTION, "--prompt-queries", "query: ", "--prompt-items", "passage: ") == 0
    model = made(texts)
    wanted = unit(encoding.encode([f"passage: {TEXTS[item]}" for item in ITEMS[:3]]))
    np.testing.assert_allclose(model.items.rows(ITEMS[:3]).matrix, wanted, atol=1e-6)
    asked = unit(encoding.encode(["query: car"]))
    np.testing.assert_allclose(model.queries.rows(["q1"]).matrix, asked, atol=1e-6)
    settings = texts / "models" / "v1" / "model.toml"
    assert 'prompt_queries = "query: "' in settings.read_text()


def test_queries_of_a_version_that_is_there_are_embedded_anew(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert embed(texts, FUNCTION, "--prompt-queries", "query: ") == 0
    before = made(texts)
    file = texts / "queries.csv"
    file.write_text(file.read_text() + "new,a new query,\n")
    again = ["embed", str(texts), "v1", "--what", "queries"]
    assert main(again) == 2 and "Name it with --encoder" in capsys.readouterr().err
    assert main([*again, "--encoder", "tests.encoding:half"]) == 2
    assert "another encoder on record" in capsys.readouterr().err
    assert main(["embed", str(texts), "v0.1", "--what", "queries", "--encoder", FUNCTION]) == 2
    assert "no encoder on record" in capsys.readouterr().err
    assert main([*again, "--encoder", FUNCTION, "--prompt-queries", "other"]) == 2
    capsys.readouterr()
    assert made(texts).digest == before.digest
    assert main([*again, "--encoder", FUNCTION]) == 0
    model = made(texts)
    wanted = unit(encoding.encode(["query: a new query", "query: car"]))
    np.testing.assert_allclose(model.queries.rows(["new", "q1"]).matrix, wanted, atol=1e-6)
    np.testing.assert_array_equal(model.items.matrix, before.items.matrix)
    assert not (texts / ".drafts").exists()
    assert not outdated(model, opened_in(texts).digests)


@pytest.mark.slow
def test_queries_are_embedded_by_the_query_side_on_record(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert embed(texts, of_tokens(tmp_path / "net.onnx", TABLE)) == 0
    file = texts / "queries.csv"
    file.write_text(file.read_text() + "new,bike,\n")
    call = ["embed", str(texts), "v1", "--what", "queries"]
    loop = [sys.executable, "-m", "tests.kills", str(texts), *call]
    some = {**os.environ, "KILLS_STEP": "7"}
    ended = subprocess.run(
        loop, cwd=ROOT, capture_output=True, text=True, env=some, check=True, timeout=400
    )
    states = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"killed')]
    assert len(states) > 3 and states[-1]["code"] == 0
    assert all("v1" in state["there"] for state in states)
    np.testing.assert_allclose(made(texts).queries.rows(["new"]).matrix, [[0, 0, 1]], atol=1e-6)
    network = texts / "models" / "v1" / "text.onnx"
    of_tokens(network, TABLE[:, ::-1])
    assert main(call) == 2 and "a query side that differs" in capsys.readouterr().err


@pytest.mark.slow
def test_siglip_sees_each_text_filled_up_as_it_was_trained(texts: Path, tmp_path: Path) -> None:
    file = texts / "queries.csv"
    file.write_text(file.read_text() + "long,a car a car a car a car,\n")
    folder = small_siglip(tmp_path / "made")
    about = folder / "config_sentence_transformers.json"
    told = json.loads(about.read_text())
    about.write_text(json.dumps({**told, "prompts": {"query": "a ", "document": ""}}))
    try:
        assert embed(texts, folder) == 0
        model = made(texts)
        assert model.settings["prompt_queries"] == "a "
        alone = encoders.encode_text(model, ["car"])[0]
        np.testing.assert_allclose(alone, model.queries.rows(["q1"]).matrix[0], atol=1e-4)
    finally:
        language_models.EMBEDDING.end()
        language_models.PROCESSES.end()


def test_a_hub_that_cannot_be_reached_is_a_sentence(texts: Path) -> None:
    nowhere = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_DISABLE_TELEMETRY": "1"}
    call = [sys.executable, "-m", "dashboard", "embed", str(texts), "v1", "--encoder", "a/model"]
    ended = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, env=nowhere, timeout=300)
    assert ended.returncode == 2 and "no model 'a/model'" in ended.stderr
    assert "Traceback" not in ended.stderr and not (texts / "models" / "v1").exists()


def vectors(body: Any) -> list[list[float]]:
    return [encoding.vector_of(text).tolist() for text in body["input"]]


def of_openai(asked: Asked) -> tuple[int, Any]:
    rows = [{"index": n, "embedding": row} for n, row in enumerate(vectors(asked.body))]
    return 200, {"object": "list", "data": rows[::-1], "model": asked.body["model"]}


def test_the_embeddings_api_embeds_and_answers_live_where_it_is_allowed(
    texts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OUR_KEY", "s3cret-key")
    other = []

    def answer(asked: Asked) -> tuple[int, Any]:
        status, found = of_openai(asked)
        if other:
            found["data"] = [{**row, "embedding": row["embedding"][::-1]} for row in found["data"]]
        return status, found

    with served(answer) as server:
        url = f"{server.url}/v1/embeddings"
        assert embed(texts, url, "--model", "m", "--key-env", "OUR_KEY") == 0
        assert server.asked[0].headers["Authorization"] == "Bearer s3cret-key"
        files = [path for path in texts.rglob("*") if path.is_file()]
        assert not any(b"s3cret-key" in path.read_bytes() for path in files)
        model = made(texts)
        with pytest.raises(DataError, match="DASHBOARD_ENCODERS lists"):
            encoders.encode_text(model, ["car"])
        monkeypatch.setenv(endpoints.ADDRESSES, f"http://elsewhere {url}")
        text = encoders.encode_text(model, ["car"])[0]
        np.testing.assert_allclose(text, model.queries.rows(["q1"]).matrix[0], atol=1e-6)
        endpoints._PROBED.clear()
        other.append(True)
        with pytest.raises(DataError, match="embeds otherwise"):
            encoders.encode_text(model, ["car"])
    assert "s3cret-key" not in "".join(capsys.readouterr())


def test_plain_json_is_an_encoder_too(texts: Path) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        return 200, {"embeddings": [encoding.vector_of(t).tolist() for t in asked.body["inputs"]]}

    with served(answer) as server:
        assert embed(texts, f"{server.url}/embed") == 0
    assert made(texts).items.ids == ITEMS


ANSWERS = [
    (
        "half of them",
        lambda rows: (200, {"data": rows[: len(rows) // 2]}),
        "2 vectors for 4 inputs",
    ),
    ("a page", lambda rows: (200, b"<html>Welcome</html>"), "no JSON ('<html>"),
    ("words", lambda rows: (200, {"data": ["a", "b", "c", "d"]}), "not numbers of one width"),
    ("two widths", lambda rows: (200, {"data": [[1.0], [1.0, 2.0], [1.0], [1.0]]}), "one width"),
    ("refused", lambda rows: (401, {"error": "no \x1b[1m s3cret-key"}), "status 401"),
    ("failing", lambda rows: (503, b"busy"), "status 503: 'busy'"),
    ("elsewhere", lambda rows: (302, b""), "status 302"),
    ("nothing", lambda rows: (200, {"data": None}), "no list of vectors"),
]


@pytest.mark.parametrize(("name", "answer", "sentence"), ANSWERS)
def test_a_service_that_answers_wrongly_is_a_sentence(
    texts: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    answer: Any,
    sentence: str,
) -> None:
    monkeypatch.setenv("OUR_KEY", "s3cret-key")
    with served(lambda asked: answer([[1.0, 2.0]] * len(asked.body["input"]))) as server:
        assert embed(texts, f"{server.url}/v1/embeddings", "--key-env", "OUR_KEY") == 2
    error = capsys.readouterr().err
    assert sentence in error and "\x1b" not in error and "s3cret-key" not in error
    assert not (texts / "models" / "v1").exists()


def test_a_service_is_tried_again_and_a_slow_one_given_up(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tries: list[int] = []

    def answer(asked: Asked) -> tuple[int, Any]:
        tries.append(1)
        return (429, b"slowly") if len(tries) < 3 else of_openai(asked)

    with served(answer) as server:
        assert embed(texts, f"{server.url}/v1/embeddings", "--model", "m") == 0
    assert len(tries) > 3
    over = threading.Event()

    def late(asked: Asked) -> tuple[int, Any]:
        over.wait(60)
        return 200, []

    with served(late) as server:
        call = ["embed", str(texts), "v2", "--encoder", f"{server.url}/embed"]
        try:
            assert main([*call, "--timeout", "0.2", "--tries", "2"]) == 2
        finally:
            over.set()
    assert "no answer within 0.2 s" in capsys.readouterr().err
