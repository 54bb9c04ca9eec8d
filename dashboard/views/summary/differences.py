"""The candidate against the baseline: whether they may be compared, the verdict, the queries and
slices by difference."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.digits import number, signed
from dashboard.evaluation.protocols.hashing import signs_in_a_sentence
from dashboard.evaluation.protocols.protocol import NO_RELEVANT
from dashboard.experiment import judging, measuring, ranking
from dashboard.experiment.collection import collections, from_screens
from dashboard.tables import DataError, counted
from dashboard.views import address, layout
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.charts.colours import SMALL_SLICE
from dashboard.views.charts.verdict import Verdict, picture
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.labels import group_name, label, short_label, slice_name
from dashboard.views.summary import query
from dashboard.views.summary.about import faulty_versions
from dashboard.views.summary.measurements import comparison, not_comparable
from dashboard.views.texts import plain, shown

COLUMNS = {
    "Picture": st.column_config.ImageColumn(width=60),
}
LONG_QUERY = 56
"""Letters of a query that push the values beside it out of sight."""
MOST_LISTED = 500
"""The table of a longer list shows its first rows; the files that can be saved have all of them."""


def same_version(view: View) -> str:
    """What a reader is told where the baseline is the candidate; empty where it is not."""
    if view.baseline != view.candidate:
        return ""
    if len(versions_of(view)) > 1:
        return "Baseline and candidate are the same version. Choose another candidate."
    usable = " usable" if faulty_versions(view) else ""
    return f"This collection has one{usable} version. Add a second one to compare."


def nothing_scored(view: View) -> str:
    """Why there is no change to draw where no query is scored in both versions."""
    why = "No query is scored in both versions, so there is no change to draw."
    collection = collections.opened(view.collection)
    if collection.keywords.empty and collection.qrels is None:
        why += (
            " Nothing says which items are relevant: the collection has neither keywords of its "
            "items (unified_annotation.csv) nor judgements (qrels.csv). Examples of both: "
            f"python -m dashboard check {shlex.quote(view.collection)}"
        )
    elif len(view.groups) > 1 and experiment_of(view).rules.of_keywords:
        judged = judging.counted_judgement(experiment_of(view))
        reasons = {judged.unscorable.get(query) for query in judged.query_ids}
        if reasons == {NO_RELEVANT}:
            names = ", ".join(map(group_name, view.groups))
            why += (
                f" No item has all keywords of a query in {names}: choose fewer keyword groups "
                "under More."
            )
    return why


def comparable(view: View) -> bool:
    """Whether a difference may be drawn; if not, says why and offers to draw it anyway."""
    if same := same_version(view):
        st.info(plain(same, None))
        return False
    if ranking.identical(experiment_of(view), view.baseline, view.candidate):
        st.info(plain(f"{view.baseline} and {view.candidate} have the same content."))
    unlike = not_comparable(view)
    if not unlike:
        return True
    st.error(plain(unlike, None))
    offer_renewal(view)
    if view.anyway != "yes":
        st.button("Compare anyway", on_click=lambda: bar.go(anyway="yes"))
    return bool(view.anyway == "yes")


def offer_renewal(view: View) -> None:
    """Say how the record of a version is renewed that was trained anew under its old name; a button
    does it where the operator lets the screens write."""
    collection = collections.opened(view.collection)
    for version in from_screens.retrained(collection, view.baseline, view.candidate):
        st.caption(
            plain(f"If {version} was trained anew under its old name, renew its record:", None)
        )
        command = ["python", "-m", "dashboard", "digests", collection.name, "--renew", version]
        st.code(shlex.join(command), language=None, wrap_lines=True)
        if from_screens.allowed():
            st.button(
                f"Renew the record of {plain(version)}",
                key=f"renew-{version}",
                icon=":material/published_with_changes:",
                on_click=_renew,
                args=(view.collection, version),
            )
    if problem := st.session_state.pop("not-renewed", ""):
        st.error(plain(problem, None))


def _renew(name: str, version: str) -> None:
    try:
        from_screens.renew_record(collections.opened(name), version)
    except (DataError, PermissionError) as problem:
        st.session_state["not-renewed"] = str(problem)


def verdict(view: View) -> None:
    """Draw whether the candidate is better at the metric in front, with all figures on request."""
    drawn = composed(view)
    inside: dict[str, Any] = {"horizontal": True, "vertical_alignment": "top", "key": "verdict"}
    with st.container(key=_room(drawn)), st.container(border=True, **inside):
        st.html(picture(drawn))
        with st.popover("Figures", help="The verdict in a sentence: p, Holm, formula and counts."):
            sentence = compare.verdict(
                drawn.row, view.baseline, view.candidate, label=label(view, view.metric)
            )
            st.markdown(f"{plain(sentence, None)}.")
            st.caption(plain(_about(drawn), None))


def _room(drawn: Verdict) -> str:
    """What the verdict lacks, which tells how much room is kept for it on a phone."""
    if pd.isna(drawn.row["low"]):
        return "verdict-without-interval"
    return "verdict-without-slice" if drawn.lowest_row is None else "verdict-whole"


def composed(view: View) -> Verdict:
    """What the comparison in view says at the metric in front."""
    rows = comparison(view)
    experiment = experiment_of(view)
    found = None
    if not view.slice:
        pair = (view.baseline, view.candidate)
        found = measuring.lowest_slice(experiment, *pair, view.metric, SMALL_SLICE)
    option, row = found or ("", None)
    by, _, name = option.partition("=")
    return Verdict(
        row=rows[rows["metric_name"] == view.metric].iloc[0],
        baseline=view.baseline,
        candidate=view.candidate,
        metric=short_label(view, view.metric),
        alike=not ranking.unlike(experiment, view.baseline, view.candidate),
        links={name: queries_link(view, outcome=name) for name in ("better", "same", "worse")},
        lowest=f"{group_name(by)}: {slice_name(by, name)}",
        lowest_row=row,
        lowest_link=queries_link(view, slice=option, outcome="all"),
    )


def queries_link(view: View, **changes: str) -> str:
    """The address of Compare with these queries alone in its list."""
    there = address.link(view, **{"between": "", "at": "", "find": "", **changes})
    return f"compare?{urlencode(there, doseq=True)}"


def _about(drawn: Verdict) -> str:
    """How the interval, p and the lowest slice come about."""
    sentences = [
        "The interval is a bootstrap over queries (BCa); p compares both versions query by query."
    ]
    if drawn.lowest_row is not None:
        row = drawn.lowest_row
        bounds = f"{signed(row['delta'])} [{signed(row['low'])}, {signed(row['high'])}]"
        sentences.append(
            f"Lowest slice: {drawn.lowest} {bounds}; the lowest mean difference of all slices with "
            f"at least {SMALL_SLICE} scored queries, its interval not corrected for that choice."
        )
    return " ".join(sentences)


def by_signs(view: View, versions: Sequence[str]) -> None:
    """Say which versions are judged by the signs of real-valued outputs, where some are."""
    known = collections.opened(view.collection).by_signs(view.protocol)
    if some := [version for version in dict.fromkeys(versions) if version in known]:
        st.caption(plain(signs_in_a_sentence(some), None))


def readable(table: pd.DataFrame, view: View) -> pd.DataFrame:
    """The queries by difference with words a reader knows, for the table on a screen."""
    pictures = query.pictures(view, table["query_id"])
    return pd.DataFrame(
        {
            "Difference": table["delta"],
            **({} if pictures is None else {"Picture": pictures}),
            "Query": query.words(view, table["query_id"]),
            "Baseline": table["baseline"],
            "Candidate": table["candidate"],
            **({"Why not scored": table["why"]} if (table["why"] != "").any() else {}),
        }
    )


def columns_of(listed_queries: pd.DataFrame) -> dict[str, Any]:
    """How wide columns of the queries are: of long queries a part, so that their values stand
    beside them. listed_queries: as `readable` gives them."""
    if listed_queries["Query"].str.len().max() <= LONG_QUERY:
        return COLUMNS
    width = 190 if "Picture" in listed_queries else 250
    return {**COLUMNS, "Query": st.column_config.TextColumn(width=width)}


WRITTEN = {"Difference": signed, "Baseline": number, "Candidate": number}


def pick_query(view: View, table: pd.DataFrame, total: int) -> str:
    """The queries by difference as a table; the id of the one that was ticked, or nothing."""
    if table.empty:
        st.info(plain(no_match(view), None))
        return ""
    first = table.head(MOST_LISTED)
    listed_queries = readable(first, view)
    ticked = layout.rows(
        listed_queries,
        key="queries-by-difference",
        seen=layout.SEEN_BESIDE,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config=columns_of(listed_queries),
        written=WRITTEN,
    )
    st.caption(f"{listed(len(table), total)} Select one to open it.")
    rows = ticked["selection"]["rows"]
    return str(table["query_id"].iloc[rows[0]]) if rows else ""


def no_match(view: View) -> str:
    """Why no query is listed."""
    if view.find and not view.between and not view.at and view.outcome == "all":
        return f'No query matches "{view.find}".'
    return "No query matches these filters."


def listed(number: int, total: int) -> str:
    """How many queries a table lists, of how many.

    >>> listed(113, 113), listed(2, 113), listed(500, 500), listed(2400, 2400), listed(900, 2400)
    ('113 queries.', '2 of 113 queries.', '500 queries.', 'First 500 of 2,400 queries.', \
'First 500 of 900 selected queries, 2,400 in all.')
    """
    if number <= MOST_LISTED:
        few = f"{number:,} of " if number < total else ""
        return f"{few}{counted(total, 'query', 'queries')}."
    if number == total:
        return f"First {MOST_LISTED} of {total:,} queries."
    return f"First {MOST_LISTED} of {number:,} selected queries, {total:,} in all."


SLICE_COLUMNS = {
    "Difference": st.column_config.NumberColumn(width=76),
    "from": st.column_config.NumberColumn(width=60),
    "to": st.column_config.NumberColumn(width=60),
    "Queries": st.column_config.NumberColumn(width=60),
}
SLICES_WRITTEN = dict.fromkeys(("Difference", "from", "to"), signed)


def readable_slices(table: pd.DataFrame) -> pd.DataFrame:
    """Slices of the candidate by their difference, for the table on a screen."""
    return pd.DataFrame(
        {
            "Slice": table["slice"].map(shown),
            "Difference": table["delta"],
            "from": table["delta_low"],
            "to": table["delta_high"],
            "Queries": table["common"],
        }
    )
