"""Columns of ids as numbers, without a Python text of any of them.

An id's bytes are taken as words of eight bytes, and mixed to a key of 64 bits. Equal ids have equal
keys; different ids could share one, so whoever finds two equal keys compares the texts (`same`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any
from weakref import finalize, ref

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]
Rows = NDArray[np.intp] | slice

WORD = 8
LONGEST = 256  # bytes of an id that are looked at; of longer ids the length and these
BLOCK = 1 << 14  # rows at a time: what they need stays in the cache
ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 ÷ golden ratio: multiplying by it scatters high bits
FEW = 100  # an index so many times as long as the names is not read to look them up
HALF = np.uint64(32)
LOW_BYTES = np.array([(1 << 8 * kept) - 1 for kept in range(WORD + 1)], dtype=np.uint64)

_KEYS: dict[int, tuple[Numbers, Keys]] = {}
"""The ends and the keys of columns that `column` made, by the place of their bytes in memory."""

_INDEXES: deque[ref[pd.Index]] = deque(maxlen=16)
"""The indexes that were `shared` last."""

_PLACES: deque[tuple[ref[pd.Index], ref[pd.Index], NDArray[Any]]] = deque(maxlen=4)
"""What `places` found last: a gallery's items among judged ones."""


def is_text(column: pd.Series) -> bool:
    """Whether a column holds its texts as Arrow does, and all of them are there."""
    kind = column.dtype
    arrow = isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow"
    return arrow and not column.hasnans


def texts(column: pa.ChunkedArray) -> pd.Series:
    """A column of Arrow texts as a column of pandas, not copied."""
    return pd.Series(pd.array(column, dtype="str"), copy=False)


def arrow(column: pd.Series) -> pa.ChunkedArray:
    """A column of texts as Arrow holds it, not copied."""
    found = pa.array(column.array)
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def are_plain(column: pd.Series, but: str = "") -> bool:
    """Whether all texts of a column consist of printable ASCII letters other than those in `but`.

    >>> are_plain(pd.Series(["a", "b c"], dtype="str")), are_plain(pd.Series(["ä"], dtype="str"))
    (True, False)
    """
    if not is_text(column):
        return all(
            each.isascii() and each.isprintable() and not set(each) & set(but) for each in column
        )
    for ends, held in (laid_out(chunk) for chunk in arrow(column).chunks if len(chunk)):
        letters = held[ends[0] : ends[-1]]
        if len(letters) and (letters.min() < ord(" ") or letters.max() > ord("~")):
            return False
        if any((letters == ord(each)).any() for each in but):
            return False
    return True


def among(column: pd.Series, known: pd.Series) -> NDArray[np.bool_]:
    """Which ids of a column, or of its categories, stand in another one, however long that is. [n]

    What pandas' own `isin` does with texts goes over the other column one Python text at a time.

    >>> among(pd.Series(["a", "b"], dtype="str"), pd.Series(["b", "c"], dtype="str")).tolist()
    [False, True]
    """
    if column.empty:  # as reviews are at first: nothing is looked up, and no table of `known` made
        return np.empty(0, dtype=bool)
    if isinstance(column.dtype, pd.CategoricalDtype):
        names, codes = column.cat.categories, column.cat.codes.to_numpy()
        named = np.zeros(len(names) + 1, dtype=bool)  # the last one: of a cell without an id
        if len(names):
            places = names.get_indexer(pd.Index(known, dtype="str"))
            named[places[places >= 0]] = True
        return named[codes]
    if not (is_text(column) and is_text(known)):
        return column.isin(known).to_numpy(dtype=bool)
    found = pc.is_in(arrow(column), value_set=arrow(known).combine_chunks())
    return np.asarray(found, dtype=bool)


def shared(index: pd.Index) -> pd.Index:
    """An index equal to this one, the same for all who ask while somebody holds it: what it looks
    ids up in takes 100 MB for a million of them."""
    if len(index) <= BLOCK:
        return index
    for known in tuple(_INDEXES):
        there = known()
        if there is not None and len(there) == len(index) and there.equals(index):
            return there
    _INDEXES.append(ref(index))
    return index


