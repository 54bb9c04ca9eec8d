"""The register of metrics: names, cutoffs and settings, and how a text names them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import numpy as np

from dashboard.next.evaluation.block import Block
from dashboard.next.plugins import load_all
from dashboard.next.tables import FloatArray

Cutoff = Literal["optional", "required", "never"]
Reads = Literal["hits", "grades", "credits", "judged"]
TREC_EVAL = {"p": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
"""Metrics that trec_eval writes with the cutoff in the name, such as P_5."""
_WORD = re.compile(r"(?:[^\s,()]|\((?:[^()]|\([^()]*\))*\)|[()])+")


@dataclass(frozen=True)
class Setting:
    """A number in a metric's name, as 0.95 in `RBP(0.95)`."""

    name: str
    default: float
    low: float
    high: float

    def read(self, metric: str, text: str) -> float:
        """Return the number that a text stands for.

        Raises:
            ValueError: If it is none from low to high.
        """
        digits = text.removeprefix(f"{self.name}=")
        value = float(digits) if re.fullmatch(r"\d*\.?\d+(e-?\d+)?", digits) else np.nan
        if not self.low <= value <= self.high:
            limits = f"a number from {self.low:g} to {self.high:g}"
            raise ValueError(f"{metric} has no {self.name} {digits!r}; write {limits}.")
        return value


@dataclass(frozen=True, eq=False)
class Metric:
    """An entry of the register.

    Attributes:
        function: `function(block, k)` returns the value of each query, NaN where undefined.
        formula: The definition as a person would write it.
        source: Where the definition is published, and other names of it.
        summary: First line of the function's docstring.
        cutoff: Whether the name takes, needs or refuses `@k`.
        reads: What it takes from results: which of them have to be in a block.
        deep: Whether it reads results beyond its cutoff.
        depth: Rank to which it reads a list without a cutoff; None: to the end.
        setting: A number in the name; the function takes it after k.
    """

    name: str
    function: Callable[..., FloatArray]
    formula: str
    source: str
    summary: str
    cutoff: Cutoff
    reads: Reads
    deep: bool
    depth: int | None
    setting: Setting | None

    @property
    def title(self) -> str:
        """Name with the default setting, such as `RBP(0.95)`."""
        return self.write(self.setting.default) if self.setting else self.name

    def write(self, value: float) -> str:
        """Return the name with a setting."""
        return f"{self.name}({int(value) if value.is_integer() else value!r})"


@dataclass(frozen=True)
class Measure:
    """A metric at a cutoff; `str()` gives `nDCG@10`. A setting is part of the name."""

    name: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def __call__(self, block: Block) -> FloatArray:
        """Return the value of each query, NaN where the formula has none. [queries]."""
        if self.metric.setting is None:
            return self.metric.function(block, self.cutoff)
        text = self.name.removeprefix(self.metric.name).strip("()")
        return self.metric.function(
            block, self.cutoff, self.metric.setting.read(self.metric.name, text)
        )

    @property
    def metric(self) -> Metric:
        """Entry of the register."""
        return METRICS.get(self.name) or METRICS[self.name.partition("(")[0]]

    @property
    def depth(self) -> int | None:
        """Rank to which it reads a list; None: to the end."""
        return self.cutoff or self.metric.depth

    @property
    def needs_all(self) -> bool:
        """Whether it needs every result that adds to it, however deep."""
        return self.depth is None or self.metric.deep


METRICS: dict[str, Metric] = {}
OTHER_NAMES: dict[str, str] = {}


def metric(
    name: str,
    *,
    formula: str,
    source: str,
    cutoff: Cutoff = "optional",
    reads: Reads = "hits",
    deep: bool = False,
    depth: int | None = None,
    setting: Setting | None = None,
    other_names: tuple[str, ...] = (),
) -> Callable[[Callable[..., FloatArray]], Callable[..., FloatArray]]:
    """Register the decorated function as a metric.

    Raises:
        ValueError: If another metric has one of its names.
    """

    def register(function: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        names = {each.lower() for each in (name, *other_names)}
        if taken := sorted(names & OTHER_NAMES.keys()):
            raise ValueError(f"Two metrics are called {taken[0]}.")
        METRICS[name] = Metric(
            name, function, formula, source, summary, cutoff, reads, deep, depth, setting
        )
        OTHER_NAMES.update(dict.fromkeys(names, name))
        return function

    return register


def parse(text: str) -> list[Measure]:
    """Return the measures that a text such as `P@5 AP nDCG@10` names, each once.

    Raises:
        ValueError: If there is no such metric, or a cutoff or setting is missing, wrong or not
            taken.

    >>> [str(each) for each in parse("map P_5 ndcg_cut_10, RBP AP(divisor=min)@3")]
    ['AP', 'P@5', 'nDCG@10', 'RBP(0.95)', 'AP(min)@3']
    """
    measures = [parse_one(word) for word in _WORD.findall(text)]
    if not measures:
        raise ValueError("No metric is named; write for example P@5 AP nDCG@10.")
    return list(dict.fromkeys(measures))


def parse_one(word: str) -> Measure:
    """Return the measure of one name; metrics of plugins count, too."""
    load_all("metrics")
    printed = re.fullmatch(r"(\w+?)[_.](\d+)", word)
    if printed and printed[1].lower() in TREC_EVAL:
        word = f"{TREC_EVAL[printed[1].lower()]}@{printed[2]}"
    call, at, digits = word.partition("@")
    entry, name = _find_entry(call)
    if at and not re.fullmatch(r"[1-9]\d{0,8}", digits):
        raise ValueError(f"{word!r}: a cutoff is a whole number from 1, as in P@5.")
    if at and entry.cutoff == "never":
        raise ValueError(f"{name} takes no cutoff; write {name}.")
    if not at and entry.cutoff == "required":
        raise ValueError(f"{name} needs a cutoff; write for example {name}@5.")
    return Measure(name, int(digits) if at else None)


def _find_entry(call: str) -> tuple[Metric, str]:
    """Return the metric that is called so, and its whole name with the setting."""
    if call.lower() in OTHER_NAMES:
        entry = METRICS[OTHER_NAMES[call.lower()]]
        return entry, entry.title
    head, _, text = call.partition("(")
    entry_of_head = METRICS.get(OTHER_NAMES.get(head.lower(), ""))
    if entry_of_head and entry_of_head.setting and text.endswith(")"):
        value = entry_of_head.setting.read(entry_of_head.name, text[:-1])
        return entry_of_head, entry_of_head.write(value)
    if head.lower() in ("precision", "recall"):
        raise ValueError(
            f"{head} means two things: write P for hits ÷ K (ALFA 0.1 calls it Recall), R for "
            "hits ÷ relevant (ALFA 0.1 calls it Precision)."
        )
    near = get_close_matches(call.lower(), OTHER_NAMES, n=3, cutoff=0.5)
    known = dict.fromkeys([OTHER_NAMES[each] for each in near] or METRICS)
    raise ValueError(f"There is no metric {call!r}. Known: {', '.join(known)}.")


def find_depth(measures: Iterable[Measure]) -> int:
    """Return the rank to which metrics read lists that do not read them to the end; else 0."""
    return max((each.depth or 0 for each in measures), default=0)
