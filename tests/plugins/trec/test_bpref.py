"""bpref against pytrec_eval, on random judgements with ties, gaps and negative grades."""

import json
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from dashboard.__main__ import main


@pytest.mark.parametrize("seed", range(3))
def test_equals_pytrec_eval(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(seed)
    judged = {
        f"q{q}": {f"d{d}": int(rng.integers(-1, 3)) for d in rng.permutation(30)[:15]}
        for q in range(40)
    }
    found = {
        query: {f"d{d}": float(rng.integers(0, 20)) for d in rng.permutation(30)[:12]}
        for query in judged
    }
    qrels = [f"{q} 0 {d} {g}" for q, each in judged.items() for d, g in each.items()]
    run = [f"{q} Q0 {d} 1 {s} t" for q, each in found.items() for d, s in each.items()]
    (tmp_path / "q.txt").write_text("\n".join(qrels))
    (tmp_path / "r.txt").write_text("\n".join(run))
    files = ("--qrels", str(tmp_path / "q.txt"), "--run", str(tmp_path / "r.txt"))
    assert main(["measure", *files, "--metrics", "bpref", "--by-query", "--format", "json"]) == 0
    ours = {row["query_id"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"bpref"}).evaluate(found)
    assert ours == pytest.approx({q: values["bpref"] for q, values in theirs.items()}, abs=1e-12)
