"""Cleaning answers step by step, and the tables of agreement with satisfaction."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.satisfaction.agreement import (
    correlations,
    gains,
    halves,
    spread,
    variance_split,
)
from dashboard.evaluation.satisfaction.cleaning import (
    GAINS,
    averaged,
    first_rows,
    gain_metrics,
    measured,
    sizes,
    study,
)
from dashboard.evaluation.satisfaction.cleaning import pages as shown_by
from dashboard.evaluation.satisfaction.source_tables import ViewedLists

RNG = np.random.default_rng(9)


def pages(table):
    """Relevance rows from {query: [relevance, …]}, two results to a row of the grid."""
    rows = [
        (query, rank, (rank + 1) // 2, value)
        for query, values in table.items()
        for rank, value in enumerate(values, 1)
    ]
    return pd.DataFrame(rows, columns=["query_id", "rank", "row", "relevance"])


def answers(table):
    """Satisfaction rows from {participant: {query: satisfaction}}."""
    rows = [(q, who, value) for who, given in table.items() for q, value in given.items()]
    return pd.DataFrame(rows, columns=["query_id", "participant", "satisfaction"])


def people(queries=60):
    """A made-up study: satisfaction follows mean relevance with noise, on each one's own scale."""
    relevance, given = {}, {}
    for i in range(queries):
        level = RNG.beta(1, 1)
        values = np.round(100 * np.clip(level + RNG.normal(0, 0.2, 24), 0, 1))
        values[RNG.random(24) < 0.1] = -1
        relevance[f"q{i}"] = values.tolist()
        who = given.setdefault(f"p{i % 6}", {})
        who[f"q{i}"] = int(np.clip(round(1 + 4 * level + RNG.normal(0, 0.7)), 1, 5))
    return pages(relevance), answers(given)


GOOD = [50] * 4
SIX = {
    "ann": {"a1": 1, "a2": 3, "a3": 5},  # stays
    "bob": {"b1": 4, "b2": 4, "b3": 4},  # always the same
    "cat": {"c1": 1, "c2": 2},  # two queries
    "dan": {"d1": 1, "d2": 2, "d3": 3},  # d3 is invalid: two are left
    "eve": {"e1": 2, "e2": 4, "e3": 3, "e4": 5},  # e4 has one row
}
SEEN = {q: GOOD for given in SIX.values() for q in given} | {
    "d3": [-1] * 10 + [50],
    "e4": [50, 50],
}


def test_each_step_says_what_is_left():
    found = study(pages(SEEN), answers(SIX), fewest_rows=2)
    assert found.steps.to_numpy().tolist() == [
        ["all", 5, 15, 15, 55, 10],
        ["satisfaction answered", 5, 15, 15, 55, 10],
        ["relevance known, at most 90% of it invalid", 5, 14, 14, 54, 0],
        ["participants with 3 lists or more", 3, 10, 10, 38, 0],
        ["participants whose satisfaction varies", 2, 7, 7, 26, 0],
        ["at least 2 rows", 2, 6, 6, 24, 0],
    ]
    assert found.satisfaction.to_dict() == pytest.approx(
        {"a1": 0, "a2": 0.5, "a3": 1, "e1": 0, "e2": 2 / 3, "e3": 1 / 3}
    )
    assert sizes(found) == {
        "sessions": None, "participants": 2, "queries": 6, "lists": 6, "images": 24
    }  # fmt: skip


def test_scale_is_said_never_guessed_and_a_second_answer_is_refused():
    found = study(pages({q: [0.5, 1] for q in SIX["ann"]}), answers({"ann": SIX["ann"]}), scale=1)
    assert found.relevance["relevance"].max() == 1
    with pytest.raises(ValueError, match="Relevance 50 of query 'a1' is above the scale"):
        study(pages(SEEN), answers(SIX), scale=1)
    twice = pd.concat([answers(SIX), answers({"ann": {"a1": 2}})])
    with pytest.raises(ValueError, match="'a1' has more than one answer of participant 'ann'"):
        study(pages(SEEN), twice)


