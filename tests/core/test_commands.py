"""Rows, exit codes and sentences of the command line."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dashboard
from dashboard.__main__ import main
from dashboard.commands.output import write_rows
from tests.plugins.worlds import call


def test_measure_and_compare(world: Path) -> None:
    metrics = ("--metrics", "P@2")
    code, rows, _ = call("measure", world, *metrics, "--queries", "all")
    first = {"run": "v1", "metric": "P", "cutoff": 2, "mean": 0.25, "scored": 2, "total": 4}
    assert (code, rows[0]) == (0, first)
    _, rows, _ = call("measure", world, *metrics, "--runs", "v1", "--by-query")
    assert {row["query_id"]: row["value"] for row in rows} == {"q1": 0.5, "q2": 0.0, "q4": None}
    code, (row,), said = call("compare", world, *metrics)
    assert (code, row["baseline"], row["candidate"], row["delta"]) == (0, 0.25, 0.75, 0.5)
    assert said == "note: Queries not scored, left out of means: 1 (no keyword mapped).\n"
    (world / "items.csv").write_text(f"{(world / 'items.csv').read_text()}e,e.mp4\n")
    said = call("compare", world, *metrics)[2]
    assert "warning: Items without a vector, which are never found: 1 of 5.\n" in said


def test_search(world: Path) -> None:
    for words, expected in (
        (("--item", "b", "-k", "2"), [("d", None, 0, 1), ("a", True, 1, 1)]),
        ((" a car ", "-k", "1"), [("a", True, 1, 1)]),
        (("a car", "--min-similarity", "0.5"), [("a", True, 1, 1), ("c", False, 0, 1)]),
    ):
        code, rows, _ = call("search", world, *words, "--model", "v1")
        found = [(row["item_id"], row["hit"], row["matched"], row["required"]) for row in rows]
        assert (code, found) == (0, expected)
    code, rows, errors = call("search", world, "unseen", "--model", "v1")
    assert (code, rows) == (2, []) and "found no encoder; expected one of minilm" in errors


WRONG = """
check | required: COLLECTION
check gone | There are: world.
measure /etc/passwd | no such folder
check WORLD --metrics P@5 | unrecognized arguments: --metrics
check '' | Name a COLLECTION
measure WORLD --metrics '' | metrics is empty. Give a value, or leave it out.
measure WORLD --metrics , | write for example P@5 AP nDCG@10
measure WORLD --metrics P | write for example P@5
measure WORLD --metrics P@0 | whole number from 1 to 999,999,999
measure WORLD --metrics num_ret@5 | takes no cutoff; write num_ret
measure WORLD --metrics Recall@5 | write P for hits
measure WORLD --metrics 'RBP(2)@5' | write a number from 0 to 1
measure WORLD --metrics 'RBP(0.5,0.6)@5' | it has: p, per
measure WORLD --protocol ALFA | There are: alfa
measure WORLD --min-similarity 1,5 | '1,5' is no number
measure WORLD --groups pv_object_type nope | There is no group 'nope'. There are: pv_object_type
measure WORLD --slice x | There is no slice 'x'
measure --qrels q.txt | --qrels FILE with --run FILE
measure WORLD --qrels q.txt --run r.trec | Name a COLLECTION, or
measure --qrels gone.txt --run r.trec | gone.txt: found no such file; expected lines of query
measure --qrels binary.txt --run r.trec | binary.txt, line 1: found a file that is no text
measure --qrels empty.txt --run r.trec | empty.txt: found no rows
measure --qrels q.txt --run blank.trec | blank.trec: found no rows
measure --qrels r.trec --run q.txt | r.trec, line 1: found 6 fields; expected 4 fields
measure --qrels q.txt --run r.trec --run r.trec | a second run 'r'
measure --qrels q.txt --run r.trec --protocol alfa | There are: trec
compare WORLD --baseline v1 --candidate v9 | There is no candidate 'v9'. There are: v1, v2.
compare --qrels q.txt --run r.trec --baseline x | There are: r.
slices WORLD --metric 'P@5 AP' | 'P@5 AP' names several metrics; give one, such as P@5.
measure WORLD --margins P@2=0.1 | unrecognized arguments: --margins
search WORLD car --slice a=b --queries all | unrecognized arguments: --slice a=b --queries all
search WORLD '' | Give one of TEXT, --item ID and --file PATH
search WORLD x --item '' | item is empty
search WORLD x -k 0 | -k: '0' is no whole number from 1
search WORLD --file gone.png | gone.png: found no such file; expected a picture
keywords WORLD | Give one of TEXT, --draft and --write.
keywords WORLD x --threshold 2 | between 0 and 1
keywords WORLD --write --threshold 0.5 | set mapping_threshold in collection.toml
satisfaction WORLD | lists.csv: found no such file; expected a table
satisfaction WORLD --rows 0 | --rows: '0' is no whole number from 1
report WORLD -o gone/a.html | gone is no folder; make it first
report WORLD -o data | data is a folder. Name a file in it.
report WORLD -o a.html --number 201 | from 0 to 200
report WORLD -o a.html --baseline v2 --candidate v2 | v2
 | --help tells more
