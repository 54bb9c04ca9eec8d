"""Agreement: figures by hand and against other programs, and nothing where it is undefined."""

import evalica
import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from dashboard.evaluation.statistics import compute_alpha, compute_kappa, resample_figure
from dashboard.plugins.reviews.corrections import settle
from dashboard.plugins.reviews.figures import list_disagreements, measure_agreement
from dashboard.plugins.reviews.verdicts import Verdict


def make_rows(**said: str) -> list[Verdict]:
    """Return verdicts of each person on items 0, 1, …: r relevant, n not, u unsure, - nothing."""
    words = {"r": "relevant", "n": "not", "u": "unsure", "0": "0", "1": "1", "2": "2"}
    return [
        Verdict(query_id="q", item_id=str(item), author=name, value=words[letter])
        for name, letters in said.items()
        for item, letter in enumerate(letters)
        if letter != "-"
    ]


def test_by_hand() -> None:
    """The same of 3 of 4: kappa (3/4 - 1/2) / (1 - 1/2); alpha 1 - (2/8) / (30/56).

    Krippendorff: 2 of 8 ordered pairs within items differ; of 8 values 5 are relevant, so that 30
    of the 56 ordered pairs of values do.
    """
    share, alpha, kappa = measure_agreement(make_rows(ada="rrnn", bob="rrnr"))
    assert (share["measure"], share["people"], share["value"]) == ("agreement", "ada, bob", 0.75)
    assert (share["pairs"], share["few"], share["why"]) == (4, True, None)
    assert kappa["value"] == pytest.approx(0.5)
    assert alpha["value"] == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_intervals() -> None:
    """Of 40 pairs 30 alike: the intervals hold the figures and are no wider than expected."""
    said = {"ada": "rn" * 20, "bob": "rn" * 15 + "nr" * 5}
    for row in measure_agreement(make_rows(**said)):
        assert row["low"] < row["value"] < row["high"] and not row["few"]
        assert row["high"] - row["low"] < 0.6
    assert measure_agreement(make_rows(**said))[0]["value"] == 0.75


def test_resampled_figure() -> None:
    """Of a mean it is near mean ± 1.96 standard errors; samples without a value are left out."""
    _, low, high = resample_figure(np.arange(100.0)[:, None], lambda drawn: float(drawn.mean()))
    assert (low, high) == pytest.approx((49.5 - 5.66, 49.5 + 5.66), abs=0.5)
    rare = np.array([[1.0], *[[0.0]] * 9])
    share = resample_figure(rare, lambda drawn: float(drawn.sum()) or np.nan)
    assert share[1] == 1.0
    never = resample_figure(rare, lambda drawn: 1.0 if len(set(drawn[:, 0])) > 2 else np.nan)
    assert np.isnan([*never, *resample_figure(rare[:1], lambda drawn: 1.0)[1:]]).all()


def test_grades_that_say_what_a_word_says() -> None:
    """0 is not relevant on every scale; which of more grades is relevant, none says."""
    assert measure_agreement(make_rows(ada="r", bob="u")) == []
    said = make_rows(ada="rnr2", bob="1011", cyd="1--1")
    differing = [(row["item_id"], row["values"]) for row in list_disagreements(said)]
    assert differing == [("2", "1 1, relevant 1"), ("0", "1 2, relevant 1"), ("3", "1 2, 2 1")]
    settled = [(row["item_id"], row["value"]) for row in settle(said)]
    assert settled == [("0", "1"), ("1", "not"), ("3", "1")]


@pytest.mark.parametrize("seed", range(5))
def test_against_statsmodels(seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 3, (40, 2)).astype(float)
    table = np.zeros((3, 3))
    np.add.at(table, tuple(codes.astype(int).T), 1)
    given = np.eye(9)[(codes[:, 0] * 3 + codes[:, 1]).astype(int)]
    assert compute_kappa(given) == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    assert np.isnan(compute_kappa(np.eye(9)[[4, 4, 4]]))


def test_alpha_of_krippendorff() -> None:
    """His example of nominal data with values missing, 4 observers and 12 units: 0.743."""
    gap = np.nan
    said = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, gap, gap, gap],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, gap, 3],
        [gap, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, gap],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, gap],
    ]
    codes = np.array(said).T
    counts = np.stack([(codes == value).sum(axis=1) for value in range(1, 6)], axis=1)
    alpha = compute_alpha(counts.astype(float))
    assert alpha == pytest.approx(0.743, abs=5e-4)
    oracle = evalica.alpha(pd.DataFrame(said), distance="nominal").alpha
    assert alpha == pytest.approx(oracle, abs=1e-9)
    assert np.isnan(compute_alpha(np.array([[2.0, 0.0], [3.0, 0.0]])))


def test_many_people() -> None:
    """Each two of the six who said most have a kappa, not each two of all."""
    said = {f"p{number:02}": "rn" * (20 - number) for number in range(12)}
    found = measure_agreement(make_rows(**said))
    pairs = [row["people"] for row in found if row["measure"] == "kappa"]
    assert len(pairs) == 15 and pairs[0] == "p00, p01" and pairs[-1] == "p04, p05"
    assert found[0]["people"].count(",") == 11


def test_disagreements() -> None:
    """Item 1 divides two, item 2 one of three; of item 0 nobody differs."""
    found = list_disagreements(make_rows(ada="rrr", bob="rnr", cyd="r-n"))
    assert found == [
        {"query_id": "q", "item_id": "1", "people": 2, "minority": 0.5,
         "values": "not 1, relevant 1"},
        {"query_id": "q", "item_id": "2", "people": 3, "minority": pytest.approx(1 / 3),
         "values": "not 1, relevant 2"},
    ]  # fmt: skip
