"""A protocol's tables, to look at and to take away."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.views.address.choices import View
from dashboard.views.report.exports import as_csv


def take_away(view: View, table: pd.DataFrame, name: str) -> None:
    """A button that saves the numbers of a drawing as CSV: all digits, nothing for null.

    The file is ready before the click: Streamlit forgets a function that would make it while the
    page is drawn again, and a click in that moment would save nothing.
    """
    st.download_button(
        "Numbers as CSV",
        as_csv(table).encode(),
        file_name=f"{view.collection}-{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        key=f"take-away-{name}",
        on_click="ignore",
    )