check LONG | aaa
search WORLD --item x | There is no item 'x'.
measure --qrels q.txt --run r.trec --min-similarity 0.5 | --min-similarity: only a COLLECTION
"""
"""Calls and what their one sentence holds."""


TREC = {"q.txt": "q 0 a 1\n", "r.trec": "q Q0 a 1 2 t\n", "empty.txt": "", "blank.trec": "\n\n"}


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong_calls_of_every_command(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(world.parent.parent)
    for name, content in TREC.items():
        Path(name).write_text(content)
    Path("binary.txt").write_bytes(bytes(100))
    words, sentence = line.split(" | ")
    names = {"WORLD": "world", "LONG": "a" * 300}
    try:
        code = main([names.get(each, each) for each in shlex.split(words)])
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.startswith("error: ") and printed.err.count("\n") == 1
    assert sentence in printed.err
    assert not Path("a.html").exists()


def test_empty_result(world: Path) -> None:
    shutil.rmtree(world / "models")
    for words in (("measure", world), ("search", world, "car"), ("compare", world)):
        code, _, said = call(*words)
        assert code == 2 and "world has no version yet. Type: python -m dashboard add" in said
    (world / "models" / "v1").mkdir(parents=True)
    (world / "models" / "v1" / "items.txt").write_text("a\n")
    assert call("compare", world)[2].startswith("error: models/v1/items.npy: found no such file")


def test_a_reader_that_has_enough(world: Path) -> None:
    script = f"{sys.executable} -m dashboard metrics --format csv; echo code $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({script}) | true"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == "code 0\n"


def test_help_is_light() -> None:
    script = "import sys; from dashboard.__main__ import main\ntry: main(['measure', '--help'])\n"
    script += "except SystemExit: print([n for n in ('numpy', 'pandas') if n in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("[]\n")


def test_vectors_in_another_order(world: Path) -> None:
    place = world / "models" / "v1"
    np.save(place / "items.npy", np.array([[0.0, 1], [0, 1], [1, 0]], dtype=np.float32))
    (place / "items.txt").write_text("d\nb\na\n")
    options = ("--model", "v1", "-k", "3")
    _, rows, _ = call("search", world, "a car", *options)
    assert [row["item_id"] for row in rows] == ["a", "b", "d"]


def test_reference() -> None:
    _, metrics, _ = call("metrics")
    names = {row["metric"] for row in metrics}
    assert {"P", "AP(retrieved)", "nDCG(ideal=retrieved)", "RBP(0.95)", "num_rel_ret"} <= names
    told = ["metric", "formula", "source", "summary"]
    assert len(names) == len(metrics) and all(row[key] for row in metrics for key in told)
    assert list(metrics[0]) == [*told, "agrees", "differs"]
    _, protocols, _ = call("protocols")
    assert {"trec", "alfa"} <= {row["protocol"] for row in protocols}
    _, keys, _ = call("keys")
    assert {"collection", "baseline", "groups", "min_similarity"} <= {row["key"] for row in keys}


def test_another_protocol_is_not_taken_in_silence(world: Path) -> None:
    """The first protocol of collection.toml cannot judge; judgements alone could."""
    (world / "qrels.txt").write_text("q1 0 a 1\n")
    (world / "unified_annotation.csv").unlink()
    calls = [("measure",), ("compare",), ("slices",), ("search", "--item", "a")]
    for command, *words in calls:
        code, rows, errors = call(command, world, *words)
        assert (code, rows) == (2, []) and "has nothing that the protocol 'alfa' can" in errors
        assert "Choose protocol = trec, or name one under protocols in collection.toml." in errors
    assert call("measure", world, "--protocol", "trec")[0] == 0
    with pytest.raises(ValueError, match="nothing that the protocol 'alfa'"):
        dashboard.open(world).measure()
    code, rows, _ = call("check", world)
    assert code == 1 and "protocols names 'alfa'" in rows[0]["found"]


def test_cutoffs_of_a_collection(world: Path) -> None:
    """P and R, shown at several cutoffs, are cut at each; nDCG, shown at one, at the deepest."""
    (world / "collection.toml").write_text('protocols = ["alfa", "context"]\ncutoffs = [4, 2]\n')
    _, rows, _ = call("measure", world, "--runs", "v1")
    named = [(row["metric"], row["cutoff"]) for row in rows]
    assert named == [("P", 2), ("P", 4), ("R", 2), ("R", 4), ("AP", None), ("nDCG", 4)]
    _, rows, _ = call("measure", world, "--runs", "v1", "--protocol", "context")
    assert {row["cutoff"] for row in rows} == {50}


def test_no_text_acts_on_a_terminal() -> None:
    assert write_rows([{"item": "a\x1b[2Jb\n"}], ("item",), "table") == "item\na\ufffd[2Jb\ufffd\n"


def test_search_in_results_of_stored_queries(world: Path) -> None:
    (world / "runs").mkdir()
    (world / "runs" / "r.trec").write_text("q1 Q0 a 1 2 t\n")
    (world / "qrels.txt").write_text("q1 0 a 1\n")
    asked = ("search", world, "--model", "r", "--item")
    code, rows, errors = call(*asked, "b")
    assert (code, rows) == (2, []) and "runs/r: found results of stored queries only" in errors
    code, rows, errors = call(*asked, "a")  # the stored query q3
    assert (code, rows, errors) == (0, [], "note: r finds nothing for this query\n")


def test_a_regression_of_all_queries_alike_is_one(tmp_path: Path) -> None:
    """There is no interval then, and the test is clear."""
    queries = range(30)
    (tmp_path / "q.txt").write_text("".join(f"q{n} 0 a 1\n" for n in queries))
    (tmp_path / "good.trec").write_text("".join(f"q{n} Q0 a 1 2 t\n" for n in queries))
    (tmp_path / "bad.trec").write_text("".join(f"q{n} Q0 b 1 2 t\n" for n in queries))
    files = ["--qrels", str(tmp_path / "q.txt")]
    for name in ("good", "bad"):
        files += ["--run", str(tmp_path / f"{name}.trec")]
    pair = ("--baseline", "good", "--candidate", "bad", "--metrics", "P@1")
    code, (row,), _ = call("compare", *files, *pair)
    assert (code, row["delta"], row["low"]) == (1, -1, None)
    code, _, errors = call("compare", *files, "--baseline", "bad", "--candidate", "bad")
    assert code == 0 and "name two versions" in errors
    assert "Give a second --run FILE." in call("compare", *files[:4])[2]


def test_what_is_gone_names_its_successor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "100")
    for words, said in (
        (["measure", "driving", "--submission=a=b"], "submissions/NAME/"),
        (["prepare", "driving"], "no preparation"),
    ):
        with pytest.raises(SystemExit) as end:
            main(words)
        told = capsys.readouterr().err
        assert end.value.code == 2 and said in told and "DASHBOARD_CACHE_MB is not used" in told


def test_a_stopped_call_says_so(
    world: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dashboard.commands import check

    def stop(call: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "answer", stop)
    assert main(["check", str(world)]) == 2
    assert capsys.readouterr().err == "error: stopped before the end\n"
