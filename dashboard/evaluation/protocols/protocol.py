"""What a protocol is, and the small steps that several protocols share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from typing import Protocol as Shape

import numpy as np
import pandas as pd

from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics.registry import Measure, parse
from dashboard.evaluation.rankings import Floats
from dashboard.tables import QRELS, DataError

NOT_JUDGED = "no judged item"
NO_RELEVANT = "no relevant item"


class Evidence(Shape):
    """What a protocol judges from; tables that a collection does not have are None."""

    @property
    def queries(self) -> pd.DataFrame | None: ...
    @property
    def items(self) -> pd.DataFrame | None: ...
    @property
    def keywords(self) -> pd.DataFrame | None: ...
    @property
    def query_keywords(self) -> pd.DataFrame | None: ...
    @property
    def qrels(self) -> pd.DataFrame | None: ...


def as_decided(measure: Measure, values: Floats, judgement: Judgement) -> Floats:
    """The values unchanged: each query's value depends only on its own ranking."""
    return values


@dataclass(frozen=True, eq=False)
class Protocol:
    """Which pairs count, what they are worth, and what the source calls the metrics.

    judge(evidence, groups) → Judgement; keep(run, judgement) → the rows of the run that count, to
    be ranked anew; finish(measure, values, judgement) → the final value of each query, where it
    depends on other queries or on the query's kind.

    metrics           the metrics that a screen shows first
    shown_as          metric's name → the source's name for it, with the formula
    nothing_relevant  the value of a query without any relevant item: null for every metric, zero as
                      trec_eval prints, or what each formula gives
    ties              the order of a file's equal scores: the gallery's, or trec_eval's
    complete          a pair that no judgement names is wrong, rather than not judged
    mutual            relevance goes both ways between items
    condensed         only judged results are ranked, so a run needs no others
    of_keywords       relevance follows from keywords
    takes_features    submitted features can be scored
    in_rows           people see results in rows of a grid
    grade_in_words    a grade in words, where it says more than relevant or not
    """

    name: str
    title: str
    source: str
    metrics: str
    shown_as: Mapping[str, str]
    nothing_relevant: Literal["null", "zero", "formula"]
    judge: Callable[[Evidence, Sequence[str] | None], Judgement]
    keep: Callable[[pd.DataFrame, Judgement], pd.DataFrame]
    finish: Callable[[Measure, Floats, Judgement], Floats] = as_decided
    complete: bool = False
    mutual: bool = False
    condensed: bool = False
    ties: Literal["gallery", "trec"] = "gallery"
    of_keywords: bool = False
    takes_features: bool = False
    in_rows: bool = False
    grade_in_words: Callable[[float], str] | None = None
    definition: str = ""
    formula: str = ""
    blind: tuple[str, ...] = ()

    @property
    def front(self) -> Measure:
        """The metric that a screen puts in front: the first one at its deepest cutoff."""
        first, *others = parse(self.metrics)
        same = [first, *[other for other in others if other.name == first.name]]
        return max(same, key=lambda measure: measure.cutoff or 0)

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """The cutoffs of its metrics, ascending."""
        return tuple(sorted({m.cutoff for m in parse(self.metrics) if m.cutoff is not None}))

    def at(self, cutoffs: Sequence[int]) -> Protocol:
        """The same protocol at other cutoffs; none given: at its own.

        A metric that it shows at several cutoffs is shown at each of them, one that it shows at a
        single cutoff at the deepest.
        """
        shown = parse(self.metrics)
        times = Counter(measure.name for measure in shown)
        names = []
        for name, first in {measure.name: measure for measure in shown}.items():
            at = cutoffs if times[name] > 1 else sorted(cutoffs)[-1:]
            names += [name] if first.cutoff is None else [f"{name}@{cutoff}" for cutoff in at]
        return replace(self, metrics=" ".join(names)) if cutoffs else self

    @property
    def zero_when_nothing_relevant(self) -> bool:
        """Whether a query without any relevant item counts as 0."""
        return self.nothing_relevant == "zero"


