"""What a metric and a group are called on a screen."""

from __future__ import annotations

import re
from typing import Any

from dashboard.evaluation.metrics.registry import Measure, measure
from dashboard.evaluation.protocols import PROTOCOLS


def label(view: Any, metric: str) -> str:
    """A metric with its formula, in the words of the protocol's source or of the field.

    `P@5` is "Recall@5, ALFA 0.1 (hits ÷ 5; elsewhere: Precision@5)" to one and "P@5 (…)" to the
    other.
    """
    asked = measure(metric)
    theirs = PROTOCOLS[view.protocol].shown_as.get(asked.name)
    if theirs is None or view.names == "standard":
        return f"{asked} ({_filled(asked.metric.formula, asked)})"
    return with_cutoff(theirs, asked)


def short_label(view: Any, metric: str) -> str:
    """The label without its formula."""
    return label(view, metric).partition(" (")[0] if view.names == "source" else metric


def with_cutoff(text: str, asked: Measure) -> str:
    """`text` with the cutoff in place of K, or behind its first word where it does not say K.

    >>> from dashboard.evaluation.metrics.registry import measure
    >>> with_cutoff("Recall@K, ALFA 0.1 (hits ÷ K)", measure("P@5"))
    'Recall@5, ALFA 0.1 (hits ÷ 5)'
    >>> with_cutoff("CAG, DCG discount", measure("CAG(DCG)@5"))
    'CAG@5, DCG discount'
    >>> with_cutoff("ndcg_cut_K (linear gain)", measure("nDCG@10"))
    'ndcg_cut_10 (linear gain)'
    """
    if asked.cutoff is not None and "@K" not in text and "_K" not in text:
        text = re.sub(r"^[^\s,(]+", r"\g<0>@K", text)
    return _filled(text, asked)


def _filled(text: str, asked: Measure) -> str:
    """`text` with the cutoff wherever it says K as the cutoff."""
    if asked.cutoff is None:
        return text.replace("@K", "").replace("_K", "")
    for before in ("@", "_", "÷ ", "first "):
        text = text.replace(f"{before}K", f"{before}{asked.cutoff}")
    return text


def group_name(group: str) -> str:
    """`pv_actor_behavior` as a person would write it: actor behavior."""
    return group.removeprefix("pv_").replace("_", " ")


def by_name(by: str) -> str:
    """What queries are divided by, as a person would write it."""
    return "keyword group" if by == "group" else group_name(by)
