"""A machine as a rater: how far it agrees with people, and what its answers estimate once its
errors are measured. Its answers alone are no judgement, and no metric reads them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.rankings import Array, Flags, Floats
from dashboard.evaluation.reviewing import raters
from dashboard.evaluation.reviewing.raters import Agreement
from dashboard.evaluation.reviewing.sampled_results import WORTH, Population, of_metric
from dashboard.evaluation.reviewing.samples import Estimate

NORMAL = 1.959963984540054
"""The quantile of a 95 % interval."""
_PAIR = ["query_id", "item_id"]


def agreement_with_people(
    people: pd.DataFrame, machine: pd.DataFrame, name: str
) -> list[Agreement]:
    """Alpha and kappa of a machine and what most people say, on what both judged.

    people: query_id, item_id, worth, from `sampled_results.worth_of`; a result that as many hold to
    be relevant as not is left out. machine: query_id, item_id, value. Empty without such results.
    """
    decided = people[people["worth"] != 0.5]
    said = np.where(decided["worth"] > 0.5, "relevant", "not")
    both = [
        decided[_PAIR].assign(author="people", value=said),
        machine[[*_PAIR, "value"]].assign(author=name),
    ]
    every = pd.concat(both, ignore_index=True)
    return raters.agreement(raters.ratings(every[every["value"].isin(list(WORTH))]))


def prediction_powered(found: Population, people: pd.Series, machine: pd.Series) -> list[Estimate]:
    """The mean metric of baseline and candidate, and candidate − baseline, from a machine's answers
    on all results, corrected by its errors on those that people judged, too.

    people: the worth of each row of `found.results`, null where nobody judged it. machine: the
    same by the machine; null, where it is unsure or failed, counts 0, which the correction makes up
    for as for any other error. Raises ValueError while a drawn result is not judged by people.
    """
    table = found.results
    drawn, strata = table["drawn"].to_numpy(dtype=bool), table["stratum"].to_numpy(dtype=object)
    judged, by_machine = (of.to_numpy(dtype=np.float64) for of in (people, machine))
    if np.isnan(judged[drawn]).any():
        raise ValueError("people have to judge all drawn results first")
    first, second = (table[side].to_numpy(dtype=np.float64) for side in ("baseline", "candidate"))
    sure = (*found.sure, found.sure[1] - found.sure[0])
    by_people, by_machine = np.nan_to_num(judged), np.nan_to_num(by_machine)
    return [
        of_metric(
            corrected_total(adds * by_people, adds * by_machine, strata, drawn, adds), adds, known
        )
        for adds, known in zip((first, second, second - first), sure, strict=True)
    ]


def corrected_total(
    people: Floats, machine: Floats, strata: Array, drawn: Flags, reach: Floats
) -> Estimate:
    """Σ worth over all results: of each stratum size × (mean of the machine's worth on all + mean
    of people's − machine's worth on the drawn).

    people [n]: read where drawn. The interval is that of prediction-powered inference for a mean,
    stratum by stratum: variance of the machine's ÷ size + variance of the differences ÷ drawn.
    reach [n]: how far a worth may lie from 0, for strata whose differences are all equal, as in
    `samples.estimated_total`. Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered
    inference (Science 2023), algorithm 1; strata: Fisch et al. (NeurIPS 2024).
    """
    total, variance = 0.0, 0.0
    for stratum in np.unique(strata):
        mine = strata == stratum
        errors = (people - machine)[mine & drawn]
        size, number = int(mine.sum()), len(errors)
        if number < min(size, 2):
            raise ValueError(f"{number} of {size} results drawn of a stratum; two are needed")
        total += size * float(machine[mine].mean() + errors.mean())
        if number < size:
            spread = float(errors.var())
            if np.ptp(errors) == 0:
                share = 0.5 / (number + 1)
                spread = share * (1 - share) * float(np.abs(reach[mine]).max()) ** 2
            variance += size**2 * (float(machine[mine].var()) / size + spread / number)
    wide = NORMAL * variance**0.5
    return Estimate(total, total - wide, total + wide, int(drawn.sum()), len(people))
