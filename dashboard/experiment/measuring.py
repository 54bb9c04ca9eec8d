"""Metrics of versions, differences between them, slices, and how sure all that is."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dashboard.evaluation import coverage
from dashboard.evaluation import measure as measuring
from dashboard.evaluation.comparison import changes, leaderboard
from dashboard.evaluation.comparison import compare as comparing
from dashboard.evaluation.comparison import overlap as overlapping
from dashboard.evaluation.comparison import slices as slicing
from dashboard.evaluation.comparison.scores import scores
from dashboard.evaluation.comparison.slices import divisions
from dashboard.evaluation.curves import bounded
from dashboard.evaluation.ideal import mean_ceiling
from dashboard.evaluation.metrics.registry import Measure, parse
from dashboard.evaluation.statistics import tukey
from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import counted_judgement, queries, required_keywords
from dashboard.experiment.long_rankings import first_results, measured_parts, measured_run
from dashboard.experiment.memory import each_remembered, remembered
from dashboard.experiment.ranking import outline
from dashboard.storage.collection.collection import Collection
from dashboard.storage.collection.error_places import placing
from dashboard.storage.collection.evidence import scenes
from dashboard.tables import DataError

MEASURED = 64e6
"""Bytes of the measurements by single metrics that are remembered."""


@each_remembered(MEASURED, lambda table: int(table.memory_usage().sum()))
def _each_measured(
    experiment: Experiment, version: str, metrics: tuple[str, ...]
) -> list[pd.DataFrame]:
    """The measurements by each metric; together, so that rankings are searched once."""
    wanted, judged = parse(" ".join(metrics)), counted_judgement(experiment)
    parts = measured_parts(experiment, version, wanted)
    with placing(experiment.collection.folder):
        return measuring.measure_parts(version, parts, judged, experiment.rules, wanted)


@remembered(128, work="Measuring {version} …")
def _measured(experiment: Experiment, version: str, metrics: str) -> pd.DataFrame:
    wanted = tuple(str(measure) for measure in parse(metrics))
    return pd.concat(_each_measured(experiment, version, wanted), ignore_index=True)


def measurements(experiment: Experiment, versions: tuple[str, ...], metrics: str) -> pd.DataFrame:
    """The value of each metric for each version and query (table `measurements`)."""
    return pd.concat([_measured(experiment, v, metrics) for v in versions], ignore_index=True)


@remembered(64, lasts=True)
def outside_sentences(
    experiment: Experiment, versions: tuple[str, ...], only: tuple[str, ...] | None
) -> dict[str, str]:
    """Which versions have results that are no item of the collection: a sentence for each."""
    items = experiment.collection.items["item_id"]
    found = coverage.outside({v: outline(experiment, v) for v in versions}, items, only)
    return coverage.outside_said(found, condensed=experiment.rules.condensed)


@remembered(64, lasts=True)
def not_run_sentences(
    experiment: Experiment, versions: tuple[str, ...], only: tuple[str, ...] | None
) -> dict[str, str]:
    """Which versions did not run some of the queries, and why: a sentence for each."""
    found = {version: outline(experiment, version) for version in versions}
    return coverage.not_run_said(found, only or queries(experiment)["query_id"].tolist())


@remembered(64, lasts=True)
def counts(
    experiment: Experiment, versions: tuple[str, ...], only: tuple[str, ...] | None
) -> pd.DataFrame:
    """How many queries of each version are scored, and why others are not."""
    any_result = parse("Success@1")[0]  # no deeper, for only queries without results are told apart
    found = {version: first_results(experiment, version, any_result) for version in versions}
    judged = counted_judgement(experiment)
    if only is not None:
        judged = judged.of_queries(only)
    return measuring.counts(found, judged, experiment.protocol)


@remembered(64, lasts=True)
def comparison(
    experiment: Experiment,
    baseline: str,
    candidate: str,
    metrics: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """Baseline against candidate, a row a metric: means, difference, interval, p, counts.

    only: the query_ids to compare on; `None` for all in question.
    """
    measured = of_queries(only, measurements(experiment, (baseline, candidate), metrics))
    return comparing.compare(measured, baseline, candidate, groups=scenes_of(experiment))


@remembered(64, lasts=True)
def against(
    experiment: Experiment,
    baseline: str,
    versions: tuple[str, ...],
    metrics: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """The baseline against each of the versions: rows of `comparison` after `candidate_run`."""
    every = tuple(dict.fromkeys([baseline, *versions]))
    measured = of_queries(only, measurements(experiment, every, metrics))
    return comparing.compare_all(measured, baseline=baseline, groups=scenes_of(experiment))


@remembered(64, lasts=True, work="Comparing all pairs of versions …")
def pairs(
    experiment: Experiment, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Every pair of versions: Tukey's difference by one metric, and how alike their lists are.

    Columns of `tukey` (bounds and p that hold for all pairs together) with jaccard, rbo and shift
    of the first `compared_depth` results, all of them of the lists of the queries that are scored
    in all versions, and only of these.
    """
    wanted = parse(metric)[0]
    versions = _scored(experiment, versions, metric, only)
    measured = of_queries(only, measurements(experiment, versions, metric))
    differences = tukey.tukey(measured, wanted.name, wanted.cutoff, groups=scenes_of(experiment))
    whole = scores(measured).scored_in_all(wanted.name, wanted.cutoff)
    found = {
        version: of_queries(whole, _counting(experiment, version, wanted)) for version in versions
    }
    alike = overlapping.overlap(found, compared_depth(metric))
    return differences.merge(alike, on=["baseline", "candidate"])


