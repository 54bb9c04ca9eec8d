"""What the sample of a review estimates of its metric, by people and with machines, as a table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number
from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import assigned_reviews, machine_reviews, sampled_reviews
from dashboard.experiment.reviews.assigned_reviews import Assignment
from dashboard.tables import DataError
from dashboard.views import layout
from dashboard.views.address.choices import View
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


def estimates_of_pair(view: View) -> None:
    """Draw what samples estimate of the two versions in view, a line for each review of them whose
    results may be seen by all; nothing where none was drawn and judged."""
    try:
        every = assigned_reviews.all_reviews_of(collections.opened(view.collection))
    except DataError:
        return  # Reviews says why none can be read
    for review in every:
        if not review.sample or {review.baseline, review.candidate} != {
            view.baseline,
            view.candidate,
        }:
            continue
        if review.blind and not review.closed:
            continue
        given = assigned_reviews.answers(review)
        with suppress(ValueError):
            sampled_reviews.estimates(review, given)
            st.page_link(
                "screens/reviews.py",
                label=plain(f"Sample “{review.title}”"),
                icon=":material/rate_review:",
                query_params={"review": review.id},
            )
            meaning = plain(sampled_reviews.meaning(review.sample), None)
            st.caption(plain(sampled_reviews.conclusion(review, given), None), help=meaning)
