"""Encoders of whole collections: a model's folder, a network, or a function of the caller's own.

`module:function` runs code of the caller: only a command may name it, never a file of a collection.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import numpy as np
from PIL import Image

from dashboard.errors import DataError, explain_errors
from dashboard.plugins import load_named
from dashboard.storage.array_files import read_tensor
from dashboard.storage.new_versions import list_left_out
from dashboard.storage.settings import Settings
from dashboard.tables import AnyArray, Names
from dashboard.texts import compute_digest, digest_text, require_file

Inputs = Names | Sequence[Image.Image]
TEXT_MODEL = "text_model"
"""Folder in a version of the model that embeds typed texts."""


class BatchEncoder(NamedTuple):
    """Embeds texts and pictures.

    Attributes:
        fingerprint: Changes with what it makes of them.
        encode: `(inputs, side) -> vectors` of texts or of RGB pictures, where `side` is items or
            queries, which some models treat differently. [inputs, dimension].
        settings: Keys of the version's model.toml.
        files: Files and folders that the version gets, by their names in it.
        reads: Whether it embeds texts.
    """

    name: str
    fingerprint: str
    encode: Callable[[Inputs, str], AnyArray]
    settings: Settings = {}
    files: Mapping[str, Path] = {}
    reads: bool = True


def open_encoder(named: str, picture: Settings) -> BatchEncoder:
    """Return the encoder that a command names.

    Args:
        named: Folder or hub name of a sentence-transformers model, an .onnx file of pictures, or
            module:function, or the address of a service.
        picture: Layout of pictures for an .onnx file, as the table [picture] of model.toml.

    Raises:
        DataError: If there is none.
    """
    path = Path(named)
    if path.suffix.lower() == ".onnx":
        return _open_network(path, picture)
    if path.is_dir():
        return open_model(path, named)
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", named):
        return _open_function(named)
    if "http" in load_named("encoders") and named.startswith(("http://", "https://")):
        from dashboard.plugins.services.http_service import Service, embed_inputs

        service = Service(named)
        return BatchEncoder(
            named,
            digest_text(named),
            lambda inputs, side: embed_inputs(service, inputs),
            {"encoder": "http", "url": named},
        )
    if re.fullmatch(r"\w[\w.-]{0,95}(/[\w.-]{1,96})?", named) and not path.exists():
        import huggingface_hub

        with explain_errors(
            "the encoder",
            f"no model {named!r}",
            "a model that the hub gives out, or the folder of one on this machine",
            "Fetch the folder elsewhere and name it, if the hub cannot be reached from here.",
        ):
            files = ["*.safetensors", "*.json", "*.txt", "*.model", "*.md"]  # no pickle, no code
            path = Path(huggingface_hub.snapshot_download(named, allow_patterns=files))
        return open_model(path, named)
    wanted = "a folder or hub name of a sentence-transformers model, an .onnx file of pictures, "
    raise DataError("the encoder", repr(named[:200]), f"{wanted}module:function or http://…")


def open_model(folder: Path, named: str) -> BatchEncoder:
    """Return the sentence-transformers model of a folder; the version gets a copy for typed texts.

    Raises:
        DataError: If it holds no weights that can be read without running code.
    """
    from dashboard.retrieval.encoders import load_model

    model = load_model(folder, None)

    def encode(inputs: Inputs, side: str) -> AnyArray:
        run = model.encode_query if side == "queries" else model.encode_document
        run, what = (run, "texts") if isinstance(inputs[0], str) else (model.encode, "pictures")
        with explain_errors(
            named, f"a model that does not embed {what}", f"one that embeds {what}, such as CLIP"
        ):
            return np.asarray(run(list(inputs), convert_to_numpy=True, show_progress_bar=False))

    digest = sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not list_left_out("", list(inside.parts)):
            digest.update(f"{inside.as_posix()}\0{compute_digest(path)}\n".encode())
    return BatchEncoder(
        named,
        digest.hexdigest(),
        encode,
        {"encoder": "sentence-transformers", "text_model": named},
        {TEXT_MODEL: folder},
    )


def _open_network(path: Path, picture: Settings) -> BatchEncoder:
    """Return an ONNX network of pictures; the version gets a copy, which sees uploads."""
    from dashboard.retrieval.encoders import check_layout, lay_out
    from dashboard.retrieval.network import open_network

    require_file(path, path.name, "an ONNX network of pictures")
    if "size" not in picture:
        raise DataError(
            path.name,
            "no layout of its pictures",
            "width and height",
            do='Add --picture "size = [224, 224], mean = 127.5, spread = 127.5", as in its '
            "training.",
        )
    table = {**picture, "network": "picture.onnx"}
    layout = check_layout(table, "--picture")
    with explain_errors(path.name, "a network that cannot be loaded", "ONNX"):
        run = open_network(str(path))

    def encode(inputs: Inputs, side: str) -> AnyArray:
        rows = [lay_out(layout, each) for each in inputs if not isinstance(each, str)]
        with explain_errors(
            path.name,
            "a network that cannot be run",
            f"one input of the shape {list(rows[0].shape)}",
        ):
            return np.stack([np.asarray(run(row)).reshape(-1) for row in rows])

    return BatchEncoder(
        path.name,
        compute_digest(path),
        encode,
        {"picture": table},
        {"picture.onnx": path},
        reads=False,
    )


def _open_function(named: str) -> BatchEncoder:
    """Return a function of the caller: a list of texts, or of RGB pictures, to an array."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        call = resolve_name(named)
    except Exception as error:  # code of the caller may raise anything while it is imported
        raise DataError(
            named,
            f"no such function ({type(error).__name__}: {str(error)[:200]})",
            "a module on Python's path and a function in it",
        ) from error

    def encode(inputs: Inputs, side: str) -> AnyArray:
        try:
            return read_tensor(call(list(inputs)))
        except Exception as error:  # code of the caller may raise anything
            raise DataError(
                named, f"{type(error).__name__}: {str(error)[:200]}", "a vector for each input"
            ) from error

    file = getattr(sys.modules[named.partition(":")[0]], "__file__", None)
    code = compute_digest(Path(file)) if file and Path(file).is_file() else ""
    return BatchEncoder(named, digest_text(f"{named}\0{code}"), encode, {"text_model": named})
