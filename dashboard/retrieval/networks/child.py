"""Runs networks in a process of its own, which `pool` starts: what a stranger's network
does to memory and time, it does here.

A file beside the package's other files that imports none of them, so that it starts quickly. It
reads requests from stdin and writes answers to stdout: four bytes with the length of a JSON object,
the object, and the bytes of the array that it describes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import struct
import sys
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

SESSIONS = 16
"""So many networks stay loaded: the versions of a collection and what they share."""
LENGTH = struct.Struct("<I")
_LFS = b"version https://git-lfs"
_UNLIMITED = resource.RLIM_INFINITY
_NO_MEMORY = ("alloc", "out of memory", "memoryerror", "length_error", "cannot create std::vector")


class Refused(Exception):
    """Why there is no answer: its kind, for a sentence, and what the library said, for the log."""

    def __init__(self, kind: str, why: object = "") -> None:
        super().__init__(kind)
        self.kind, self.why = kind, str(why)[:500]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests one after another until there are no more."""
    sessions: OrderedDict[str, Any] = OrderedDict()
    with contextlib.suppress(ImportError):  # said where a network is to be loaded
        import onnxruntime  # type: ignore[import-untyped]  # noqa: F401  # before the clock runs
    send(answers, {"kind": "ready"})
    while (asked := receive(requests)) is not None:
        values, given = asked
        try:
            session = _loaded(sessions, values)
            send(answers, {"kind": "loaded"})
            answer = _answer(session, given, values["room"], values["most"])
        except Refused as reason:
            send(answers, {"kind": reason.kind, "why": reason.why})
        else:
            described = {"kind": "answer", "type": answer.dtype.str, "shape": answer.shape}
            send(answers, described, answer)


def send(file: BinaryIO, values: dict[str, Any], array: Any = None) -> None:
    """Write an object, and the bytes of an array that it describes."""
    header = json.dumps(values).encode()
    file.write(LENGTH.pack(len(header)) + header)
    if array is not None:
        file.write(np.ascontiguousarray(array).tobytes())
    file.flush()


def receive(file: BinaryIO) -> tuple[dict[str, Any], Any] | None:
    """Read a request and its array; None where there are no more."""
    start = file.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    values = json.loads(file.read(LENGTH.unpack(start)[0]))
    kind = np.dtype(values["type"])
    content = file.read(int(np.prod(values["shape"])) * kind.itemsize)
    return values, np.frombuffer(content, kind).reshape(values["shape"])


def _loaded(sessions: OrderedDict[str, Any], values: dict[str, Any]) -> Any:
    """The network with this content; its constants are at most a few times as large as its file."""
    digest = values["digest"]
    if digest not in sessions:
        path = Path(values["path"])
        _limit_memory(3 * path.stat().st_size + values["room"])
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise Refused("changed")
        if content.startswith(_LFS):
            raise Refused("pointer")
        sessions[digest] = _session(path, content)
        while len(sessions) > SESSIONS:
            sessions.popitem(last=False)
    sessions.move_to_end(digest)
    return sessions[digest]


def _session(path: Path, content: bytes) -> Any:
    """A session on one thread. Weights in other files, which no digest would know, are looked for
    only inside of something that is no folder; where they should lie is anything but harmless, as
    onnxruntime would take them from wherever the app was started."""
    try:
        import onnxruntime
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
        raise Refused("memory" if _of_memory(error) else "not loaded", error) from error


def _answer(session: Any, given: Any, room: int, most: int) -> Any:
    """The first output of a network, checked before anything of it is sent."""
    import onnxruntime

    _limit_memory(room)
    how = onnxruntime.RunOptions()
    how.log_severity_level = 4
    try:
        takes, gives = session.get_inputs()[0], session.get_outputs()[0]
        answer = session.run([gives.name], {takes.name: given}, how)[0]
    except Exception as error:  # as above
        raise Refused("memory" if _of_memory(error) else "not run", error) from error
    if not isinstance(answer, np.ndarray) or answer.dtype.kind not in "fiub":
        raise Refused("no numbers")
    if answer.size > most:
        raise Refused("too many", answer.size)
    return answer


def _of_memory(error: Exception) -> bool:
    said = f"{type(error).__name__} {error}".lower()
    return any(word in said for word in _NO_MEMORY)


def _limit_memory(room: int) -> None:
    """Let this process take so many bytes more than it has, and no more. Where the system does not
    say how many it has, there is no limit."""
    taken = _taken()
    if taken is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (taken + room, _UNLIMITED))


def _taken() -> int | None:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    sizes = [line.split()[1] for line in status.splitlines() if line.startswith("VmData:")]
    return int(sizes[0]) * 1024 if sizes else None


def _end_with(parent: int) -> None:
    """End this process once the one that started it is gone, whatever a network does."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main() -> None:
    """Serve the process that started this one; what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
