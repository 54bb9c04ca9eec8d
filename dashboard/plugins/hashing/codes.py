"""Packed codes: eight bits in a byte, as numpy.packbits and sentence-transformers store them."""

from dataclasses import replace
from functools import partial

import numpy as np

from dashboard.errors import DataError, Findings, add_finding
from dashboard.storage.collection import Collection
from dashboard.storage.new_versions import convert, hold_only
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Broken, Version, Versions, try_to_read_all

BYTE = 8


def read_packed(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the versions whose arrays are packed bits, unpacked to codes of -1 and 1.

    The key `bits` of a version's model.toml states that they are. Bytes that could be packed bits
    or vectors are not guessed: such a version is put into `broken`.
    """
    every = collection.versions.items()
    read = {name: partial(_read_version, each, findings) for name, each in every}
    return try_to_read_all(broken, read)


def _read_version(version: Version, findings: Findings) -> Version | None:
    """Return a version of packed codes unpacked; None for any other version.

    Raises:
        DataError: If its bytes may be packed bits, and nothing states how many.
    """
    arrays = version.list_arrays()
    if not any(each.stored.dtype.itemsize == 1 for each in arrays):
        return None
    name = f"{version.file}/model.toml"
    bits = version.settings.get("bits", 0)
    if type(bits) is not int or bits < 0:
        raise DataError(name, f"bits = {str(bits)[:80]!r}", "the number of bits of a code")
    columns = arrays[0].dimension
    if not bits or bits == columns:
        for stored in (each.stored for each in arrays):
            kind = stored.dtype
            is_said = kind == np.int8 and version.settings.get("dimension") == columns
            if kind.itemsize > 1 or is_said or hold_only([stored], (-1, 0, 1)):
                continue
            do = (
                f"If they are, write bits = {columns * BYTE} into model.toml, or unpack them: "
                "numpy.unpackbits(codes, axis=1)."
            )
            wanted = "codes of -1 and 1 or of 0 and 1, or packed bits whose number is stated"
            if kind == np.int8:
                do += f" If they are vectors, write dimension = {columns}."
                wanted += ", or vectors that are said to be some"
            found = f"{kind} in {columns} columns, which may be packed bits"
            raise DataError(version.file, found, wanted, do=do)
        return None
    size = -(-bits // BYTE)
    if size != columns or any(each.stored.dtype.itemsize > 1 for each in arrays):
        kinds = " and ".join(sorted({str(each.stored.dtype) for each in arrays}))
        raise DataError(
            version.file,
            f"arrays of {columns} columns of {kinds}, and bits = {bits}",
            f"packed codes of {size} bytes for items and queries, or {bits} columns",
        )
    items, queries = [*(_unpack(each, bits, version.file) for each in arrays), None][:2]
    told = (f"codes of {bits} bits, packed into bytes", "-1 and 1; unpacked")
    add_finding(findings, version.file, *told, "note")
    return replace(version, items=items, queries=queries)


def _unpack(vectors: Vectors, bits: int, name: str) -> Vectors:
    packed = vectors.stored[:]
    if packed.dtype == np.int8:  # sentence-transformers subtracts 128
        packed = (packed.astype(np.int16) + 128).astype(np.uint8)
    unpacked = np.unpackbits(packed, axis=1)
    if unpacked[:, bits:].any():
        raise DataError(
            name,
            f"packed codes with bits beyond the first {bits}",
            "0 there. State their number in model.toml as bits",
        )
    signs = convert(unpacked[:, :bits], "bits")
    return replace(vectors, stored=signs, lengths=np.full(len(vectors.ids), np.sqrt(bits)))
