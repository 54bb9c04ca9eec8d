"""Reads the conditions of a gate, `nDCG@10<-0.01 P@5<0`, and its slices, `keyword,kind`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import pandas as pd

from dashboard.evaluation.comparison.slices import KEYWORD_GROUP
from dashboard.evaluation.metrics.names import words
from dashboard.evaluation.metrics.registry import Measure, measure

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
EXAMPLE = 'write for example "nDCG@10<-0.01 P@5<0"'
SHORT = {
    "kind": "kind of query",
    "length": "query length",
    "groups": KEYWORD_GROUP,
    "keywords": "number of keywords",
    "relevant": "number of relevant items",
}
"""Short names of ways to divide the queries; `keyword` stands for the keywords of every group."""


@dataclass(frozen=True)
class Condition:
    """The gate fails where a metric's difference is significantly below `limit`."""

    measure: Measure
    limit: float

    def __str__(self) -> str:
        return f"{self.measure}<{self.limit:g}"


def conditions(text: str) -> list[Condition]:
    """The conditions in a text, each once. Raises ValueError for anything else.

    >>> [str(each) for each in conditions("nDCG@10 < -0.01, P@5<0")]
    ['nDCG@10<-0.01', 'P@5<0']
    """
    found = [_condition(word) for word in words(re.sub(r"\s*<\s*", "<", text))]
    if not found:
        raise ValueError(f"no condition is named; {EXAMPLE}")
    return list(dict.fromkeys(found))


def _condition(word: str) -> Condition:
    name, below, limit = word.partition("<")
    if not below:
        raise ValueError(f"{word!r} is not a condition; {EXAMPLE}")
    if not NUMBER.fullmatch(limit) or not math.isfinite(float(limit)):
        raise ValueError(f"{word!r}: {limit!r} is not a limit; {EXAMPLE}")
    return Condition(measure(name), float(limit))


def sliced(divisions: pd.DataFrame, text: str) -> pd.DataFrame:
    """The rows of a table of slices (query_id, by, slice) that `keyword,kind` asks for.

    A name is `keyword`, `kind`, `length`, `groups`, `keywords`, `relevant`, a keyword group or
    a column of the queries. Raises ValueError for any other.
    """
    known = list(dict.fromkeys(divisions["by"]))
    keyword = [by for by in known if by.startswith("pv_")]
    chosen: list[str] = []
    for name in [each.strip() for each in text.split(",") if each.strip()]:
        wanted = keyword if name == "keyword" else [SHORT.get(name, name)]
        if not wanted or not set(wanted) <= set(known):
            short = [word for word, by in SHORT.items() if by in known]
            there = ["keyword"] * bool(keyword) + short + [by for by in known if " " not in by]
            raise ValueError(f"queries cannot be divided by {name!r}; there is {', '.join(there)}")
        chosen += wanted
    if not chosen:
        raise ValueError("no slices are named; write for example --slices keyword,kind")
    return divisions[divisions["by"].isin(chosen)]
