"""The largest difference between our values and those of other tools, metric by metric.

`python -m tests.benchmarks.oracle_table [--queries N]` prints metric, tool, queries and the largest
difference of one query; tests/evaluation/test_oracles.py and test_trec_eval.py hold the same.
"""

from __future__ import annotations

import argparse

import ir_measures
import numpy as np
import pytrec_eval
from sklearn.metrics import ndcg_score

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, plain_cag, plain_err
from tests.evaluation.test_oracles import FAMILIES, TREC_EVAL, measured
from tests.evaluation.test_trec_eval import GEOMETRIC, GRADES, SUMS, VALUES
from tests.evaluation.test_trec_eval import measured as values
from tests.evaluation.test_trec_eval import theirs as known

QUERIES = 5000


def trec_eval(queries: int) -> None:
    """pytrec_eval on made-up judgements and runs with ties and missing queries."""
    qrels, run = made_up(100, queries=queries)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    ours = measured(qrels, run, " ".join(TREC_EVAL))
    for name, their_name in TREC_EVAL.items():
        line(name, "pytrec_eval", [ours[name, q] - theirs[q][their_name] for q in theirs])


def beside(level: int, queries: int) -> None:
    """What trec_eval has beside these, with this least grade of a relevant item."""
    qrels, run = made_up(110 + level, queries=queries, grades=GRADES["negative"])
    theirs = known(qrels, run, level)
    names = [*VALUES, *GEOMETRIC, *SUMS]
    table = values(qrels, run, names, level).set_index(["name", "query_id"])["value"]
    for name in names:
        ours = table[name]
        pairs = [(ours[query], theirs[query][name]) for query in theirs]
        if name in GEOMETRIC:  # it gives the logarithm
            pairs = [(max(own, 1e-5), np.exp(other)) for own, other in pairs]
        line(f"{name} -l {level}", "pytrec_eval", [own - other for own, other in pairs])


def judged(queries: int) -> None:
    """ir_measures, on scores without ties: it breaks them by item id ascending."""
    qrels, run = made_up(101, queries=queries)
    run = {q: {i: float(n) for n, i in enumerate(items)} for q, items in run.items()}
    ours = measured(qrels, run, "Judged@10")
    theirs = ir_measures.iter_calc([ir_measures.parse_measure("Judged@10")], qrels, run)
    line("Judged@10", "ir_measures", [ours["Judged@10", t.query_id] - t.value for t in theirs])


def fractions_of_grades() -> None:
    """scikit-learn's nDCG takes grades that are fractions."""
    random = np.random.default_rng(102)
    lists = [(random.integers(0, 9, random.integers(2, 30)) / 8).tolist() for _ in range(1000)]
    lists = [row for row in lists if any(row)]
    for k in (None, 10):
        name = "nDCG" if k is None else f"nDCG@{k}"
        ours = parse(name)[0](from_lists(lists))
        theirs = [ndcg_score([row], [-np.arange(len(row))], k=k, ignore_ties=True) for row in lists]
        line(name, "scikit-learn", ours - theirs)


def plain_loops() -> None:
    """The formulas of CAG and ERR as plain Python loops."""
    random = np.random.default_rng(103)
    lists = [(random.integers(0, 11, random.integers(1, 40)) / 10).tolist() for _ in range(1000)]
    rankings = from_lists([[1] * len(row) for row in lists], credit=lists)
    for discount in ("RBP", "DCG", "CG", "AVG", "ERR", "MAX"):
        name = f"CAG({discount},per=list)@20"
        ours = parse(name)[0](rankings)
        line(name, "plain loop", ours - [plain_cag(row, discount, 20) for row in lists])
    line("ERR", "plain loop", parse("ERR")[0](rankings) - [plain_err(row, None) for row in lists])


def line(metric: str, tool: str, differences: object) -> None:
    """One row of the table."""
    found = np.abs(np.asarray(differences, dtype=float))
    print(f"{metric:22} {tool:14} {len(found):6} {found.max():10.1e}")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--queries", type=int, default=QUERIES)
    size = asked.parse_args().queries
    print(f"{'metric':22} {'tool':14} {'queries':>6} {'largest':>9}")
    trec_eval(size)
    for least in (1, 2, 3):
        beside(least, size)
    judged(size)
    fractions_of_grades()
    plain_loops()
