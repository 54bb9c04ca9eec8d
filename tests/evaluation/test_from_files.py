"""From two files on disk to values: the same as pytrec_eval, whatever the ids and the order."""

from types import SimpleNamespace

import numpy as np
import pytest
import pytrec_eval

from dashboard import ids
from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.runs.runs import read_qrels, read_run
from tests.evaluation.oracle import made_up
from tests.evaluation.test_oracles import FAMILIES, TREC_EVAL

ID_FORMS = {
    "of one length": "{:04}",
    "of a word": "{:08}",
    "of many lengths": "{}",
    "long": "https://example.org/a/long/path/to/documents/{}/of-the-collection",
    "not ASCII": "Straße-{}-日本語",
    "very long": "x" * 300 + "{}",
    "that differ at both ends": "{0:03}-the-middle-of-an-id-{0:03}",
}


def renamed(table, form):
    return {
        query: {form.format(int(item[1:])): value for item, value in row.items()}
        for query, row in table.items()
    }


def values(qrels, run):
    trec = PROTOCOLS["trec"]
    evidence = dict.fromkeys(("queries", "items", "keywords", "query_keywords"))
    judgement = trec.judge(SimpleNamespace(qrels=read_qrels(qrels), **evidence), None)
    table = measure({"r": read_run(run, "trec")}, judgement, trec, " ".join(TREC_EVAL))
    names = table["metric"] + table["cutoff"].map("@{}".format, na_action="ignore").fillna("")
    return dict(zip(zip(names, table["query_id"], strict=True), table["value"], strict=True))


@pytest.fixture
def files(tmp_path):
    """Write judgements and a run, the run's lines in any order; returns their paths."""

    def write(qrels, run, shuffled=True):
        lines = [f"{q} Q0 {i} 0 {s!r} x\n" for q, row in run.items() for i, s in row.items()]
        if shuffled:
            np.random.default_rng(0).shuffle(lines)
        (tmp_path / "run.trec").write_text("".join(lines))
        judged = [f"{q} 0 {i} {g}\n" for q, row in qrels.items() for i, g in row.items()]
        (tmp_path / "qrels.txt").write_text("".join(judged))
        return tmp_path / "qrels.txt", tmp_path / "run.trec"

    return write


@pytest.mark.parametrize("shuffled", [False, True], ids=["by query", "shuffled"])
@pytest.mark.parametrize("form", ID_FORMS)
def test_pytrec_eval_gives_the_same_from_the_same_files(form, shuffled, files):
    made = made_up(7, queries=200)
    qrels, run = (renamed(table, ID_FORMS[form]) for table in made)
    paths = files(qrels, run, shuffled)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    for (name, query), value in values(*paths).items():
        expected = theirs[query][TREC_EVAL[name]] if query in run else 0.0
        assert value == pytest.approx(expected, abs=1e-12), (name, query)


@pytest.mark.parametrize("shared", [1, 2, 16])
def test_values_are_the_same_where_ids_share_keys(shared, files, monkeypatch):
    paths = files(*made_up(8, queries=60))
    expected = values(*paths)
    keys = ids.keys
    monkeypatch.setattr(ids, "keys", lambda column: keys(column) % np.uint64(shared) << 62)
    assert values(*paths) == expected
