"""Services that answer JSON over HTTP, and the vectors of one; nothing of an answer is believed."""

import base64
import io
import json
import os
import re
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import urllib3
from PIL import Image

from dashboard.commands.output import say
from dashboard.errors import DataError, explain_errors
from dashboard.storage.settings import Settings
from dashboard.tables import FloatArray, Names, Row
from dashboard.texts import count_things

ADDRESSES = "DASHBOARD_ENCODERS"
"""Variable that lists the addresses to which the dashboard may send typed texts."""
KEY = "DASHBOARD_SERVICE_KEY"
"""Variable of the key that services ask for."""
ADDRESS = re.compile(r"https?://[\w.:\[\]-]+(/[!-~]*)?")
MAX_BYTES = 64_000_000
"""Bytes of an answer."""
AGAIN = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which another try may go well."""
PAUSE = 0.5
MAX_PAUSE = 30
"""Seconds before the third try, doubled for each further one; and at most."""
MAX_WAITED = 600.0
"""Seconds that all requests together wait because the service asks for it."""
VECTORS = ("data", "embeddings", "vectors", "embedding")
"""Keys under which services answer vectors."""


class Service:
    """A service at an address, which is asked again after failures that may pass."""

    def __init__(self, url: str, seconds: float = 30.0, tries: int = 4) -> None:
        """Check the address.

        Args:
            url: http:// or https://, host and path.
            seconds: Time to connect, to wait for an answer, and to read it.
            tries: How often a request is sent at most.

        Raises:
            DataError: If it is another address.
        """
        self.url, self.seconds, self.tries, self.waited = url, seconds, tries, 0.0
        if not ADDRESS.fullmatch(url):
            raise DataError(
                "the address",
                repr(url[:200]),
                "http:// or https://, a host and a path, without a name or password",
                do=f"Put a key into {KEY}.",
            )
        service = self

        class Retry(urllib3.Retry):
            def sleep_for_retry(self, response: Any) -> bool:
                seconds = self.get_retry_after(response) or 0.0
                if service.waited + seconds > MAX_WAITED:
                    raise DataError(
                        service.url,
                        f"pauses of more than {MAX_WAITED:g} s in all (Retry-After)",
                        "an answer",
                    )
                if seconds and not service.waited:
                    say(
                        f"note: {service.url} asks to wait (Retry-After): {seconds:g} s now, "
                        f"{MAX_WAITED:g} s in all at most"
                    )
                service.waited += seconds
                time.sleep(seconds)
                return bool(seconds)

        retries = Retry(
            tries - 1, status_forcelist=AGAIN, allowed_methods=None,
            backoff_factor=PAUSE, backoff_max=MAX_PAUSE, retry_after_max=MAX_PAUSE,
            raise_on_status=False,
        )  # fmt: skip
        self._pool = urllib3.PoolManager(retries=retries, timeout=urllib3.Timeout(seconds))

    def ask(self, body: Row) -> tuple[Any, float | None]:
        """Return the JSON of an answer, and its milliseconds; None if it took several tries.

        Raises:
            DataError: If there is no such answer.
        """
        key = os.environ.get(KEY, "")
        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            response = self._pool.request(
                "POST", self.url, json=body, headers=headers, redirect=False, preload_content=False
            )
            with response:
                content = self._read(response)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            cause, tries = getattr(error, "reason", None) or error, count_things(self.tries, "try")
            raise DataError(
                self.url,
                f"no answer ({type(cause).__name__}, {tries} of {self.seconds:g} s)",
                "an answer",
            ) from error
        text = content[:200].decode("utf-8", "replace")
        text = text.replace(key, "•••") if key else text
        if response.status != 200:
            raise DataError(self.url, f"status {response.status} ({text!r})", "status 200")
        with explain_errors(self.url, f"an answer that is no JSON ({text[:80]!r})", "JSON"):
            answer = json.loads(content)
        if response.retries and response.retries.history:
            return answer, None
        return answer, round(1000 * (time.monotonic() - begun), 3)

    def _read(self, response: Any) -> bytearray:
        content = bytearray()
        until = time.monotonic() + self.seconds
        while block := response.read1(1 << 16):
            content += block
            if time.monotonic() > until:
                found = f"an answer that is not whole after {self.seconds:g} s"
                raise DataError(self.url, found, "a whole one")
            if len(content) > MAX_BYTES:
                found = f"an answer of more than {MAX_BYTES:,} bytes"
                raise DataError(self.url, found, "a smaller one")
        return content


def encode(settings: Settings, inputs: Names) -> FloatArray:
    """Return the vectors of typed texts by the service that `url` of a model.toml names.

    Raises:
        DataError: If the operator does not list the address, or the service does not answer.
    """
    url = str(settings.get("url", ""))
    if url not in os.environ.get(ADDRESSES, "").split():
        raise DataError(
            "model.toml",
            f"url = {url[:200]!r}",
            f"an address that {ADDRESSES} lists",
            do=f'Start the dashboard with {ADDRESSES}="{url[:200]}" if you trust it.',
        )
    return embed_inputs(Service(url, seconds=10.0, tries=2), inputs)


def embed_inputs(service: Service, inputs: Names | Sequence[Image.Image]) -> FloatArray:
    """Return the vector that a service has for each text or picture. [inputs, dimension].

    It is asked with {"inputs": […]}, pictures as addresses that hold a JPEG; with {"input": […]}
    where the address ends in /embeddings.

    Raises:
        DataError: If it does not answer a row of numbers for each.
    """
    sent = [each if isinstance(each, str) else _write_picture(each) for each in inputs]
    key = "input" if service.url.endswith("/embeddings") else "inputs"
    answer, _ = service.ask({key: sent})
    wanted = f"{len(sent):,} vectors of one width"
    with explain_errors(service.url, "no rows of numbers of one width", wanted):
        rows = np.asarray(_list_rows(answer), float)
    if rows.ndim != 2 or len(rows) != len(sent):
        raise DataError(service.url, f"an answer of the shape {rows.shape}", wanted)
    return rows


def _write_picture(picture: Image.Image) -> str:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=95)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"


def _list_rows(answer: Any) -> Any:
    """Return the vectors of an answer, in the order of `index` where it has that."""
    if isinstance(answer, dict):
        answer = next((answer[key] for key in VECTORS if key in answer), None)
    if not isinstance(answer, list) or not all(isinstance(row, dict) for row in answer):
        return answer
    named = {row.get("index", place): row for place, row in enumerate(answer)}
    rows = [named.get(place, {}) for place in range(len(answer))]
    return [row.get("embedding", row.get("vector")) for row in rows]