def places(names: pd.Index, index: pd.Index) -> NDArray[Any]:
    """The place of each name in an index, -1 where it has none, not to be written into; of many
    texts in half of pandas' time, and once, for all versions share a gallery's index. Few are found
    by what a large index keeps for that.

    >>> places(pd.Index(["b", "c"], dtype="str"), pd.Index(["a", "b"], dtype="str")).tolist()
    [1, -1]
    """
    for known, there, found in tuple(_PLACES):
        if known() is names and there() is index:
            return found
    if len(names) * FEW < len(index):
        return np.asarray(index.get_indexer(names))
    columns = names.to_series(), index.to_series()
    if all(map(is_text, columns)):
        wanted, values = (arrow(column).combine_chunks() for column in columns)
        found = np.asarray(pc.index_in(wanted, value_set=values).fill_null(-1))
    else:
        found = np.asarray(index.get_indexer(names))
    found.flags.writeable = False
    if len(names) + len(index) > BLOCK:
        _PLACES.append((ref(names), ref(index), found))
    return found


def codes(values: pd.Series, index: pd.Index) -> NDArray[Any]:
    """The place of each value in `index`, -1 where it has none.

    A categorical column costs no work on its texts beyond that on its categories.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        numbers, own = values.cat.codes.to_numpy(), values.dtype.categories
    else:
        numbers, own = pd.factorize(values)
    if own is index or own.equals(index):
        return numbers
    return np.append(places(own, index), -1).astype(np.int32)[numbers]


def keys(column: pa.ChunkedArray) -> Keys:
    """The key of each id. [n]

    >>> a, b, again = keys(pa.chunked_array([["item 9", "item 10"], ["item 9"]]))
    >>> a == again, a == b
    (np.True_, np.False_)
    """
    found = [_kept(chunk) for chunk in column.chunks if len(chunk)]
    return found[0] if len(found) == 1 else np.concatenate([*found, np.empty(0, dtype=np.uint64)])


def column(ends: NDArray[np.int64], held: NDArray[np.uint8], mixed: Keys) -> pa.ChunkedArray:
    """A column of texts in the bytes `held`, each from one of `ends` to the next, not copied.

    Its keys are known and need not be made again as long as these bytes are there.
    """
    mixed.flags.writeable = False
    text = [None, pa.py_buffer(ends), pa.py_buffer(held)]
    made = pa.Array.from_buffers(pa.large_string(), len(mixed), text)
    place = held.ctypes.data
    _KEYS[place] = (ends, mixed)
    finalize(held, _KEYS.pop, place).atexit = False
    return pa.chunked_array([made])


def _kept(chunk: pa.Array) -> Keys:
    """The keys of some ids, made only if they are not known."""
    _, ends, held = chunk.buffers()
    known = _KEYS.get(held.address) if held else None
    if known is None or known[0].ctypes.data != ends.address:
        return _mixed(chunk)
    return known[1][chunk.offset : chunk.offset + len(chunk)]


def _mixed(chunk: pa.Array) -> Keys:
    mixed = np.empty(len(chunk), dtype=np.uint64)
    row = 0
    for lengths, words in _blocks(chunk):
        key = lengths.astype(np.uint64) * ODD
        shortest = lengths.min()
        for number, word in enumerate(words):
            word ^= key
            word *= ODD
            word ^= word >> HALF
            # an id that has ended keeps its key, whatever longer ones stand beside it
            ended = number * WORD >= shortest
            key = np.where(lengths > number * WORD, word, key) if ended else word
        mixed[row : row + len(key)] = key
        row += len(key)
    return mixed


def stretches(column: pa.ChunkedArray) -> Numbers:
    """The rows where an id may differ from the one before; between them it is the same.

    >>> stretches(pa.chunked_array([["a", "a", "b", "b"]])).tolist()
    [0, 2]
    """
    found = []
    row = 0
    for lengths, words in (block for chunk in column.chunks for block in _blocks(chunk)):
        differs = np.empty(len(lengths), dtype=bool)
        differs[0] = True
        differs[1:] = (lengths[1:] != lengths[:-1]) | (lengths[1:] > LONGEST)
        for word in words:
            differs[1:] |= word[1:] != word[:-1]
        found.append(np.flatnonzero(differs) + row)
        row += len(lengths)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def pairs(query: NDArray[Any], items: Keys, queries: int) -> Numbers:
    """A number for each pair of a query's code and an item's key.

    Pairs of one query are neighbours. As many bits of the key as fit are in the number.
    """
    bits = 63 - queries.bit_length()
    numbers: Numbers = query.astype(np.int64)
    numbers <<= bits
    for start in range(0, len(numbers), BLOCK):
        some = slice(start, start + BLOCK)
        numbers[some] |= (items[some] >> np.uint64(64 - bits)).view(np.int64)
    return numbers


def repeated(numbers: Numbers) -> bool:
    """Whether a number stands there twice. The array is sorted on the way, to need no other."""
    numbers.sort()
    return bool((numbers[1:] == numbers[:-1]).any())


def same(column: pa.ChunkedArray, rows: Numbers, other: pa.ChunkedArray, others: Numbers) -> bool:
    """Whether the ids in some rows of a column are those in as many rows of another."""
    return bool(pc.all(pc.equal(column.take(rows), other.take(others))).as_py() is not False)


def laid_out(chunk: pa.Array) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Where the texts of an array end in its bytes (first, where they begin), and these bytes."""
    _, offsets, data = chunk.buffers()
    wide = pa.types.is_large_string(chunk.type)
    ends = np.frombuffer(offsets, dtype=np.int64 if wide else np.int32)
    held = np.frombuffer(data or b"", dtype=np.uint8)
    return ends[chunk.offset : chunk.offset + len(chunk) + 1], held


