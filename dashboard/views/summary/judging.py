"""How a protocol judges, in its own words: what counts, the formula, and what that is blind to."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import measuring
from dashboard.views.experiments import experiment_of
from dashboard.views.summary.measured import selected
from dashboard.views.texts import plain
from dashboard.views.view import View

CEILING = "Ceiling"


def how_judged(view: View) -> None:
    """Draw the definition, formula and source of the view's protocol, and what it is blind to."""
    protocol = PROTOCOLS[view.protocol]
    with st.expander("Protocol definition", icon=":material/balance:"):
        st.markdown(f"**{plain(protocol.title)}** · {plain(protocol.definition, None)}")
        st.markdown(f"**Formula.** {plain(protocol.formula, None)}")
        st.markdown(f"**Source.** {plain(protocol.source, None)}")
        st.markdown("**Limitations**")
        st.markdown("\n".join(f"- {plain(sentence, None)}" for sentence in protocol.blind))


def with_ceilings(view: View, metrics: str, rows: list[dict[str, Any]]) -> tuple[pd.DataFrame, str]:
    """Rows of means with what a perfect ranking gets, where some metric cannot reach 1; and a
    sentence on it."""
    experiment = experiment_of(view)
    found = measuring.ceilings(experiment, metrics, selected(view, experiment))
    table = pd.DataFrame(rows)
    if all(value is None for value in found):
        return table, ""
    table.insert(1, CEILING, ["" if value is None else number(value) for value in found])
    return table, (
        "Ceiling: the value of a perfect ranking; below 1 where fewer than K (P@K) or more than K "
        "(R@K) items are relevant. "
    )
