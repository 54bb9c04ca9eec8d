"""A machine as a rater: how far it agrees with people, and what its answers estimate once its
errors are measured. Its answers alone are no judgement, and no metric reads them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.rankings import Array, Flags, Floats
from dashboard.evaluation.reviewing import raters
from dashboard.evaluation.reviewing.raters import Agreement
from dashboard.evaluation.reviewing.sampled_results import WORTH, Population, of_versions
from dashboard.evaluation.reviewing.samples import Estimate, estimated_total

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
    by_people, by_machine = np.nan_to_num(judged), np.nan_to_num(by_machine)
    return of_versions(
        found,
        lambda adds: corrected_total(adds * by_people, adds * by_machine, strata, drawn, adds),
    )


def corrected_total(
    people: Floats, machine: Floats, strata: Array, drawn: Flags, reach: Floats
) -> Estimate:
    """Σ worth over all results: the machine's on all, and its errors as the drawn ones estimate
    them (`samples.estimated_total` of people's − machine's worth).

    people [n]: read where drawn. The value is that of prediction-powered inference (Angelopoulos,
    Bates, Fannjiang, Jordan and Zrnic, Science 2023; strata: Fisch et al., NeurIPS 2024). Its
    interval is about results drawn from endlessly many; this one is about these results, all of
    which the machine has judged, so that only its errors are uncertain: the difference estimator
    of Cochran, Sampling techniques, 7.10. reach [n]: how far a worth may lie from 0.
    """
    errors = estimated_total(people - machine, strata, drawn, reach=reach)
    return errors.plus(float(machine.sum()))
