"""Metrics by trec_eval's own names, against pytrec_eval: ties in single precision, gaps, grades."""

import json
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from dashboard.__main__ import main
from dashboard.evaluation.metrics import parse_one

NAMES = (
    "map P_10 recall_100 ndcg ndcg_cut_10 recip_rank Rprec bpref num_ret num_rel num_rel_ret "
    "success_5 map_cut_10"
)
FAMILIES = {"map", "P", "recall", "ndcg", "ndcg_cut", "recip_rank", "Rprec", "bpref", "success",
            "map_cut", "num_ret", "num_rel", "num_rel_ret"}  # fmt: skip
CLOSE = 1e-9
"""A difference of scores that is none in single precision."""


@pytest.mark.parametrize("seed", range(4))
def test_equals_pytrec_eval(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(seed)
    judged, found = {}, {}
    for query in ("1", "q2", "q 3".replace(" ", "_"), "ü4", *(f"n{n}" for n in range(20))):
        docs = [f"{rng.choice(['d', 'D', 'é', '9'])}{n}" for n in range(140)]
        grades = rng.integers(-1, 4, 60).tolist()
        judged[query] = dict(zip(rng.permutation(docs)[:60].tolist(), grades, strict=True))
        scores = rng.integers(1, 9, 120) / 8 + CLOSE * rng.integers(0, 9, 120)
        found[query] = dict(zip(rng.permutation(docs)[:120].tolist(), scores.tolist(), strict=True))
    qrels = [f"{q} 0 {d} {g}" for q, each in judged.items() for d, g in each.items()]
    run = [f"{q} Q0 {d} 1 {s!r} t" for q, each in found.items() for d, s in each.items()]
    (tmp_path / "q.txt").write_text("\n".join(qrels))
    (tmp_path / "r.txt").write_text("\n".join(run))
    files = ("--qrels", str(tmp_path / "q.txt"), "--run", str(tmp_path / "r.txt"))
    assert main(["measure", *files, "--metrics", NAMES, "--by-query", "--format", "json"]) == 0
    ours = {
        (row["query_id"], row["metric"], row["cutoff"]): row["value"]
        for row in json.loads(capsys.readouterr().out)
    }
    theirs = pytrec_eval.RelevanceEvaluator(judged, FAMILIES).evaluate(found)
    assert len(ours) == len(judged) * len(NAMES.split())
    for name in NAMES.split():
        measure = parse_one(name)
        for query in judged:
            value = ours[query, measure.name, measure.cutoff]
            assert value == pytest.approx(theirs[query][name], abs=1e-12), (query, name)
