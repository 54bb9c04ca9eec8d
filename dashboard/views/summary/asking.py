"""What is asked, as a reader sees it: words, picture, feedback; and how it is judged."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment import collections, judging, measuring, media
from dashboard.experiment.experiment import Experiment
from dashboard.views.experiments import experiment_of
from dashboard.views.summary.measured import selected
from dashboard.views.texts import plain, shown
from dashboard.views.view import View

PICTURE = "max-width:100%;height:140px;object-fit:contain;border-radius:8px;background:#fff"
FEEDBACK = ("feedback_1", "feedback_2", "feedback_3")


def picture(found: Any) -> None:
    """The picture or the text item that is asked with, and what is wrong if there should be one."""
    experiment = found.experiment
    if experiment.picture:
        row = {"picture": media.upload_address(experiment.picture)}
    elif experiment.live:
        if not experiment.item:
            return
        item = media.media_of(experiment.collection, [experiment.item]).iloc[0]
        text = item["caption"] if item["kind"] == "text" else ""
        row = {"picture": item["poster"], "text": text, "problem": item["problem"]}
    else:
        row = media.pictures_of(experiment.collection, [found.query_id]).iloc[0].to_dict()
    if row["picture"]:
        with st.container(key="asked-picture"):
            st.html(f'<img src="{escape(row["picture"])}" alt="query picture" style="{PICTURE}">')
    elif row["text"]:
        st.markdown(f"“{plain(row['text'])}”")
    elif row["problem"]:
        st.caption(plain(f"No picture: {row['problem']}."))


def has_picture(found: Any) -> bool:
    """Whether a query is asked with more than words."""
    if found.experiment.picture:
        return True
    if found.experiment.text:
        return False
    row = judging.queries(found.experiment).set_index("query_id").loc[found.query_id]
    return bool(row["item_id"] or row.get("image", ""))


def title(found: Any) -> str:
    """The query in words, or the item that it is about."""
    experiment = found.experiment
    row = judging.queries(experiment).set_index("query_id").loc[found.query_id]
    if experiment.picture:
        return "Like your picture"
    if experiment.text or experiment.item:
        name = collections.item_names(experiment.collection).get(experiment.item, experiment.item)
        return str(row["text"] or f"Like {name}")
    return str(collections.query_names(experiment.collection)[found.query_id]).replace(
        "like ", "Like ", 1
    )


def feedback(found: Any) -> None:
    """What should be otherwise than in the picture, a line each."""
    row = judging.queries(found.experiment).set_index("query_id").loc[found.query_id]
    said = [row[column] for column in FEEDBACK if row.get(column)]
    if said:
        st.markdown("\n".join(f"{n}. {plain(text)}" for n, text in enumerate(said, start=1)))


def judged_how(experiment: Experiment) -> None:
    """What the protocol left out, took in place of something, or means by a value."""
    notes = judging.judgement(experiment).notes
    if notes:
        st.caption(plain(f"{experiment.rules.title}: {' '.join(notes)}", None))


def no_items(view: View, versions: Iterable[str]) -> None:
    """Warn of versions whose results are no items of the collection, in a sentence each."""
    experiment = experiment_of(view)
    said = measuring.outside_said(
        experiment, tuple(dict.fromkeys(versions)), selected(view, experiment)
    )
    for version, sentence in said.items():
        st.warning(plain(f"{version}: {sentence}.", None), icon=":material/rule:")


def not_run(view: View, versions: Iterable[str]) -> None:
    """Warn of versions that could not be asked some of the queries, and say why."""
    experiment = experiment_of(view)
    said = measuring.not_run_said(
        experiment, tuple(dict.fromkeys(versions)), selected(view, experiment)
    )
    for version, sentence in said.items():
        st.warning(plain(f"{version}: {sentence.rstrip('.')}.", None), icon=":material/rule:")


def pictures(view: View, query_ids: pd.Series) -> pd.Series | None:
    """The address of each query's picture for a table; None where no query has one."""
    found = media.pictures_of(collections.opened(view.collection), query_ids.tolist())
    if not (found["picture"] != "").any():
        return None
    return query_ids.map(found.set_index("query_id")["picture"])


def words(view: View, query_ids: pd.Series) -> pd.Series:
    """What each query is called, for a table."""
    names = collections.query_names(collections.opened(view.collection))
    return query_ids.map(lambda query: shown(names[query]))
