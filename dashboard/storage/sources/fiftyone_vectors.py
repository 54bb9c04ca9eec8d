"""The vectors in the fields of FiftyOne's samples: lists of numbers, or arrays that it packs as
`numpy.save` writes them, by zlib and base64, in a `$binary` of MongoDB's JSON. None is unpickled.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.storage.sources.content import Content, Rows, version_name
from dashboard.tables import counted, listed

FEWEST = 8
"""Numbers in a list that is a vector: boxes, sizes and places have fewer."""
LARGEST = 1 << 20
"""Bytes of a vector when it is unpacked, of 131,072 numbers at most."""


def is_vector(value: object) -> bool:
    """Whether a field holds numbers in the form of a vector; packed ones may turn out otherwise."""
    if isinstance(value, dict):
        return "$binary" in value
    if not isinstance(value, list) or len(value) < FEWEST:
        return False
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)


def add_vectors(
    content: Content, fields: Mapping[str, Mapping[str, object]], name: str
) -> Collection[str]:
    """Add each field of vectors as the items of a version of its name; returns the fields taken.

    fields: field → item → value. Items whose vector cannot be read or has another length than most
    are left out, which the content says.
    """
    taken = []
    for key, values in fields.items():
        vectors = {item: _vector(value) for item, value in values.items()}
        widths = [len(vector) for vector in vectors.values() if vector is not None]
        if not widths:
            continue
        width = max(set(widths), key=widths.count)
        known = {
            item: vector
            for item, vector in vectors.items()
            if vector is not None and len(vector) == width
        }
        if lost := [item for item in vectors if item not in known]:
            content.problems.append(
                f"left out: {counted(len(lost), 'vector')} of the field {key} ({listed(lost)}), "
                f"which cannot be read or have another length than {width:,}"
            )
        rows = Rows(np.stack(list(known.values())), tuple(known), f"{name}, the field {key}")
        content.add_vectors(version_name(key), "items", [rows])
        taken.append(key)
    return taken


def _vector(value: object) -> npt.NDArray[Any] | None:
    """The numbers of a field; None where it holds no vector of numbers."""
    try:
        array = np.array(value) if isinstance(value, list) else _unpacked(value)
    except (ValueError, TypeError, OverflowError, zlib.error):
        return None
    return array if array.ndim == 1 and len(array) and array.dtype.kind in "fiu" else None


def _unpacked(value: Any) -> npt.NDArray[Any]:
    """An array from `{"$binary": {"base64": …}}`, or `{"$binary": …, "$type": …}` as earlier.

    >>> array = io.BytesIO()
    >>> np.save(array, np.array([1.0, 0.5]))
    >>> packed = base64.b64encode(zlib.compress(array.getvalue())).decode()
    >>> _unpacked({"$binary": {"base64": packed, "subType": "00"}}).tolist()
    [1.0, 0.5]
    """
    packed = value["$binary"]
    packed = packed.get("base64", "") if isinstance(packed, dict) else packed
    whole = zlib.decompressobj()
    content = whole.decompress(base64.b64decode(packed, validate=True), LARGEST)
    if whole.unconsumed_tail or not whole.eof:
        raise ValueError("larger than a vector, or cut off")
    return np.asarray(np.lib.format.read_array(io.BytesIO(content), allow_pickle=False))
