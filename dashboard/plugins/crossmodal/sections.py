"""The section on Overview: both directions of each version side by side, as papers print them."""

import numpy as np
import streamlit as st

from dashboard.evaluation.judgement import find_relevant
from dashboard.plugins.crossmodal.judge import CROSSMODAL, RANKS, list_texts
from dashboard.plugins.crossmodal.sides import name_pictures
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Rows
from dashboard.texts import count_things, round_half
from dashboard.views.address import draw_text
from dashboard.views.comparison import compare_means
from dashboard.views.data_tables import Column, draw_table

TITLES = {"i2t_": "i → t ", "t2i_": "t → i ", "Rsum": "Rsum (of 600)"}
"""What parts of the names of metrics are called."""


def draw_section(study: Study, choices: Choices) -> None:
    """Draw a row a version: recalls in per cent and ranks of both directions, their sum, mean."""
    names = CROSSMODAL.metrics.split()
    measured = study.measure(choices["runs"], CROSSMODAL.metrics)
    rows: Rows = [{"run": each.run, "best": []} for each in measured]
    for name, means in zip(names, compare_means(measured), strict=True):
        for row, mean in zip(rows, means, strict=True):
            row[name] = _write(name, mean["mean"])
            row["best"] += [name] * mean["is_best"]
    noun = name_pictures(study.collection)
    st.markdown(f"**Both directions** – {noun}s to texts, texts to {noun}s; R@K in %")
    columns = [Column(name, _name(name), "number") for name in names]
    draw_table([Column("run", "Version"), *columns], rows)
    draw_text("caption", _describe(study))


def _name(key: str) -> str:
    for part, title in TITLES.items():
        key = key.replace(part, title)
    return key


def _write(key: str, value: float | None) -> str | None:
    if value is None:
        return None
    return f"{round_half(value if key.endswith(tuple(RANKS)) else 100 * value, 1):.1f}"


def _describe(study: Study) -> str:
    """Return what is asked, how many texts a picture has, and how ranks are to be read."""
    judgement = study.judgement
    is_text = list_texts(study)
    scored = ~np.isin(study.queries, list(judgement.unscorable))
    pictures = study.queries[scored & ~is_text].tolist()
    texts = [len(find_relevant(judgement, query)) for query in pictures]
    noun, asking = name_pictures(study.collection), (scored & is_text).sum()
    told = [f"{count_things(len(pictures), noun)} and {count_things(asking, 'text')} ask."]
    if texts:
        least = "" if len(set(texts)) == 1 else f"{min(texts):,} to "
        told.append(f"A {noun} has {least}{count_things(max(texts), 'text')}.")
    if not texts or not asking:
        told.append("Rsum and mR need both; choose queries = all.")
    told.append("MdR, MnR: median and mean rank of the first answer, from 1; lower is better.")
    return " ".join(told)
