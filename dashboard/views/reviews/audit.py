"""The audit log on the screen Reviews: who did what, when, and what vouched for the name."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment.reviews import reviewing
from dashboard.experiment.reviews.assigned_reviews import KEEP, actor
from dashboard.views.texts import shown

MOST = 200
"""Acts that are listed."""
_PERSON = "audit-person"


def audit_log() -> None:
    """Draw the last acts of everybody, or of one person; nothing for who is no admin."""
    if not actor().may(KEEP):
        return
    box = st.expander("Audit log", key="audit", on_change="rerun")
    if not box.open:  # read only where somebody looks
        return
    with box:
        person = st.text_input("Person", key=_PERSON, placeholder="All", width=280).strip()
        acts = reviewing.audit(most=MOST, person=person)
        if acts.empty:
            st.caption("No act of such a person." if person else "Nothing was saved yet.")
            return
        st.dataframe(_readable(acts), hide_index=True, key="audit-table")
        st.caption(
            f"The last {MOST} acts, the newest first, of all collections. `python -m dashboard "
            "reviews audit` lists all of them."
        )


def _readable(acts: pd.DataFrame) -> pd.DataFrame:
    rows = acts[::-1].to_dict("records")
    return pd.DataFrame(
        {
            "Time (UTC)": [str(row["time"])[:19].replace("T", " ") for row in rows],
            "Person": [shown(row["name"]) for row in rows],
            "Role": [row["role"] for row in rows],
            "Vouched for by": [row["identity"] for row in rows],
            "Act": [row["action"] for row in rows],
            "Collection": [shown(row["collection"]) for row in rows],
            "About": [shown(_in_words(json.loads(row["about"]))) for row in rows],
        }
    )


def _in_words(about: dict[str, Any]) -> str:
    """`kind verdict, query q1, item v01, value not`."""
    return ", ".join(f"{name.removesuffix('_id')} {value}" for name, value in about.items())
