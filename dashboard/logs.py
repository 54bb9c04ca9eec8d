"""Escapes what a terminal would act on in log lines and tracebacks, of our own and of Streamlit."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from dashboard.letters import escaped_lines

OURS = ("dashboard", "streamlit")
"""Loggers whose lines may hold words of files; others write none, and some colour their lines."""


def escape_logs() -> None:
    """From now on show control and invisible letters in log lines and tracebacks as escapes."""
    make = logging.getLogRecordFactory()
    if getattr(make, "escapes", False):
        return

    def escaping(*args: object, **named: object) -> logging.LogRecord:
        record = make(*args, **named)
        if record.name.split(".")[0] in OURS:
            record.msg, record.args = escaped_lines(record.getMessage()), ()
            if record.exc_info and record.exc_info[0]:
                record.exc_text = _traceback(*record.exc_info)
        return record

    escaping.escapes = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(escaping)
    sys.excepthook = _excepthook


def _excepthook(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    print(_traceback(kind, error, trace), file=sys.stderr)


def _traceback(
    kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> str:
    return escaped_lines("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"))
