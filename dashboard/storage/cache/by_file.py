"""What follows from a large file alone, computed once for each state of the file.

A state is what git goes by: device, inode, size and times. A file that was written a moment ago may
be written again within the resolution of its clock; of such a one nothing is written down.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import TypeVar, cast

from dashboard.storage.cache import results

R = TypeVar("R")

SETTLED = 2.0
"""Seconds after which a file that is written again has another time."""


def once(descriptor: int, recipe: tuple[object, ...], compute: Callable[[], R]) -> R:
    """What is computed from an open file, from the cache folder where it has it for its state.

    recipe: what else the result depends on; change it when it is computed in another way.
    """
    now = state(os.fstat(descriptor))
    if now is None:
        return compute()
    depends_on = json.dumps([recipe, now], default=str)
    if (stored := results.load(depends_on)) is not None:
        return cast(R, stored[0])
    result = compute()
    if state(os.fstat(descriptor)) == now:
        results.save(depends_on, result)
    return result


def state(of: os.stat_result) -> tuple[int, ...] | None:
    """What changes when a file does; None where it was written a moment ago."""
    if max(of.st_mtime, of.st_ctime) > time.time() - SETTLED:
        return None
    return of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns
