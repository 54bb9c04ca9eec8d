"""What is asked, as a reader sees it: words, picture, feedback; and how it is judged."""

from __future__ import annotations

from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.pictures import address_of
from dashboard.views import cached
from dashboard.views.cached import Question
from dashboard.views.texts import plain, shown
from dashboard.views.view import View

PICTURE = "max-width:100%;height:140px;object-fit:contain;border-radius:8px;background:#fff"
FEEDBACK = ("feedback_1", "feedback_2", "feedback_3")


def picture(found: Any) -> None:
    """The picture or the text item that is asked with, and what is wrong if there should be one."""
    asked = found.asked
    if asked.picture:
        row = {"picture": address_of(asked.picture)}
    elif asked.live:
        if not asked.item:
            return
        item = cached.media_of(asked.collection, [asked.item]).iloc[0]
        text = item["caption"] if item["kind"] == "text" else ""
        row = {"picture": item["poster"], "text": text, "problem": item["problem"]}
    else:
        row = cached.pictures_of(asked.collection, [found.query_id]).iloc[0].to_dict()
    if row["picture"]:
        with st.container(key="asked-picture"):
            st.html(
                f'<img src="{escape(row["picture"])}" alt="the picture that is asked with" '
                f'style="{PICTURE}">'
            )
    elif row["text"]:
        st.markdown(f"“{plain(row['text'])}”")
    elif row["problem"]:
        st.caption(plain(f"No picture: {row['problem']}."))


def has_picture(found: Any) -> bool:
    """Whether a query is asked with more than words."""
    if found.asked.picture:
        return True
    if found.asked.text:
        return False
    row = cached.queries(found.asked).set_index("query_id").loc[found.query_id]
    return bool(row["item_id"] or row.get("image", ""))


def title(found: Any) -> str:
    """The query in words, or the item that it is about."""
    asked = found.asked
    row = cached.queries(asked).set_index("query_id").loc[found.query_id]
    if asked.picture:
        return "Like your picture"
    if asked.text or asked.item:
        name = cached.item_names(asked.collection).get(asked.item, asked.item)
        return str(row["text"] or f"Like {name}")
    return str(cached.query_names(asked.collection)[found.query_id]).replace("like ", "Like ", 1)


def feedback(found: Any) -> None:
    """What should be otherwise than in the picture, a line each."""
    row = cached.queries(found.asked).set_index("query_id").loc[found.query_id]
    said = [row[column] for column in FEEDBACK if row.get(column)]
    if said:
        st.markdown("\n".join(f"{n}. {plain(text)}" for n, text in enumerate(said, start=1)))


def judged_how(asked: Question) -> None:
    """What the protocol left out, took in place of something, or means by a value."""
    notes = cached.judgement(asked).notes
    if notes:
        st.caption(plain(f"{PROTOCOLS[asked.protocol].title}: {' '.join(notes)}", None))


def pictures(view: View, query_ids: pd.Series) -> pd.Series | None:
    """The address of each query's picture for a table; None where no query has one."""
    found = cached.pictures_of(view.collection, query_ids.tolist())
    if not (found["picture"] != "").any():
        return None
    return query_ids.map(found.set_index("query_id")["picture"])


def words(view: View, query_ids: pd.Series) -> pd.Series:
    """What each query is called, for a table."""
    names = cached.query_names(view.collection)
    return query_ids.map(lambda query: shown(names[query]))
