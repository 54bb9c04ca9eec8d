"""Drop-downs over many options: what a few typed letters find is sent, never a whole long list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from dashboard.tables import counted

MOST = 200
"""A longer list is not sent whole: of 20,000 queries every rerun would send a megabyte."""


def found_among(
    what: str, key: str, options: Sequence[str], name: Callable[[str], str], chosen: str
) -> list[str]:
    """The options that a drop-down offers: all, or of many those whose name holds what is typed
    into a field of its own, the chosen one first.

    what: "a keyword", for the field's label; key: tells the fields of a screen apart.
    """
    if len(options) <= MOST:
        return list(options)
    typed = st.text_input(f"Find {what} ({len(options):,})", key=f"find-{key}", max_chars=100)
    found = holding(options, name, typed)
    if len(found) > MOST:
        st.caption(f"{len(found):,} matches, the first {MOST:,} listed.")
    elif typed:
        st.caption(f"{counted(len(found), 'match', 'matches')}." if found else "No matches.")
    return list(dict.fromkeys([*([chosen] if chosen else []), *found[:MOST]]))


def holding(options: Sequence[str], name: Callable[[str], str], typed: str) -> list[str]:
    """The options whose name holds the letters, small or large.

    >>> holding(["q1", "q2"], {"q1": "A car", "q2": "a bus"}.__getitem__, " CAR ")
    ['q1']
    """
    if not typed.strip():
        return list(options)
    names = pd.Series([name(option) for option in options], dtype="str")
    kept = names.str.contains(typed.strip(), case=False, regex=False)
    return [option for option, keep in zip(options, kept, strict=True) if keep]


def around(options: Sequence[str], place: int) -> list[str]:
    """So many options as are sent, those nearest to one place.

    >>> around(list(map(str, range(1000))), 3)[:2], around(list(map(str, range(1000))), 999)[-1]
    (['0', '1'], '999')
    >>> len(around(list(map(str, range(1000))), 500))
    200
    """
    first = max(min(place - MOST // 2, len(options) - MOST), 0)
    return list(options[first : first + MOST])
