"""How what a grid shows is sent: as deflated JSON that holds its own name."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any


def packed(contents: Mapping[str, Any]) -> tuple[str, bytes]:
    """The name of contents, and the whole as deflated JSON that holds its name, too."""
    plain = json.dumps(contents, allow_nan=False)
    name = hashlib.blake2s(plain.encode(), digest_size=8).hexdigest()
    return name, zlib.compress(json.dumps({**contents, "name": name}).encode())
