"""The command line on pictures and texts that ask each other, both ways and one way only."""

import json

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from tests.evaluation.test_two_ways import CUTOFFS, world


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A collection of twelve pictures with five texts each, and two versions as files of runs."""
    made = tmp_path_factory.mktemp("two_ways") / "pairs"
    (made / "runs").mkdir(parents=True)
    evidence, run, *_ = world([5] * 12)
    texts = [item for item in dict.fromkeys(run["item_id"]) if item.startswith("t")]
    pictures = [f"p{n}" for n in range(12)]
    kinds = {p: "image" for p in pictures} | {t: "text" for t in sorted(texts)}
    items = pd.DataFrame({"item_id": list(kinds), "kind": list(kinds.values())})
    items.assign(caption=items["item_id"]).to_csv(made / "items.csv", index=False)
    evidence.queries.to_csv(made / "queries.csv", index=False)
    evidence.qrels.to_csv(made / "qrels.csv", index=False)
    run.to_csv(made / "runs/a.csv", index=False)
    world([5] * 12, seed=1)[1].to_csv(made / "runs/b.csv", index=False)
    (made / "collection.toml").write_text('protocols = ["crossmodal"]\n')
    return made


@pytest.fixture
def answer(capsys):
    def asked(*words):
        code = main([*map(str, words), "--format", "json"])
        out, err = capsys.readouterr()
        return json.loads(out), err, code

    return asked


@pytest.mark.parametrize(
    ("queries", "own", "number"), [("text", "t2i_R", 60), ("item", "i2t_R", 12)]
)
def test_one_direction_is_measured_and_compared_alone(folder, answer, queries, own, number):
    rows, err, _ = answer("measure", folder, "--queries", queries)
    for row in rows:
        assert row["total"] == number
        mine = row["metric"] == own
        assert (row["mean"] is not None) == mine and row["scored"] == mine * number
    assert "Rsum and mR, which are of both directions" in err and "count as 0" not in err
    values, _, _ = answer("measure", folder, "--queries", queries, "--by-query")
    assert len(values) == len(rows) * number
    assert {row["metric"] for row in values if row["value"] is not None} == {own}
    pair = ("--baseline", "a", "--candidate", "b", "--queries", queries)
    compared, err, code = answer("compare", folder, *pair)
    for row in compared:
        if row["metric"] == own:
            assert row["scored"] == row["total"] == number
            assert row["better"] + row["same"] + row["worse"] == number
        else:
            empty = ("baseline", "candidate", "delta", "low", "high", "p", "p_holm", "p_t")
            assert row["scored"] == 0 and {row[each] for each in empty} == {None}
    said = next(line for line in err.splitlines() if "none of" in line)
    assert code == 0 and said.endswith(f": none of {number:,} queries is scored in both versions")
    assert "Rsum, mR" in said
    *_, code = answer("compare", folder, *pair, "--metrics", "Rsum")
    assert code == 1  # asked for by name, it must have a value


def test_the_gate_does_not_let_a_sum_pass_that_has_no_value(folder, answer):
    pair = ("--baseline", "a", "--candidate", "b", "--queries", "text")
    _, err, code = answer("compare", folder, *pair, "--fail-on", "Rsum<-6")
    assert code == 1 and "Rsum" in err
    pair = (*pair[:4], "--queries", "all")
    assert answer("compare", folder, *pair, "--fail-on", "Rsum<-6")[2] == 0


def test_the_report_on_one_direction_has_no_sum(folder, tmp_path, capsys):
    page, tables = tmp_path / "report.html", tmp_path / "tables"
    pair = ["--baseline", "a", "--candidate", "b", "--queries", "text"]
    assert main(["report", str(folder), *pair, "-o", str(page), "--tables", str(tables)]) == 0
    metrics = pd.read_csv(tables / "metrics.csv").set_index("metric")
    sums = metrics.loc[["Rsum", "mR", "i2t_R"]]
    assert len(sums) == 5 and sums[
        ["baseline", "candidate", "delta", "low", "high", "p"]
    ].isna().all(axis=None)
    assert set(metrics["total"]) == {60} and set(metrics["scored"]) == {0, 60}
    assert "Only texts are asked" in page.read_text()


def test_plain_files_say_which_direction_they_are_of(folder, answer, tmp_path):
    run = pd.read_csv(folder / "runs/a.csv")
    judged = pd.read_csv(folder / "qrels.csv")
    texts, of_texts = (t[t["query_id"].str.startswith("q_t")] for t in (run, judged))
    files = ("measure", "--qrels", tmp_path / "q.csv", "--run", tmp_path / "a.csv")
    texts.to_csv(files[-1], index=False)
    of_texts.to_csv(files[2], index=False)
    matching = ("--protocol", "crossmodal")
    rows, err, _ = answer(*files, *matching)
    assert {row["mean"] for row in rows} == {None} and "add --queries text" in err
    expected = {
        k: np.mean([(texts[texts["rank"] <= k].merge(of_texts)["query_id"] == q).any()
                    for q in of_texts["query_id"]])
        for k in CUTOFFS
    }  # fmt: skip
    for further in (("--queries", "text"), ("--metrics", "t2i_R@1 t2i_R@5 t2i_R@10 Rsum")):
        rows, err, _ = answer(*files, *matching, *further)
        known = {row["cutoff"]: row["mean"] for row in rows if row["mean"] is not None}
        assert known == pytest.approx(expected) and "Only texts are asked" in err
        assert {row["metric"] for row in rows if row["mean"] is not None} == {"t2i_R"}
    assert main([*map(str, files), *matching, "--queries", "all"]) == 2
    assert main([*map(str, files), "--queries", "text"]) == 2  # of the protocol trec


def test_queries_of_a_kind_that_is_not_there_are_refused_with_the_way_out(folder, tmp_path, capsys):
    made = tmp_path / "texts"
    made.mkdir()
    for name in ("items.csv", "collection.toml"):
        (made / name).write_text((folder / name).read_text())
    (made / "runs").mkdir()
    run = pd.read_csv(folder / "runs/a.csv")
    run[run["query_id"].str.startswith("q_t")].to_csv(made / "runs/a.csv", index=False)
    for name in ("queries.csv", "qrels.csv"):
        table = pd.read_csv(folder / name, dtype=str, keep_default_na=False)
        table[table["query_id"].str.startswith("q_t")].to_csv(made / name, index=False)
    assert main(["measure", str(made), "--queries", "item"]) == 2
    assert "none of 60 queries is of this kind; ask for --queries text" in capsys.readouterr().err
