"""Which other hosts media may come from: those that the operator named, and none unless named.

`DASHBOARD_MEDIA_HOSTS` holds them with blanks or commas between: `https://media.example.org`,
`http://10.0.0.5:8080`, `s3://bucket`, `gs://bucket`. Scheme, host and port count exactly. A name
that leads to a private address is followed only if it is written `private+https://nas.example`;
an address in figures and `localhost` say so themselves. All that follows `s3://bucket/` is the key,
letter by letter: nothing is decoded, and `?`, `#`, `%` and blanks are letters like others.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from dashboard.storage.media.safe_open import Unusable

VARIABLE = "DASHBOARD_MEDIA_HOSTS"
OFF, NOT_ALLOWED = "remote media are off", "host not allowed"
_REMOTE = re.compile(r"\s*(https?|s3|gs)://", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}
_PRIVATE = "private+"
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")  # what all parsers of addresses agree about
_ODD = re.compile(r"[\s\\\x00-\x1f\x7f]")
_IN_BUCKET = re.compile(r"(s3|gs)://([^/]*)/?(.*)", re.IGNORECASE | re.DOTALL)
_BUCKET = re.compile(r"[A-Za-z0-9._-]+")  # the names of buckets keep their letters
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PASSWORD, _NO_ADDRESS = "a password in the address", "not an address"
_LOG = logging.getLogger(__name__)


def is_remote(name: str) -> bool:
    """Whether the name of a file is an address on another host."""
    return bool(_REMOTE.match(name))


def allowed_address(address: str) -> str:
    """The address, if its host is allowed; raises Unusable with the word why it is not followed."""
    known = allowed()
    if not known:
        raise Unusable(OFF)
    origin = origin_of(address)
    if origin not in known:
        raise Unusable(NOT_ALLOWED)
    found = in_bucket(address)
    return "/".join(found) if found else address.strip()


def in_bucket(address: str) -> tuple[str, str] | None:
    """The bucket, `s3://bucket`, and the key of an address in one; None for any other address.

    Raises Unusable where the two could be read in another way: a server, or what stands before it,
    may follow the dots of `s3://bucket/../other/key` to another bucket.
    """
    match = _IN_BUCKET.fullmatch(address.strip())
    if not match:
        return None
    scheme, bucket, key = match.groups()
    if "@" in bucket:
        raise Unusable(_PASSWORD)
    if not _BUCKET.fullmatch(bucket) or _CONTROL.search(key) or {".", ".."} & {*key.split("/")}:
        raise Unusable(_NO_ADDRESS)
    return f"{scheme.lower()}://{bucket}", key


def origin_of(address: str) -> str:
    """Scheme, host and port of an address, `https://media.example.org:443`, or scheme and bucket.

    Raises Unusable for an address with a password or one that could be read in two ways.
    """
    address = address.strip()
    found = in_bucket(address)
    if found:
        return found[0]
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError as error:
        raise Unusable(_NO_ADDRESS) from error
    if "@" in parts.netloc:
        raise Unusable(_PASSWORD)
    if _ODD.search(address) or port is None or not _HOST.fullmatch(_host(parts)):
        raise Unusable(_NO_ADDRESS)
    return f"{parts.scheme}://{_host(parts)}:{port}"


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    return f"[{host}]" if ":" in host else host


def allowed() -> Mapping[str, bool]:
    """The allowed origins, each with whether it may lie at a private address."""
    return _read(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _read(text: str) -> Mapping[str, bool]:
    known = {}
    for written in filter(None, re.split(r"[\s,]+", text)):
        address = written.removeprefix(_PRIVATE)
        try:
            origin = origin_of(address) if is_remote(address) else ""
        except Unusable:
            origin = ""
        if not origin or urlsplit(address).path.strip("/"):
            _LOG.warning("%s: %r is no host such as https://media.example.org", VARIABLE, written)
        else:
            known[origin] = written.startswith(_PRIVATE) or _says_so(urlsplit(address))
    return known


def _says_so(parts: SplitResult) -> bool:
    """Whether a host is written so that everybody sees where it lies."""
    if parts.hostname == "localhost":
        return True
    try:
        ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return False
    return True


def is_public(number: str) -> bool:
    """Whether an address in figures is one of the open internet."""
    found = ipaddress.ip_address(number.partition("%")[0])
    if any(found in network for network in _NOT_OPEN if network.version == found.version):
        return False
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    if found in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
    return all(one.is_global and not one.is_multicast for one in (found, inner) if one is not None)


_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # the last 32 bits are an IPv4 address
# Local translation, site-local, and IPv4 written as IPv6: the library calls some of them global.
_NOT_OPEN = [ipaddress.ip_network(each) for each in ("64:ff9b:1::/48", "fec0::/10", "::/96")]
