"""The side of a process that does the work: it reads requests, obeys its limits and answers.

It imports nothing else of the package, so that it starts quickly. Requests come on stdin and
answers go to stdout: four bytes with the length of a JSON object, the object, and as many bytes as
its `size` says.
"""

from __future__ import annotations

import json
import os
import resource
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

LENGTH = struct.Struct("<I")
_NO_MEMORY = ("alloc", "out of memory", "memoryerror", "length_error", "cannot create std::vector")
Values = dict[str, Any]
Work = Callable[[Values, bytes, Callable[[], None]], tuple[Values, bytes]]
"""A request and its bytes, and what to call when its clock may begin anew → the answer, as well."""


class Refused(Exception):
    """Why there is no answer: its kind, for a sentence, and what the library said, for the log."""

    def __init__(self, kind: str, why: object = "") -> None:
        super().__init__(kind)
        self.kind, self.why = kind, str(why)[:500]


def failure(kind: str, error: Exception) -> str:
    """The kind of a failure: "memory" where the library's error speaks of that, for not all of them
    raise MemoryError."""
    said = f"{type(error).__name__} {error}".lower()
    return "memory" if any(word in said for word in _NO_MEMORY) else kind


def main(work: Work, prepare: Callable[[], object] = lambda: None) -> None:
    """Serve the process that started this one; what libraries print goes nowhere.

    prepare: imports what takes long, before the clock of the first request runs.
    """
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    prepare()
    send(answers, {"kind": "ready"})
    while (request := receive(sys.stdin.buffer)) is not None:
        try:
            values, content = work(*request, lambda: send(answers, {"kind": "begun"}))
        except Refused as reason:
            send(answers, {"kind": reason.kind, "why": reason.why})
        else:
            send(answers, {**values, "kind": "answer"}, content)
        request = values = content = None  # type: ignore[assignment]  # free before the next one


def send(file: BinaryIO, values: Values, content: bytes | memoryview = b"") -> None:
    """Write an object and the bytes that belong to it."""
    header = json.dumps({**values, "size": memoryview(content).nbytes}).encode()
    file.write(LENGTH.pack(len(header)) + header)
    file.write(content)
    file.flush()


def receive(file: BinaryIO) -> tuple[Values, bytes] | None:
    """Read a request and its bytes; None where there are no more."""
    start = file.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    values = json.loads(file.read(LENGTH.unpack(start)[0]))
    return values, file.read(values["size"])


def limit_memory(room: int) -> None:
    """Let this process take `room` bytes more than it has. Where the system does not say how many
    it has, there is no limit."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return
    sizes = [line.split()[1] for line in status.splitlines() if line.startswith("VmData:")]
    if sizes:
        most = int(sizes[0]) * 1024 + room
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))


def _end_with(parent: int) -> None:
    """End this process once the one that started it is gone, whatever its work does."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)
