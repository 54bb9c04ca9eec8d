"""Runs the ONNX networks of collections. Their authors may be strangers: a network runs in a
process of its own, nothing beside the file is read, and neither memory nor time nor the size of an
answer is theirs to choose."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.storage.collection import digests
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal
from dashboard.tables import DataError

Numbers = npt.NDArray[Any]
PATIENCE = 20.0  # seconds to load a network, and to run it
ROOM = 500_000_000
"""Bytes that a network may take beside its own size: three times its file while it is loaded."""
LARGEST_ANSWER = 16_000_000  # numbers
_REMEMBERED = 16  # answers of networks that versions share
PROCESSES = Pool("dashboard.retrieval.network_child", 2)
"""So many networks run at the same time: one that takes all its time holds up no other."""
_NUMBERS = "fiub"
_LOG = logging.getLogger(__name__)


def answer_of(path: Path, shown: str, given: Numbers, *, kept: bool) -> Numbers:
    """The first output of the network in a file for an array.

    shown: how messages name the file. kept: whether the answer is remembered until another array is
    given, as versions ask a shared network for the same. Raises DataError where the network cannot
    be loaded or run, takes longer than PATIENCE or more memory than ROOM, or answers with anything
    but numbers, or too many.
    """
    digest = digests.of_file_once(path)
    if not kept:
        return _answer(path, digest, shown, given)
    known = _LAST.get(digest)
    if known is None or not np.array_equal(known[0], given):
        known = given, _answer(path, digest, shown, given)
        with _REMEMBERING:
            _LAST[digest] = known
            _LAST.move_to_end(digest)
            while len(_LAST) > _REMEMBERED:
                _LAST.popitem(last=False)
    return known[1]


_LAST: OrderedDict[str, tuple[Numbers, Numbers]] = OrderedDict()
_REMEMBERING = threading.Lock()


def _answer(path: Path, digest: str, shown: str, given: Numbers) -> Numbers:
    try:
        return _output(path, digest, np.ascontiguousarray(given))
    except ProcessEnded as end:
        if end.late:
            found = f"a network that took longer than {PATIENCE:g} s"
            raise DataError(shown, found, "an answer within that time") from end
        found = "a network that ended the process that ran it"
        raise DataError(shown, found, f"one that takes less than {_room()} more memory") from end
    except Refusal as reason:
        if reason.kind in ("not loaded", "not run", "memory"):
            _LOG.warning("%s: %.500r", shown, reason.why)
        raise _refusal(shown, reason, list(given.shape)) from reason


def _output(path: Path, digest: str, given: Numbers) -> Numbers:
    """Nothing that the process says of the array is believed before it was looked at."""
    request = {"path": str(path.resolve()), "digest": digest, "room": ROOM, "most": LARGEST_ANSWER}
    request |= {"type": given.dtype.str, "shape": given.shape}
    values, content = PROCESSES.ask(
        request, given.tobytes(), seconds=PATIENCE, most=16 * LARGEST_ANSWER, key=digest
    )
    try:
        kind = np.dtype(values["type"])
        if kind.kind not in _NUMBERS:
            raise ValueError("no array of numbers")
        return np.frombuffer(content, kind).reshape(values["shape"])
    except (ValueError, TypeError, KeyError) as error:
        raise ProcessEnded(False) from error


def _refusal(shown: str, reason: Refusal, shape: list[int]) -> DataError:
    """Why a network has no answer, in a sentence."""
    if reason.kind == "too many":
        number = int(reason.why) if reason.why.isdecimal() else LARGEST_ANSWER + 1
        found = f"a network that answers {number:,} numbers"
        return DataError(shown, found, f"at most {LARGEST_ANSWER:,}")
    if reason.kind == "pointer":
        cure = "Fetch it: git lfs pull."
        return DataError(shown, "a pointer of git LFS", "the network itself", cure=cure)
    if reason.kind == "package":
        return DataError(shown, f"no package {reason.why[:80]}", "the package, to run it")
    found, wanted = {
        "changed": ("a file that changed while it was read", "a moment's patience"),
        "memory": (f"a network that takes more than {_room()} of memory", "one that takes less"),
        "no numbers": ("a network that answers no numbers", "a tensor of floats"),
        "not loaded": ("a network that cannot be loaded", "a whole ONNX file, its weights inside"),
    }.get(
        reason.kind,
        ("a network that cannot be run", f"ONNX with one input of the shape {shape}"),
    )
    return DataError(shown, found, wanted)


def _room() -> str:
    return f"{ROOM // 1_000_000:,} MB"
