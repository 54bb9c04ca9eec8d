"""Links from one screen to another that keep the choices of the address."""

from urllib.parse import urlencode

import streamlit as st


def write_link(screen: str, **values: str) -> str:
    """Return the relative address of a screen with the present choices and some other values.

    Args:
        screen: Name of the screen; "overview" is the one at `/`.
        values: Values by key; an empty one puts its choice back to the usual value.
    """
    present = {key: st.query_params[key] for key in st.query_params}
    given = {key: value for key, value in (present | values).items() if value}
    return f"{'./' if screen == 'overview' else screen}?{urlencode(given)}"
