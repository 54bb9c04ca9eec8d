"""Which results a sample of judgements is drawn from, and what it estimates of two versions.

Strata are ranks, and where labels are complete the labels too: a sample of those estimates the
metric as people judge, whatever the labels are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.rankings import Floats
from dashboard.evaluation.reviewing.bounds import LINEAR, Pool, check_bounded, weights_of_each
from dashboard.evaluation.reviewing.ratio_estimates import RATIOS, ratio_estimates
from dashboard.evaluation.reviewing.samples import Estimate, draw, estimated_total

COLUMNS = ["query_id", "item_id", "stratum", "drawn", "probability", "baseline", "candidate"]
BANDS = (3, 10, 30, 100)
"""The last rank of each stratum; the rest is one more."""
MOST = 20_000
"""Results that a sample is drawn from at most."""
WORTH = {"relevant": 1.0, "not": 0.0}
"""What an answer is worth; any other one is no judgement."""


@dataclass(frozen=True, eq=False)
class Population:
    """What a sample is drawn from.

    results  COLUMNS, a row for each result: its stratum, whether it was drawn, the probability with
             which it was, and what it adds to the mean metric of each version if it is relevant;
             of a metric of RATIOS its rank in each, 0 beyond the cutoff
    sure     what results that are judged already add to the mean of baseline and candidate
    queries  how many queries the mean is over
    relevant of a metric of RATIOS query and both ranks of each relevant result not drawn from
    """

    results: pd.DataFrame
    sure: tuple[float, float]
    queries: int
    relevant: tuple[tuple[str, int, int], ...] = ()


def population(
    measure: Measure,
    pools: Sequence[Pool],
    gain: float,
    number: int,
    seed: int,
    *,
    every: bool,
) -> Population:
    """The results of pools that a sample of about `number` is drawn from, with that sample.

    every: those that have a label, too. gain: what a relevant result is worth. Strata of a metric
    of RATIOS lie within queries. Raises ValueError for other metrics than those and sums over
    results, for nothing to judge, and for too much.
    """
    check_bounded(measure)
    if measure.metric.name not in (*LINEAR, *RATIOS) or measure.cutoff is None:
        known = ", ".join(f"{name}@10" for name in (*LINEAR, *RATIOS))
        raise ValueError(f"no sample estimates {measure}: it estimates {known} at any cutoff")
    tables, sure, relevant = [], np.zeros(2), []
    for pool in pools:
        if measure.metric.name in RATIOS:
            ranks = np.where(pool.places < measure.cutoff, pool.places + 1, 0)
            open_ = pool.unjudged | every
            labelled = ranks[:, ~open_ & (np.nan_to_num(pool.gain) > 0)].T.tolist()
            labelled += [(0, 0)] * len(pool.elsewhere)
            relevant += [(pool.query_id, int(first), int(second)) for first, second in labelled]
            rows = _rows(pool, ranks[:, open_], np.flatnonzero(open_), every)
            rows["stratum"] += f" of {pool.query_id}"
        else:
            adds = weights_of_each(pool, measure) / max(len(pools), 1)
            open_ = (pool.unjudged | every) & (adds != 0).any(axis=0)
            if not every:
                sure += adds[:, ~pool.unjudged] @ pool.gain[~pool.unjudged]
            rows = _rows(pool, adds[:, open_] * gain, np.flatnonzero(open_), every)
        tables.append(rows)
    results = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)
    if results.empty:
        raise ValueError("nothing is left to judge in these queries. Choose others.")
    if len(results) > MOST:
        raise ValueError(f"{len(results):,} results; at most {MOST:,} fit. Choose fewer queries.")
    strata = results["stratum"].to_numpy(dtype=object)
    results["drawn"] = draw(strata, number / len(results), seed)
    results["probability"] = results.groupby("stratum")["drawn"].transform("mean")
    certain = (float(sure[0]), float(sure[1]))
    return Population(results[COLUMNS], certain, len(pools), tuple(relevant))


def _rows(pool: Pool, adds: Floats, places: np.ndarray, every: bool) -> pd.DataFrame:
    ranks = np.where(pool.places >= 0, pool.places + 1, np.iinfo(np.int64).max).min(axis=0)[places]
    band = np.searchsorted(BANDS, ranks)
    firsts, lasts = (1, *(last + 1 for last in BANDS)), (*map(str, BANDS), "")
    label = np.where(np.nan_to_num(pool.gain[places]) > 0, ", labelled relevant", ", others")
    names = [
        f"ranks {firsts[each]}–{lasts[each]}{word if every else ''}"
        for each, word in zip(band, label, strict=True)
    ]
    return pd.DataFrame(
        {
            "query_id": pool.query_id,
            "item_id": [pool.items[place] for place in places],
            "stratum": names,
            "baseline": adds[0],
            "candidate": adds[1],
        }
    )


def worth_of(verdicts: pd.DataFrame) -> pd.DataFrame:
    """What reviewers judged of each pair: query_id, item_id, reviewers and worth, the mean of what
    those say who are sure; pairs of which nobody is sure are left out.

    verdicts: query_id, item_id, author, value, oldest first; the last of each author counts.
    """
    pair = ["query_id", "item_id"]
    last = verdicts.drop_duplicates([*pair, "author"], keep="last")
    last = last.assign(worth=last["value"].map(WORTH).astype("float64")).dropna(subset=["worth"])
    groups = last.groupby(pair)["worth"]
    return groups.agg(reviewers="size", worth="mean").reset_index()


def estimates(found: Population, worth: pd.Series, measure: Measure) -> list[Estimate]:
    """The mean metric of baseline and candidate, and candidate − baseline, from a sample.

    measure: the one that the sample was drawn for. worth: of each row of `found.results`, null
    where nobody judged it. Raises ValueError where a result that was drawn is not judged: whoever
    leaves out the hard ones has another sample.
    """
    table = found.results
    drawn = table["drawn"].to_numpy(dtype=bool)
    judged = worth.to_numpy(dtype=np.float64)
    left = int(np.isnan(judged[drawn]).sum())
    if left:
        number = int(drawn.sum())
        raise ValueError(
            f"{number - left:,} of {number:,} drawn results judged; the estimate needs all"
        )
    if measure.metric.name in RATIOS:
        ranks = pd.DataFrame(found.relevant, columns=["query_id", "baseline", "candidate"])
        return ratio_estimates(measure, table, ranks, judged)
    strata = table["stratum"].to_numpy(dtype=object)
    by_people = np.nan_to_num(judged)
    return of_versions(
        found, lambda adds: estimated_total(by_people * adds, strata, drawn, reach=adds)
    )


def of_versions(found: Population, total: Callable[[Floats], Estimate]) -> list[Estimate]:
    """The mean metric of baseline and candidate, and candidate − baseline: what is sure and an
    estimated total, whose interval ends at what the results can add up to.

    total: from what each result adds if it is relevant [n], the total over all.
    """
    first, second = (
        found.results[side].to_numpy(dtype=np.float64) for side in ("baseline", "candidate")
    )
    sure = (*found.sure, found.sure[1] - found.sure[0])
    estimated = []
    for adds, known in zip((first, second, second - first), sure, strict=True):
        least, most = (float(part.sum()) for part in (np.minimum(adds, 0), np.maximum(adds, 0)))
        estimated.append(total(adds).within(least, most).plus(known))
    return estimated
