"""Metrics of plain files against ir_measures and pytrec_eval, through the command line."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.plugins.worlds import call

PYTREC_EVAL = {
    "AP": "map", "AP@10": "map_cut_10", "P@5": "P_5", "R@10": "recall_10", "RR": "recip_rank",
    "Rprec": "Rprec", "nDCG": "ndcg", "nDCG@5": "ndcg_cut_5", "Success@5": "success_5",
    "num_ret": "num_ret", "num_rel": "num_rel", "num_rel_ret": "num_rel_ret", "bpref": "bpref",
}  # fmt: skip
CLOSE = 1e-9
"""A difference of scores that is none in single precision."""
IR_MEASURES = {
    "AP": "AP", "P@5": "P@5", "R@10": "R@10", "RR": "RR", "Rprec": "Rprec",
    "nDCG@5": "nDCG@5", "Success@3": "Success@3",
    "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRet(rel=1)",
}  # fmt: skip


NAMES = "dDé9"
UNTIED = {"Judged@7": "Judged@7", "RR@3": "RR@3"}
GDEVAL = {"ERR(exp)@7": "ERR@7", "nDCG(exp)@7": "nDCG(dcg='exp-log2')@7"}


@pytest.fixture(params=range(3))
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Judgements with grades from -1 to 4, and a run with ties, gaps and queries left out."""
    rng = np.random.default_rng(request.param)
    judged, found = [], []
    for query in range(30):
        for item in rng.permutation(40)[: rng.integers(1, 25)]:
            judged.append(f"{query} 0 {NAMES[item % 4]}{item} {rng.integers(-1, 5)}")
        for item in rng.permutation(50)[: rng.integers(1, 40) * (query % 7 != 3)]:
            score = float(rng.integers(0, 30) / 8 + CLOSE * rng.integers(0, 9))
            found.append(f"{query} Q0 {NAMES[item % 4]}{item} 1 {score!r} t")
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n")
    (tmp_path / "run.trec").write_text("\n".join(found) + "\n")
    return str(tmp_path / "qrels.txt"), str(tmp_path / "run.trec")


def measure(files: tuple[str, str], names: list[str]) -> dict[tuple[str, str], float]:
    """Return our values by query and metric."""
    options = ("--metrics", " ".join(names), "--by-query")
    code, rows, _ = call("measure", "--qrels", files[0], "--run", files[1], *options)
    assert code == 0
    cut = [f"@{row['cutoff']}" if row["cutoff"] else "" for row in rows]
    return {
        (row["query_id"], row["metric"] + end): row["value"]
        for row, end in zip(rows, cut, strict=True)
    }


def test_equals_pytrec_eval(files: tuple[str, str]) -> None:
    """By its own names of the metrics."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    ours = measure(files, list(PYTREC_EVAL.values()))
    with Path(files[0]).open() as qrels, Path(files[1]).open() as run:
        judged, found = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    families = {"map", "map_cut", "P", "recall", "recip_rank", "Rprec", "ndcg", "ndcg_cut"}
    families |= {"success", "num_ret", "num_rel", "num_rel_ret", "bpref"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, families).evaluate(found)
    for (query, name), value in ours.items():
        if query in theirs:  # pytrec_eval leaves out queries without results
            assert value == pytest.approx(theirs[query][PYTREC_EVAL[name]], abs=1e-12), name
        elif name != "num_rel":
            assert value == 0


@pytest.mark.filterwarnings("ignore")
def test_equals_ir_measures(files: tuple[str, str]) -> None:
    compare_with_ir_measures(files, IR_MEASURES, 1e-12)


@pytest.mark.filterwarnings("ignore")
def test_equals_other_providers(files: tuple[str, str]) -> None:
    break_ties(Path(files[1]))  # these order ties in other ways than trec_eval
    compare_with_ir_measures(files, UNTIED, 1e-12)
    if shutil.which("perl"):  # gdeval is a script of perl and prints five digits
        compare_with_ir_measures(files, GDEVAL, 0.6e-5)


def break_ties(path: Path) -> None:
    """Replace the scores of a run by the order of its lines."""
    rows = [line.split() for line in path.read_text().splitlines()]
    lines = [" ".join([*row[:4], str(len(rows) - place), "t"]) for place, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n")


def compare_with_ir_measures(
    files: tuple[str, str], names: dict[str, str], tolerance: float
) -> None:
    """Compare every query that the run has."""
    ir_measures = pytest.importorskip("ir_measures")
    ours = measure(files, list(names))
    wanted = {name: ir_measures.parse_measure(text) for name, text in names.items()}
    judged = list(ir_measures.read_trec_qrels(files[0]))
    found = list(ir_measures.read_trec_run(files[1]))
    asked = {each.query_id for each in found}
    theirs = {
        (each.query_id, str(each.measure)): each.value
        for each in ir_measures.iter_calc(list(wanted.values()), judged, found)
    }
    for (query, name), value in ours.items():
        if query in asked:
            assert value == pytest.approx(theirs[query, str(wanted[name])], abs=tolerance), name
