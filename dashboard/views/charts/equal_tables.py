"""Draws a chart once for equal tables: to build and check it takes longer than its numbers do."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

import altair as alt
import numpy as np
import pandas as pd

from dashboard.experiment.memory import remembered

P = ParamSpec("P")
Chart = TypeVar("Chart", bound=alt.TopLevelMixin)


def once_for_equal_tables(draw: Callable[P, Chart]) -> Callable[P, Chart]:
    """Remembers the charts that a function has drawn by the contents of its tables. Its callers
    share a chart, so nobody may change one."""
    return remembered(64, key=_digest)(draw)


def _digest(*arguments: Any, **named: Any) -> tuple[bytes]:
    """What stands for tables, whatever their index, and for numbers and words, written out."""
    digest = blake2b(digest_size=16)
    for name, of in [*enumerate(arguments), *named.items()]:
        if not isinstance(of, pd.DataFrame):
            digest.update(f"{name} {of!r} ".encode())
            continue
        for column, values in of.items():
            digest.update(f"{name} {column!r} {values.dtype} ".encode())
            plain = isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf"
            digest.update(values.to_numpy().tobytes() if plain else repr(list(values)).encode())
    return (digest.digest(),)
