"""Reviews that draw results at random: their judgements, and what those estimate of a metric."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics.registry import measure as measure_named
from dashboard.evaluation.reviewing import sampled_results
from dashboard.evaluation.reviewing.machine import prediction_powered
from dashboard.evaluation.reviewing.ratio_estimates import BIAS, RATIOS
from dashboard.evaluation.reviewing.sampled_results import WORTH, Population
from dashboard.evaluation.reviewing.samples import Estimate
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.reviews.review_queue import pools_of
from dashboard.storage.reviews.assignments import Assignment, Sample
from dashboard.tables import counted

COLUMNS = ["version", "metric", "estimate", "low", "high", "judged", "results", "queries"]
JUDGEMENTS = ["query_id", "item_id", "stratum", "probability", "reviewers", "worth"]


def draw(
    experiment: Experiment,
    pair: tuple[str, str],
    queries: tuple[str, ...],
    metric: str,
    number: int,
    seed: int,
) -> Sample:
    """About `number` results in the lists of two versions, drawn at random in strata of ranks.

    Drawn from are unjudged results; where all have labels, all, and the estimate is of the metric
    as people judge. Raises ValueError for what no sample can estimate.
    """
    asked = measure_named(metric)
    if experiment.rules.condensed:
        raise ValueError(f"the protocol {experiment.rules.name} leaves unjudged results out")
    pools, gains = pools_of(experiment, *pair, asked)
    mine = [pool for pool in pools if pool.query_id in set(queries)]
    every = not any(pool.unjudged.any() for pool in mine)
    if len(gains) > 1:
        which = f"a sample estimates P@k, R@k or AP@k, not {metric}"
        raise ValueError(f"labels here have several grades; {which}")
    found = sampled_results.population(asked, mine, gains[0], number, seed, every=every)
    table, strata = found.results, sorted(found.results["stratum"].unique(), key=_first_rank)
    # the queries in the order of the review, and the results of each in one that tells no rank
    table = table.sample(frac=1, random_state=seed).assign(
        place=lambda of: of["query_id"].map({query: n for n, query in enumerate(queries)})
    )
    rows = table.sort_values("place", kind="stable")
    return Sample(
        metric=metric,
        seed=seed,
        strata=tuple(strata),
        results=tuple(
            (str(query), str(item), strata.index(stratum), int(drawn), float(first), float(second))
            for query, item, stratum, drawn, first, second in zip(
                *(rows[name] for name in ("query_id", "item_id", "stratum", "drawn")),
                *(rows[name] for name in ("baseline", "candidate")),
                strict=True,
            )
        ),
        sure=found.sure,
        queries=found.queries,
        every=every,
        relevant=found.relevant,
    )


def _first_rank(stratum: str) -> tuple[int, str]:
    return int(stratum.removeprefix("ranks ").split("–")[0]), stratum


def population_of(sample: Sample) -> Population:
    """The results that a sample was drawn from, as they were then."""
    columns = ["query_id", "item_id", "stratum", "drawn", "baseline", "candidate"]
    table = pd.DataFrame(list(sample.results), columns=columns)
    table["stratum"] = [sample.strata[place] for place in table["stratum"]]
    table["drawn"] = table["drawn"].astype(bool)
    table["probability"] = table.groupby("stratum")["drawn"].transform("mean")
    return Population(table[sampled_results.COLUMNS], sample.sure, sample.queries, sample.relevant)


def judgements(sample: Sample, given: pd.DataFrame) -> pd.DataFrame:
    """Each result that was drawn, with the probability of that and what reviewers judged: columns
    JUDGEMENTS; worth: the mean over those who are sure, 1 relevant and 0 not; null: nobody is.

    given: the answers of the review, a table REVIEWS.
    """
    table = _judged(sample, given)
    return table[table["drawn"]].reset_index(drop=True)[JUDGEMENTS]


def _judged(sample: Sample, given: pd.DataFrame) -> pd.DataFrame:
    worth = sampled_results.worth_of(given[["query_id", "item_id", "author", "value"]])
    table = population_of(sample).results
    joined = table.merge(worth, on=["query_id", "item_id"], how="left")
    return joined.assign(reviewers=joined["reviewers"].fillna(0).astype("int64"))


def estimates(assignment: Assignment, given: pd.DataFrame) -> pd.DataFrame:
    """What a review's sample estimates of its metric: COLUMNS, a row for each version and one for
    the difference. Raises ValueError while a drawn result is not judged, and without a sample."""
    sample = _sample_of(assignment)
    found = sampled_results.estimates(
        population_of(sample), _judged(sample, given)["worth"], measure_named(sample.metric)
    )
    return _table(assignment, sample, found)


def corrected(
    assignment: Assignment, given: pd.DataFrame, by_machine: pd.DataFrame
) -> pd.DataFrame:
    """The same from a machine's answers on all results, corrected by its errors on those that
    people judged. by_machine: query_id, item_id, value. Raises ValueError for a ratio."""
    sample = _sample_of(assignment)
    if _is_ratio(sample):
        raise ValueError(f"{sample.metric} is a ratio, and a machine's errors correct sums only")
    table = _judged(sample, given)
    worth = by_machine.assign(machine=by_machine["value"].map(WORTH).astype("float64"))
    joined = table.merge(
        worth[["query_id", "item_id", "machine"]], on=["query_id", "item_id"], how="left"
    )
    found = prediction_powered(population_of(sample), joined["worth"], joined["machine"])
    return _table(assignment, sample, found)


def _table(assignment: Assignment, sample: Sample, found: list[Estimate]) -> pd.DataFrame:
    difference = f"{assignment.candidate} − {assignment.baseline}"
    rows = [
        (name, sample.metric, *np.round((of.value, of.low, of.high), 12), of.judged, of.total)
        for name, of in zip(
            (assignment.baseline, assignment.candidate, difference), found, strict=True
        )
    ]
    return pd.DataFrame(rows, columns=COLUMNS[:-1]).assign(queries=sample.queries)


def _sample_of(assignment: Assignment) -> Sample:
    if assignment.sample is None:
        raise ValueError("this review draws no sample, so it estimates no metric")
    return assignment.sample


def conclusion(assignment: Assignment, given: pd.DataFrame) -> str:
    """What a review's sample says of its metric, in a sentence."""
    sample = _sample_of(assignment)
    try:
        first, second, row = estimates(assignment, given).to_dict("records")
    except ValueError as reason:
        return f"{sample.metric}: {reason}."
    return (
        f"{sample.metric} over {counted(sample.queries, 'query', 'queries')}, estimated from "
        f"{row['judged']:,} of {row['results']:,} results: "
        f"{assignment.candidate} {second['estimate']:.4f}, "
        f"{assignment.baseline} {first['estimate']:.4f}, difference "
        f"{row['estimate']:+.4f} (95 % {row['low']:+.4f} to {row['high']:+.4f})."
    )


def meaning(sample: Sample) -> str:
    """What the estimates are about, in a sentence."""
    whose = "whatever the labels say" if sample.every else "with the labels that were given"
    ratio = _is_ratio(sample)
    about = "about queries like these (bootstrap)" if ratio else "about these queries"
    sentence = (
        f"Estimates, not values: {sample.metric} as these reviewers judge, {whose}, over "
        f"{sample.queries:,} queries; stratified random sample, seed {sample.seed}, 95 % intervals "
        f"{about}."
    )
    return f"{sentence} {BIAS}" if ratio else sentence


def _is_ratio(sample: Sample) -> bool:
    return measure_named(sample.metric).metric.name in RATIOS
