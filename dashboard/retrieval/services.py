"""Talks JSON with services over HTTP: time-outs, retries with growing pauses, a limit of requests a
second, and nothing believed of an answer before it was looked at.

Only the command line names a service; the app calls one only where the operator lists its address.
Secrets come from the environment and are written nowhere, not even where a service repeats them.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from dashboard.storage.collection.settings import read_settings
from dashboard.tables import DataError, Findings, listed

if TYPE_CHECKING:
    import requests

LARGEST = 64_000_000
"""Bytes of an answer."""
PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before the second try, doubled for each further one; and at most."""
AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Answers after which a further try may go well."""
_NAMED = re.compile(r"\$\{(\w+)\}")


class Unanswered(Exception):
    """Why a service gave no usable answer; hopeless: no further request would go better; pause:
    the seconds that it asks for before the next; away: it answers nobody, as far as one can see."""

    def __init__(
        self, reason: str, *, hopeless: bool = False, pause: float = 0.0, away: bool = False
    ) -> None:
        super().__init__(reason)
        self.hopeless, self.pause, self.away = hopeless, pause, away


@dataclass(eq=False)
class Client:
    """Asks services, from several threads at once.

    seconds: until an answer is whole. tries: at most so many for each request. rate: requests a
    second at most; None: any. headers: values may name variables of the environment as ${NAME}.
    """

    seconds: float = 30.0
    tries: int = 4
    rate: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    _of_thread: threading.local = field(default_factory=threading.local, repr=False)
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _next: float = 0.0
    _stopped: threading.Event = field(default_factory=threading.Event, repr=False)

    def __post_init__(self) -> None:
        filled = {key: _filled(value) for key, value in self.headers.items()}
        self._headers = {key: value for key, (value, _) in filled.items()}
        self._secrets = sorted({s for _, some in filled.values() for s in some}, key=len)[::-1]

    def stop(self) -> None:
        """Let no request wait any longer for its turn or its next try."""
        self._stopped.set()

    def ask(
        self, url: str, body: Any = None, *, method: str = "POST", params: Any = None
    ) -> tuple[Any, float]:
        """The JSON of an answer, and the milliseconds that it took. Raises Unanswered."""
        for number in range(1, self.tries + 1):
            try:
                return self._once(url, body, method, params)
            except Unanswered as reason:
                if reason.hopeless or number == self.tries:
                    raise
                self._wait(max(PAUSE * 2 ** (number - 1), reason.pause))
        raise Unanswered("no try is allowed", hopeless=True)

    def _once(self, url: str, body: Any, method: str, params: Any) -> tuple[Any, float]:
        import requests

        self._take_turn()
        begun = time.monotonic()
        until = begun + self.seconds
        try:
            with self._session().request(
                method,
                url,
                json=body,
                params=params,
                headers=self._headers,
                timeout=self.seconds,
                stream=True,
                allow_redirects=False,
            ) as response:
                content = self._read(response, until)
                took = 1000 * (time.monotonic() - begun)
        except requests.Timeout as error:
            raise Unanswered(f"no answer within {self.seconds:g} s", away=True) from error
        except (requests.RequestException, OSError) as error:
            where = "{0.scheme}://{0.netloc}".format(urlsplit(url))
            reason = f"no connection to {where} ({type(error).__name__})"
            raise Unanswered(reason, away=True) from error
        if not 200 <= response.status_code < 300:
            raise self._refusal(response, content)
        try:
            return json.loads(content), took
        except (ValueError, RecursionError) as error:
            start = self._without_secrets(content[:80].decode("utf-8", "replace"))
            raise Unanswered(f"an answer that is no JSON ({start!r})", away=True) from error

    def _session(self) -> requests.Session:
        import requests

        if not hasattr(self._of_thread, "session"):
            self._of_thread.session = requests.Session()
        found: requests.Session = self._of_thread.session
        return found

    def _read(self, response: requests.Response, until: float) -> bytes:
        import requests
        from urllib3.exceptions import HTTPError

        content = bytearray()
        try:
            while block := response.raw.read1(65_536, decode_content=True):
                content += block
                if time.monotonic() > until:
                    raise Unanswered(f"no whole answer within {self.seconds:g} s", away=True)
                if len(content) > LARGEST:
                    raise Unanswered(f"an answer of more than {LARGEST:,} bytes", hopeless=True)
        except HTTPError as error:
            raise requests.ConnectionError(error) from error
        return bytes(content)

    def _refusal(self, response: requests.Response, content: bytes) -> Unanswered:
        text = self._without_secrets(content[:200].decode("utf-8", "replace")).strip()
        status, after = response.status_code, response.headers.get("Retry-After", "")
        pause = min(float(after), LONGEST_PAUSE) if after.isdecimal() else 0.0
        hopeless = status not in AGAIN
        reason = f"status {status}: {text!r}"
        return Unanswered(reason, hopeless=hopeless, pause=pause, away=not hopeless)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "•••")
        return text

    def _take_turn(self) -> None:
        if self.rate is None:
            return
        with self._turn:
            now = time.monotonic()
            mine = max(now, self._next)
            self._next = mine + 1 / self.rate
        self._wait(mine - now)

    def _wait(self, seconds: float) -> None:
        if seconds > 0 and self._stopped.wait(min(seconds, LONGEST_PAUSE)):
            raise Unanswered("the work was stopped", hopeless=True)


def _filled(value: str) -> tuple[str, list[str]]:
    """A header with the variables that it names, and their values.

    Raises DataError where one is not set.
    """
    secrets = []
    for name in _NAMED.findall(value):
        if not os.environ.get(name):
            found = f"no variable {name} in the environment"
            cure = "Where the service asks for no key, leave the header out."
            wanted = f"the key, for example: export {name}=…"
            raise DataError("the headers", found, wanted, cure=cure)
        secrets.append(os.environ[name])
    return _NAMED.sub(lambda found: os.environ[found[1]], value), secrets


def read_description(path: Path, schema: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    """What a TOML file says of a service: the keys of a schema, its address looked at.

    wanted: what the file holds, for the error where there is none. An unknown key is an error, too,
    as it would be a silent mistake. Raises DataError.
    """
    findings = Findings()
    if not path.is_file():
        raise DataError(str(path), "no such file", wanted)
    values = read_settings(path, schema, path.name, findings)
    for _, file, line, found, expected in findings.rows:
        raise DataError(file, found, expected, line=line)
    return {**values, "url": check_address(values["url"])}


def check_address(url: str) -> str:
    """The address. Raises DataError for another scheme than http(s), or a password in it."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise DataError("the address", repr(url[:200]), "http:// or https://, a host and a path")
    if parts.username or parts.password:
        found, cure = "a name or password in it", "Put secrets into the environment."
        raise DataError("the address", found, "an address without secrets", cure=cure)
    return url


def at(values: Any, path: str) -> Any:
    """What stands at a dotted path of a JSON value; numbers are places in lists.

    Raises KeyError with the part that is not there, and what is there in its place.

    >>> at({"hits": [{"_id": "a"}]}, "hits.0._id")
    'a'
    """
    for part in path.split(".") if path else ():
        try:
            values = values[int(part)] if isinstance(values, list) else values[part]
        except (LookupError, TypeError, ValueError) as error:
            there = listed(values) if isinstance(values, dict) else f"a {type(values).__name__}"
            raise KeyError(part, there or "nothing") from error
    return values
