"""What embeds whole collections for new versions: language models, ONNX networks, functions and
services. Each says what the version's model.toml needs so that it embeds typed queries, too.

`module:function` runs the caller's own code: only the command line may name one, never a file of a
collection.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from dashboard.retrieval import services
from dashboard.retrieval.encoders import encoders, endpoints, language_models, networks, pictures
from dashboard.retrieval.services import Client
from dashboard.storage.collection import digests
from dashboard.storage.versions.picture_side import LARGEST, PictureSide, read_side
from dashboard.storage.versions.versions import TEXT_MODEL, TEXT_NETWORK, Model
from dashboard.tables import DataError, Findings

Array = npt.NDArray[Any]
Inputs = Sequence[str] | Sequence[Image.Image]
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_HUB_NAME = re.compile(r"\w[\w.-]{0,95}(/[\w.-]{1,96})?")
FILES = ("*.safetensors", "*.json", "*.txt", "*.model", "*.md")
"""What is taken of a hub's repository: no pickle, and no code."""
LEFT_OUT = (".*", "*.bin", "*.pt", "*.pth", "*.pkl", "*.py", "*.h5", "onnx", "openvino")
"""What no version gets of a model's folder: pickles, code, and weights for other libraries."""


@dataclass(frozen=True, eq=False)
class BatchEncoder:
    """Embeds texts and pictures, a batch at a time.

    fingerprint  changes with what it makes of them
    encode       a batch of texts, behind a prompt, or of RGB pictures → vectors [input, dimension].
                 Raises DataError
    prompts      those that the model itself brings: of "queries" and of "items"
    settings     keys of model.toml; `sees` adds those for pictures
    files        files of the version, by their names in it
    reads, sees  whether it embeds texts, and pictures; None: the first batch tells
    side_by_side batches that may run at the same time
    """

    name: str
    fingerprint: str
    encode: Callable[[Inputs, str], Array]
    settings: Mapping[str, object] = field(default_factory=dict)
    picture_settings: Mapping[str, object] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)
    reads: bool = True
    sees: bool = True
    side_by_side: int = 1
    prompts: Mapping[str, str] = field(default_factory=dict)


def prompted(inputs: Inputs, prompt: str) -> Inputs:
    """Texts behind a prompt; pictures as they are."""
    if not prompt or not all(isinstance(each, str) for each in inputs):
        return inputs
    return [f"{prompt}{each}" for each in inputs]


def recorded_encoder(model: Model) -> BatchEncoder:
    """The query side that a version has on record: it embeds texts as typed ones. Raises DataError
    where there is none."""
    if model.encoder not in encoders.ENCODERS:
        found = f"encoder = {model.encoder!r}: none that the version holds"
        wanted = "the encoder that embedded the items"
        raise DataError(f"models/{model.name}", found, wanted, cure="Name it with --encoder.")

    def encode(inputs: Inputs, prompt: str) -> Array:
        return encoders.encode_text(model, [each for each in inputs if isinstance(each, str)])

    digest = digests.of_values("recorded", model.digest)
    return BatchEncoder(f"the encoder of {model.name}", digest, encode, sees=False)


def encoder_of(
    named: str,
    *,
    picture: Mapping[str, Any],
    pooling: str = "mean",
    max_tokens: int = 512,
    model: str = "",
    headers: Mapping[str, str],
    client: Callable[[Mapping[str, str]], Client],
) -> BatchEncoder:
    """The encoder that a call names: the address of a service, `module:function`, an ONNX file, the
    folder of a sentence-transformers model, or its name on the hub.

    picture: how pictures are laid out for an ONNX network (the table [picture]). pooling,
    max_tokens: of an ONNX network of texts, which has a tokenizer.json beside it. model, headers:
    of a service. Raises DataError where there is none.
    """
    path = Path(named)
    if named.startswith(("http://", "https://")):
        return _service(services.check_address(named), model, client(headers))
    if path.suffix.lower() == ".onnx":
        tokenizer = path.with_name(TEXT_NETWORK[1])
        if tokenizer.is_file() and (not picture or "network" in picture):
            return _text_network(path, tokenizer, picture, pooling, max_tokens)
        return _network(path, picture)
    if path.is_dir():
        return _language_model(path, named)
    if _FUNCTION.fullmatch(named):
        return _function(named)
    if _HUB_NAME.fullmatch(named) and not path.exists():
        return _language_model(_fetched(named), named)
    wanted = "a folder or hub name of a sentence-transformers model, an .onnx file, "
    wanted += "module:function, or an http:// address"
    raise DataError("the encoder", repr(named[:200]), wanted)


