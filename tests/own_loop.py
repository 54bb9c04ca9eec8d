"""A loop of events of its own, for tests that speak to a server by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[None, None, Result]) -> Result:
    """Do the work in another thread: the browser's tests have a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
