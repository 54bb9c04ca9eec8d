"""What a page shows while its reader waits for long work: what, how far, how long still."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.progress import Listener
from dashboard.views.texts import plain

DRAWN = 0.3
"""Seconds between two drawings of a bar; each lets Streamlit end the run of a reader who left."""
ROUGH = 1.0
"""Seconds before which nothing is reckoned from how far the work is."""

_place: ContextVar[Any] = ContextVar("where a page says what it waits for", default=None)


def keep_place() -> None:
    """Keep a place that floats above the page, in which nothing moves anything else."""
    _place.set(st.container(key="waiting"))


@contextmanager
def waiting(work: str) -> Iterator[Listener]:
    """Shows some work while a page waits for it, and how far it is; nothing where no page does."""
    place = _place.get()
    if place is None or get_script_run_ctx(suppress_warning=True) is None:
        yield lambda part, done, total: None
        return
    bar = _Bar(place)
    with place, st.spinner(plain(work, None)):
        try:
            yield bar.draw
        finally:
            bar.clear()


class _Bar:
    """A bar that is drawn a few times a second at most."""

    def __init__(self, place: Any) -> None:
        self._place = place
        self._bar: Any = None
        self._drawn = time.monotonic()
        self._part, self._began = "", 0.0

    def draw(self, part: str, done: int, total: int) -> None:
        """Draw how far the work is, where the last drawing is some time ago."""
        now = time.monotonic()
        if part != self._part or done == 0:
            self._part, self._began = part, now
        if now < self._drawn + DRAWN:
            return
        self._drawn = now
        if self._bar is None:
            self._bar = self._place.empty()
        share = done / total if total else 0.0
        left = time_left(now - self._began, done, total)
        self._bar.progress(min(share, 1.0), text=f"{part}, {share:.0%}{left}" if part else "")

    def clear(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.empty()


def time_left(passed: float, done: int, total: int) -> str:
    """How long some work takes still, as its parts up to now did; empty where that is too early.

    passed: seconds.

    >>> time_left(10, 1, 5), time_left(300, 2, 5), time_left(0.2, 1, 5), time_left(9, 5, 5)
    (', about 40 s left', ', about 8 min left', '', '')
    >>> time_left(9, 99, 100)
    ', about 1 s left'
    """
    if passed < ROUGH or not 0 < done < total:
        return ""
    seconds = max(1.0, passed / done * (total - done))
    return (
        f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"
    )
