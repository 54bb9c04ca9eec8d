"""Pictures and clips at http, https and s3 addresses, of hosts that the operator lists.

The server fetches them, so that a reader's browser asks no other host. A file is fetched when it is
first shown, and kept in a temporary folder of the process.
"""

import ipaddress
import os
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
from dashboard.storage.drafts import replace_files
from dashboard.storage.media import cut_address
from dashboard.tables import Names
from dashboard.texts import digest_text

HOSTS = "DASHBOARD_MEDIA_HOSTS"
"""Variable that lists hosts, such as media.example.org, media.example.org:8443 or s3://bucket, and
networks such as 10.1.0.0/16, without which no private address is asked."""
NOT_PUBLIC = tuple(
    map(ipaddress.ip_network, ("224.0.0.0/4", "64:ff9b::/96", "2002::/16", "fec0::/10", "ff00::/8"))
)
"""Networks beside the private ones in which, or through which, others are reached."""
PORTS = {"http": 80, "https": 443, "s3": 0}
MAX_BYTES = 256_000_000
"""Bytes of one file."""
MAX_KEPT_BYTES = 4_000_000_000
"""Bytes of all files that are kept."""
SECONDS = 10.0
MAX_SECONDS = 60.0
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
    host = (f"s3://{parts.netloc}" if parts.scheme == "s3" else parts.netloc).lower()
    if {host, host.removesuffix(f":{PORTS[parts.scheme]}")}.isdisjoint(_list_hosts()):
        do = f'Start the dashboard with {HOSTS}="{host}" if you trust it.'
        raise _refuse(parts, f"the host {host}", f"one that {HOSTS} lists", do)
    if not is_wanted:
        if parts.scheme != "s3":
            _find_peer(parts)
        return None
    path = _fetch(parts)
    if not path.is_file():  # somebody has tidied up the temporary folder
        _fetch.cache.clear()
        path = _fetch(parts)
    return path


def _list_hosts() -> Names:
    return os.environ.get(HOSTS, "").lower().split()


def _refuse(parts: SplitResult, found: str, wanted: str = "a file", do: str = "") -> DataError:
    """Return an error that does not tell the password or the signature of an address."""
    return DataError(cut_address(parts.geturl()), found, wanted, do=do)


def _silence(parts: SplitResult, found: str) -> DataError:
    """Return why a host does not answer, and keep it: the host is not asked again for a while."""
    _SILENT[parts.netloc] = found
    return _refuse(parts, found)


def _split(address: str) -> SplitResult:
    with suppress(ValueError):  # a port that is no number, or brackets that are open
        parts = urlsplit(address)
        if parts.scheme in PORTS and parts.hostname and parts.port != 0 and "@" not in parts.netloc:
            return parts
    wanted = "http://, https:// or s3:// with a host, without a password"
    raise DataError(cut_address(address), "an address that is none", wanted)


@cached(_Kept(MAX_KEPT_BYTES, getsizeof=lambda path: path.stat().st_size), lock=threading.Lock())
def _fetch(parts: SplitResult) -> Path:
    """Return the file at an address, which is fetched once."""
    folder, name = Path(_FOLDER.name), digest_text(parts.geturl())
    until = time.monotonic() + MAX_SECONDS
    with replace_files(folder, name) as place, (place / name).open("wb") as file:
        for piece in (_read_s3 if parts.scheme == "s3" else _read_http)(parts):
            if file.tell() + len(piece) > MAX_BYTES:
                raise _refuse(parts, f"more than {MAX_BYTES:,} bytes", "a smaller file")
            if time.monotonic() > until:
                raise _refuse(
                    parts, f"a file that is not whole after {MAX_SECONDS:g} s", "a whole one"
                )
            file.write(piece)
    return folder / name


def _read_http(parts: SplitResult) -> Iterable[bytes]:
    """Yield a file in pieces; redirects are not followed, and the host is resolved once."""
    import urllib3

    host = parts.hostname
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    pools = urllib3.PoolManager(
        timeout=SECONDS, retries=False, assert_hostname=host, server_hostname=host
    )
    try:
        with (
            pools.connection_from_host(_find_peer(parts), parts.port, parts.scheme) as pool,
            pool.request(
                "GET", path, headers={"Host": parts.netloc}, redirect=False, preload_content=False
            ) as answer,
        ):
            if answer.status != 200:
                raise _refuse(parts, f"status {answer.status}", "status 200, no redirect")
            while piece := answer.read1(PIECE):  # what has come, so that the deadline is looked at
                yield piece
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise _silence(parts, f"no answer ({type(error).__name__})") from error


def _find_peer(parts: SplitResult) -> str:
    """Return the IP address that is asked; raise DataError for a private one that is not listed."""
    if parts.netloc in _SILENT:
        raise _refuse(parts, _SILENT[parts.netloc])
    host = str(parts.hostname)
    try:
        peer = _resolve(host)
    except OSError as error:
        raise _silence(parts, f"a host without an address ({type(error).__name__})") from error
    found = ipaddress.ip_address(peer)
    is_inside = False
    for each in (*_list_hosts(), f"{host}/{found.max_prefixlen}"):
        with suppress(ValueError):  # of a name in the list
            is_inside |= "/" in each and found in ipaddress.ip_network(each, strict=False)
    if not is_inside and (not found.is_global or any(found in each for each in NOT_PUBLIC)):
        do = f'Add it to {HOSTS} if it may be asked: "{found}/{found.max_prefixlen}".'
        raise _refuse(parts, f"the private address {found}", "a public one", do)
    return peer


@cached(TTLCache(maxsize=1_000, ttl=PAUSE), lock=threading.Lock())
def _resolve(host: str) -> str:
    resolved = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return str(min(resolved, key=lambda each: each[0] != socket.AF_INET)[4][0])


def _read_s3(parts: SplitResult) -> Iterable[bytes]:
    """Yield a file of an object store in pieces, with the credentials of the environment."""
    import fsspec  # type: ignore[import-untyped]

    try:
        with fsspec.open(parts.geturl(), "rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except ImportError as error:
        raise _refuse(
            parts, "an s3 address", "the package s3fs", "Install it: pip install s3fs"
        ) from error
    except Exception as error:  # the store's client raises errors of its own kinds
        raise _refuse(parts, f"no answer ({type(error).__name__})") from error
