"""What the sample of a review estimates of its metric, as a table."""

from __future__ import annotations

import pandas as pd

from dashboard.evaluation.digits import number
from dashboard.experiment import sampled_reviews
from dashboard.experiment.assigned_reviews import Assignment
from dashboard.views import layout
from dashboard.views.texts import plain


def estimates(review: Assignment, given: pd.DataFrame) -> None:
    """Draw the table; nothing while a result that was drawn is not judged."""
    try:
        table = sampled_reviews.estimates(review, given)
    except ValueError:
        return  # the sentence below says how many are judged
    rows = table.to_dict("records")
    layout.table(
        pd.DataFrame(
            {
                "Version": [plain(row["version"]) for row in rows],
                f"Estimated {rows[0]['metric']}": [number(row["estimate"]) for row in rows],
                "95 % interval": [f"{number(row['low'])} to {number(row['high'])}" for row in rows],
                "Judged": [f"{row['judged']:,} of {row['results']:,} results" for row in rows],
            }
        ).set_index("Version"),
        "estimates",
    )
