"""A picture becomes the vector that a version's networks give it, worked out here by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.retrieval import one_query
from dashboard.retrieval.encoders import pictures
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.versions.picture_side import PictureSide
from dashboard.tables import DataError
from tests.retrieval.networks import mean_colours, see, weighted

RED = Image.new("RGB", (4, 2), (255, 0, 0))
PLAIN = "size = [2, 2]\nmean = 0\nspread = 255\n"


def side(**changes: object) -> PictureSide:
    usual = {
        "encoder": "onnx", "networks": (), "size": (2, 1), "resample": "nearest", "fit": "stretch",
        "colours": "RGB", "mean": (0.0,), "spread": (1.0,), "background": 255, "digest": "",
    }  # fmt: skip
    return PictureSide(**{**usual, **changes})  # type: ignore[arg-type]


def halves(left: tuple[int, ...], right: tuple[int, ...], mode: str = "RGB") -> Image.Image:
    made = Image.new(mode, (2, 1), left)
    made.putpixel((1, 0), right)
    return made


def test_pixels_stand_colour_by_colour_scaled_by_mean_and_spread() -> None:
    picture = halves((10, 20, 30), (40, 50, 60))
    seen = pictures.pixels(side(mean=(10.0, 20.0, 30.0), spread=(1.0, 2.0, 3.0)), picture)
    assert seen.dtype == np.float32 and seen.shape == (1, 3, 1, 2)
    assert seen[0].tolist() == [[[0, 30]], [[0, 15]], [[0, 10]]]


def test_transparent_pixels_are_the_background() -> None:
    picture = halves((9, 9, 9, 0), (9, 9, 9, 255), "RGBA")
    seen = pictures.pixels(side(background=100, colours="L"), picture)
    assert seen[0, 0].tolist() == [[100, 9]]


def test_grey_and_palette_pictures_are_seen_in_colour() -> None:
    grey = Image.new("L", (2, 1), 7)
    for picture in (grey, grey.convert("P"), grey.convert("CMYK").convert("RGB")):
        assert pictures.pixels(side(), picture)[0].tolist() == [[[7, 7]]] * 3


def test_the_middle_is_cut_out_or_all_is_stretched() -> None:
    wide = Image.new("L", (4, 1))
    for place, value in enumerate((0, 100, 200, 250)):
        wide.putpixel((place, 0), value)
    cut = pictures.pixels(side(fit="crop", colours="L", size=(2, 1)), wide)
    assert cut[0, 0].tolist() == [[100, 200]]
    stretched = pictures.pixels(side(colours="L", size=(4, 2)), wide)
    assert stretched[0, 0].tolist() == [[0, 100, 200, 250]] * 2


def test_versions_rank_by_their_own_network_after_the_one_they_share(folder: Path) -> None:
    """Red is (1, 0, 0): v0.1 takes it as it is, v0.2 turns red into green."""
    mean_colours(folder / "networks/means.onnx", 3)
    width = np.load(folder / "models/v0.1/items.npy").shape[1]
    straight, turned = np.zeros((3, width)), np.zeros((3, width))
    straight[0, 0], turned[0, 1] = 2, 2
    for version, weights in (("v0.1", straight), ("v0.2", turned)):
        weighted(folder / f"models/{version}/picture.onnx", weights)
        see(folder, version, f'{PLAIN}before = "means.onnx"\n')
        vectors = np.zeros((4, width), np.float32)
        vectors[0, 0], vectors[1, 1], vectors[2, [0, 1]], vectors[3, 2] = 1, 1, 1, 1
        np.save(folder / f"models/{version}/items.npy", vectors)
    collection = open_collection(folder, allow_path=True)
    first = one_query.picture_run(collection, "v0.1", RED, 4)
    second = one_query.picture_run(collection, "v0.2", RED, 4)
    assert first["item_id"].tolist() == ["v00", "v02", "v01", "v03"]
    assert first["score"].tolist() == [1, round(0.5**0.5, 6), 0, 0]
    assert second["item_id"].tolist() == ["v01", "v02", "v00", "v03"]
    assert set(first["query_id"]) == {"typed"}


def test_signs_are_the_code_where_items_are_codes(folder: Path) -> None:
    weights = np.array([[3, -1, 0, -2]], dtype=float).repeat(3, 0)
    mean_colours(folder / "networks/means.onnx", 3)
    weighted(folder / "models/v0.1/picture.onnx", weights)
    see(folder, "v0.1", f'{PLAIN}before = "means.onnx"\n')
    codes = np.array([[1, -1, 1, -1], [1, 1, 1, 1], [-1, 1, -1, 1], [1, -1, -1, -1]], np.int8)
    np.save(folder / "models/v0.1/items.npy", codes)
    for left in ("queries.npy", "queries.txt", "text_projection.npy", "text_bias.npy"):
        (folder / f"models/v0.1/{left}").unlink(missing_ok=True)
    settings = folder / "models/v0.1/model.toml"
    settings.write_text(
        "\n".join(line for line in settings.read_text().split("\n") if "dimension" not in line)
    )
    run = one_query.picture_run(open_collection(folder, allow_path=True), "v0.1", RED, 4)
    assert run["item_id"].tolist() == ["v00", "v03", "v01", "v02"]
    assert run["score"].tolist() == [1, 0.5, 0, -1], "1 - 2 · distance ÷ bits; 0 counts as +1"


def test_a_replaced_network_is_another_version_and_is_loaded_anew(folder: Path) -> None:
    width = np.load(folder / "models/v0.1/items.npy").shape[1]
    mean_colours(folder / "networks/means.onnx", 3)
    own = folder / "models/v0.1/picture.onnx"
    see(folder, "v0.1", f'{PLAIN}before = "means.onnx"\n')
    seen = []
    for column in (0, 1):
        weights = np.zeros((3, width))
        weights[0, column] = 1
        weighted(own, weights)
        known = open_collection(folder, allow_path=True).models["v0.1"]
        vector = pictures.encode_picture(known, RED, "x").matrix[0]
        seen.append((known.digest, vector.tolist()))
    assert seen[0][0] != seen[1][0]
    assert [vector.index(1) for _, vector in seen] == [0, 1]


def test_what_a_version_cannot_see_is_said(folder: Path) -> None:
    model = open_collection(folder, allow_path=True).models["v0.1"]
    with pytest.raises(DataError, match=r"v0\.1/model\.toml.*no table \[picture\]"):
        pictures.encode_picture(model, RED, "x")

    own = mean_colours(folder / "models/v0.1/picture.onnx", 1)
    see(folder, "v0.1", PLAIN)
    model = open_collection(folder, allow_path=True).models["v0.1"]
    with pytest.raises(DataError, match="vector of 1 numbers"):
        pictures.encode_picture(model, RED, "x")

    own.write_bytes(b"no network")
    model = open_collection(folder, allow_path=True).models["v0.1"]
    with pytest.raises(DataError, match=r"models/v0\.1/picture\.onnx.*cannot be loaded"):
        pictures.encode_picture(model, RED, "x")


def test_a_refused_picture_side_leaves_the_version_all_else(folder: Path) -> None:
    see(folder, "v0.1", PLAIN)
    collection = open_collection(folder, allow_path=True)
    assert collection.models["v0.1"].picture is None and not collection.broken
    wrong = collection.findings[collection.findings["level"] == "error"]
    assert wrong["file"].tolist() == ["models/v0.1/picture.onnx"]
    with pytest.raises(DataError, match=r"a table \[picture\] that cannot be used"):
        pictures.encode_picture(collection.models["v0.1"], RED, "x")


def test_black_has_no_direction(folder: Path) -> None:
    width = np.load(folder / "models/v0.1/items.npy").shape[1]
    mean_colours(folder / "networks/means.onnx", 3)
    weighted(folder / "models/v0.1/picture.onnx", np.ones((3, width)))
    see(folder, "v0.1", f'{PLAIN}before = "means.onnx"\n')
    model = open_collection(folder, allow_path=True).models["v0.1"]
    with pytest.raises(DataError, match="only zeros"):
        pictures.encode_picture(model, Image.new("RGB", (3, 3)), "x")


def small_siglip(place: Path) -> Path:
    """A SigLIP model of 8 dimensions with random weights, as a sentence-transformers folder."""
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import (
        PreTrainedTokenizerFast,
        SiglipConfig,
        SiglipImageProcessorPil,
        SiglipModel,
        SiglipProcessor,
    )

    words = {"<pad>": 0, "</s>": 1, "<unk>": 2, "car": 3, "a": 4}
    cut = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    cut.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens = PreTrainedTokenizerFast(
        tokenizer_object=cut, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    sizes = {
        "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
    }  # fmt: skip
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    text = {**sizes, "vocab_size": 5, "max_position_embeddings": 16, "projection_size": 8}
    vision = {**sizes, "image_size": 32, "patch_size": 16}
    config = SiglipConfig(text_config={**text, **special}, vision_config=vision)
    SiglipModel(config).save_pretrained(place / "siglip")
    looks = SiglipImageProcessorPil(size={"height": 32, "width": 32})
    SiglipProcessor(looks, tokens).save_pretrained(place / "siglip")
    SentenceTransformer(str(place / "siglip")).save(str(place / "folder"))
    return place / "folder"


def small_clip(place: Path) -> Path:
    """A CLIP model of 8 dimensions with random weights, as a sentence-transformers folder."""
    from sentence_transformers import SentenceTransformer
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor, CLIPTokenizer

    words = {"<|startoftext|>": 0, "<|endoftext|>": 1, "a</w>": 2, "a": 3}
    (place / "vocab.json").write_text(json.dumps(words))
    (place / "merges.txt").write_text("#version: 0.2\n")
    tokens = CLIPTokenizer(str(place / "vocab.json"), str(place / "merges.txt"))
    sizes = {
        "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
        "projection_dim": 8,
    }  # fmt: skip
    text = {**sizes, "vocab_size": 4, "max_position_embeddings": 64, "eos_token_id": 1}
    vision = {**sizes, "image_size": 32, "patch_size": 16}
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=8)
    CLIPModel(config).save_pretrained(place / "clip")
    looks = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(looks, tokens).save_pretrained(place / "clip")
    SentenceTransformer(str(place / "clip")).save(str(place / "folder"))
    return place / "folder"


@pytest.mark.slow
def test_a_model_that_sees_pictures_too_needs_no_network(folder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    place = tmp_path / "made"
    place.mkdir()
    made = small_clip(place)
    own = folder / "models/v0.1/text_model"
    made.rename(own)
    for left in ("queries.npy", "queries.txt", "text_projection.npy", "text_bias.npy"):
        (folder / f"models/v0.1/{left}").unlink(missing_ok=True)
    np.save(folder / "models/v0.1/items.npy", np.eye(4, 8, dtype=np.float32))
    (folder / "models/v0.1/model.toml").write_text('encoder = "sentence-transformers"\n')
    see(folder, "v0.1", 'encoder = "sentence-transformers"\n')
    model = open_collection(folder, allow_path=True).models["v0.1"]
    got = pictures.encode_picture(model, RED, "x").matrix[0]
    wanted = SentenceTransformer(str(own)).encode([RED], normalize_embeddings=True)[0]
    assert got == pytest.approx(wanted, abs=1e-5)
