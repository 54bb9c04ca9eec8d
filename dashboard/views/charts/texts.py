"""Numbers of a drawing in words, written as they are everywhere: for tooltips and cells."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.evaluation.digits import chance, number, signed

_WRITTEN = {"": number, "+": signed, "p": chance}


def with_texts(
    rows: pd.DataFrame,
    numbers: Sequence[str] = (),
    differences: Sequence[str] = (),
    chances: Sequence[str] = (),
) -> pd.DataFrame:
    """The rows with a column of texts, `NAME_text`, beside each of these columns of numbers."""
    ways = {"": numbers, "+": differences, "p": chances}
    texts = {
        f"{name}_text": rows[name].map(_WRITTEN[way]).astype("str")
        for way, names in ways.items()
        for name in names
    }
    return rows.assign(**texts)


def tip(name: str, title: str) -> alt.Tooltip:
    """The line of a tooltip with the text of a column of numbers."""
    return alt.Tooltip(f"{name}_text:N", title=title)