def test_several_peoples_scaled_answers_for_one_list_are_averaged():
    two = {"ann": {"a1": 1, "a2": 3, "a3": 5}, "fay": {"a1": 3, "a2": 3, "a3": 2}}
    found = study(pages({q: GOOD for q in two["ann"]}), answers(two))
    assert found.satisfaction.to_dict() == pytest.approx({"a1": 0.5, "a2": 0.75, "a3": 0.5})
    assert found.steps.iloc[-1][["participants", "lists", "images"]].tolist() == [2, 3, 12]


def test_sessions_and_words_are_counted_where_they_are_known():
    given = answers({"ann": SIX["ann"]})
    shown = pages({q: GOOD for q in SIX["ann"]})
    found = sizes(study(shown, given.assign(session=["s1", "s1", "s2"], asked="cat")))
    assert (found["sessions"], found["queries"], found["lists"]) == (2, 1, 3)
    assert sizes(study(shown, given.assign(session="")))["sessions"] is None


@pytest.mark.parametrize(("session", "left"), [("s1", 0), ("", None)])
def test_no_list_that_is_left_has_no_session_where_sessions_are_recorded(session, left):
    one = pd.DataFrame(
        [("l1", "q1", 1, 1, "a")], columns=["list_id", "query_id", "row", "column", "item_id"]
    )
    said = pd.DataFrame(
        {"list_id": ["l1"], "query_id": ["q1"], "participant": ["ann"], "satisfaction": [3.0]}
    ).assign(session=session)
    relevance = pd.DataFrame({"query_id": ["q1"], "item_id": ["a"], "relevance": [80.0]})
    table = ViewedLists.of(one, relevance, said, by_viewers=True).sizes().set_index("part")
    assert table.loc["at least 15 rows", "lists"] == 0
    found = table["sessions"].astype(object).where(table["sessions"].notna(), None)
    assert found.tolist() == [1 if session else None, left, left]


def test_pages_take_the_mean_of_the_valid_answers_of_a_lists_own_query():
    places = pd.DataFrame(
        [("l1", "q1", 1, 1, "a"), ("l1", "q1", 1, 2, "b"), ("l1", "q1", 2, 1, "c"),
         ("l2", "q2", 1, 1, "a")],
        columns=["list_id", "query_id", "row", "column", "item_id"],
    )  # fmt: skip
    judged = [("q1", "a", 90), ("q1", "a", 40), ("q1", "a", -1), ("q1", "b", -2), ("q2", "a", 0)]
    found = shown_by(places, pd.DataFrame(judged, columns=["query_id", "item_id", "relevance"]))
    assert found["relevance"].tolist() == [65, -1, -1, 0]
    assert found["rank"].tolist() == [1, 2, 3, 1]
    assert found["query_id"].tolist() == ["l1", "l1", "l1", "l2"]


def test_workers_are_averaged_and_their_invalid_answers_left_out():
    rows = [("q", 2, 10), ("q", 1, 40), ("q", 1, 60), ("q", 1, -1), ("q", 3, -2), ("q", 3, -1)]
    each = averaged(pd.DataFrame(rows, columns=["query_id", "rank", "relevance"]))
    assert each["rank"].tolist() == [1, 2, 3]
    assert each["relevance"].tolist() == [50, 10, -1]
    assert each["row"].tolist() == [1, 2, 3]


def test_invalid_results_close_up_and_rows_keep_their_place():
    found = study(
        pages({q: [100, -1, -1, -2, 30] for q in SIX["ann"]}), answers({"ann": SIX["ann"]})
    )
    assert first_rows(found.relevance, 1)["relevance"].tolist() == [1, 1, 1]
    table = measured(found, "CG(per=image) MAX", rows=2)
    assert table["value"].tolist() == pytest.approx([0.65] * 3 + [1] * 3)


def test_the_metrics_of_table_3_are_those_of_the_protocol():
    assert {m.name for m in parse(GAINS)} == {m.name for m in parse(PROTOCOLS["context"].metrics)}
    names = [m.name for m in parse(gain_metrics(5, "w"))]
    assert names[6:8] == ["CAG(RBP(0.95),w=5,divide=w)", "CAG(DCG,w=5,divide=w)"]


