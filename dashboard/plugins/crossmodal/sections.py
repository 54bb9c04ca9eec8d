"""The section on Overview: both directions of each version side by side, as papers print them."""

import numpy as np
import streamlit as st

from dashboard.evaluation.judgement import find_relevant
from dashboard.evaluation.measurement import Row
from dashboard.plugins.crossmodal.judge import CROSSMODAL, RANKS, list_texts
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.views.address import escape_markdown
from dashboard.views.data_tables import Column, draw_table, find_best

USUAL_TEXTS = 5
ARROWS = {"i2t": "i → t", "t2i": "t → i"}
RECALLS = [name for name in CROSSMODAL.metrics.split() if "_R@" in name]


def draw_section(study: Study, choices: Choices) -> None:
    """Draw a row a version: recalls in per cent and ranks of both directions, their sum, mean."""
    every = CROSSMODAL.metrics.split()
    names = [name for way in ARROWS for name in every if name.startswith(way)]
    rows = [_measure(study, version, names) for version in choices["runs"]]
    columns = [Column(each, _name(each), number=True) for each in [*names, "Rsum", "mR"]]
    for column in columns:
        sign = -1 if column.key.endswith(RANKS) else 1
        for at in find_best({at: row[column.key] for at, row in enumerate(rows)}, sign):
            rows[at].setdefault("best", []).append(column.key)
    written = [row | {key: _write(key, row[key]) for key in (*names, "Rsum", "mR")} for row in rows]
    st.markdown("**Both directions** – pictures to texts, texts to pictures; R@K in %")
    draw_table([Column("run", "Version"), *columns], written)
    st.caption(escape_markdown(_describe(study)))


def _measure(study: Study, version: str, names: list[str]) -> Row:
    (found,) = study.measure([version], " ".join(names))
    row = dict(zip(names, (each["mean"] for each in found.list_means()), strict=True))
    recalls = [row[name] for name in RECALLS]
    total = None if None in recalls else sum(recalls)
    return row | {"run": version, "Rsum": total, "mR": None if total is None else total / 6}


def _name(key: str) -> str:
    way, _, name = key.partition("_")
    return f"{ARROWS[way]} {name}" if name else {"Rsum": "Rsum (of 600)"}.get(key, key)


def _write(key: str, value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:.1f}" if key.endswith(RANKS) else f"{100 * value:.1f}"


def _describe(study: Study) -> str:
    """Return what is asked, how many texts a picture has, and how ranks are to be read."""
    judgement = study.judgement
    is_text = list_texts(study)
    scored = ~np.isin(study.queries, list(judgement.unscorable))
    pictures = study.queries[scored & ~is_text].tolist()
    texts = [len(find_relevant(judgement, query)) for query in pictures]
    told = [f"{len(pictures):,} pictures and {(scored & is_text).sum():,} texts ask."]
    if texts:
        low = min(texts)
        high = max(texts)
        number = f"{low}" if low == high else f"{low} to {high}"
        usual = "as" if low == high == USUAL_TEXTS else f"not {USUAL_TEXTS} as"
        told.append(f"A picture has {number} texts, {usual} in the source.")
    if not texts or not (scored & is_text).any():
        told.append("Rsum and mR need both; choose queries = all.")
    told.append("MdR, MnR: median and mean rank of the first answer, from 1; lower is better.")
    return " ".join(told)
