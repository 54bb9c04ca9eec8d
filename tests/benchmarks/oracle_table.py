"""The largest difference between our values and those of other tools, metric by metric.

`python tests/benchmarks/oracle_table.py` prints metric, tool, queries and the largest difference of
one query; tests/evaluation/test_oracles.py holds the same to 1e-9.
"""

from __future__ import annotations

import ir_measures
import numpy as np
import pytrec_eval
from sklearn.metrics import ndcg_score

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.rankings import from_lists
from tests.evaluation.oracle import made_up, plain_cag, plain_err
from tests.evaluation.test_oracles import FAMILIES, TREC_EVAL, measured

QUERIES = 5000


def trec_eval() -> None:
    """pytrec_eval on made-up judgements and runs with ties and missing queries."""
    qrels, run = made_up(100, queries=QUERIES)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    ours = measured(qrels, run, " ".join(TREC_EVAL))
    for name, their_name in TREC_EVAL.items():
        line(name, "pytrec_eval", [ours[name, q] - theirs[q][their_name] for q in theirs])


def judged() -> None:
    """ir_measures, on scores without ties: it breaks them by item id ascending."""
    qrels, run = made_up(101, queries=QUERIES)
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
    print(f"{'metric':22} {'tool':14} {'queries':>6} {'largest':>9}")
    trec_eval()
    judged()
    fractions_of_grades()
    plain_loops()
