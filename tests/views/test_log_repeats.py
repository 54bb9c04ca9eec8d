"""The same fault stands in the log a few times a minute, however often it happens."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest

from dashboard.views.server.log_repeats import (
    EXPECTED,
    KNOWN,
    MOST,
    PERIOD,
    Repeats,
    keep_log_short,
)


class Clock:
    """Seconds that only the test lets pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, list[str], Clock]]:
    """A logger whose repetitions are left out, what it says, and its clock."""
    said: list[str] = []
    logger, clock, handler = logging.getLogger("repeating"), Clock(), logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    repeats = Repeats(clock)
    logger.addFilter(repeats)
    yield logger, said, clock
    logger.removeHandler(handler)
    logger.removeFilter(repeats)


def fail(logger: logging.Logger, number: int) -> None:
    try:
        raise OSError(24, "Too many open files")
    except OSError:
        logger.exception("socket.accept() out of system resource\nsocket: %s", number)


def test_a_fault_that_never_ends_is_said_a_few_times_a_minute(log) -> None:
    logger, said, clock = log
    for second in range(180):
        clock.now = second
        for number in range(100):
            fail(logger, number)
    assert len(said) == 3 * MOST
    left_out = 60 * 100 - MOST
    assert [f"{left_out:,} times more" in line for line in said[MOST : MOST + 2]] == [True, False]


def test_other_faults_are_said_beside_it_and_what_is_no_fault_always(log) -> None:
    logger, said, _ = log
    logger.setLevel(logging.INFO)
    for number in range(10):
        fail(logger, number)
        logger.info("asked for %s", number)
    logger.error("another fault of page 7")
    assert len([line for line in said if "asked" in line]) == 10
    assert said[-1] == "another fault of page 7"


def test_few_faults_are_remembered_and_the_expected_one_is_none(log) -> None:
    logger, said, clock = log
    repeats = logger.filters[0]
    for number in range(2 * KNOWN):
        logger.error("x" * (number % 50) + "y" * (number // 50))
    assert len(said) == 2 * KNOWN and len(repeats.seen) == KNOWN
    clock.now = PERIOD
    logger.warning(EXPECTED + " AppSession is creating a replacement")
    assert len(said) == 2 * KNOWN


@pytest.fixture
def short_log() -> Iterator[None]:
    """The log as a server keeps it, for the time of a test."""
    logger, hook = logging.getLoggerClass(), sys.unraisablehook
    keep_log_short()
    yield
    logging.setLoggerClass(logger)
    sys.unraisablehook = hook


def test_loggers_that_are_made_later_repeat_nothing_either(short_log) -> None:
    short = {}
    for name in ("streamlit", "others"):
        filters = logging.getLogger(f"{name}.made_later").filters
        short[name] = any(isinstance(each, Repeats) for each in filters)
    assert short == {"streamlit": True, "others": False}


def test_faults_that_python_ignores_are_logged_and_not_repeated(short_log, caplog) -> None:
    class HalfMade:
        def __del__(self) -> None:
            raise AttributeError("no _state")

    for _ in range(100):
        HalfMade()
    assert len(caplog.records) == MOST
    assert "HalfMade.__del__" in caplog.text and "no _state" in caplog.text