def _blocks(chunk: pa.Array) -> Iterator[tuple[NDArray[Any], list[Keys]]]:
    """For some rows at a time the lengths of their ids in bytes, and their words."""
    ends, held = laid_out(chunk)
    for start in range(0, len(chunk), BLOCK):
        some = ends[start : start + BLOCK + 1]
        first, last = int(some[0]), int(some[-1])
        # whole words, and one more, may be read beyond the last id
        padded = np.zeros((last - first) // WORD * WORD + 2 * WORD, dtype=np.uint8)
        padded[: last - first] = held[first:last]
        yield _words(padded, (some - first).astype(np.int64))


def _words(padded: NDArray[np.uint8], ends: Numbers) -> tuple[Numbers, list[Keys]]:
    lengths = np.diff(ends)
    shortest, longest = int(lengths.min()), min(int(lengths.max()), LONGEST)
    if shortest == longest:
        return lengths, list(_words_of_equal_length(padded, len(lengths), longest))
    return lengths, list(_words_of_any_length(padded, ends[:-1], lengths, longest))


def _words_of_equal_length(padded: NDArray[np.uint8], rows: int, length: int) -> Iterator[Keys]:
    for start in range(0, length, WORD):
        spaced: Keys = np.ndarray((rows,), np.dtype("<u8"), padded, start, (length,))
        word = spaced.copy()
        if start + WORD > length:
            word &= LOW_BYTES[length - start]
        yield word


def _words_of_any_length(
    padded: NDArray[np.uint8], starts: Numbers, lengths: Numbers, longest: int
) -> Iterator[Keys]:
    """Each word is put together of two neighbours that begin at a multiple of eight."""
    aligned = padded.view("<u8")
    place = starts >> 3
    low = (starts.view(np.uint64) & np.uint64(7)) << np.uint64(3)
    high = np.uint64(64) - low  # a shift by all 64 bits leaves nothing, in numpy
    here = aligned[place]
    for start in range(0, longest, WORD):
        place = np.minimum(place + 1, len(aligned) - 1)
        following = aligned[place]
        word = (here >> low) | (following << high)
        word &= LOW_BYTES[np.clip(lengths - start, 0, WORD)]
        here = following
        yield word
