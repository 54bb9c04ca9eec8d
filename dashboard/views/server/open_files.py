"""Descriptors of the server: as many as it may have, and none for pages that were closed.

An idle page takes four: its live connection and the three of the loop that its script runs in
(`python -m tests.benchmarks.bench_pages`). While a page loads, its browser opens some more for what
it fetches.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from streamlit import runtime
from streamlit.runtime import app_session

from dashboard.views.server import log_repeats

WANTED, ENOUGH, A_PAGE = 65_536, 4_096, 4
PERIOD = 10  # seconds
_LOG = logging.getLogger(__name__)


def raise_limit() -> str:
    """Raise how many files the process may open as far as it may; gives a sentence where that is
    not enough for a team, and nothing where it is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return ""
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    most = max(soft, wanted)
    if most >= ENOUGH:
        return ""
    return (
        f"Only {most:,} files may be open at once, enough for {most // A_PAGE:,} idle pages. "
        f"Run `ulimit -n {WANTED}` before the start to allow more."
    )


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[None]:
    """What a server does while it runs, for `st.App(lifespan=…)`."""
    log_repeats.keep_log_short()
    if sentence := raise_limit():
        _LOG.warning(sentence)
    releasing = asyncio.create_task(_release_from_time_to_time())
    try:
        yield
    finally:
        releasing.cancel()


async def _release_from_time_to_time() -> None:
    while True:
        await asyncio.sleep(PERIOD)
        try:
            release_closed()
        except AttributeError as error:  # looks into Streamlit, which may change
            _LOG.warning("Descriptors of pages that were closed are kept for long: %s.", error)
            return


def release_closed() -> None:
    """Give back what the sessions of closed pages hold: all where they are forgotten, and of those
    that a reload within two minutes would find again the loop (three descriptors each), which is
    made anew for them.

    Streamlit forgets a session only when another one is closed, and up to 128 keep their loops.
    """
    manager: Any = runtime.get_instance()._session_mgr
    storage = manager._session_storage
    with manager._storage_lock:
        forgotten = storage._cache.expire()
        waiting = storage.list()
    for _, known in forgotten:
        known.session.shutdown()
    for known in waiting:
        if known.session._scriptrunner is None:
            app_session._close_script_event_loop(known.session._script_event_loop)