def compared_depth(metric: str) -> int:
    """How many first results of two lists are compared: the metric's cutoff, or 10."""
    return parse(metric)[0].cutoff or 10


def _counting(experiment: Experiment, version: str, measure: Measure) -> pd.DataFrame:
    """What the protocol ranks of a run, ranks closed up: a submission has nothing else."""
    run = first_results(experiment, version, measure)
    run = experiment.rules.keep(run, counted_judgement(experiment))
    return run.assign(rank=run.groupby("query_id", observed=True).cumcount() + 1)


@remembered(64)
def turned(experiment: Experiment, baseline: str, candidate: str, metric: str) -> frozenset[str]:
    """The queries whose value of a metric was full in the baseline and is none in the candidate."""
    wanted = parse(metric)[0]
    table = measurements(experiment, tuple(dict.fromkeys([baseline, candidate])), metric)
    return frozenset(changes.turned(table, baseline, candidate, wanted.name, wanted.cutoff))


def scenes_of(experiment: Experiment) -> Mapping[str, str] | None:
    """Which queries come from one scene and are therefore resampled together."""
    return scenes(queries(experiment))


@remembered(64, lasts=True)
def means(
    experiment: Experiment, versions: tuple[str, ...], metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """The mean of each version and metric with its interval, over `only` these queries."""
    return leaderboard.means(
        of_queries(only, measurements(experiment, versions, metrics)), groups=scenes_of(experiment)
    )


@remembered(128, lasts=True)
def _bounded(
    experiment: Experiment, version: str, metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    protocol, judged = experiment.rules, counted_judgement(experiment)
    run = measured_run(experiment, version, parse(metrics))
    return bounded(run, judged, protocol, metrics, only).assign(run=version)


def tie_bounds(
    experiment: Experiment,
    versions: tuple[str, ...],
    metrics: str,
    only: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """What the means of versions could be at worst and at best in another order of equal scores.

    Columns run, metric, cutoff, mean, worst, best, scored, total. ValueError for a metric without
    such bounds.
    """
    rows = [_bounded(experiment, version, metrics, only) for version in versions]
    return pd.concat(rows, ignore_index=True)


@remembered(64, lasts=True)
def stability(
    experiment: Experiment, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """How often each version would come first, second … with other queries of the same kind.

    Versions that no query is scored in (see `unscored`) take no place among the others.
    """
    wanted = parse(metric)[0]
    measured = of_queries(
        only, measurements(experiment, _scored(experiment, versions, metric, only), metric)
    )
    return leaderboard.stability(measured, wanted.name, wanted.cutoff, groups=scenes_of(experiment))


def unscored(
    experiment: Experiment, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> dict[str, str]:
    """The versions that no query has a value in by a metric, with why they ran none."""
    means_of = means(experiment, versions, metric, only)
    without = means_of.loc[means_of["scored"] == 0, "run"].tolist()
    reasons = not_run_sentences(experiment, versions, only)
    return {version: reasons.get(version, "no query is scored") for version in without}


def _scored(
    experiment: Experiment, versions: tuple[str, ...], metric: str, only: tuple[str, ...] | None
) -> tuple[str, ...]:
    """The versions that some query is scored in; all of them where these are fewer than two."""
    without = unscored(experiment, versions, metric, only)
    scored = tuple(version for version in versions if version not in without)
    return scored if len(scored) > 1 else versions


@remembered(64, lasts=True)
def slices(experiment: Experiment) -> pd.DataFrame:
    """Which query is in which slice, in all ways to divide them: query_id, by, slice."""
    required = required_keywords(experiment)
    return divisions(
        queries(experiment), required, experiment.groups, counted_judgement(experiment)
    )


@remembered(64, lasts=True)
def slice_means(
    experiment: Experiment,
    versions: tuple[str, ...],
    baseline: str,
    metric: str,
    by: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """One metric on every slice of one kind × version, and the difference to the baseline."""
    every = slices(experiment)
    wanted = parse(metric)[0]
    return slicing.slice_means(
        of_queries(only, measurements(experiment, versions, metric)),
        every[every["by"] == by],
        wanted.name,
        wanted.cutoff,
        baseline=baseline,
        groups=scenes_of(experiment),
    )


@remembered(64, lasts=True)
def every_slice(
    experiment: Experiment,
    versions: tuple[str, ...],
    baseline: str,
    metric: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """One metric on every slice of all kinds × version, and the difference to the baseline."""
    wanted = parse(metric)[0]
    return slicing.slice_means(
        of_queries(only, measurements(experiment, versions, metric)),
        of_queries(only, slices(experiment)),
        wanted.name,
        wanted.cutoff,
        baseline=baseline,
        groups=scenes_of(experiment),
    )


@remembered(64)
def lowest_slice(
    experiment: Experiment, baseline: str, candidate: str, metric: str, least: int
) -> tuple[str, pd.Series] | None:
    """The slice with the lowest mean difference of those with `least` scored queries or more: what
    the address calls it (`by=slice`) and its row of `comparison` by one metric; None: no slice."""
    every = slices(experiment)
    measured = measurements(experiment, (baseline, candidate), metric)
    found = slicing.lowest_slice(comparing.deltas(measured, baseline, candidate), every, least)
    if found is None:
        return None
    by, name = found
    inside = every.loc[(every["by"] == by) & (every["slice"] == name), "query_id"].unique()
    row = comparison(experiment, baseline, candidate, metric, tuple(inside)).iloc[0]
    return f"{by}={name}", row


@remembered(8, lasts=True)
def _slices_of(folder: str, digest: str) -> dict[str, tuple[str, ...]]:
    collection = collection_in(folder, digest)
    every = Experiment(
        folder=folder,
        digest=digest,
        protocol=collection.protocols[0],
        groups=collection.groups,
        mapping_threshold=collection.mapping_threshold,
        queries="all",
    )
    try:
        table = slices(every)
    except DataError:
        return {}  # the screen that needs the labels says what is wrong with them
    named = {str(by): tuple(of["slice"].unique()) for by, of in table.groupby("by", sort=False)}
    steps = {"number of relevant items": tuple(step for _, step in slicing.NUMBERS)}
    return named | {by: steps.get(by, ()) for by in named if by in steps}


def slices_of(collection: Collection) -> dict[str, tuple[str, ...]]:
    """All slices that queries of the collection can be in, by what divides them."""
    return _slices_of(str(collection.folder), collection.digest)


@remembered(64, lasts=True)
def ceilings(
    experiment: Experiment, metrics: str, only: tuple[str, ...] | None
) -> tuple[float | None, ...]:
    """The mean ceiling of each metric over `only` these queries (None: all in question); None for a
    metric that a perfect ranking brings to 1, or of which no ceiling is known."""
    judged = counted_judgement(experiment)
    return tuple(mean_ceiling(measure, judged, only) for measure in parse(metrics))


def of_queries(only: tuple[str, ...] | None, measured: pd.DataFrame) -> pd.DataFrame:
    """The rows of `only` these queries; `None`: all."""
    return measured if only is None else measured[measured["query_id"].isin(only)]
