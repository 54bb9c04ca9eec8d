"""Processes that run networks: started when one is needed, kept for the next picture, killed when
their time is over, and started anew when they died."""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from dashboard.retrieval.networks import child

Numbers = npt.NDArray[Any]
PROCESSES = 2
"""So many networks run at the same time: one that takes all its time holds up no other."""
STARTING = 120.0  # seconds for a process to begin; a machine may be busy
_LONGEST = 100_000  # bytes of what a process says beside an array
_NUMBERS = "fiub"


class ProcessEnded(Exception):
    """A process that ended before it answered; late: because its time was over."""

    def __init__(self, late: bool) -> None:
        super().__init__(late)
        self.late = late


class NetworkRefusal(Exception):
    """A process that has no answer: the kind of reason, and what the library said."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(kind)
        self.kind, self.why = kind, why


class _Process:
    """A process of its own (not forked: threads of ours hold locks), asked one thing at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-P", str(Path(child.__file__))]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._late = self._ready = False
        self.known: set[str] = set()

    def ask(self, asked: dict[str, Any], given: Numbers, seconds: float) -> Numbers:
        """Its answer of at most `asked["most"]` numbers; `seconds` are for loading a network, and
        again for running it."""
        assert self._process.stdin is not None
        if not self._ready:
            self._heard(STARTING, 0)
            self._ready = True
        try:
            child.send(cast(BinaryIO, self._process.stdin), asked, given)
        except OSError as error:
            raise ProcessEnded(False) from error
        kind, answer = self._heard(seconds, asked["most"])
        while kind == "loaded":
            self.known.add(asked["digest"])
            kind, answer = self._heard(seconds, asked["most"])
        return answer

    def _heard(self, seconds: float, most: int) -> tuple[str, Numbers]:
        """What it says next. Nothing that it says is believed before it was looked at: a network
        that breaks out of its library speaks with its voice."""
        clock = threading.Timer(seconds, self._end_late)
        clock.daemon = True
        clock.start()
        try:
            values = json.loads(self._read(self._length()))
            kind = str(values["kind"])
            if kind == "answer":
                return kind, self._array(str(values["type"]), values["shape"], most)
        except (ValueError, TypeError, KeyError) as error:
            raise ProcessEnded(False) from error
        finally:
            clock.cancel()
        if kind in ("ready", "loaded"):
            return kind, np.empty(0)
        raise NetworkRefusal(kind, str(values.get("why", "")))

    def _length(self) -> int:
        length = int(child.LENGTH.unpack(self._read(child.LENGTH.size))[0])
        if length > _LONGEST:
            raise ValueError("a message that is too long")
        return length

    def _array(self, type_: str, shape: list[int], most: int) -> Numbers:
        kind = np.dtype(type_)
        if kind.kind not in _NUMBERS or not all(isinstance(side, int) for side in shape):
            raise ValueError("no array of numbers")
        size = int(np.prod(shape, dtype=np.int64))
        if not 0 <= size <= most:
            raise ValueError("more numbers than were asked for")
        return np.frombuffer(self._read(size * kind.itemsize), kind).reshape(shape)

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        content = self._process.stdout.read(size)
        if len(content) < size:
            raise ProcessEnded(self._late)
        return content

    def _end_late(self) -> None:
        self._late = True
        self._process.kill()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


class _Pool:
    """The processes, and one queue before them: who came first is served first."""

    def __init__(self) -> None:
        self._free: list[_Process] = []
        self._busy = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def process_for(self, digest: str) -> Iterator[_Process]:
        """A process for one request, best one that knows the network. It is ended where the
        request went wrong in a way that says nothing of its state."""
        process = self._taken(digest)
        sound = False
        try:
            yield process
            sound = True
        except NetworkRefusal:
            sound = True
            raise
        finally:
            if not sound:
                process.end()
            with self._changed:
                self._busy -= 1
                if sound:
                    self._free.append(process)
                self._changed.notify_all()

    def _taken(self, digest: str) -> _Process:
        me = object()
        with self._changed:
            self._waiting.append(me)
            try:
                self._changed.wait_for(lambda: self._waiting[0] is me and self._busy < PROCESSES)
                for each in [each for each in self._free if not each.is_alive()]:
                    self._free.remove(each)
                    each.end()
                knowing = [each for each in self._free if digest in each.known]
                process = (knowing or self._free or [_Process()])[0]
                if process in self._free:
                    self._free.remove(process)
                self._busy += 1
                while len(self._free) + self._busy < PROCESSES:
                    self._free.append(_Process())  # begins while this one works
                return process
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()

    def end(self) -> None:
        """End all processes that are free."""
        with self._changed:
            while self._free:
                self._free.pop().end()


_POOL = _Pool()


def answer(asked: dict[str, Any], given: Numbers, *, seconds: float, most: int) -> Numbers:
    """What a process answers to a request for an array.

    seconds: for loading the network, and again for running it. most: numbers of the answer.
    Raises NetworkRefusal or ProcessEnded where it has none.
    """
    array = np.ascontiguousarray(given)
    request = {**asked, "most": most, "type": array.dtype.str, "shape": array.shape}
    with _POOL.process_for(asked["digest"]) as process:
        return process.ask(request, array, seconds)


@atexit.register
def end_all() -> None:
    """End the processes that are free; the next request starts one anew."""
    _POOL.end()
