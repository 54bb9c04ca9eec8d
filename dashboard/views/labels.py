"""What metrics, groups, items and queries are called on a screen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from dashboard.evaluation.comparison.slices import KEYWORD_GROUP
from dashboard.evaluation.metrics.registry import Measure, measure
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection.names import with_id
from dashboard.views.texts import shown

LONGEST_NAME = 200
"""Letters of a name that a key stands behind, so that both fit into a label."""


class Named(Protocol):
    """What decides how metrics are called: a view, or a comparison of a report."""

    @property
    def protocol(self) -> str:
        """The protocol that judges."""

    @property
    def names(self) -> str:
        """Names of the protocol's source, or the standard ones."""


def label(view: Named, metric: str) -> str:
    """A metric with its formula, in the words of the protocol's source or of the field.

    `P@5` is "Recall@5 (hits ÷ 5, ALFA 0.1; elsewhere: Precision@5)" to one and "P@5 (…)" to the
    other.
    """
    asked = measure(metric)
    theirs = PROTOCOLS[view.protocol].shown_as.get(asked.name)
    if theirs is None or view.names == "standard":
        return f"{asked} ({formula(asked)})"
    return with_cutoff(theirs, asked)


def short_label(view: Named, metric: str) -> str:
    """The label without its formula."""
    return label(view, metric).partition(" (")[0] if view.names == "source" else metric


def without_cutoff(view: Named, metric: str) -> str:
    """The short label of a metric at every K: `P` of P@1, which trec_eval calls P_1."""
    asked = measure(metric)
    theirs = PROTOCOLS[view.protocol].shown_as.get(asked.name)
    if theirs is None or view.names == "standard":
        return asked.name
    return _filled(theirs, replace(asked, cutoff=None)).partition(" (")[0]


def tooltip(view: Named, metric: str) -> str:
    """A metric in full: its name with the formula, what it says, and its source."""
    known = measure(metric).metric
    return f"{label(view, metric)}. {known.summary} Source: {known.source}."


def formula(asked: Measure) -> str:
    """A metric's formula with the cutoff in place of K.

    >>> from dashboard.evaluation.metrics.registry import measure
    >>> formula(measure("P@5"))
    'hits in the first 5 ÷ 5'
    """
    return _filled(asked.metric.formula, asked)


def with_cutoff(text: str, asked: Measure) -> str:
    """`text` with the cutoff in place of K, or behind its first word where it does not say K.

    >>> from dashboard.evaluation.metrics.registry import measure
    >>> with_cutoff("Recall@K (hits ÷ K)", measure("P@5"))
    'Recall@5 (hits ÷ 5)'
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


def slice_name(by: str, name: str) -> str:
    """What a part of the queries is called, of those that they are divided into by `by`."""
    return group_name(name) if by == KEYWORD_GROUP else name


def slice_option(option: str) -> str:
    """What a part of the queries is called where those of several divisions are offered: `by=name`
    as the name and the division; empty: all."""
    by, _, name = option.partition("=")
    return f"{slice_name(by, name)} ({group_name(by)})" if option else "all"


def distinct_labels(options: Iterable[str], name: Callable[[str], str]) -> dict[str, str]:
    """A label for each option that no other has: its name, with the option's own key behind it
    where several share a name, and a number behind that where even the keys look alike.

    A browser sends back the label of what was chosen, so two equal ones would be one choice.

    >>> distinct_labels(["a", "b", "c"], {"a": "Drives", "b": "Drives", "c": "Digits"}.__getitem__)
    {'a': 'Drives (a)', 'b': 'Drives (b)', 'c': 'Digits'}
    """
    every = list(dict.fromkeys(options))
    names = {option: shown(name(option)) for option in every}
    shared = Counter(names.values())
    labels: dict[str, str] = {}
    taken = {label for label, number in shared.items() if number == 1}
    for option in every:
        label = names[option]
        if shared[label] > 1:
            wanted = shown(with_id(shown(name(option), LONGEST_NAME), option))
            label, number = wanted, 1
            while label in taken:
                number += 1
                label = f"{wanted} · {number}"
            taken.add(label)
        labels[option] = label
    return labels
