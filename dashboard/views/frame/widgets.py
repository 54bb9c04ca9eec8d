"""Widgets whose value is a choice of the address: drop-downs, also of long lists, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import pandas as pd
import streamlit as st

from dashboard.tables import counted
from dashboard.views import layout
from dashboard.views.address import bar
from dashboard.views.address.choices import CHOICES, View
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import plain

MOST = 200
"""A longer list is not sent whole: of 20,000 queries every rerun would send a megabyte."""


def found_among(
    what: str, key: str, options: Collection[str], name: Callable[[str], str], chosen: str
) -> list[str]:
    """The options that a drop-down offers: all, or of many those whose name holds what is typed
    into a field of its own, the chosen one first.

    what: "a keyword", for the field's label; key: tells the fields of a screen apart.
    """
    if len(options) <= MOST:
        return list(options)
    typed = st.text_input(
        f"Find {what} ({len(options):,})",
        key=f"find-{key}",
        max_chars=100,
        help="Offers only those whose name contains this text.",
    )
    found = holding(options, name, typed)
    if len(found) > MOST:
        st.caption(f"{len(found):,} matches, the first {MOST:,} listed.")
    elif typed:
        st.caption(f"{counted(len(found), 'match', 'matches')}." if found else "No matches.")
    return list(dict.fromkeys([*([chosen] if chosen else []), *found[:MOST]]))


def holding(options: Collection[str], name: Callable[[str], str], typed: str) -> list[str]:
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


def pick(
    title: str,
    key: str,
    options: Sequence[str],
    view: View,
    name: Callable[[str], str | None] = str,
    apply: Callable[[str, str], None] | None = None,
    tip: str | None = None,
) -> None:
    """A drop-down whose value is the address' `key`; a change is a step in the address bar."""
    widget, labels = f"choice-{key}", distinct_labels(options, lambda of: name(of) or of)
    st.session_state[widget] = getattr(view, key)
    st.selectbox(
        title,
        list(labels),
        key=widget,
        format_func=lambda option: labels.get(option, option),
        on_change=apply or apply_choice,
        args=(key, widget),
        placeholder="choose",
        help=tip or means(key),
    )


def segments(
    title: str,
    key: str,
    options: dict[str, str],
    view: View,
    beside: bool = False,
    tip: str | None = None,
) -> None:
    """A row of buttons of which one is on: the address' `key`. beside: it stands beside others."""
    widget, labels = f"choice-{key}", distinct_labels(options, options.__getitem__)
    st.session_state[widget] = getattr(view, key)
    st.segmented_control(
        title,
        list(labels),
        key=widget,
        format_func=lambda option: plain(labels[option], None),
        on_change=apply_choice,
        args=(key, widget),
        width=layout.width(options.values(), title) if beside else "content",
        help=tip or means(key),
    )


def means(key: str) -> str:
    """What a key of the address is, as a sentence.

    >>> means("outcome")
    'Only queries with this outcome.'
    """
    words = CHOICES[key].means
    return f"{words[0].upper()}{words[1:]}."


def apply_choice(key: str, widget: str) -> None:
    value = st.session_state[widget]
    if value is not None and value != []:
        bar.go(**{key: tuple(value) if isinstance(value, list) else value})
