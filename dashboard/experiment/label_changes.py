"""What the reviewers' corrections change: labels, every metric, and the patch that would apply
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dashboard.evaluation.measure import summarise
from dashboard.evaluation.reviewing.corrections import LEFT_ALONE, changes
from dashboard.experiment.corrections import corrections_at, state_of
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import judgement
from dashboard.experiment.measuring import measurements, of_queries
from dashboard.experiment.memory import remembered
from dashboard.storage.reviews.patch import patch as patch_of


def with_corrections(experiment: Experiment) -> Experiment | None:
    """The same experiment with the reviewers' corrections as they are now; None for a search, and
    for a protocol that takes labels as given.

    Raises DataError where reviews cannot be read.
    """
    if experiment.live or experiment.protocol in LEFT_ALONE:
        return None
    return replace(experiment, corrections=state_of(experiment.collection, experiment.protocol))


@remembered(16)
def changed_labels(experiment: Experiment) -> pd.DataFrame:
    """The pairs whose label changes: query_id, item_id, given, corrected, reviewers, by.

    experiment: one with corrections.
    """
    if experiment.corrections is None:
        raise ValueError("an experiment with labels as given has no corrections")
    given = judgement(replace(experiment, corrections=None))
    return changes(given, corrections_at(experiment.corrections))


def changed_metrics(
    experiment: Experiment,
    versions: Sequence[str],
    metrics: str,
    only: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """Each metric of each version with both labels: run, metric, cutoff, given, corrected, change
    and how many queries are scored with either.

    only: the queries that count; None: all in question.
    """
    keys = ["run", "metric", "cutoff"]
    both = [
        summarise(of_queries(only, measurements(each, tuple(versions), metrics))).set_index(keys)
        for each in (replace(experiment, corrections=None), experiment)
    ]
    table = pd.DataFrame(
        {
            "given": both[0]["mean"],
            "corrected": both[1]["mean"],
            "change": (both[1]["mean"] - both[0]["mean"]).round(12) + 0.0,
            "scored_given": both[0]["scored"],
            "scored_corrected": both[1]["scored"],
        }
    )
    return table.reset_index()


def patch(experiment: Experiment) -> str:
    """The corrections as a patch of the collection's own file of judgements; empty without any."""
    table = changed_labels(experiment)
    pairs = zip(table["query_id"], table["item_id"], strict=True)
    return patch_of(Path(experiment.folder), dict(zip(pairs, table["corrected"], strict=True)))


def corrected_qrels(experiment: Experiment) -> pd.DataFrame:
    """All labels with the corrections in them: query_id, item_id, grade."""
    return judgement(experiment).qrels[["query_id", "item_id", "grade"]].reset_index(drop=True)