def _language_model(folder: Path, named: str) -> BatchEncoder:
    """A sentence-transformers model: the version gets a copy, which embeds typed queries."""
    if not any(folder.rglob("*.safetensors")):
        raise DataError(folder.name, "no *.safetensors file", "a sentence-transformers folder")
    return BatchEncoder(
        named,
        fingerprint_of(folder),
        lambda inputs, prompt: language_models.vectors_of(inputs, folder, prompt),
        {"encoder": "sentence-transformers", "text_model": named},
        {"encoder": "sentence-transformers"},
        {TEXT_MODEL: folder},
        prompts=prompts_of(folder),
    )


def prompts_of(folder: Path) -> dict[str, str]:
    """The prompts of "queries" and "items" that a sentence-transformers model says it was trained
    with, by the names that `encode_query` and `encode_document` read."""
    try:
        content = json.loads((folder / "config_sentence_transformers.json").read_bytes())
        named = {str(key): value for key, value in content["prompts"].items() if value}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    names = {"queries": ("query",), "items": ("document", "passage", "corpus")}
    first = {side: next((n for n in some if n in named), "") for side, some in names.items()}
    return {side: named[n] for side, n in first.items() if n and isinstance(named[n], str)}


def _text_network(
    path: Path, tokenizer: Path, picture: Mapping[str, Any], pooling: str, max_tokens: int
) -> BatchEncoder:
    """An ONNX network that embeds texts, with its tokenizer; and beside it, where [picture] names
    one, a network that embeds pictures. The version gets copies."""
    if not path.is_file():
        raise DataError(str(path), "no such file", "an ONNX network")
    seeing = _network(path.with_name(str(picture["network"])), picture) if picture else None

    def encode(inputs: Inputs, prompt: str) -> Array:
        texts = [each for each in prompted(inputs, prompt) if isinstance(each, str)]
        if not texts and seeing is not None:
            return seeing.encode(inputs, prompt)
        return networks.text_vectors(path, tokenizer, path.name, texts, pooling, max_tokens)

    digest = digests.of_values(
        *map(digests.of_file, (path, tokenizer)), pooling, max_tokens, seeing and seeing.fingerprint
    )
    settings = {"encoder": "onnx", "text_model": path.name}
    more = {"pooling": pooling, "max_tokens": max_tokens}
    files = dict(zip(TEXT_NETWORK, (path, tokenizer), strict=True))
    return BatchEncoder(
        path.name, digest, encode, settings | more, seeing.picture_settings if seeing else {},
        files | dict(seeing.files if seeing else {}), sees=seeing is not None,
    )  # fmt: skip


def fingerprint_of(folder: Path) -> str:
    """The fingerprint of those files of a language model that a version gets a copy of."""
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not left_out(inside.parts):
            found.append([inside.as_posix(), digests.of_file_once(path)])
    return digests.of_values(found)


def left_out(names: Sequence[str]) -> set[str]:
    """Which names of a model's files and folders no version gets."""
    return {name for name in names for pattern in LEFT_OUT if fnmatch(name, pattern)}


def _fetched(name: str) -> Path:
    """The folder of a model from the hub, without code and pickles; fetched once."""
    import huggingface_hub

    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=list(FILES)))
    except (OSError, ValueError, RuntimeError) as error:
        why = type(error).__name__
        wanted = "a model that the hub gives out, or the folder of one on this machine"
        cure = "Is the hub reached from here? Else fetch the folder elsewhere and name it."
        raise DataError("the encoder", f"no model {name!r} ({why})", wanted, cure=cure) from error


