"""The register of metrics: what each says of itself, how it enters, and how it is asked for.

Pickers, charts, the command line, the README's table and the property tests all read REGISTRY, so
a metric is added in one file of this folder: a function decorated with `@metric(…)`, and below it
one decorated with `@explains(…)` that shows how its value is computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

from dashboard.evaluation.metrics import names
from dashboard.evaluation.metrics.explanation import Explainer
from dashboard.evaluation.metrics.names import Setting, Value
from dashboard.evaluation.rankings import Floats, Rankings

Cutoff = Literal["optional", "required", "never"]
Reads = Literal["hits", "grades", "credit", "judged", "queries"]
Across = Literal["mean", "geometric mean", "sum"]
Function = TypeVar("Function", bound=Callable[..., Floats])
Explaining = TypeVar("Explaining", bound=Explainer)
Multiple = Callable[[str, int | None], str]

REGISTRY: dict[str, Metric] = {}
OTHER_NAMES: dict[str, str] = {}


@dataclass(frozen=True, eq=False)
class Metric:
    """One metric: `function(rankings, k, **settings)` gives each query's value, NaN if undefined.

    reads    what it takes from the rankings: hits, grades or credit; queries: none of these
    cutoff   whether the name takes, needs or refuses an `@k`
    best_first  whether the best order is the one with the best results first
    misses   whether judged items that gain nothing change its value
    first    the rank to which it reads lists where it takes no cutoff; None: to their ends
    across   what trec_eval makes of the queries' values: their mean, or else (see `summarise`)
    formula  as a person would write it; source: where the definition stands; summary: the tooltip
    multiple_of  (name with settings, cutoff) → the metric that its values may be a multiple of
    explain  shows how the value of one ranked list is computed (see `explains`)
    """

    name: str
    function: Callable[..., Floats]
    formula: str
    source: str
    summary: str
    reads: Reads
    cutoff: Cutoff
    settings: tuple[Setting, ...]
    other_names: tuple[str, ...]
    best_first: bool
    across: Across
    multiple_of: Multiple | None = None
    misses: bool = False
    first: int | None = None
    explain: Explainer | None = None

    @property
    def title(self) -> str:
        """The name as it is printed with default settings, such as `RBP(0.95)`."""
        return names.printed(self.name, self.settings, {})


@dataclass(frozen=True)
class Measure:
    """A metric as asked for: its settings and its cutoff; `str()` gives `nDCG(exp)@10`.

    name: the canonical name without the cutoff, which says all settings that are not defaults.
    """

    name: str
    cutoff: int | None
    settings: tuple[tuple[str, Value], ...]

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @property
    def metric(self) -> Metric:
        """The entry in the register."""
        return REGISTRY[names.root(self.name)]

    @property
    def reach(self) -> int | None:
        """The rank to which it reads lists; None: to their ends."""
        reads_on = {("divisor", "annotated"), ("ideal", "retrieved")} & set(self.settings)
        return None if reads_on else self.cutoff or self.metric.first

    @property
    def reads_misses(self) -> bool:
        """Whether judged items that gain nothing change its value."""
        return self.metric.misses or ("divisor", "annotated") in self.settings

    def __call__(self, rankings: Rankings) -> Floats:
        """What the formula gives for each query, NaN where it gives nothing. float64 [Q]"""
        return self.metric.function(rankings, self.cutoff, **dict(self.settings))


def metric(
    name: str,
    *settings: Setting,
    formula: str,
    source: str,
    reads: Reads,
    cutoff: Cutoff = "optional",
    other_names: tuple[str, ...] = (),
    best_first: bool = True,
    across: Across = "mean",
    multiple_of: Multiple | None = None,
    misses: bool = False,
    first: int | None = None,
) -> Callable[[Function], Function]:
    """Enter the decorated function into REGISTRY; its docstring's first line is the tooltip."""

    def enter(function: Function) -> Function:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        taken = {n.lower() for n in [*REGISTRY, *OTHER_NAMES]}
        for each in (name, *other_names):
            if each.lower() in taken:
                raise ValueError(f"two metrics are called {each}")
        REGISTRY[name] = Metric(
            name, function, formula, source, summary,
            reads, cutoff, settings, other_names, best_first, across, multiple_of, misses, first,
        )  # fmt: skip
        OTHER_NAMES.update(dict.fromkeys(other_names, name))
        return function

    return enter


