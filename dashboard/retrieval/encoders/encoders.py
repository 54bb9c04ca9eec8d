"""Text → unit vectors, by the text side of a model version."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image

from dashboard.retrieval.encoders import endpoints, language_models, networks
from dashboard.retrieval.encoders.language_models import Array, sentence_vectors
from dashboard.storage.vectors.vectors import Vectors, unit_rows
from dashboard.storage.versions import query_side
from dashboard.storage.versions.versions import TEXT_MODEL, TEXT_NETWORK, Model
from dashboard.tables import DataError, Findings


def encode_text(model: Model, texts: Sequence[str]) -> Array:
    """Unit vectors [text, dimension] of texts by the text side of a model version.

    Raises DataError where the version has no text side, or its vectors do not fit its items.
    """
    file = f"models/{model.name}/model.toml"
    if model.encoder not in ENCODERS:
        found, known = f"encoder = {model.encoder!r}", ", ".join(ENCODERS)
        cure = "Only its stored queries can be searched."
        raise DataError(file, found, f"one of {known} to encode a text", cure=cure)
    query_side.check(model)
    vectors = ENCODERS[model.encoder](model, texts)
    if vectors.shape[1] != model.dimension:
        found = f"text vectors of {vectors.shape[1]} dimensions"
        raise DataError(file, found, f"{model.dimension}, as its items have")
    return unit_rows(vectors, texts, file, Findings())


def text_vectors(model: Model, names: Sequence[str], texts: Sequence[str]) -> Vectors:
    """The vectors of texts under names; hash codes (their signs) where the items have codes.

    Raises DataError as `encode_text`.
    """
    found = Vectors(tuple(names), encode_text(model, texts))
    return found.signs() if model.codes else found


def _projected(model: Model, texts: Sequence[str]) -> Array:
    """The packaged model's vectors, mapped by the version's own learned projection."""
    file = f"models/{model.name}/text_projection.npy"
    if model.text_projection is None:
        raise DataError(file, "no such file", "the projection of text vectors")
    vectors = sentence_vectors(texts)
    if vectors.shape[1] != len(model.text_projection):
        found = f"{len(model.text_projection):,} rows"
        raise DataError(file, found, f"{vectors.shape[1]}, as the language model has dimensions")
    projected = vectors @ model.text_projection
    return projected if model.text_bias is None else projected + model.text_bias


def _own_model(model: Model, texts: Sequence[str]) -> Array:
    """A sentence-transformers folder: `text_model` inside the version's folder, else the
    operator's, which all versions without one share."""
    return sentence_vectors(texts, _own_folder(model), str(model.settings["prompt_queries"]))


def _own_network(model: Model, texts: Sequence[str]) -> Array:
    """The ONNX network text.onnx with tokenizer.json in the version's folder."""
    network, tokenizer = (model.folder / each for each in TEXT_NETWORK)
    shown, settings = f"models/{model.name}/{network.name}", model.settings
    for path in (network, tokenizer):
        if not path.is_file() or not path.resolve().is_relative_to(model.folder.resolve()):
            raise DataError(f"models/{model.name}/{path.name}", "no such file", "the file")
    pooling, most = str(settings["pooling"]), int(settings["max_tokens"])
    return networks.text_vectors(network, tokenizer, shown, _prompted(model, texts), pooling, most)


def _asked(model: Model, texts: Sequence[str]) -> Array:
    return endpoints.vectors_by(model, _prompted(model, texts))


def _prompted(model: Model, texts: Sequence[str]) -> list[str]:
    return [f"{model.settings['prompt_queries']}{text}" for text in texts]


def _own_folder(model: Model) -> Path | None:
    """The folder of a version's own language model; None: it uses the operator's."""
    folder = (model.folder / TEXT_MODEL).resolve()
    if not folder.is_relative_to(model.folder.resolve()):
        raise DataError(f"models/{model.name}/{TEXT_MODEL}", "a link out of the folder", "a folder")
    return None if not folder.exists() and os.environ.get(language_models.OPERATOR) else folder


def text_model_of(model: Model) -> Path:
    """The folder of the language model that a version encodes texts with. Raises DataError where
    there is none."""
    own = _own_folder(model) if model.encoder == "sentence-transformers" else None
    return own or language_models.packaged_model()


def see(model: Model, picture: Image.Image) -> Array:
    """The vector of an RGB picture by a version's sentence-transformers model, or its service.

    Raises DataError where that model embeds no pictures.
    """
    if model.picture is not None and model.picture.encoder == "http":
        vector: Array = endpoints.vectors_by(model, [picture])[0]
        return vector
    return language_models.picture_vector(picture, _own_folder(model))


# To add an encoder: one function from a model version and texts to vectors, and its line here.
ENCODERS: dict[str, Callable[[Model, Sequence[str]], Array]] = {
    "minilm+projection": _projected,
    "sentence-transformers": _own_model,
    "http": _asked,
    "onnx": _own_network,
}
