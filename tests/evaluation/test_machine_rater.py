"""What a machine's answers estimate once people measured its errors, and how far both agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.reviewing import machine, sampled_results
from dashboard.evaluation.reviewing.samples import draw
from tests.evaluation.test_sampled_results import pools_and_truth, worth


def test_one_stratum_has_the_value_of_prediction_powered_inference_and_the_doubt_of_errors() -> (
    None
):
    """The value is that of `ppi_mean_pointestimate` of ppi-python 0.2.3 on the same numbers; the
    interval is by hand that of a mean of errors, drawn from the 200 results that there are."""
    random = np.random.default_rng(11)
    truth = (random.random(200) < 0.4).astype(float)
    says = np.where(random.random(200) < 0.8, truth, 1 - truth)
    drawn = np.zeros(200, dtype=bool)
    drawn[random.choice(200, 40, replace=False)] = True
    one = np.zeros(200, dtype=np.int64)
    found = machine.corrected_total(truth / 200, says / 200, one, drawn, np.full(200, 1 / 200))
    assert found.value == pytest.approx(0.495, abs=1e-8)
    errors = (truth - says)[drawn]
    by_hand = 2.0226909 * ((1 - 40 / 200) * errors.var(ddof=1) / 40) ** 0.5  # t, 39 degrees
    assert found.high - found.value == pytest.approx(by_hand, abs=1e-7)
    assert found.value - found.low == pytest.approx(by_hand, abs=1e-7)


@pytest.mark.parametrize("right", [0.95, 0.7, 0.1], ids=["good", "poor", "mostly wrong"])
def test_the_correction_takes_a_machine_s_errors_out(right: float) -> None:
    pools, truth = pools_and_truth()
    whole = sampled_results.population(measure("P@5"), pools, 1.0, 10**6, 1, every=True)
    table, strata = whole.results, whole.results["stratum"].to_numpy(dtype=object)
    real = sampled_results.estimates(whole, worth(whole, truth), measure("P@5"))
    random = np.random.default_rng(4)
    says = worth(whole, truth)
    wrong = random.random(len(says)) >= right
    says = says.mask(wrong, 1 - says).mask(random.random(len(says)) < 0.05)  # some are null
    found = []
    for seed in range(100):
        drawn = replace(whole, results=table.assign(drawn=draw(strata, 0.3, seed)))
        found.append(machine.prediction_powered(drawn, worth(drawn, truth), says))
    for place, wanted in enumerate(real):
        values = [each[place].value for each in found]
        assert abs(np.mean(values) - wanted.value) < 4 * np.std(values) / 10, "without a bias"
        held = [each[place].low <= wanted.value <= each[place].high for each in found]
        assert np.mean(held) >= 0.88
        wide = np.mean([each[place].high - each[place].low for each in found])
        assert wide < 6 * np.std(values), (
            "the machine's own variety is no doubt: it judged them all"
        )


def test_nothing_is_estimated_before_people_judged_the_sample() -> None:
    pools, truth = pools_and_truth()
    found = sampled_results.population(measure("P@5"), pools, 1.0, 30, 1, every=True)
    judged = worth(found, truth)
    judged[judged.first_valid_index()] = np.nan
    with pytest.raises(ValueError, match="people have to judge all drawn results first"):
        machine.prediction_powered(found, judged, judged)
    alike = pd.Series(np.zeros(len(judged)))
    for each in machine.prediction_powered(found, worth(found, dict.fromkeys(truth, 0.0)), alike):
        assert each.low <= each.value <= each.high, "no version has less than nothing"
        assert each.low < each.high, "no error in a sample is not no error"


def test_agreement_is_with_what_most_people_say_and_not_with_ties_or_silence() -> None:
    people = pd.DataFrame(
        [("q", f"i{n}", float(w)) for n, w in enumerate([1, 1, 0, 0, 0.5, 2 / 3, 1])],
        columns=["query_id", "item_id", "worth"],
    )
    says = ["relevant", "not", "not", "not", "relevant", "relevant", "failed"]
    answers = pd.DataFrame(
        [("q", f"i{n}", value) for n, value in enumerate(says)],
        columns=["query_id", "item_id", "value"],
    )
    alpha, kappa = machine.agreement_with_people(people, answers, "machine m")
    assert kappa.raters == ("machine m", "people") and kappa.pairs == alpha.pairs == 5
    assert kappa.alike == pytest.approx(0.8) and kappa.few
    assert kappa.value == pytest.approx((0.8 - 0.48) / 0.52)  # by hand: p_e = .4·.6 + .6·.4
    assert machine.agreement_with_people(people, answers.iloc[4:5], "machine m") == []
