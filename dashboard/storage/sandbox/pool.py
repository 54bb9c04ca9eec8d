"""Processes that do one kind of work: started when one is needed, kept for the next request, killed
when their time is over, and started anew when they died."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from dashboard.storage.sandbox import child

STARTING = 120.0  # seconds for a process to begin; a machine may be busy
_LONGEST = 100_000  # bytes of what a process says beside the content of an answer
_ROOT = Path(__file__).resolve().parents[3]
_ALLOCATOR = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "1000000"}
"""Of glibc, that what was freed goes back to the system; other C libraries do not read it."""


class ProcessEnded(Exception):
    """A process that ended before it answered; late: because its time was over; begun: whether it
    may have had the whole request."""

    def __init__(self, late: bool, begun: bool = True) -> None:
        super().__init__(late, begun)
        self.late, self.begun = late, begun


class Refusal(Exception):
    """A process that has no answer: the kind of reason, and what the library said."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(kind)
        self.kind, self.why = kind, why


class Process:
    """A process of its own (not forked: threads of ours hold locks) for one request at a time."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ALLOCATOR, **environment, "PYTHONPATH": path},
        )
        self._late = self._ready = False
        self.served: set[str] = set()

    def ask(
        self, values: child.Values, content: bytes | memoryview, seconds: float, most: int
    ) -> tuple[child.Values, bytes]:
        """Its answer and at most `most` bytes of content; it may begin its seconds anew, once."""
        assert self.process.stdin is not None
        if not self._ready:
            try:
                self._next(STARTING, 0)
            except ProcessEnded as end:
                raise ProcessEnded(end.late, begun=False) from end
            self._ready = True
        clock = self._clock(seconds)
        try:
            child.send(cast(BinaryIO, self.process.stdin), values, content)
        except OSError as error:
            raise ProcessEnded(self._late, begun=False) from error
        finally:
            clock.cancel()
        answer, returned = self._next(seconds, most)
        if answer["kind"] == "begun":
            answer, returned = self._next(seconds, most)
        if answer["kind"] != "answer":
            raise Refusal(str(answer["kind"]), str(answer.get("why", "")))
        return answer, returned

    def _next(self, seconds: float, most: int) -> tuple[child.Values, bytes]:
        """The next message. Nothing in it is believed before it was looked at: a file that breaks
        out of its library speaks with the voice of the process."""
        clock = self._clock(seconds)
        try:
            length = int(child.LENGTH.unpack(self._read(child.LENGTH.size))[0])
            if length > _LONGEST:
                raise ValueError("a message that is too long")
            values = json.loads(self._read(length))
            size = values["size"]
            if "kind" not in values or not isinstance(size, int) or not 0 <= size <= most:
                raise ValueError("more bytes than were asked for")
            return values, self._read(size)
        except (ValueError, TypeError, KeyError) as error:
            raise ProcessEnded(False) from error
        finally:
            clock.cancel()

    def _clock(self, seconds: float) -> threading.Timer:
        clock = threading.Timer(seconds, self._end_late)
        clock.daemon = True
        clock.start()
        return clock

    def _read(self, size: int) -> bytes:
        assert self.process.stdout is not None
        content = self.process.stdout.read(size)
        if len(content) < size:
            raise ProcessEnded(self._late)
        return content

    def _end_late(self) -> None:
        self._late = True
        self.process.kill()

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


class Pool:
    """Up to `most` processes that run a module's `main`, and one queue before them: who came first
    is served first.

    environment: variables that they have beside those of this process.
    """

    def __init__(
        self, module: str, most: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self._module, self._most, self._environment = module, most, environment or {}
        self.free: list[Process] = []
        self._busy: list[Process] = []
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()
        atexit.register(self.end)

    def ask(
        self,
        values: child.Values,
        content: bytes | memoryview = b"",
        *,
        seconds: float,
        most: int,
        key: str = "",
    ) -> tuple[child.Values, bytes]:
        """The answer to a request and at most `most` bytes of content.

        seconds: until the answer, or until it begins its time anew, and again from there. key: of
        what a process may have loaded; one that has served it is preferred. Raises Refusal or
        ProcessEnded where there is no answer.
        """
        try:
            return self._ask(values, content, seconds, most, key)
        except ProcessEnded as end:
            if end.begun or end.late:
                raise
            # something else ended a process that waited for a request
            return self._ask(values, content, seconds, most, key)

    def _ask(
        self, values: child.Values, content: bytes | memoryview, seconds: float, most: int, key: str
    ) -> tuple[child.Values, bytes]:
        with self._process_for(key) as process:
            answer = process.ask(values, content, seconds, most)
            process.served.add(key)
            return answer

    @contextlib.contextmanager
    def _process_for(self, key: str) -> Iterator[Process]:
        """A process for one request. It is ended where the request went wrong in a way that says
        nothing of its state."""
        process = self._taken(key)
        sound = False
        try:
            yield process
            sound = True
        except Refusal:
            sound = True
            raise
        finally:
            if not sound:
                process.end()
            with self._changed:
                self._busy.remove(process)
                if sound:
                    self.free.append(process)
                self._changed.notify_all()

    def _taken(self, key: str) -> Process:
        me = object()
        with self._changed:
            self._waiting.append(me)
            try:
                self._changed.wait_for(
                    lambda: self._waiting[0] is me and len(self._busy) < self._most
                )
                for each in [each for each in self.free if not each.is_alive()]:
                    self.free.remove(each)
                    each.end()
                serving = [each for each in self.free if key in each.served]
                process = (serving or self.free or [self._started()])[0]
                if process in self.free:
                    self.free.remove(process)
                self._busy.append(process)
                while len(self.free) + len(self._busy) < self._most:
                    self.free.append(self._started())  # begins while this one works
                return process
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()

    def _started(self) -> Process:
        return Process(self._module, self._environment)

    def serves(self, key: str) -> bool:
        """Whether a process that has not ended has served a key."""
        with self._changed:
            running = [*self.free, *self._busy]
        return any(key in each.served and each.is_alive() for each in running)

    def end(self) -> None:
        """End the processes that are free; the next request starts one anew."""
        with self._changed:
            while self.free:
                self.free.pop().end()