def _network(path: Path, picture: Mapping[str, Any]) -> BatchEncoder:
    """An ONNX network that sees pictures; the version gets a copy, which sees uploads."""
    if not path.is_file():
        raise DataError(str(path), "no such file", "an ONNX network")
    if path.stat().st_size > LARGEST:
        found = f"{path.stat().st_size:,} bytes"
        raise DataError(path.name, found, f"at most {LARGEST:,} bytes")
    if "size" not in picture:
        found = "an ONNX network of pictures, and nothing on how they are laid out for it"
        wanted = '--picture "size = [224, 224], mean = 127.5, spread = 127.5", as in its training'
        raise DataError(path.name, found, wanted)
    table = {**picture, "network": path.name}
    side = read_side(path.parent, table, "--picture", Findings())
    if side is None or side.encoder != "onnx" or len(side.networks) != 1:
        raise DataError("--picture", "no layout for one ONNX network", "size = [224, 224], …")
    laid_out: PictureSide = side

    def encode(inputs: Inputs, prompt: str) -> Array:
        seen = [each for each in inputs if not isinstance(each, str)]
        return np.stack([pictures.vector_by(laid_out, each, path.name) for each in seen])

    settings = {**picture, "encoder": "onnx", "network": "picture.onnx"}
    return BatchEncoder(
        path.name, side.digest, encode, {}, settings, {"picture.onnx": path}, reads=False
    )


def _function(named: str) -> BatchEncoder:
    """A function of the caller's own: a list of texts, or of pictures → an array."""
    call = function_called(named)
    module = sys.modules[named.partition(":")[0]]
    file = getattr(module, "__file__", None)
    code = digests.of_file(Path(file)) if file and Path(file).is_file() else ""

    def encode(inputs: Inputs, prompt: str) -> Array:
        try:
            return np.asarray(call(list(prompted(inputs, prompt))))
        except Exception as error:  # whatever the caller's code raises
            why = f"{type(error).__name__}: {error}"[:300]
            raise DataError(named, f"an error ({why})", "a vector for each input") from error

    return BatchEncoder(named, digests.of_values(named, code), encode, {"text_model": named})


def function_called(named: str) -> Callable[..., Any]:
    """The function `module:function` on Python's path, where the working folder stands first.

    Raises DataError where there is none.
    """
    module, _, name = named.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # the caller's own code may raise anything while it is imported
        why = f"{type(error).__name__}: {error}"[:300]
        wanted = "a module on Python's path, and a function in it"
        raise DataError(named, f"no such function ({why})", wanted) from error
    if not callable(found):
        raise DataError(named, f"a {type(found).__name__}", "a function")
    called: Callable[..., Any] = found
    return called


def _service(url: str, model: str, client: Client) -> BatchEncoder:
    """A service that answers the embeddings API of OpenAI, which most servers speak, or plain JSON:
    {"inputs": […]} → a list of vectors, or one under `embeddings`, `vectors` or `data`."""

    def encode(inputs: Inputs, prompt: str) -> Array:
        return endpoints.vectors_from(url, model, prompted(inputs, prompt), client)

    settings = {"encoder": "http", "endpoint": url, "endpoint_model": model}
    return BatchEncoder(
        url,
        digests.of_values("http", url, model),
        encode,
        {**settings, "text_model": f"{model} at {url}" if model else url},
        {"encoder": "http"},
        side_by_side=4,
    )


def keyed(variable: str | None) -> dict[str, str]:
    """The header that carries the key in a variable of the environment. Raises DataError where the
    variable is empty."""
    if variable is None:
        return {}
    if not os.environ.get(variable):
        raise DataError("--key-env", f"no variable {variable!r}", "one that holds the key")
    return {"Authorization": f"Bearer ${{{variable}}}"}
