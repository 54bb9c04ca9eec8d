"""Grades that a metric cannot take, and values that no computer can hold, refused by their row.

Shares such as nDCG(exp) are computed whatever the grades; a plain sum of 2^5000 is no number.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import Measure
from dashboard.evaluation.protocols.protocol import ids_of
from dashboard.evaluation.rankings import Floats
from dashboard.tables import DataError

MOST = 1e90
"""Values up to here can be compared: chance is reckoned with their cubes, added up."""


def check_scale(measure: Measure, judgement: Judgement) -> None:
    """Raise DataError for a grade above the largest that ERR(exp) makes a chance of."""
    settings = dict(measure.settings)
    if measure.metric.name != "ERR" or settings.get("stop") != "exp":
        return
    largest, row = float(settings["max"]), _highest(judgement)
    if row is None or row["grade"] <= largest:
        return
    least = int(np.ceil(row["grade"]))
    setting = next(each for each in measure.metric.settings if each.name == "max")
    widened = f"Write ERR(exp,max={least}) for grades up to {least}, or ERR for credit."
    cure = widened if least <= setting.high else "Ask for ERR, which reads credit: --scale N."
    raise DataError(
        "qrels",
        f"grade {row['grade']:g} for the query {row['query_id']!r} and the item {row['item_id']!r}",
        f"grades up to {largest:g}, of which {measure.name} makes chances up to 1",
        cure=cure,
        about=ids_of(row.to_frame().T),
    )


def check_size(measure: Measure, values: Floats, judgement: Judgement) -> None:
    """Raise DataError where a value is too large to be reckoned with, for the largest grade."""
    row = _highest(judgement)
    if row is None or not (np.abs(values) > MOST).any():
        return
    raise DataError(
        "qrels",
        f"grade {row['grade']:g} for the query {row['query_id']!r} and the item {row['item_id']!r}",
        f"smaller grades: {measure} would be above {MOST:g}",
        cure=f"Divide the grades by a number, or ask for n{measure}, which is a share.",
        about=ids_of(row.to_frame().T),
    )


def _highest(judgement: Judgement) -> pd.Series | None:
    """The judged pair with the highest grade, the first of several; None without any."""
    grades = judgement.qrels["grade"].to_numpy()
    return judgement.qrels.iloc[int(grades.argmax())] if len(grades) else None