def qrels_of(evidence: Evidence, protocol: str) -> pd.DataFrame:
    """The evidence's qrels. Raises DataError naming the protocol where there are none."""
    if evidence.qrels is None:
        raise DataError(
            "qrels", "no qrels", f"judged pairs of query and item, as the {protocol} protocol needs"
        )
    return evidence.qrels


def qrels_of_queries(qrels: pd.DataFrame | None, queries: pd.DataFrame) -> pd.DataFrame | None:
    """The judgements of some queries.

    A judged query that is not measured, such as one of the other direction, would otherwise count
    as one without results.
    """
    if qrels is None:
        return None
    mine = qrels["query_id"].isin(queries["query_id"])
    return qrels if mine.all() else qrels[mine].reset_index(drop=True)


def asked(queries: pd.DataFrame | None, judged: Iterable[str]) -> tuple[str, ...]:
    """All queries in order: those of the table, then those that only the judgements name."""
    known = [] if queries is None else queries["query_id"].tolist()
    return tuple(dict.fromkeys([*known, *judged]))


def judgement(
    qrels: pd.DataFrame,
    query_ids: Sequence[str],
    *,
    relevant_from: float = 1.0,
    unscorable: Mapping[str, str] | None = None,
    nothing_relevant: str = "",
    leave_out: Mapping[str, str] | None = None,
    notes: tuple[str, ...] = (),
) -> Judgement:
    """A Judgement that also names the queries without a judged item.

    qrels: query_id, item_id, grade, credit. nothing_relevant: the reason for queries that have
    judged items but no relevant one, where the protocol does not score them.
    """
    reasons = dict(unscorable or {})
    made = Judgement(
        qrels[[*QRELS.columns, "credit"]],
        tuple(query_ids),
        reasons,
        relevant_from,
        leave_out or {},
        notes,
    )
    add_reasons(reasons, made, nothing_relevant)
    return made


def add_reasons(reasons: dict[str, str], made: Judgement, nothing_relevant: str) -> None:
    """Add the queries without a judged item to those that are not scorable, and, where
    `nothing_relevant` is a reason, those without a relevant one."""
    for place in np.flatnonzero(made.number_judged == 0).tolist():
        reasons.setdefault(made.query_ids[place], NOT_JUDGED)
    if nothing_relevant:
        for place in np.flatnonzero(made.relevant == 0).tolist():
            reasons.setdefault(made.query_ids[place], nothing_relevant)


def keep_all(run: pd.DataFrame, judgement: Judgement) -> pd.DataFrame:
    """The run as it is: a result that is not judged stays in its place and gains nothing."""
    return run


def keep_judged(run: pd.DataFrame, judgement: Judgement) -> pd.DataFrame:
    """The judged results only (a condensed list): the others close up."""
    query = codes(run["query_id"], judgement.asked)
    known = np.flatnonzero(query >= 0)
    found, _ = judgement.judged(query[known], run["item_id"], known)
    return run.iloc[known[found]]


def ids_of(judgements: pd.DataFrame) -> tuple[str, str]:
    """The query and the item of the first of some judgements, for the error about it."""
    first = judgements.iloc[0]
    return str(first["query_id"]), str(first["item_id"])


CEILING = (
    "P@K (hits ÷ K) cannot reach 1 where fewer than K items are relevant: its ceiling is "
    "min(K, R) ÷ K, so that 0.4 may be perfect. The ceiling stands beside it."
)
RECALL = (
    "R@K (hits ÷ R) cannot reach 1 where more than K items are relevant: its ceiling is "
    "min(K, R) ÷ R."
)
TIES = (
    "Equal scores stand in the order of the gallery. A collapsed model, which scores all items "
    "alike, gets the value of that order, which says nothing about the model."
)
RETRIEVED = (
    "AP divided by the hits found rewards early truncation: relevant items at ranks 1, 3 and 5 "
    "give 1 at K = 1 but 0.756 at K = 5, though more was found."
)
