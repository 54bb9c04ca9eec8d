"""Below the cards of a query: what the shown metric's value is made of, by version."""

import re

import streamlit as st

from dashboard.errors import ChoiceError, DataError
from dashboard.evaluation.metrics import parse_one
from dashboard.plugins.explanation.terms import explain_value
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.texts import count_things, write_number
from dashboard.views.address import set_choice
from dashboard.views.data_tables import Column, draw_table

MAX_ROWS = 20
"""Results of a version that are shown."""


def draw_terms(study: Study, choices: Choices) -> None:
    """Draw the terms of the open query's value in both versions, where they are asked for."""

    def write() -> None:
        set_choice("terms", "yes" if st.session_state["terms"] else "")

    st.session_state["terms"] = choices["terms"] == "yes"
    if not st.toggle("How this value is computed", key="terms", on_change=write):
        return
    measure = parse_one(choices["metric"])
    query = study.collection.queries.index[choices["query"]]
    formula = measure.metric.formula
    if measure.cutoff:
        formula = re.sub(r"\bK\b", str(measure.cutoff), formula)
    st.text(f"{measure} = {formula}")
    for version in choices.compared:
        try:
            value, divisor, rows = explain_value(study, version, query, measure)
        except DataError:  # said above, where its cards would be
            continue
        except ChoiceError as why_not:
            st.text(f"{version}: {why_not}")
            continue
        many = count_things(sum(row["term"] != 0 for row in rows), "term")
        told = f"{version}: {write_number(value)}, the sum of {many} other than 0"
        if divisor != 1:
            told += f", divided by {write_number(divisor).removesuffix('.000')}"
        if rest := sum(row["term"] for row in rows[MAX_ROWS:]):
            told += f"; those below the first {MAX_ROWS} add {write_number(rest)}"
        st.text(f"{told}.")
        gain = Column("grade", "Grade", "number", help="–: nobody judged it")
        if measure.metric.reads == "credits":
            gain = Column("credit", "Credit", "number", help="Partial relevance")
        columns = [
            Column("rank", "Rank", "number"),
            Column("item_id", "Result", "wrap"),
            gain,
            Column("term", "Term", "number"),
            Column("sum", "Sum", "number", help="of the terms so far"),
        ]
        if rows:
            draw_table(columns, rows[:MAX_ROWS])