def explains(*functions: Callable[..., Floats]) -> Callable[[Explaining], Explaining]:
    """Enter the decorated function as what explains these metrics.

    It takes a RankedList and the metric's settings. ValueError where a function is no metric.
    """

    def enter(explainer: Explaining) -> Explaining:
        for function in functions:
            entry = next((each for each in REGISTRY.values() if each.function is function), None)
            if entry is None:
                raise ValueError(
                    f"{function.__name__} is no metric: decorate it with @metric first"
                )
            REGISTRY[entry.name] = replace(entry, explain=explainer)
        return explainer

    return enter


def parse(text: str) -> list[Measure]:
    """The measures that `text` names, in order and each once: `parse("P@5 nDCG(exp)@10 AP")`.

    Raises ValueError with a sentence that names near matches, allowed settings or the missing
    cutoff.

    >>> [str(m) for m in parse("hits_over_k@5, AP(divisor=retrieved) RBP CAG(DCG,w=10)@3")]
    ['P@5', 'AP(retrieved)', 'RBP(0.95)', 'CAG(DCG)@3']
    >>> [str(m) for m in parse("map P_5 ndcg_cut_10 iprec_at_recall_0.10")]
    ['AP', 'P@5', 'nDCG@10', 'IPrec(0.1)']
    """
    measures = [measure(word) for word in names.words(text)]
    if not measures:
        raise ValueError("No metric is named; write for example P@5 AP nDCG@10.")
    return list(dict.fromkeys(measures))


def across_queries(name: str) -> Across:
    """What is made of the queries' values of a metric, by its canonical name without a cutoff."""
    entry = REGISTRY.get(name.partition("(")[0])
    return entry.across if entry else "mean"


def family_of(name: str, cutoff: int | None) -> tuple[str, int | None]:
    """The metric that a measure may be a multiple of, and the cutoff: two of one family may be
    equal up to a factor in every query. The division by the number of results is such a factor.

    >>> family_of("mR", None), family_of("CG(per=image)", 50), family_of("CAG(CG,w=3)", 50)
    (('Rsum', None), ('AVG', 50), ('CAG(AVG,w=3)', 50))
    >>> family_of("Success", 1), family_of("Success", 5)
    (('P', 1), ('Success', 5))
    """
    entry = REGISTRY.get(names.root(name))
    base = entry.multiple_of(name, cutoff) if entry and entry.multiple_of else name
    return base.replace(",per=image", ""), cutoff


def check_averaged(name: str) -> None:
    """Raise ValueError for a metric of a geometric mean: differences and intervals of versions are
    of arithmetic means."""
    if across_queries(name) == "geometric mean":
        raise ValueError(
            f"{name} is a geometric mean over the queries: no query has a difference in it, and "
            f"differences and intervals here are of arithmetic means. `measure` prints it; "
            f"compare {name.removeprefix('gm_').replace('map', 'AP')}"
        )


@lru_cache(maxsize=1_000)  # a step from query to query reads some names dozens of times
def measure(word: str) -> Measure:
    """The measure that one name stands for, such as `nDCG(exp)@10`; ValueError as `parse`."""
    call, cutoff = names.split_cutoff(names.translated(word))
    known = {each.lower(): each for each in REGISTRY} | {
        other.lower(): each for other, each in OTHER_NAMES.items()
    }
    key, arguments = names.resolve(call, known)
    entry = REGISTRY[key]
    settings = names.read_settings(entry.name, entry.settings, arguments)
    if cutoff is None and entry.cutoff == "required":
        raise ValueError(f"{entry.title} needs a cutoff; write for example {entry.title}@5.")
    if cutoff is not None and entry.cutoff == "never":
        raise ValueError(f"{entry.title} takes no cutoff; write {entry.title}.")
    name = names.printed(entry.name, entry.settings, settings)
    return Measure(name, cutoff, tuple(settings.items()))
