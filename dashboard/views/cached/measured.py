"""Metrics of versions, differences between them, slices, and how sure all that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from dashboard.evaluation import changes, standing
from dashboard.evaluation import compare as comparing
from dashboard.evaluation import measure as measuring
from dashboard.evaluation import overlap as overlapping
from dashboard.evaluation import slices as slicing
from dashboard.evaluation.curves import bounded
from dashboard.evaluation.divisions import divisions
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.statistics import tukey
from dashboard.storage.collection import Collection
from dashboard.storage.evidence import scenes
from dashboard.tables import DataError
from dashboard.views.cached.asked import Question
from dashboard.views.cached.judged import (
    counted_judgement,
    counted_run,
    queries,
    required_keywords,
)
from dashboard.views.cached.opened import opened_as


@st.cache_resource(max_entries=128, show_spinner=False)
def _measured(asked: Question, version: str, metrics: str) -> pd.DataFrame:
    protocol = PROTOCOLS[asked.protocol]
    found = {version: counted_run(asked, version)}
    return measuring.measure(found, counted_judgement(asked), protocol, parse(metrics))


def measurements(asked: Question, versions: tuple[str, ...], metrics: str) -> pd.DataFrame:
    """The value of each metric for each version and query (table `measurements`)."""
    return pd.concat([_measured(asked, v, metrics) for v in versions], ignore_index=True)


@st.cache_resource(max_entries=64, show_spinner=False)
def counts(
    asked: Question, versions: tuple[str, ...], only: tuple[str, ...] | None
) -> pd.DataFrame:
    """How many queries of each version are scored, and why others are not."""
    found = {version: counted_run(asked, version) for version in versions}
    judged = counted_judgement(asked)
    if only is not None:
        kept = set(only)
        judged = replace(
            judged,
            query_ids=tuple(query for query in judged.query_ids if query in kept),
            qrels=judged.qrels[judged.qrels["query_id"].isin(kept)],
        )
    return measuring.counts(found, judged, asked.protocol)


@st.cache_resource(max_entries=64, show_spinner=False)
def comparison(
    asked: Question, baseline: str, candidate: str, metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Baseline against candidate, a row a metric: means, difference, interval, p, counts.

    only: the query_ids to compare on; `None` for all in question.
    """
    measured = _of(only, measurements(asked, (baseline, candidate), metrics))
    return comparing.compare(measured, baseline, candidate, groups=_scenes(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def against(
    asked: Question,
    baseline: str,
    versions: tuple[str, ...],
    metrics: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """The baseline against each of the versions: rows of `comparison` after `candidate_run`."""
    every = tuple(dict.fromkeys([baseline, *versions]))
    measured = _of(only, measurements(asked, every, metrics))
    return comparing.compare_all(measured, baseline=baseline, groups=_scenes(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def pairs(
    asked: Question, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Every pair of versions: Tukey's difference by one metric, and how alike their lists are.

    Columns of `tukey` (bounds and p that hold for all pairs together) with jaccard, rbo and shift.
    """
    wanted = parse(metric)[0]
    measured = _of(only, measurements(asked, versions, metric))
    differences = tukey.tukey(measured, wanted.name, wanted.cutoff)
    found = {version: _of(only, _counting(asked, version)) for version in versions}
    alike = overlapping.overlap(found, wanted.cutoff or 10)
    return differences.merge(alike, on=["baseline", "candidate"])


def _counting(asked: Question, version: str) -> pd.DataFrame:
    """What the protocol ranks of a run, ranks closed up: a submission has nothing else."""
    run = PROTOCOLS[asked.protocol].keep(counted_run(asked, version), counted_judgement(asked))
    return run.assign(rank=run.groupby("query_id", observed=True).cumcount() + 1)


@st.cache_resource(max_entries=64, show_spinner=False)
def turned(asked: Question, baseline: str, candidate: str, metric: str) -> frozenset[str]:
    """The queries whose value of a metric was full in the baseline and is none in the candidate."""
    wanted = parse(metric)[0]
    table = measurements(asked, tuple(dict.fromkeys([baseline, candidate])), metric)
    return frozenset(changes.turned(table, baseline, candidate, wanted.name, wanted.cutoff))


def _scenes(asked: Question) -> Mapping[str, str] | None:
    """Which queries come from one scene and are therefore resampled together."""
    return scenes(queries(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def means(
    asked: Question, versions: tuple[str, ...], metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """The mean of each version and metric with its interval, over `only` these queries."""
    return standing.means(_of(only, measurements(asked, versions, metrics)), groups=_scenes(asked))


@st.cache_resource(max_entries=128, show_spinner=False)
def _bounded(
    asked: Question, version: str, metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    protocol, judged = PROTOCOLS[asked.protocol], counted_judgement(asked)
    return bounded(counted_run(asked, version), judged, protocol, metrics, only).assign(run=version)


def tie_bounds(
    asked: Question,
    versions: tuple[str, ...],
    metrics: str,
    only: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """What the means of versions could be at worst and at best in another order of equal scores.

    Columns run, metric, cutoff, mean, worst, best, scored, total. ValueError for a metric without
    such bounds.
    """
    rows = [_bounded(asked, version, metrics, only) for version in versions]
    return pd.concat(rows, ignore_index=True)


@st.cache_resource(max_entries=64, show_spinner=False)
def stability(
    asked: Question, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """How often each version would come first, second … with other queries of the same kind."""
    wanted = parse(metric)[0]
    measured = _of(only, measurements(asked, versions, metric))
    return standing.stability(measured, wanted.name, wanted.cutoff, groups=_scenes(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def slices(asked: Question) -> pd.DataFrame:
    """Which query is in which slice, in all ways to divide them: query_id, by, slice."""
    required = required_keywords(asked)
    return divisions(queries(asked), required, asked.groups, counted_judgement(asked))


@st.cache_resource(max_entries=64, show_spinner=False)
def slice_means(
    asked: Question,
    versions: tuple[str, ...],
    baseline: str,
    metric: str,
    by: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """One metric on every slice of one kind × version, and the difference to the baseline."""
    every = slices(asked)
    wanted = parse(metric)[0]
    return slicing.slice_means(
        _of(only, measurements(asked, versions, metric)),
        every[every["by"] == by],
        wanted.name,
        wanted.cutoff,
        baseline=baseline,
        groups=_scenes(asked),
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _known_slices(name: str, digest: str) -> dict[str, tuple[str, ...]]:
    known = opened_as(name, digest)
    every = Question(
        name, digest, known.protocols[0], known.groups, known.mapping_threshold, -1, "all"
    )
    try:
        table = slices(every)
    except DataError:
        return {}  # the screen that needs the labels says what is wrong with them
    named = {str(by): tuple(of["slice"].unique()) for by, of in table.groupby("by", sort=False)}
    steps = {"number of relevant items": tuple(step for _, step in slicing.NUMBERS)}
    return named | {by: steps.get(by, ()) for by in named if by in steps}


def known_slices(collection: Collection) -> dict[str, tuple[str, ...]]:
    """All slices that queries of the collection can be in, by what divides them."""
    return _known_slices(collection.name, collection.digest)


def _of(only: tuple[str, ...] | None, measured: pd.DataFrame) -> pd.DataFrame:
    return measured if only is None else measured[measured["query_id"].isin(only)]
