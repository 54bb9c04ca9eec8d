"""Runs the ONNX networks of collections. Their authors may be strangers: nothing beside the file is
read, and neither time nor the size of an answer is theirs to choose."""

from __future__ import annotations

import hashlib
import logging
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.storage import digests
from dashboard.tables import DataError

Numbers = npt.NDArray[Any]
SESSIONS = 16
"""So many networks stay loaded: the versions of a collection and what they share."""
PATIENCE = 20.0  # seconds for one run of one network
LARGEST_ANSWER = 16_000_000  # numbers
_LFS = b"version https://git-lfs"
_LOG = logging.getLogger(__name__)


def answer_of(path: Path, shown: str, given: Numbers, *, kept: bool) -> Numbers:
    """The first output of the network in a file for an array.

    shown: how messages name the file. kept: whether the answer is remembered until another array is
    given, as versions ask a shared network for the same. Raises DataError where the network cannot
    be loaded or run, takes longer than PATIENCE, or answers with anything but numbers, or too many.
    """
    network = _loaded(path, digests.of_file_once(path), shown)
    return network.remembered(given) if kept else network.run(given)


class _Network:
    """A loaded network, which computes one answer at a time; others do not wait for it."""

    def __init__(self, session: Any, shown: str) -> None:
        self._session, self._shown = session, shown
        self._lock = threading.Lock()
        self._last: tuple[Numbers, Numbers] | None = None

    def remembered(self, given: Numbers) -> Numbers:
        last = self._last
        if last is None or not np.array_equal(last[0], given):
            last = self._last = given, self.run(given)
        return last[1]

    def run(self, given: Numbers) -> Numbers:
        with self._lock:
            answer = self._answer(given)
        if not isinstance(answer, np.ndarray) or answer.dtype.kind not in "fiub":
            raise DataError(self._shown, "a network that answers no numbers", "a tensor of floats")
        if answer.size > LARGEST_ANSWER:
            found = f"a network that answers {answer.size:,} numbers"
            raise DataError(self._shown, found, f"at most {LARGEST_ANSWER:,}")
        return answer

    def _answer(self, given: Numbers) -> Any:
        import onnxruntime

        how = onnxruntime.RunOptions()
        how.log_severity_level = 4
        out_of_time = threading.Timer(PATIENCE, setattr, (how, "terminate", True))
        out_of_time.daemon = True
        out_of_time.start()
        try:
            takes, gives = self._session.get_inputs()[0], self._session.get_outputs()[0]
            return self._session.run([gives.name], {takes.name: given}, how)[0]
        except Exception as error:  # onnxruntime raises classes of its own without a common parent
            if how.terminate:
                found = f"a network that took longer than {PATIENCE:g} s"
                raise DataError(self._shown, found, "an answer within that time") from error
            _LOG.warning("%s: %.500r", self._shown, str(error))
            wanted = f"ONNX with one input of the shape {list(given.shape)}"
            raise DataError(self._shown, "a network that cannot be run", wanted) from error
        finally:
            out_of_time.cancel()


@lru_cache(maxsize=SESSIONS)
def _loaded(path: Path, digest: str, shown: str) -> _Network:
    """The network with this content."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise DataError(shown, "a file that changed while it was read", "a moment's patience")
    if content.startswith(_LFS):
        cure = "Fetch it: git lfs pull."
        raise DataError(shown, "a pointer of git LFS", "the network itself", cure=cure)
    try:
        return _Network(_session(path, content), shown)
    except ImportError as error:
        raise DataError(shown, f"no package {error.name}", "the package, to run it") from error
    except Exception as error:  # as above
        _LOG.warning("%s: %.500r", shown, str(error))
        wanted = "a whole ONNX file, its weights inside"
        raise DataError(shown, "a network that cannot be loaded", wanted) from error


def _session(path: Path, content: bytes) -> Any:
    """A session on one thread. Weights in other files, which no digest would know, are looked for
    only inside of something that is no folder; where they should lie is anything but harmless, as
    onnxruntime would take them from wherever the app was started."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    beside = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(beside, str(path.resolve()))
    # Constants are computed when it runs, in the time that it has, not when it is loaded.
    return onnxruntime.InferenceSession(
        content, options, ["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"]
    )
