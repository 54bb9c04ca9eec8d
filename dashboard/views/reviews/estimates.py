"""What the sample of a review estimates of its metric, by people and with machines, as a table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pandas as pd

from dashboard.evaluation.digits import number
from dashboard.experiment import machine_reviews, sampled_reviews
from dashboard.experiment.assigned_reviews import Assignment
from dashboard.views import layout
from dashboard.views.texts import plain


def estimates(review: Assignment, given: pd.DataFrame) -> None:
    """Draw the table; nothing while a result that was drawn is not judged."""
    rows: list[dict[Any, Any]] = []
    with suppress(ValueError):  # the sentence below says how many are judged
        rows += sampled_reviews.estimates(review, given).assign(by="people").to_dict("records")
        for machine in review.machines:
            table = machine_reviews.estimates(review, machine, given)
            rows += table.assign(by=f"people and {machine.model}").to_dict("records")
    if not rows:
        return
    layout.table(
        pd.DataFrame(
            {
                "Version": [plain(row["version"]) for row in rows],
                f"Estimated {rows[0]['metric']}": [number(row["estimate"]) for row in rows],
                "95 % interval": [f"{number(row['low'])} to {number(row['high'])}" for row in rows],
                "By": [plain(row["by"]) for row in rows],
                "Judged": [f"{row['judged']:,} of {row['results']:,} results" for row in rows],
            }
        ).set_index("Version"),
        "estimates",
    )
