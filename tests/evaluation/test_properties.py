"""What must hold for all lists: bounds, identities of CAG, and independence of names and order."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.context import adjusted
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, qrels_table, trec_run
from tests.evaluation.worlds import World

CREDIT = st.sampled_from([0, 0.1, 0.2, 0.25, 0.3, 1 / 3, 0.5, 0.6, 0.7, 0.9, 1])
LISTS = st.lists(st.lists(CREDIT, max_size=14), min_size=1, max_size=4)
BOUNDED = (
    "P@3 R R@3 Success@3 AP AP@3 AP(retrieved)@3 AP(min)@3 AP(annotated) Rprec RR nDCG nDCG@3 "
    "nDCG(exp) nDCG(credit)@3 nDCG(ideal=retrieved)@3 RBP(0.95) ERR ERR(exp) MAX AVG AVG(rows=3) "
    "Judged@3 Ceiling@3 CAG(AVG) CAG(MAX) CAG(CG) CAG(RBP) CAG(DCG) CAG(ERR) CAG(AVG(rows=3))"
)


def credited(lists):
    return from_lists([[1 if c >= 0.5 else 0 for c in row] for row in lists], credit=lists)


def value(name, lists):
    return parse(name)[0](credited(lists))


@given(LISTS)
def test_values_lie_between_zero_and_one(lists):
    for each in parse(BOUNDED):
        values = each(credited(lists))
        defined = values[~np.isnan(values)]
        assert (defined >= 0).all() and (defined <= 1 + 1e-12).all(), str(each)


@given(LISTS)
def test_no_p_is_above_its_ceiling(lists):
    for k in (1, 3, 20):
        assert (value(f"P@{k}", lists) <= value(f"Ceiling@{k}", lists)).all()


@given(LISTS)
def test_longer_cutoffs_find_no_fewer(lists):
    for name in ("R", "Success", "RR", "AP", "DCG", "CG", "RBP", "MAX", "ERR"):
        shorter, longer = value(f"{name}@2", lists), value(f"{name}@5", lists)
        assert (np.isnan(shorter) | (shorter <= longer + 1e-12)).all(), name


@given(LISTS)
def test_adjusted_relevance_is_never_above_relevance(lists):
    credit = credited(lists).credit
    for rank, step in enumerate(adjusted(credit, credit.shape[1])):
        assert (step >= 0).all() and (step <= credit[:, rank]).all()


@given(LISTS)
def test_a_list_that_gets_better_and_better_is_adjusted_to_itself(lists):
    credit = credited([sorted(row) for row in lists]).credit
    longest = credit.shape[1]
    for row in credit:
        length = int((row > 0).nonzero()[0].max(initial=-1)) + 1
        steps = [float(s[0]) for s in adjusted(row[None, :length], min(length, longest))]
        assert steps == row[:length].tolist()


@given(LISTS)
def test_a_window_of_one_is_adjusted_relevance(lists):
    np.testing.assert_allclose(
        value("CAG(MAX,w=1)", lists), value("MAX", lists), rtol=0, atol=1e-12
    )
    steps = adjusted(credited(lists).credit, max(map(len, lists)))
    sums = sum((step.copy() for step in steps), np.zeros(len(lists)))
    np.testing.assert_allclose(value("CAG(CG,w=1,per=list)", lists), sums, rtol=0, atol=1e-12)


@given(st.lists(st.tuples(CREDIT, st.integers(0, 12)), min_size=1, max_size=4))
def test_constant_lists_have_the_same_value_in_context(pairs):
    lists = [[credit] * length for credit, length in pairs]
    for name, original in (
        ("CAG(RBP,per=list)", "RBP"),
        ("CAG(DCG,per=list)", "DCG(credit)"),
        ("CAG(CG)", "CG(per=image)"),
        ("CAG(AVG)", "AVG"),
        ("CAG(ERR)", "ERR"),
        ("CAG(MAX)", "MAX"),
    ):
        np.testing.assert_allclose(value(name, lists), value(original, lists), rtol=0, atol=1e-12)


@given(LISTS)
def test_cg_for_each_image_is_the_average(lists):
    for k in ("", "@3"):
        for cg, avg in (("CG(per=image)", "AVG"), ("CAG(CG)", "CAG(AVG)")):
            np.testing.assert_allclose(
                value(cg + k, lists), value(avg + k, lists), rtol=0, atol=1e-12
            )


@given(LISTS, st.sampled_from([0.5, 0.25, 0.125]))
def test_scaled_credit_scales_all_but_err(lists, scale):
    scaled = [[c * scale for c in row] for row in lists]
    for name in ("RBP", "DCG(credit)", "CG", "AVG", "MAX", "CAG(RBP)", "CAG(DCG)", "CAG(MAX)"):
        np.testing.assert_allclose(
            value(name, scaled), value(name, lists) * scale, rtol=1e-12, atol=1e-15
        )


METRICS = "P@3 R@3 AP RR Rprec nDCG@5 nDCG(exp) DCG CG@3 RBP(0.8) ERR CAG(DCG)@5 Judged@5"


def trec(qrels, run):
    protocol = PROTOCOLS["trec"]
    judgement = protocol.judge(World(qrels=qrels), None)
    table = measure({"r": run}, judgement, protocol, METRICS)
    return table.set_index(["query_id", "metric"])["value"]


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_values_do_not_hang_on_the_order_of_rows_or_the_names_of_ids(seed):
    qrels, run = made_up(seed, queries=30, items=20)
    qrels, run = qrels_table(qrels), trec_run(run)
    before = trec(qrels, run)
    random = np.random.default_rng(seed)
    shuffled = trec(
        qrels.iloc[random.permutation(len(qrels))], run.iloc[random.permutation(len(run))]
    )
    assert shuffled.reindex(before.index).tolist() == before.tolist()

    def renamed(ids, prefix):
        return (prefix + ids.str.slice(1).astype(int).map(lambda n: str(97 - n))).astype("str")

    for table in (qrels, run):
        table["query_id"] = renamed(table["query_id"], "topic ")
        table["item_id"] = renamed(table["item_id"], "é")
    assert trec(qrels, run).tolist() == before.tolist()
    for table in (qrels, run):
        table["query_id"] = table["query_id"].astype("category")
        table["item_id"] = table["item_id"].astype("category")
    assert trec(qrels, run).tolist() == before.tolist()


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_a_query_is_worth_the_same_alone(seed):
    qrels, run = made_up(seed, queries=20, items=20)
    together = trec(qrels_table(qrels), trec_run(run))
    for query in list(qrels)[:5]:
        alone = trec(qrels_table({query: qrels[query]}), trec_run(run))
        assert alone.tolist() == together[query].tolist()
