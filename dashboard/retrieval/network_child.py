"""Runs networks in a process of its own, which `networks` starts: what a stranger's network does to
memory and time, it does here."""

from __future__ import annotations

import contextlib
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, failure, limit_memory

SESSIONS = 16
"""So many networks stay loaded: the versions of a collection and what they share."""
_LFS = b"version https://git-lfs"
_LOADED: OrderedDict[str, Any] = OrderedDict()


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The first output of the network at `path` for the array in `content`."""
    session = _loaded(values)
    begun()
    given = np.frombuffer(content, np.dtype(values["type"])).reshape(values["shape"])
    array = np.ascontiguousarray(_run(session, given, values["room"], values["most"]))
    return {"type": array.dtype.str, "shape": array.shape}, array.tobytes()


def _loaded(values: Values) -> Any:
    """The network with this content; its constants are at most a few times as large as its file."""
    digest = values["digest"]
    if digest not in _LOADED:
        path = Path(values["path"])
        limit_memory(3 * path.stat().st_size + values["room"])
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise Refused("changed")
        if content.startswith(_LFS):
            raise Refused("pointer")
        _LOADED[digest] = _session(path, content)
        while len(_LOADED) > SESSIONS:
            _LOADED.popitem(last=False)
    _LOADED.move_to_end(digest)
    return _LOADED[digest]


def _session(path: Path, content: bytes) -> Any:
    """A session on one thread. Weights in other files, which no digest would know, are looked for
    only inside of something that is no folder; where they should lie is anything but harmless, as
    onnxruntime would take them from wherever the app was started."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:
        raise Refused("package", error.name) from error
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.enable_cpu_mem_arena = False  # what one picture took is free for the next
        beside = "session.model_external_initializers_file_folder_path"
        options.add_session_config_entry(beside, str(path.resolve()))
        # Constants are computed when it runs, in the time that it has, not when it is loaded.
        return onnxruntime.InferenceSession(
            content, options, ["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"]
        )
    except Exception as error:  # onnxruntime raises classes of its own without a common parent
        raise Refused(failure("not loaded", error), error) from error


def _run(session: Any, given: Any, room: int, most: int) -> Any:
    """The first output of a network, checked before anything of it is sent."""
    import onnxruntime

    limit_memory(room)
    how = onnxruntime.RunOptions()
    how.log_severity_level = 4
    try:
        takes, gives = session.get_inputs()[0], session.get_outputs()[0]
        answer = session.run([gives.name], {takes.name: given}, how)[0]
    except Exception as error:  # as above
        raise Refused(failure("not run", error), error) from error
    if not isinstance(answer, np.ndarray) or answer.dtype.kind not in "fiub":
        raise Refused("no numbers")
    if answer.size > most:
        raise Refused("too many", answer.size)
    return answer


def _import() -> None:
    with contextlib.suppress(ImportError):  # said where a network is to be loaded
        import onnxruntime  # noqa: F401


if __name__ == "__main__":
    child.main(answer, _import)
