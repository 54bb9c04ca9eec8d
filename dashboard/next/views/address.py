"""Choices in the address bar: read from it, written to it, and an input for each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.elements.lib.utils import LabelVisibility

from dashboard.next.storage.collection import Collection
from dashboard.next.study.choices import Choices, join_repeated, list_choices, resolve

COLLECTION = "collection"
PINNED = ("baseline", "candidate", "query")
"""Choices that a link always names."""
_LAST = "last-address"


def read_address() -> dict[str, str]:
    """Return what the address says; on a page opened from the menu, what the last one said."""
    given = {key: join_repeated(key, st.query_params.get_all(key)) for key in st.query_params}
    return given or dict(st.session_state.get(_LAST, {}))


def read_choices(collection: Collection, given: dict[str, str]) -> Choices:
    """Return the choices of an address, and write those that are not the usual ones to it.

    Versions and query are always written, so that a link keeps its meaning when a new version
    arrives.

    Raises:
        ChoiceError: If the address holds an unknown value.
    """
    choices = resolve(collection, given)
    values = choices.write()
    pinned = {key: values[key] for key in PINNED if values[key]}
    usual = resolve(collection, pinned).write()
    differing = {key: value for key, value in values.items() if value and value != usual[key]}
    short = {COLLECTION: collection.name} | pinned | differing
    if st.query_params.to_dict() != short:
        st.query_params.from_dict(short)
    st.session_state[_LAST] = short
    return choices


def set_choice(key: str, value: str) -> None:
    """Change one choice of the address; the script runs again."""
    st.query_params[key] = value


def drop_choice(key: str) -> None:
    """Put one choice of the address back to its usual value; the script runs again."""
    st.query_params.pop(key, None)


def escape_markdown(text: str) -> str:
    """Return a text that Streamlit's markdown shows letter by letter."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])", r"\\\1", text)


def draw_choice(
    collection: Collection,
    choices: Choices,
    key: str,
    options: Sequence[str] = (),
    label: Callable[[str], str] = str,
    label_visibility: LabelVisibility = "visible",
) -> None:
    """Draw the input of a choice: several of, one of, or a text.

    Args:
        collection: What is chosen from.
        choices: The values that hold.
        key: The choice.
        options: Values to choose among, where the choice itself does not list them.
        label: Return what a value is called.
        label_visibility: Whether the name of the choice stands above its input.
    """
    (choice,) = (each for each in list_choices() if each.key == key)
    widget, now = f"input-{key}", choices[key]
    if not options and choice.allowed is not None:
        options = list(choice.allowed(collection, dict(choices.values)))
    name = key.replace("_", " ").capitalize()

    def write() -> None:
        value = st.session_state[widget]
        set_choice(key, choice.join(value) if isinstance(value, list) else str(value))

    if choice.kind == "names":
        st.session_state[widget] = list(now)
        st.multiselect(
            name, options, key=widget, help=choice.meaning, on_change=write,
            label_visibility=label_visibility,
        )  # fmt: skip
    elif options:
        st.session_state[widget] = now
        st.selectbox(
            name,
            options,
            key=widget,
            help=choice.meaning,
            on_change=write,
            format_func=label,
            label_visibility=label_visibility,
        )
    else:
        st.session_state[widget] = choices.write()[key]
        st.text_input(
            name, key=widget, help=choice.meaning, on_change=write,
            label_visibility=label_visibility,
        )  # fmt: skip
