"""Choices in the address bar: read from it, written to it, and an input for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.next.storage.collection import Collection
from dashboard.next.study.choices import Choices, list_choices, resolve

COLLECTION = "collection"
_LAST = "last-address"


def read_address() -> dict[str, str]:
    """Return what the address says; on a page opened from the menu, what the last one said."""
    return dict(st.query_params.to_dict() or st.session_state.get(_LAST, {}))


def read_choices(collection: Collection, given: dict[str, str]) -> Choices:
    """Return the choices of an address, and spell them all out in it.

    Raises:
        ChoiceError: If the address holds an unknown value.
    """
    choices = resolve(collection, given)
    full = {COLLECTION: collection.name} | {k: v for k, v in choices.write().items() if v}
    if st.query_params.to_dict() != full:
        st.query_params.from_dict(full)
    st.session_state[_LAST] = full
    return choices


def set_choice(key: str, value: str) -> None:
    """Change one choice of the address; the script runs again."""
    st.query_params[key] = value


def draw_choice(
    collection: Collection,
    choices: Choices,
    key: str,
    options: Sequence[str] = (),
    label: Callable[[str], str] = str,
) -> None:
    """Draw the input of a choice: several of, one of, or a text.

    Args:
        collection: What is chosen from.
        choices: The values that hold.
        key: The choice.
        options: Values to choose among, where the choice itself does not list them.
        label: Return what a value is called.
    """
    (choice,) = (each for each in list_choices() if each.key == key)
    widget, now = f"input-{key}", choices[key]
    if not options and choice.allowed is not None:
        options = list(choice.allowed(collection, dict(choices.values)))
    name = key.replace("_", " ").capitalize()

    def write() -> None:
        value = st.session_state[widget]
        set_choice(key, " ".join(value) if isinstance(value, list) else str(value))

    if choice.kind == "names":
        st.session_state[widget] = list(now)
        st.multiselect(name, options, key=widget, help=choice.meaning, on_change=write)
    elif options:
        st.session_state[widget] = now
        st.selectbox(
            name, options, key=widget, help=choice.meaning, on_change=write, format_func=label
        )
    else:
        st.session_state[widget] = choices.write()[key]
        st.text_input(name, key=widget, help=choice.meaning, on_change=write)
