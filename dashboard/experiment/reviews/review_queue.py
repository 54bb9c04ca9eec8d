"""What to judge next between two versions of an experiment, and how far reviewers agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

import pandas as pd

from dashboard.evaluation.duplicates import MOST
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.metrics.registry import measure as measure_named
from dashboard.evaluation.reviewing import bounds, queue, raters
from dashboard.experiment.collection.near_duplicates import copies
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import counted_judgement
from dashboard.experiment.long_rankings import measured_run
from dashboard.experiment.memory import remembered
from dashboard.experiment.reviews import keyword_changes
from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.review_keys import key_of


def next_to_judge(
    experiment: Experiment, baseline: str, candidate: str, metric: str
) -> tuple[pd.DataFrame, str]:
    """The unjudged results that can move the comparison, those that move it most first, and what
    is certain about it in a sentence.

    Raises ValueError for a metric without a cutoff or without bounds, and for a protocol that
    leaves unjudged results out or has none.
    """
    asked, rules = measure_named(metric), experiment.rules
    bounds.check_bounded(asked)
    if asked.cutoff is None:
        raise ValueError(f"{metric} reads whole lists; name a cutoff, such as {metric}@10")
    if rules.condensed or rules.complete:
        kind = "leaves unjudged results out" if rules.condensed else "judges every pair"
        raise ValueError(f"the protocol {rules.name} {kind}: no judgement can be missing")
    pools, gains = pools_of(experiment, baseline, candidate, asked)
    mean = bounds.mean_span([bounds.span(pool, asked, gains) for pool in pools])
    table = queue.queue(asked, pools, max(gains))
    return table, bounds.conclusion(mean, baseline, candidate)


def pools_of(
    experiment: Experiment, baseline: str, candidate: str, asked: Measure
) -> tuple[list[bounds.Pool], tuple[float, ...]]:
    """The pool of each query, and what a relevant result may be worth.

    Raises ValueError for a metric without bounds.
    """
    judged, rules = counted_judgement(experiment), experiment.rules
    bounds.check_bounded(asked)
    first, second = (
        rules.keep(measured_run(experiment, version, [asked]), judged)
        for version in (baseline, candidate)
    )
    return bounds.pools(first, second, judged, asked), bounds.gains_of(judged, asked)


def suspects(
    experiment: Experiment, baseline: str, candidate: str, depth: int = 10
) -> pd.DataFrame:
    """Labels that may be wrong: both versions contradict them, or a near-duplicate has another.

    Near-duplicates are left out of account in a gallery that is too large to look for them in
    seconds.
    """
    judged = counted_judgement(experiment)
    read = [measure_named(f"P@{depth}")]
    first, second = (measured_run(experiment, version, read) for version in (baseline, candidate))
    few = len(experiment.collection.items) <= MOST
    alike = copies(experiment.folder, experiment.digest) if few else {}
    return queue.suspects(first, second, judged, alike, depth)


FIRST = 500
"""Results of a plan."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What to judge next, in order, and what is certain about two versions, in a sentence.

    results: query and item. doubtful: they are labels that may be wrong, as no judgement is missing
    that can move the comparison; else they are those that can.
    """

    certain: str
    results: tuple[tuple[str, str], ...]
    doubtful: bool


@remembered(32)
def plan(experiment: Experiment, baseline: str, candidate: str, metric: str) -> Plan:
    """What to judge next between two versions, by the metric in front."""
    try:
        table, certain = next_to_judge(experiment, baseline, candidate, metric)
    except ValueError:  # no judgement can be missing, or the metric has no bounds
        table, certain = pd.DataFrame(), ""
    doubtful = table.empty
    if doubtful:
        table = suspects(experiment, baseline, candidate)
    pairs = zip(table["query_id"].astype(str), table["item_id"].astype(str), strict=True)
    return Plan(certain, tuple(dict.fromkeys(pairs))[:FIRST], doubtful)


def agreement(collection: Collection) -> pd.DataFrame:
    """Alpha of all reviewers and kappa of each two: measure, reviewers, value, low, high, pairs,
    alike, few. Empty without pairs that several judged."""
    figures = raters.agreement(raters.ratings(_verdicts(collection)))
    columns = ["name", "raters", "value", "low", "high", "pairs", "alike"]
    table = pd.DataFrame([asdict(each) for each in figures], columns=columns)
    table["raters"] = [", ".join(people) for people in table["raters"]]
    table["few"] = [each.few for each in figures]
    return table.rename(columns={"name": "measure", "raters": "reviewers"})


def disagreements(collection: Collection) -> pd.DataFrame:
    """The pairs on which reviewers differ, for a curator: see `raters.disagreements`."""
    return raters.disagreements(_verdicts(collection))


def all_disagreements(collection: Collection) -> tuple[pd.DataFrame, int]:
    """The disagreements on results, and after them those on keywords, that no curator has decided,
    the most evenly divided first: kind (`verdict`, `keyword` of an item, `mapping` of a query's
    words), query_id, item_id, group, keyword, reviewers, minority and values. Null: not of that
    kind. And how many results are left out because a curator has decided them."""
    left = undecided(collection)
    decided = len(disagreements(collection)) - len(left)
    rows = [{"kind": reviews.VERDICT, **row} for row in left.to_dict("records")]
    of_keywords = []
    for row in keyword_changes.undecided_keywords(collection).to_dict("records"):
        counts = Counter(value for _, value in row["reviews"])
        subject = "item_id" if row["kind"] == reviews.KEYWORD else "query_id"
        of_keywords.append(
            {
                "kind": row["kind"],
                subject: row["id"],
                "group": row["group"],
                "keyword": row["keyword"],
                "reviewers": counts.total(),
                "minority": 1 - max(counts.values()) / counts.total(),
                "values": ", ".join(f"{value} {counts[value]}" for value in sorted(counts)),
            }
        )
    of_keywords.sort(key=lambda row: (-row["minority"], -row["reviewers"]))
    columns = ["kind", "query_id", "item_id", "group", "keyword", "reviewers", "minority", "values"]
    table = pd.DataFrame([*rows, *of_keywords], columns=columns)
    return table.replace({float("nan"): None}), decided


def undecided(collection: Collection) -> pd.DataFrame:
    """The disagreements that no curator has decided since."""
    left, pair = disagreements(collection), ["query_id", "item_id"]
    decided = reviews.latest(key_of(collection), reviews.DECISION)
    there = pd.MultiIndex.from_frame(left[pair].astype(str))
    return left[~there.isin(pd.MultiIndex.from_frame(decided[pair].astype(str)))]


def _verdicts(collection: Collection) -> pd.DataFrame:
    return reviews.latest(key_of(collection), reviews.VERDICT)
