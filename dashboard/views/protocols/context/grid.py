"""A list in its own rows and columns, with what each picture is worth and why under it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number
from dashboard.evaluation.metrics.context import DISCOUNTS
from dashboard.experiment.collection.names import item_name
from dashboard.views.texts import shown

_FILES = Path(__file__).parent
_HTML = '<div class="list" tabindex="0" role="region" aria-label="The list"><ol class="places">'
LESS = 5e-4
"""Less than what three places show is not said to be less."""

_component = st.components.v2.component(
    "list_of_pictures",
    html=f"{_HTML}</ol></div>\n",
    css=(_FILES / "grid.css").read_text(encoding="utf-8"),
    js=(_FILES / "grid.js").read_text(encoding="utf-8"),
)


def grid(steps: pd.DataFrame, items: pd.DataFrame, discount: str, key: str) -> None:
    """Draw a list.

    steps: of `ViewedLists.steps`, in reading order; items: the columns of `media.media_of`.
    """
    _component(key=key, data=payload(steps, items, discount))


def payload(steps: pd.DataFrame, items: pd.DataFrame, discount: str) -> dict[str, Any]:
    """What the component draws, as values that JSON can hold."""
    looks = {str(row["item_id"]): row for row in items.to_dict("records")}
    rows = steps["row"].rank(method="dense").astype(int)
    places = [
        {
            "row": int(row),
            "column": int(step["column"]),
            **_picture(looks.get(str(step["item_id"]), {}), str(step["item_id"])),
            **_worth(step, discount),
        }
        for row, step in zip(rows, steps.to_dict("records"), strict=True)
    ]
    built = {"columns": int(steps["column"].max()) if len(steps) else 1, "places": places}
    json.dumps(built, allow_nan=False)  # a number that JSON cannot hold would kill the component
    return built


def _picture(look: Mapping[Any, Any], item_id: str) -> dict[str, str]:
    said = item_name(item_id, look.get("caption") or "")
    problem = look.get("problem") or ""
    return {
        "poster": str(look.get("poster") or ""),
        "said": shown(f"{said}: {problem}" if problem else said, 120),
    }


def _worth(step: Mapping[Any, Any], discount: str) -> dict[str, Any]:
    """The numbers of a picture, and in words whether it counts in full."""
    if pd.isna(step["rank"]):
        no_answer = step["relevance"] < 0
        words = "no valid relevance: skipped" if no_answer else "below the counted rows"
        return {
            "rank": None, "r": None, "counts": None, "numbers": [], "words": words,
            "state": "skipped",
        }  # fmt: skip
    r, counts = float(step["r"]), float(step["adjusted"])
    numbers = [["r", number(r)], ["r′", number(counts)], ["g", number(step["gain"])]]
    numbers += [] if DISCOUNTS[discount].weights is None else [["d", number(step["discount"])]]
    state = "less" if r - counts > LESS else "full"
    return {
        "rank": int(step["rank"]), "r": round(r, 5), "counts": round(counts, 5),
        "numbers": numbers, "words": in_words(step), "state": state,
    }  # fmt: skip


def in_words(step: Mapping[Any, Any]) -> str:
    """Why a picture counts as much as it does.

    >>> in_words({"r": 0.4, "adjusted": 0.2, "best": 0.8, "best_rank": 1})
    'discounted: picture 1 is better (0.800)'
    >>> in_words({"r": 0.8, "adjusted": 0.8, "best": 0.8, "best_rank": 1})
    'full gain'
    """
    if step["r"] == 0:
        return "not relevant"
    if step["r"] - step["adjusted"] > LESS:
        return f"discounted: picture {int(step['best_rank']):,} is better ({number(step['best'])})"
    return "full gain"
