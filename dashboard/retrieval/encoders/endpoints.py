"""Services that embed texts and pictures: the embeddings API of OpenAI, which most servers speak,
or plain JSON."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from dashboard.retrieval.services import Client, Unanswered
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError

Array = npt.NDArray[Any]
Inputs = Sequence[str] | Sequence[Image.Image]
ADDRESSES, KEY = "DASHBOARD_ENCODERS", "DASHBOARD_ENCODER_KEY"
"""Variables of the environment: the addresses that the app may call, and the key that they want."""
LIVE_SECONDS = 10.0
PROBE = "a probe of the service"
"""A text whose vector a version keeps, to notice another model behind the same address."""
ALIKE = 0.999
"""The least cosine of two vectors that one model gives a text."""


def vectors_by(model: Model, inputs: Inputs) -> Array:
    """The vectors of texts or pictures by the service that embedded a version's items.

    Raises DataError where the operator does not list its address, or it is another model by now.
    """
    file = f"models/{model.name}/model.toml"
    url, named = str(model.settings["endpoint"]), str(model.settings["endpoint_model"])
    if url not in os.environ.get(ADDRESSES, "").split():
        cure = "Its stored queries can be searched."
        wanted = f"an address that {ADDRESSES} lists"
        raise DataError(file, f"endpoint = {url[:200]!r}", wanted, cure=cure)
    headers = {"Authorization": f"Bearer ${{{KEY}}}"} if os.environ.get(KEY) else {}
    client = Client(LIVE_SECONDS, tries=2, headers=headers)
    _check_probe(model, url, named, client, file)
    return vectors_from(url, named, inputs, client)


_PROBED: set[tuple[str, str]] = set()


def _check_probe(model: Model, url: str, named: str, client: Client, file: str) -> None:
    """Raise DataError where the service no longer embeds as it embedded the items; looked at once
    in a process."""
    if model.probe is None or (model.digest, url) in _PROBED:
        return
    now, then = vectors_from(url, named, [PROBE], client)[0], model.probe
    size = float(np.linalg.norm(now) * np.linalg.norm(then))
    if now.shape != then.shape or size == 0 or float(now @ then) / size < ALIKE:
        found = "a service that embeds otherwise than when it embedded the items"
        raise DataError(file, found, "the same model behind the address", cure="Embed anew.")
    _PROBED.add((model.digest, url))


def vectors_from(url: str, model: str, inputs: Inputs, client: Client) -> Array:
    """The vectors that a service gives texts or pictures. Raises DataError."""
    sent = [each if isinstance(each, str) else picture_address(each) for each in inputs]
    key = "input" if model or url.rstrip("/").endswith("/embeddings") else "inputs"
    body: dict[str, object] = {key: sent} | ({"model": model} if model else {})
    try:
        answer, _ = client.ask(url, body)
        return _vectors(answer, len(sent))
    except Unanswered as reason:
        wanted = f"{len(sent):,} vectors"
        raise DataError(url, str(reason), wanted, cure="Run it again to go on.") from reason


def picture_address(picture: Image.Image) -> str:
    """A picture as an address that holds it: a JPEG in base64."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=95)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"


def _vectors(answer: Any, number: int) -> Array:
    """The vectors in an answer, in the order of the request. Raises Unanswered."""
    rows = answer
    if isinstance(answer, dict):
        keys = ("data", "embeddings", "vectors", "embedding")
        rows = next((answer[key] for key in keys if key in answer), None)
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        places = [row.get("index", place) for place, row in enumerate(rows)]
        if sorted(map(str, places)) != sorted(map(str, range(number))):
            found = f"{len(rows):,} vectors for {number:,} inputs"
            raise Unanswered(found if len(rows) != number else "vectors without an order of theirs")
        rows = [row.get("embedding", row.get("vector")) for row in sorted(rows, key=_index)]
    if not isinstance(rows, list) or len(rows) != number:
        found = f"{len(rows):,} vectors" if isinstance(rows, list) else "no list of vectors"
        raise Unanswered(f"{found} for {number:,} inputs")
    try:
        array = np.asarray(rows, "float32")
    except (TypeError, ValueError) as error:
        raise Unanswered("vectors that are not numbers of one width") from error
    if array.ndim != 2:
        raise Unanswered(f"an array of the shape {array.shape}")
    return array


def _index(row: Mapping[str, Any]) -> int:
    return int(row.get("index", 0))