def test_correlations_equal_scipys_and_carry_stars():
    made = study(*people())
    table = correlations(measured(made), made.satisfaction)
    assert len(table) == 12
    values = measured(made, "AVG").set_index("query_id")["value"]
    felt = made.satisfaction[values.index]
    row = table[table["metric"] == "AVG"].iloc[0]
    theirs = stats.spearmanr(values, felt)
    assert (row["r"], row["p"]) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert row["star"] == (row["p"] < 0.05)
    assert row["n"] == len(felt)


def test_each_context_aware_gain_stands_beside_its_original():
    made = study(*people())
    table = gains(measured(made), made.satisfaction)
    assert table["discount"].tolist() == ["RBP", "DCG", "CG", "AVG", "ERR", "MAX"]
    assert table["original"].tolist()[:3] == [
        "RBP(0.95,per=image)",
        "DCG(credit,per=image)",
        "CG(per=image)",
    ]
    assert (table["r_context"] - table["r_original"]).tolist() == table["difference"].tolist()
    tested = table.dropna(subset=["low"])
    assert (
        (tested["low"] <= tested["difference"]) & (tested["difference"] <= tested["high"])
    ).all()
    assert (table["dagger"] == (table["p"] < 0.05)).all()
    by_name = table.set_index("discount")
    # CG per image is the mean, to the last place that is ranked
    assert by_name.loc["CG", "r_original"] == by_name.loc["AVG", "r_original"]
    assert by_name.loc["CG", "r_context"] == by_name.loc["AVG", "r_context"]


def test_a_window_of_one_leaves_max_as_it_is():
    made = study(*people())
    row = gains(measured(made, "MAX CAG(MAX,w=1)"), made.satisfaction).iloc[0]
    assert row["between"] == 1
    assert row["r_original"] == row["r_context"]
    assert row["p"] == 1
    assert not row["dagger"]


def test_the_original_that_is_divided_by_the_number_of_images_goes_before_a_plain_sum():
    made = study(*people())
    metrics = "RBP RBP(per=image) RBP(0.8) CAG(RBP)"
    assert gains(measured(made, metrics), made.satisfaction)["original"].tolist() == [
        "RBP(0.95,per=image)"
    ]
    assert gains(measured(made, "AVG@5 CAG(AVG)"), made.satisfaction).empty


def test_satisfaction_without_variance_or_without_queries_is_null():
    made = study(*people())
    still = pd.Series(0.5, index=made.satisfaction.index)
    for felt in (still, made.satisfaction.iloc[:1]):
        table = correlations(measured(made), felt)
        assert table["r"].isna().all()
        assert not table["star"].any()
        assert gains(measured(made), felt)[["r_original", "p", "low"]].isna().all(axis=None)


def test_halves_of_most_and_least_varied_results():
    made = study(*people())
    split = variance_split(made.relevance)
    n = made.relevance["query_id"].nunique()
    assert len(split.high) == len(split.low) == n // 4
    assert split.variance[list(split.high)].min() >= split.variance[list(split.low)].max()
    table = halves(measured(made), made.satisfaction, split)
    assert table["part"].drop_duplicates().tolist() == ["low", "high"]
    assert set(table["n"]) == {n // 4}


def test_ties_at_the_border_are_counted():
    constant = {f"q{i}": [0.5, 0.5] for i in range(6)}
    table = pages(constant | {"x": [0, 1], "y": [0.2, 1]})
    split = variance_split(table)
    assert (split.high, split.tied_high) == (("x", "y"), 0)
    assert (split.low, split.tied_low) == (("q4", "q5"), 6)
    assert variance_split(table.iloc[:2]).high == ()


def test_spread_of_relevance_by_hand():
    table = pages({"q": [1, 0.5, 0, 1], "r": [0.4, 0.4]})
    found = spread(table, pd.Series({"q": 0.7}), rows=1)
    assert found["mean"].tolist() == pytest.approx([0.75, 0.4])
    assert found["deviation"].tolist() == pytest.approx([0.25, 0])
    # r' of 1, 0.5 is 1, 0.25
    assert found["deviation_in_context"].tolist() == pytest.approx([0.375, 0])
    assert found["satisfaction"].tolist()[0] == 0.7
    assert np.isnan(found["satisfaction"].tolist()[1])
