"""The source's tables 2 and 3: how metrics agree with satisfaction."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import chance, number, signed
from dashboard.evaluation.satisfaction.source_tables import DATASETS, Reading
from dashboard.experiment.protocols import context_study
from dashboard.experiment.protocols.context_study import Study
from dashboard.tables import counted
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.charts import context as charts
from dashboard.views.protocols.context.shared import OVER_ROWS, marked, none_left, study_in_view
from dashboard.views.table_files import save_button, table_file

GAINS = {"original": "Original gain", "context": "Context-aware gain"}
MARKS = (
    "\\* p < 0.05 by t with n − 2 degrees of freedom. † the two gains differ, in either direction, "
    "p < 0.05 by Williams' test for correlations that share a variable; neither is corrected for "
    "the number of tests, as in the source."
)


def halves(view: View, asked: Study, read: Reading) -> None:
    """Table 2."""
    table = context_study.halves(asked, read)
    if table.empty:
        number = int(context_study.cleaning(asked, read.rows)["lists"].iloc[-1])
        few = f"At least four lists are needed; {counted(number, 'list')} remained."
        st.info(few if number else none_left(read.rows))
        return
    cells = table.assign(
        text=[_cell(r, star) for r, star in zip(table["r"], table["star"], strict=True)],
        name=table["metric"].str.extract(r"^(\w+)", expand=False),
    )
    wide = cells.pivot(index="name", columns="part", values="text").loc[cells["name"].unique()]
    wide = wide[["low", "high"]].set_axis(["Low variance", "High variance"], axis=1)
    layout.table(wide.rename_axis("Original gain"), "table-2")
    by_part = table.drop_duplicates("part").set_index("part")
    tied = [
        f"{tied} lists share the variance at the border of the {part} quarter; the order of the "
        "file decides between them."
        for part, tied in by_part["tied"].items()
        if tied
    ]
    st.caption(
        f"Table 2 of the source: Spearman's rank correlation with satisfaction, original gain, in "
        f"the first {read.rows} rows; the {by_part['n'].max()} lists of lowest and as many of "
        f"highest relevance variance, a quarter each. {_average(asked, read)}\\* p < 0.05. "
        f"{' '.join(tied)}"
    )
    save_button(view, "table-2.csv")


@table_file("table-2", under="context")
def halves_in_view(view: View) -> pd.DataFrame:
    """Table 2 for a file."""
    asked, read = study_in_view(view)
    return marked(asked, context_study.halves(asked, read))


def gains(view: View, asked: Study, read: Reading) -> None:
    """The matrix of gains at the chosen depth, and what lies behind it."""
    table = context_study.gains(asked, read)
    number = int(table["n"].max())
    if not number:
        st.info(none_left(read.rows))
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.chart(
            charts.gain_matrix(_long(table)),
            alt="Spearman of each metric with satisfaction, by discount and gain",
        )
    with right:
        layout.rows(_behind(table), BEHIND_WRITTEN, hide_index=True, column_config=BEHIND)
    window = "its pictures" if read.divide == "window" else "w"
    st.caption(
        f"Spearman's rank correlation with satisfaction over {counted(number, 'list')} of at least "
        f"{read.rows} rows, in their first {read.rows}; w = {read.window}, a window is divided by "
        f"{window}. {_average(asked, read)}Difference: context-aware − original, with Zou's 95 % "
        f"interval. {MARKS}"
    )
    save_button(view, "gains.csv")


@table_file("gains", under="context")
def gains_in_view(view: View) -> pd.DataFrame:
    """The matrix of gains for a file."""
    asked, read = study_in_view(view)
    return marked(asked, context_study.gains(asked, read))


def _long(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell of the matrix."""
    parts = []
    for gain, title in GAINS.items():
        dagger = table["dagger"] if gain == "context" else pd.Series(False, index=table.index)
        marks = zip(table[f"r_{gain}"], table[f"star_{gain}"], dagger, strict=True)
        part = table[["discount", "n"]].assign(
            gain=title, r=table[f"r_{gain}"], p=table[f"p_{gain}"], text=[_cell(*m) for m in marks]
        )
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _behind(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Discount": table["discount"],
            "Difference": table["difference"],
            "from": table["low"],
            "to": table["high"],
            "p (Williams)": table["p"],
            "original × context": table["between"],
        }
    )


BEHIND = {
    "original × context": st.column_config.NumberColumn(
        help="Spearman's correlation of the original and the context-aware gain"
    ),
}

BEHIND_WRITTEN = {
    **dict.fromkeys(("Difference", "from", "to"), signed),
    "p (Williams)": chance,
    "original × context": number,
}


def depths(view: View, asked: Study, read: Reading) -> None:
    """Table 3."""
    table = context_study.table_3(asked, read)
    numbers = dict(zip(table["fewest_rows"], table["n"], strict=True))
    if not max(numbers.values()):
        st.info(none_left(min(DATASETS)))
        return
    columns = {}
    for (fewest, rows), part in table.groupby(["fewest_rows", "rows"], sort=False):
        name = f"{DATASETS.index(fewest) + 1}@{rows}r"
        for gain, short in (("original", "ORG"), ("context", "CAG")):
            cells = _long(part)
            mine = cells[cells["gain"] == GAINS[gain]].set_index("discount")["text"]
            columns[f"{name} {short}"] = mine
    layout.table(pd.DataFrame(columns).rename_axis("Discount"), "table-3")
    sets = "; ".join(
        f"{place}: the {counted(numbers[fewest], 'list')} of at least {fewest} rows"
        for place, fewest in enumerate(DATASETS, start=1)
    )
    st.caption(
        f"Table 3 of the source. {sets}; @5r: their first five rows. ORG: original gain, CAG: "
        f"context-aware gain, w = {read.window}. {_average(asked, read)}{MARKS}"
    )
    save_button(view, "table-3.csv")


@table_file("table-3", under="context")
def depths_in_view(view: View) -> pd.DataFrame:
    """Table 3 for a file."""
    asked, read = study_in_view(view)
    return marked(asked, context_study.table_3(asked, read))


def _average(asked: Study, read: Reading) -> str:
    """What AVG is the mean of, where it is not that of all pictures."""
    if read.average != "rows":
        return ""
    number = context_study.in_each_row(asked, read.rows)
    same = f"Each row holds {number}, so this equals the mean of all pictures. "
    return OVER_ROWS + (same if number else "")


def _cell(r: float, star: bool, dagger: bool = False) -> str:
    return "–" if pd.isna(r) else f"{number(r)}{'*' * bool(star)}{'†' * bool(dagger)}"
