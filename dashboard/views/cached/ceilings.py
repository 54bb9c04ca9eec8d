"""What a perfect ranking would get by the metrics in view."""

from __future__ import annotations

import streamlit as st

from dashboard.evaluation.ceilings import mean_ceiling
from dashboard.evaluation.metrics.registry import parse
from dashboard.views.cached.asked import Question
from dashboard.views.cached.judged import counted_judgement


@st.cache_resource(max_entries=64, show_spinner=False)
def ceilings(
    asked: Question, metrics: str, only: tuple[str, ...] | None
) -> tuple[float | None, ...]:
    """The mean ceiling of each metric over `only` these queries (None: all in question); None for a
    metric that a perfect ranking brings to 1, or of which no ceiling is known."""
    judged = counted_judgement(asked)
    return tuple(mean_ceiling(measure, judged, only) for measure in parse(metrics))
