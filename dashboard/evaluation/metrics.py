"""The register of metrics: names, cutoffs and settings, and how a text names them."""

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.plugins import load_all
from dashboard.tables import FloatArray, IntArray, Names
from dashboard.texts import parse_number

Cutoff = Literal["optional", "required", "never"]
Reads = Literal["hits", "grades", "credits", "judged"]
TREC_EVAL = {"p": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
"""Metrics that trec_eval writes with the cutoff in the name, such as P_5."""
WORD = re.compile(r"(?:[^\s,()]|\((?:[^()]|\([^()]*\))*\)|[()])+")
"""A name of a metric, in whose parentheses anything may stand."""


@dataclass(frozen=True)
class Setting:
    """A number or a word in a metric's name: 0.95 in `RBP(0.95)`, per=image in `CG(per=image)`.

    Attributes:
        default: Its usual value.
        low: Least number.
        high: Largest number.
        words: The values that there are; none for a number.
        is_bare: Whether it is written without its name, and always.
        is_inner: Whether it belongs to the inner name, as 0.95 in `CAG(RBP(0.95))`.
    """

    name: str
    default: float | str
    low: float = 0.0
    high: float = 0.0
    words: Names = ()
    is_bare: bool = False
    is_inner: bool = False

    def read(self, metric: str, text: str) -> float | str:
        """Return the value that a text stands for.

        Raises:
            ValueError: If it is no such word, or no number from low to high.
        """
        kind, number = type(self.default), parse_number(text)
        if text in self.words:
            return text
        if self.low <= number <= self.high and kind(number) == number:
            return kind(number)
        what = "a whole number" if kind is int else "a number"
        limits = " or ".join(self.words) or f"{what} from {self.low:g} to {self.high:g}"
        raise ValueError(f"{metric} has no {self.name} {text!r}; write {limits}.")

    def write(self, value: float | str) -> str:
        """Return the value as it stands in a name; "" for the usual one, unless it is bare."""
        if value == self.default and not self.is_bare:
            return ""
        text = str(value).removesuffix(".0")
        return text if self.is_bare else f"{self.name}={text}"


PER = Setting("per", "list", words=("list", "image"))
"""Whether the value of each query is divided by the number of results that are looked at."""
Values = dict[str, float | str]


class Metric(NamedTuple):
    """An entry of the register.

    Attributes:
        function: `function(block, k)` returns the value of each query, NaN where undefined, or the
            Sum that it is.
        formula: The definition as a person would write it.
        source: Where the definition is published, and other names of it.
        cutoff: Whether the name takes, needs or refuses `@k`.
        reads: What it takes from results: which of them have to be in a block.
        deep: Whether it reads results beyond its cutoff.
        depth: Rank to which it reads a list without a cutoff; None: to the end.
        settings: What can be set in the name; the function takes them by name, but for PER.
        lower_is_better: Whether a lower value is the better one, as of a rank.
        is_median: Whether several queries have the median of their values, not the mean.
        protocol: The protocol that alone measures it; empty: each one does.
    """

    name: str
    function: Callable[..., FloatArray | Sum]
    formula: str
    source: str
    cutoff: Cutoff = "optional"
    reads: Reads = "hits"
    deep: bool = False
    depth: Cut = None
    settings: tuple[Setting, ...] = ()
    lower_is_better: bool = False
    is_median: bool = False
    protocol: str = ""

    @property
    def title(self) -> str:
        """Name with the usual settings, such as `RBP(0.95)`."""
        return self.write({})

    def write(self, values: Values) -> str:
        """Return the name with settings; those that are not given are the usual ones."""
        outer, inner = list[str](), list[str]()
        for each in self.settings:
            if text := each.write(values.get(each.name, each.default)):
                (inner if each.is_inner else outer).append(text)
        head, _, tail = self.name.partition("(")
        if tail:
            outer.insert(0, tail.removesuffix(")") + (f"({','.join(inner)})" if inner else ""))
        return f"{head}({','.join(outer)})" if outer else head


@dataclass(frozen=True)
class Measure:
    """A metric at a cutoff; `str()` gives `nDCG@10`. A setting is part of the name."""

    name: str
    cutoff: Cut = None

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def __call__(self, block: Block) -> FloatArray:
        """Return the value of each query, NaN where the formula has none. [queries]."""
        found = self.explain(block)
        return found.compute(self.cutoff) if isinstance(found, Sum) else found

    def explain(self, block: Block) -> FloatArray | Sum:
        """Return the sum of terms that the value of each query is; the value, if it is none."""
        entry, given = self._found
        values = {each.name: each.default for each in entry.settings} | given
        per = values.pop(PER.name, "list")
        found = entry.function(block, self.cutoff, **values)
        if per == "list":
            return found
        images = np.maximum(block.count_looked_at(self.cutoff), 1)
        if isinstance(found, Sum):
            return found._replace(divisor=found.divisor * images)
        return found / images

    @cached_property
    def _found(self) -> tuple[Metric, Values]:
        return find_metric(self.name)

    @property
    def metric(self) -> Metric:
        """Entry of the register."""
        return self._found[0]

    @property
    def sign(self) -> int:
        """1, or -1 where a lower value is the better one."""
        return -1 if self.metric.lower_is_better else 1

    @property
    def depth(self) -> Cut:
        """Rank to which it reads a list; None: to the end."""
        return self.cutoff or self.metric.depth

    def average(self, values: FloatArray, folds: IntArray | None = None) -> float | None:
        """Return the mean, or the median where the metric has that, of values that are not NaN.

        With the fold of each value, it is the mean of the medians of the folds.
        """
        known = ~np.isnan(values)
        if not known.any():
            return None
        if not self.metric.is_median:
            return float(values[known].mean())
        parts = (
            [known] if folds is None else [known & (folds == n) for n in np.unique(folds[known])]
        )
        return float(np.mean([np.median(values[part]) for part in parts]))


Computation = TypeVar("Computation", bound=Callable[..., FloatArray | Sum])
NAMES: dict[str, Metric] = {}
"""Every metric by each of its names, in small letters."""


def metric(
    name: str, *, other_names: Names = (), **more: Any
) -> Callable[[Computation], Computation]:
    """Register the decorated function as a metric.

    Args:
        name: Its name.
        other_names: Names that mean it, too.
        more: Other attributes of its `Metric`: formula, source, and others that are not usual.

    Raises:
        ValueError: If another metric has one of its names.
    """

    def register(function: Computation) -> Computation:
        names = {each.lower() for each in (name, *other_names)}
        if taken := sorted(names & NAMES.keys()):
            both: list[Callable[..., object]] = [NAMES[taken[0]].function, function]
            files = " and ".join("/".join(Path(inspect.getfile(f)).parts[-2:]) for f in both)
            raise ValueError(f"Two metrics are called {taken[0]}, in {files}; rename one")
        NAMES.update(dict.fromkeys(names, Metric(name, function, **more)))
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
    measures = [parse_one(word) for word in WORD.findall(text)]
    if not measures:
        raise ValueError("No metric is named; write for example P@5 AP nDCG@10.")
    return list(dict.fromkeys(measures))


@lru_cache(maxsize=1024)
def parse_one(word: str) -> Measure:
    """Return the measure of one name; metrics of plugins count, too.

    Raises:
        ValueError: As `parse`, and for several names.
    """
    load_all("metrics")
    if len(WORD.findall(word)) > 1:
        raise ValueError(f"{word!r} names several metrics; give one, such as P@5.")
    printed = re.fullmatch(r"(\w+?)[_.](\d+)", word)
    if printed and printed[1].lower() in TREC_EVAL:
        word = f"{TREC_EVAL[printed[1].lower()]}@{printed[2]}"
    call, at, digits = word.partition("@")
    entry, values = find_metric(call)
    name = entry.write(values)
    if at and not re.fullmatch(r"[1-9]\d{0,8}", digits):
        raise ValueError(f"{word!r}: a cutoff is a whole number from 1 to 999,999,999, as in P@5.")
    if at and entry.cutoff == "never":
        raise ValueError(f"{name} takes no cutoff; write {name}.")
    if not at and entry.cutoff == "required":
        raise ValueError(f"{name} needs a cutoff; write for example {name}@5.")
    return Measure(name, int(digits) if at else None)


def find_metric(call: str) -> tuple[Metric, Values]:
    """Return the metric of a name, and the settings in it.

    Raises:
        ValueError: If there is no such metric, or a setting is wrong.
    """
    if call.lower() in NAMES:
        return NAMES[call.lower()], {}
    head, _, inside = call.partition("(")
    outer = _split_arguments(inside.removesuffix(")"))
    inner_head, _, inner = outer[0].partition("(")
    if entry := NAMES.get(f"{head}({inner_head})".lower()):
        given = [*_split_arguments(inner.removesuffix(")")), *outer[1:]]
        return entry, _read_settings(entry, filter(None, given))
    entry = NAMES.get(head.lower())
    if entry and entry.settings and call.endswith(")"):
        return entry, _read_settings(entry, outer)
    if head.lower() in ("precision", "recall"):
        raise ValueError(
            f"{head} means two things: write P for hits ÷ K (ALFA 0.1 calls it Recall), R for "
            "hits ÷ relevant (ALFA 0.1 calls it Precision)."
        )
    near = dict.fromkeys(NAMES[each].name for each in get_close_matches(call.lower(), NAMES))
    similar = f" Similar: {', '.join(near)}." if near else ""
    raise ValueError(
        f"There is no metric {call!r}.{similar} python -m dashboard metrics lists all."
    )


def _split_arguments(text: str) -> Names:
    """Return the parts of a text between commas that are in no parentheses.

    >>> _split_arguments("RBP(0.95,x), w=5")
    ['RBP(0.95,x)', 'w=5']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def _read_settings(entry: Metric, given: Iterable[str]) -> Values:
    values = {}
    bare = [each for each in entry.settings if each.is_bare]
    named = {each.name: each for each in entry.settings}
    for text in given:
        name, equals, value = text.partition("=")
        setting = named.get(name) if equals else (bare[0] if bare else None)
        if setting is None or setting.name in values:
            known = ", ".join(named) or "none"
            raise ValueError(f"{entry.title} has no setting {text!r}; it has: {known}.")
        values[setting.name] = setting.read(entry.name, value if equals else text)
    return values
