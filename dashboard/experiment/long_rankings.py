"""The runs as metrics see them: of long rankings the first results, and those of judged pairs at
their exact ranks; never whole rankings of all queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.evaluation.judgement import Judgement, Worth
from dashboard.evaluation.metrics import Measure
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.judging import copies_left_out, counted_judgement
from dashboard.experiment.memory import is_remembered, remembered
from dashboard.experiment.ranking import counted_run, encode_stored, is_long
from dashboard.progress import parts
from dashboard.retrieval import runs
from dashboard.tables import OfQueries

PAIRS = 4_000_000
"""So many pairs of long rankings, first results and judged ones, are read at a time, some 100
bytes each."""
ROWS = 16_000_000
"""So many rows of long rankings are remembered, some 24 bytes each."""
ANSWERS = 1_000_000
"""So many rows of right answers are remembered, some 24 bytes each, a step's and a screen's."""
DEPTHS = (100, 1_000)
"""So many first results of long rankings are kept, the fewest that do."""


def measured_run(experiment: Experiment, version: str, measures: Sequence[Measure]) -> pd.DataFrame:
    """The run as these metrics see it. Of long rankings it holds the first results and, where a
    metric reads on, all that are worth anything, at their ranks in the whole."""
    if not is_long(experiment, version):
        return counted_run(experiment, version)
    return _long_run(experiment, version, *_reading(experiment, version, measures))


def measured_parts(
    experiment: Experiment, version: str, measures: Sequence[Measure]
) -> Iterator[tuple[pd.DataFrame, Judgement]]:
    """The run as these metrics see it, with its judgement: of all queries, or of some after others
    where the pairs that are read would be too many at once."""
    judged = counted_judgement(experiment)
    if not is_long(experiment, version):
        yield measured_run(experiment, version, measures), judged
        return
    depth, which = _reading(experiment, version, measures)
    blocks = list(_blocks(judged, depth, which))
    if len(blocks) < 2:
        yield measured_run(experiment, version, measures), judged
        return
    held = None
    if not which and depth * len(judged.query_ids) <= ROWS:  # which other work asks for, too
        held = measured_run(experiment, version, measures)
    for queries_of_block in parts("measuring", blocks):
        part = judged.of_queries(queries_of_block)
        if held is not None:
            yield held[ids.among(held["query_id"], part.asked.to_series())], part
        else:
            yield _part_run(experiment, version, depth, which, part), part


def _blocks(judged: Judgement, depth: int, which: Worth) -> Iterator[tuple[str, ...]]:
    """The queries, in blocks of which no more than PAIRS pairs are read, or of one query."""
    pairs = np.full(len(judged.query_ids), depth, dtype=np.int64)
    if which:
        pairs += judged.relevant if which == "hit" else judged.number_judged
    ends = np.cumsum(pairs)
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        end = max(int(np.searchsorted(ends, before + PAIRS, side="right")), start + 1)
        yield judged.query_ids[start:end]
        start = end


def _reading(
    experiment: Experiment, version: str, measures: Sequence[Measure]
) -> tuple[int, Worth]:
    """How many first results of long rankings these metrics read, and which judged pairs."""
    condensed = closes_up(experiment, version)
    deepest = [each.reach or np.inf for each in measures]
    depth = next((depth for depth in DEPTHS if max(deepest, default=0) <= depth), None)
    if depth is not None and not condensed:
        return depth, ""
    further = [each for each, rank in zip(measures, deepest, strict=True) if rank > DEPTHS[0]]
    judged = condensed or any(each.reads_misses for each in further)
    return DEPTHS[0], "judged" if judged else _worth(measures)


@remembered(64)
def closes_up(experiment: Experiment, version: str) -> bool:
    """Whether the protocol leaves results of long rankings out, so that the others close up: those
    that nobody judged. None are where keywords judge each item."""
    if not experiment.rules.condensed or experiment.leaves_copies_out:
        return experiment.rules.condensed
    judged = counted_judgement(experiment)
    number = judged.number_judged + np.isin(judged.query_ids, list(judged.leave_out))
    if (number[judged.number_judged > 0] < len(judged.item_ids)).any():
        return True
    searched = experiment.collection.under(experiment.protocol).searched[version].items.index
    return bool((ids.places(searched, judged.item_ids) < 0).any())


def _worth(measures: Sequence[Measure]) -> Worth:
    """Which pairs are worth anything to the metrics that read lists to their ends."""
    reads = {each.metric.reads for each in measures if (each.reach or np.inf) > DEPTHS[0]}
    return "hit" if reads <= {"hits", "queries"} else "worth"


def first_results(experiment: Experiment, version: str, measure: Measure) -> pd.DataFrame:
    """The run as a metric with a cutoff sees it; of long rankings those in memory are looked
    through before they are searched again."""
    wanted = [measure]
    if is_long(experiment, version) and _reading(experiment, version, wanted) == (DEPTHS[0], ""):
        for pairs in ("judged", "worth", "hit"):
            if is_remembered(_long_run, experiment, version, DEPTHS[0], pairs):
                run = _long_run(experiment, version, DEPTHS[0], pairs)
                return run[run["rank"] <= DEPTHS[0]]
    return measured_run(experiment, version, wanted)


@remembered(ANSWERS, size=len)
def right_answers(experiment: Experiment, version: str, queries: tuple[str, ...]) -> pd.DataFrame:
    """The run that holds all right answers to some queries; of long rankings, where no other query
    is ranked for them, little else."""
    if not is_long(experiment, version):
        return counted_run(experiment, version)
    part = counted_judgement(experiment).of_queries(queries)
    return _part_run(experiment, version, 1, "hit", part)


def deep_answers(
    experiment: Experiment, version: str, queries: Sequence[str]
) -> Iterator[tuple[pd.DataFrame, Judgement]]:
    """The same of long rankings and of many queries, some after others, with their judgement."""
    judged = counted_judgement(experiment).of_queries(queries)
    for some in parts("looking for right answers", list(_blocks(judged, 1, "hit"))):
        part = judged.of_queries(some)
        yield _part_run(experiment, version, 1, "hit", part), part


@remembered(ROWS, size=len, work="Searching …")
def _long_run(experiment: Experiment, version: str, depth: int, pairs: Worth) -> pd.DataFrame:
    """The first results of long rankings, and those of judged pairs: all, those that are worth
    anything, the relevant ones, or none."""
    return _part_run(experiment, version, depth, pairs)


def _part_run(
    experiment: Experiment,
    version: str,
    depth: int,
    which: Worth,
    part: Judgement | None = None,
) -> pd.DataFrame:
    """The first results and, where pairs are wanted, those at their ranks; of the queries of a part
    of the judgement, or of all."""
    encode_stored(experiment, version)
    collection, least = experiment.collection.under(experiment.protocol), experiment.min_similarity
    asked = collection, version, experiment.queries, depth
    only = None if part is None else frozenset(part.query_ids)
    if which or experiment.leaves_copies_out:
        judged = counted_judgement(experiment) if part is None else part
        wanted, one = [judged.pairs(which)] if which else [], copies_left_out(experiment)
        run = runs.ranked_run(*asked, wanted, least, only, one)
        if not which or closes_up(experiment, version):  # nothing is deeper, or all judged are here
            del run.attrs["lengths"]
    else:
        run = runs.run_of(*asked, exact=experiment.exact, only=only)
        run = run[run["score"] >= least] if least > NO_CUT else run
    if not which:
        sizes = run["query_id"].value_counts()
        run.attrs["torn"] = OfQueries.fromkeys(sizes.index[sizes >= depth].astype("str"))
    return run
