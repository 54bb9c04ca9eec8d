"""The log says the same fault a few times a minute, however often it happens.

Without descriptors left, asyncio says a traceback for each of 2,048 tries a second: 22 MB in 25 s.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

_LOG = logging.getLogger(__name__)
MOST, PERIOD = 3, 60.0
"""So often in so many seconds."""
KNOWN = 256
"""So many faults are told apart."""
SOURCES = ("asyncio", "concurrent.futures", "uvicorn.error", "streamlit", "dashboard")
EXPECTED = "The session-owned script event loop is closed."
"""Streamlit warns of what `open_files.release_closed` does for a session that comes back."""


class Repeats(logging.Filter):
    """Lets a fault pass a few times in each period; the next says how often it was left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.clock = clock
        self.lock = threading.Lock()
        self.seen: OrderedDict[tuple[str, ...], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        if str(record.msg).startswith(EXPECTED):
            return False
        fault = _fault(record)
        with self.lock:
            since, times = self.seen.pop(fault, (self.clock(), 0))
            left_out = 0
            if self.clock() - since >= PERIOD:
                since, times, left_out = self.clock(), 0, max(times - MOST, 0)
            self.seen[fault] = since, times + 1
            while len(self.seen) > KNOWN:
                self.seen.popitem(last=False)
        if left_out:
            record.msg = f"{record.getMessage()}\n(the same {left_out:,} times more until now)"
            record.args = ()
        return times < MOST


def keep_log_short() -> None:
    """Leave out repetitions from what the server and the dashboard log, also by loggers that are
    made later, and from faults that Python ignores, such as those of objects half made."""
    logging.setLoggerClass(_Short)
    sys.unraisablehook = _log_ignored
    known = [name for name in logging.root.manager.loggerDict if name.startswith(SOURCES)]
    for name in {*SOURCES, *known}:
        logger = logging.getLogger(name)
        if not any(isinstance(each, Repeats) for each in logger.filters):
            logger.addFilter(_REPEATS)


_REPEATS = Repeats()


def _log_ignored(fault: Any) -> None:
    """Log what Python would print: 46 pages without a descriptor left print 92 tracebacks."""
    where = getattr(fault.object, "__qualname__", type(fault.object).__name__)
    raised = (fault.exc_type, fault.exc_value, fault.exc_traceback)
    _LOG.error("%s %s", fault.err_msg or "Exception ignored in:", where, exc_info=raised)


class _Short(logging.Logger):
    """A logger that leaves out repetitions from its start if its name is one of the sources."""

    def __init__(self, name: str, level: int = logging.NOTSET) -> None:
        super().__init__(name, level)
        if name.startswith(SOURCES):
            self.addFilter(_REPEATS)


def _fault(record: logging.LogRecord) -> tuple[str, ...]:
    """What makes two records the same fault: where it is said, its first line without numbers, and
    the kind and place of the exception."""
    line = (str(record.msg).splitlines() or [""])[0]
    kind = place = ""
    if record.exc_info and record.exc_info[1] is not None:
        kind, trace = type(record.exc_info[1]).__name__, record.exc_info[2]
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None:
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    letters = "".join(letter for letter in line if not letter.isdigit())
    return record.name, str(record.lineno), letters[:200], kind, place
