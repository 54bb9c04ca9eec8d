"""Pictures and clips at http, https and s3 addresses, of hosts that the operator lists.

The server fetches them, so that a reader's browser asks no other host. A file is fetched when it is
first shown, and kept in a temporary folder of the process.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from cachetools import LRUCache, TTLCache, cached

from dashboard.errors import DataError

HOSTS = "DASHBOARD_MEDIA_HOSTS"
"""Variable that lists hosts, such as media.example.org, media.example.org:8443 or s3://bucket, and
networks such as 10.1.0.0/16, without which no private address is asked."""
PORTS = {"http": 80, "https": 443, "s3": 0}
MAX_BYTES = 256_000_000
"""Bytes of one file."""
MAX_KEPT_BYTES = 4_000_000_000
"""Bytes of all files that are kept."""
SECONDS, MAX_SECONDS = 10.0, 60.0
"""How long an answer, and the whole file, are waited for."""
PAUSE = 30.0
"""Seconds for which a host that does not answer is not asked again."""
PIECE = 1 << 20


class _Kept(LRUCache[Any, Path]):
    """Files that were fetched; one that has no room any more is deleted."""

    def popitem(self) -> tuple[Any, Path]:
        key, path = super().popitem()
        path.unlink(missing_ok=True)
        return key, path


_SILENT = TTLCache[str, str](maxsize=100, ttl=PAUSE)
"""Why a host did not answer."""
_FOLDER = tempfile.TemporaryDirectory(prefix="dashboard-media-", ignore_cleanup_errors=True)


def fetch_media(address: str, is_wanted: bool) -> Path | None:
    """Return the file at an address, or None if it is not wanted and the address may be asked.

    Args:
        address: An http, https or s3 address.
        is_wanted: Whether to fetch it; otherwise nothing is sent.

    Raises:
        DataError: If the operator does not list its host, or there is no such file.
    """
    parts = _split(address)
    host = f"s3://{parts.netloc}" if parts.scheme == "s3" else parts.netloc
    same = {host, host.removesuffix(f":{PORTS[parts.scheme]}")}
    if not same & set(os.environ.get(HOSTS, "").split()):
        do = f'Start the dashboard with {HOSTS}="{host}" if you trust it.'
        raise DataError(address, f"the host {host}", f"one that {HOSTS} lists", do=do)
    return _fetch(address) if is_wanted else None


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        if parts.scheme in PORTS and parts.hostname and parts.port != 0 and "@" not in parts.netloc:
            return parts
    except ValueError:  # a port that is no number, or brackets that are open
        pass
    wanted = "http://, https:// or s3:// with a host, without a password"
    raise DataError(address, "an address that is none", wanted)


@cached(_Kept(MAX_KEPT_BYTES, getsizeof=lambda path: path.stat().st_size), lock=threading.Lock())
def _fetch(address: str) -> Path:
    """Return the file at an address, which is fetched once."""
    path = Path(_FOLDER.name) / hashlib.sha256(address.encode()).hexdigest()
    parts, until = _split(address), time.monotonic() + MAX_SECONDS
    handle, draft = tempfile.mkstemp(dir=_FOLDER.name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in _read_s3(address) if parts.scheme == "s3" else _read_http(address, parts):
                if file.tell() + len(piece) > MAX_BYTES:
                    found, wanted = f"more than {MAX_BYTES:,} bytes", "a smaller file"
                    raise DataError(address, found, wanted)
                if time.monotonic() > until:
                    found = f"a file that is not whole after {MAX_SECONDS:g} s"
                    raise DataError(address, found, "a whole one")
                file.write(piece)
        shutil.move(draft, path)
    finally:
        with suppress(FileNotFoundError):
            Path(draft).unlink()
    return path


def _read_http(address: str, parts: SplitResult) -> Iterable[bytes]:
    """Yield a file in pieces; redirects are not followed, and the host is resolved once."""
    import urllib3

    assert parts.hostname is not None
    if parts.netloc in _SILENT:
        raise DataError(address, _SILENT[parts.netloc], "a file")
    port = parts.port or PORTS[parts.scheme]
    known: dict[str, Any] = {"timeout": SECONDS, "retries": False}
    if parts.scheme == "https":
        known |= {"assert_hostname": parts.hostname, "server_hostname": parts.hostname}
    pools = {"http": urllib3.HTTPConnectionPool, "https": urllib3.HTTPSConnectionPool}
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        pool: Any = pools[parts.scheme](_resolve(address, parts.hostname, port), port, **known)
        with (
            pool,
            pool.request(
                "GET", path, headers={"Host": parts.netloc}, redirect=False, preload_content=False
            ) as answer,
        ):
            if answer.status != 200:
                raise DataError(address, f"status {answer.status}", "status 200, no redirect")
            yield from answer.stream(PIECE)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        _SILENT[parts.netloc] = f"no answer ({type(error).__name__})"
        raise DataError(address, _SILENT[parts.netloc], "a file") from error


def _resolve(address: str, host: str, port: int) -> str:
    """Return an address of a host; raise DataError for a private one that is not listed."""
    resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    peer = str(min(resolved, key=lambda each: each[0] != socket.AF_INET)[4][0])
    found = ipaddress.ip_address(peer.partition("%")[0])
    networks = list(map(_read_network, os.environ.get(HOSTS, "").split()))
    if not found.is_global and not any(each and found in each for each in networks):
        do = f'Add it to {HOSTS} if it may be asked: "{found}/{found.max_prefixlen}".'
        raise DataError(address, f"the private address {found}", "a public one", do=do)
    return peer


def _read_network(listed: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """Return the network that an entry of the list is; None for a host."""
    try:
        return ipaddress.ip_network(listed, strict=False) if "/" in listed else None
    except ValueError:
        return None


def _read_s3(address: str) -> Iterable[bytes]:
    """Yield a file of an object store in pieces, with the credentials of the environment."""
    import fsspec  # type: ignore[import-untyped]

    try:
        with fsspec.open(address, "rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except ImportError as error:
        do = "Install it: pip install s3fs"
        raise DataError(address, "an s3 address", "the package s3fs", do=do) from error
    except Exception as error:  # the store's client raises errors of its own kinds
        raise DataError(address, f"no answer ({type(error).__name__})", "a file") from error
