"""The command line, as another program calls it: rows, formats, exit codes, complaints."""

from __future__ import annotations

import csv
import io
import json
import resource
import shutil
import signal
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.__main__ import ENTERED_BY, STAYS, _parser, main
from dashboard.commands import searching
from dashboard.commands.output import printed
from dashboard.storage.collection.collection import open_collection
from tests.retrieval.networks import mean_colours, see, weighted
from tests.storage.tiny import make_collection

ROOT = Path(__file__).resolve().parents[1]
RUN = "".join(
    f"q{q} Q0 d{(q + rank * step) % 9} {rank} {1 - rank / 10} x\n"
    for step in (2,)
    for q in (1, 2, 3)
    for rank in (1, 2, 3, 4)
)
QRELS = "q1 0 d3 2\nq1 0 d5 1\nq2 0 d4 1\nq3 0 d0 0\n"


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dashboard", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def rows(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> list[dict]:
    """The rows of a call in this process, as JSON."""
    found = main([*map(str, arguments), "--format", "json"])
    out, err = capsys.readouterr()
    assert found == code, err
    return list(json.loads(out, parse_constant=pytest.fail))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("imported", ["numpy", "utf_8_sig"], ids=["starting", "reading"])
def test_a_stopped_call_says_one_sentence(
    imported: str, number: signal.Signals, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path))
    command = [sys.executable, "-X", "importtime", "-m", "dashboard", "measure", "driving"]
    # in the background of a script, Ctrl-C is ignored, and by what is started there, too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    child = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    with child:
        assert child.stderr is not None
        assert any(imported in line for line in child.stderr)
        child.send_signal(number)
        told = [line for line in child.stderr if not line.startswith("import time:")]
    assert (child.returncode, told) == (2, [f"stopped; {STAYS}\n"])


def test_a_search_says_that_it_prints_no_more_results(tiny: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(searching, "DEEPEST", 2)
    for k, said in (("3", "-k 3: a search prints 2 results of a version at most"), ("2", "")):
        assert main(["search", str(tiny), "car", "--model", "v0.1", "-k", k]) == 0
        out, err = capsys.readouterr()
        assert len(out.splitlines()) == 3 and (said in err if said else "at most" not in err)


@pytest.mark.parametrize("name", ENTERED_BY)
def test_whoever_stops_a_command_reads_one_sentence(name: str, monkeypatch, capsys) -> None:
    def stopped(call: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ArgumentParser, "parse_args", lambda *_: Namespace(answer=stopped))
    assert main([name]) == 2
    assert capsys.readouterr() == ("", f"stopped; {STAYS}\n")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    from dashboard.storage.collection.collection import open_collection
    from dashboard.storage.collection.query_keywords import write_mapping
    from dashboard.tables import QUERY_KEYWORDS

    folder = make_collection(tmp_path / "tiny")
    mapping = QUERY_KEYWORDS.empty()
    objects, acts = "pv_object_type", "pv_actor_behavior"
    for row in [
        ("q1", "car", objects, "small vehicle", 1.0, False),
        ("q2", "person", objects, "pedestrian", 1.0, False),
        ("q3", "cyclist", objects, "bicyclist", 0.8, False),
        ("q3", "entering ego lane", acts, "entering ego path", 0.7, False),
    ]:
        mapping.loc[len(mapping)] = row
    collection = open_collection(folder, allow_path=True)
    settings = {"encoder": "by hand", "threshold": 0.6}
    write_mapping(folder, mapping, collection.vocabulary, collection.queries, settings)
    return folder


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Judgements and two runs."""
    qrels, first, second = tmp_path / "qrels.txt", tmp_path / "a.trec", tmp_path / "b.run.txt"
    qrels.write_text(QRELS)
    first.write_text(RUN)
    second.write_text("q1 Q0 d3 1 0.9 y\nq1 Q0 d5 2 0.8 y\nq2 Q0 d0 1 0.5 y\n")
    return qrels, first, second


def test_measure_prints_means_with_their_counts(tiny: Path, capsys) -> None:
    table = rows(capsys, "measure", tiny, "--metrics", "P@1 AP nDCG@3")
    assert list(table[0]) == ["run", "metric", "cutoff", "mean", "scored", "total"]
    assert [(row["run"], row["metric"], row["cutoff"]) for row in table[:3]] == [
        ("v0.1", "P", 1),
        ("v0.1", "AP", None),
        ("v0.1", "nDCG", 3),
    ]
    assert all(row["scored"] == row["total"] == 3 for row in table)


def test_measure_by_query_gives_null_never_nan(tiny: Path, capsys) -> None:
    table = rows(capsys, "measure", tiny, "--metrics", "P@1", "--by-query", "--queries", "all")
    assert list(table[0]) == ["run", "query_id", "metric", "cutoff", "value"]
    assert len(table) == 2 * 5
    values = {row["query_id"]: row["value"] for row in table if row["run"] == "v0.2"}
    assert values["item_v00"] is None, "no other clip has both keywords"
    assert values["q1"] in (0, 1)


def test_a_mean_is_the_mean_of_its_queries(tiny: Path, capsys) -> None:
    arguments = ("measure", tiny, "--metrics", "nDCG@3 CAG(DCG)@3", "--queries", "all")
    for mean in rows(capsys, *arguments):
        each = [
            row["value"]
            for row in rows(capsys, *arguments, "--by-query")
            if (row["run"], row["metric"]) == (mean["run"], mean["metric"])
        ]
        scored = [value for value in each if value is not None]
        assert mean["mean"] == pytest.approx(np.mean(scored), abs=1e-12)
        assert (mean["scored"], mean["total"]) == (len(scored), len(each))


def test_runs_groups_and_threshold_choose(tiny: Path, capsys) -> None:
    one = rows(capsys, "measure", tiny, "--runs", "v0.2", "--metrics", "R@3")
    assert [row["run"] for row in one] == ["v0.2"]
    narrow = ("--groups", "pv_actor_behavior", "--threshold", "0.75")
    none = rows(capsys, "measure", tiny, "--metrics", "R@3", *narrow)
    assert all(row["mean"] is None and row["scored"] == 0 for row in none)


def test_plain_files_are_measured_by_trec_evals_rules(files, capsys) -> None:
    qrels, first, second = files
    metrics = ("--metrics", "P@2 RR AP", "--by-query")
    table = rows(capsys, "measure", "--qrels", qrels, "--run", first, "--run", second, *metrics)
    value = {(row["run"], row["query_id"], row["metric"]): row["value"] for row in table}
    assert value["a", "q1", "RR"] == 1
    assert value["b.run", "q1", "AP"] == 1
    assert value["b.run", "q3", "AP"] == 0, "nothing relevant counts 0"
    assert value["b.run", "q2", "P"] == 0


def test_equal_stems_are_refused(files, tmp_path: Path, capsys) -> None:
    qrels, first, _ = files
    (tmp_path / "other").mkdir()
    same = tmp_path / "other" / "a.csv"
    same.write_text("query_id,item_id,score\nq1,d3,1\n")
    assert main(["measure", "--qrels", str(qrels), "--run", str(first), "--run", str(same)]) == 2
    assert "two runs are called 'a'" in capsys.readouterr().err


def test_compare_prints_the_row_of_the_interface(tiny: Path, capsys) -> None:
    arguments = (
        "compare",
        tiny,
        "--baseline",
        "v0.1",
        "--candidate",
        "v0.2",
        "--metrics",
        "P@1 AP",
    )
    table = rows(capsys, *arguments)
    columns = "metric cutoff baseline candidate delta low high p scored total better same worse"
    assert list(table[0])[:13] == columns.split()
    for row in table:
        assert row["delta"] == pytest.approx(row["candidate"] - row["baseline"], abs=1e-12)
        assert row["better"] + row["same"] + row["worse"] == row["scored"] == 3


def test_a_clear_regression_exits_with_one(tmp_path: Path, capsys) -> None:
    qrels, good, bad = (tmp_path / name for name in ("qrels.txt", "good.trec", "bad.trec"))
    qrels.write_text("".join(f"q{i} 0 d 1\n" for i in range(30)))
    good.write_text("".join(f"q{i} Q0 d 1 1 x\n" for i in range(30)))
    bad.write_text("".join(f"q{i} Q0 e 1 1 x\n" for i in range(30)))
    files = ("--qrels", qrels, "--run", good, "--run", bad, "--metrics", "P@1")
    fell = rows(capsys, "compare", *files, "--baseline", "good", "--candidate", "bad", code=1)
    assert (fell[0]["delta"], fell[0]["worse"]) == (-1, 30)
    rows(capsys, "compare", *files, "--baseline", "bad", "--candidate", "good")


def test_search_ticks_what_it_finds(tiny: Path, capsys) -> None:
    table = rows(capsys, "search", tiny, "cyclist entering ego lane", "-k", "2")
    columns = ["run", "rank", "item_id", "score", "hit", "matched", "required"]
    assert list(table[0]) == columns
    assert [(row["run"], row["rank"]) for row in table] == [
        ("v0.1", 1), ("v0.1", 2), ("v0.2", 1), ("v0.2", 2),
    ]  # fmt: skip
    found = {row["item_id"]: row for row in table}
    assert (found["v02"]["hit"], found["v02"]["matched"], found["v02"]["required"]) == (True, 2, 2)


def test_a_version_that_cannot_be_asked_is_left_out_and_said(tiny: Path, capsys) -> None:
    (tiny / "runs").mkdir()
    (tiny / "runs" / "bm25.trec").write_text("q1 Q0 v03 1 0.5 x\n")
    main(["search", str(tiny), "--item", "v03", "-k", "1", "--format", "json"])
    out, err = capsys.readouterr()
    assert [row["run"] for row in json.loads(out)] == ["v0.1", "v0.2"]
    assert err.count("\n") == 1
    assert "runs/bm25" in err


def test_a_search_of_all_versions_ends_with_2_where_one_is_broken(tiny: Path, capsys) -> None:
    (tiny / "models" / "v0.2" / "items.npy").write_bytes(b"no vectors")
    table = rows(capsys, "search", tiny, "--item", "v03", "-k", "1", code=2)
    assert [row["run"] for row in table] == ["v0.1"]
    rows(capsys, "search", tiny, "--item", "v03", "-k", "1", "--model", "v0.1")


def test_a_comparison_of_nothing_that_is_scored_ends_with_1(tmp_path: Path, capsys) -> None:
    """Nothing is relevant, so that no metric of the protocol has a value in either version."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.trec"
    qrels.write_text("q1 0 d 0\n")
    run.write_text("q1 Q0 d 1 1 x\n")
    (tmp_path / "b.trec").write_text(run.read_text())
    files = ("--qrels", qrels, "--run", run, "--run", tmp_path / "b.trec")
    pair = ("--baseline", "a", "--candidate", "b", "--protocol", "crossmodal")
    table = rows(capsys, "compare", *files, *pair, code=1)
    assert {row["scored"] for row in table} == {0}


def test_search_by_an_item_leaves_it_out_and_clamps_k(tiny: Path, capsys) -> None:
    for name in ("v00", "v00.mp4"):
        table = rows(capsys, "search", tiny, "--item", name, "--model", "v0.2", "-k", "2000000000")
        assert sorted(row["item_id"] for row in table) == ["v01", "v02", "v03"]


def test_search_by_a_clip_of_the_collection(tiny: Path, tmp_path: Path, capsys) -> None:
    (tiny / "media").mkdir()
    (tiny / "media" / "v00.mp4").write_bytes(b"frames")
    copy, other = tmp_path / "v00.mp4", tmp_path / "v01.mp4"
    copy.write_bytes(b"frames")
    other.write_bytes(b"something else")
    table = rows(capsys, "search", tiny, "--file", copy, "-k", "1")
    assert "v00" not in {row["item_id"] for row in table}
    assert main(["search", str(tiny), "--file", str(other)]) == 2
    assert "no clip that is in the collection" in capsys.readouterr().err


def test_search_by_a_picture_and_what_it_should_find(tiny: Path, tmp_path: Path, capsys) -> None:
    """The mean of red becomes the first of eight numbers: the item that has most of it is first."""
    weights = np.zeros((3, 8))
    weights[0, 0] = 1
    mean_colours(tiny / "networks/means.onnx", 3)
    for version in ("v0.1", "v0.2"):
        weighted(tiny / f"models/{version}/picture.onnx", weights)
        see(tiny, version, 'before = "means.onnx"\nsize = [4, 4]\n')
    red = tmp_path / "red.png"
    Image.new("RGB", (30, 20), "red").save(red)
    vectors = np.load(tiny / "models/v0.2/items.npy")[:, 0]
    wanted = [f"v{place:02d}" for place in np.argsort(-vectors)]
    table = rows(capsys, "search", tiny, "--file", red, "--model", "v0.2", "-k", "4")
    assert [row["item_id"] for row in table] == wanted
    assert {row["hit"] for row in table} == {None}, "nobody said what it should find"
    told = rows(capsys, "search", tiny, "person crossing", "--file", red, "--model", "v0.2")
    assert [row["item_id"] for row in told] == wanted
    assert {row["item_id"]: row["hit"] for row in told}["v01"] is True
    (tiny / "media").mkdir()
    (tiny / "media/v00.mp4").write_bytes(b"frames")
    assert main(["search", str(tiny), "car", "--file", str(tiny / "media/v00.mp4")]) == 2
    assert "is the item 'v00'" in capsys.readouterr().err
    assert main(["search", str(tiny), "--file", str(tmp_path / "none.png")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_keywords_of_a_stored_text_are_the_stored_ones(tiny: Path, capsys) -> None:
    table = rows(capsys, "keywords", tiny, "cyclist entering ego lane", "--threshold", "0.75")
    assert list(table[0]) == ["ngram", "keyword", "group", "score", "kept"]
    assert [(row["keyword"], row["kept"]) for row in table] == [
        ("bicyclist", True),
        ("entering ego path", False),
    ]


def test_metrics_are_the_registry(capsys) -> None:
    from dashboard.evaluation.metrics import REGISTRY

    table = rows(capsys, "metrics")
    assert list(table[0]) == ["metric", "formula", "source", "summary"]
    assert len(table) == len(REGISTRY)
    assert all(row["formula"] and row["source"] and row["summary"] for row in table)


def test_check_says_what_is_wrong_and_exits_with_one_for_errors(tiny: Path, capsys) -> None:
    table = rows(capsys, "check", tiny)
    assert list(table[0]) == ["level", "file", "line", "found", "wanted"]
    assert [row["level"] for row in table] == ["warning", "note", "note"]
    assert "4 of 4 items whose media are not shown: missing" in table[0]["found"]
    (tiny / "models/v0.1/items.npy").write_bytes(b"")
    table = rows(capsys, "check", tiny, code=1)
    assert table[0] == {
        "level": "error",
        "file": "models/v0.1/items.npy",
        "line": None,
        "found": "an empty file",
        "wanted": "an array in .npy format",
    }
    (tiny / "items.csv").write_text("item_id\n")
    assert rows(capsys, "check", tiny, code=1)[0]["file"] == "items.csv"


WRONG = {
    "no such collection": (["check", "nothing"], "no such collection"),
    "a name that leads out": (["measure", "../tiny"], "no such collection"),
    "an unknown version": (["measure", "TINY", "--runs", "v9"], "no such version"),
    "an unknown metric": (["measure", "TINY", "--metrics", "nDGC@5"], "nDCG"),
    "an unknown protocol": (["measure", "TINY", "--protocol", "x"], "no protocol 'x'"),
    "an unknown group": (["measure", "TINY", "--groups", "colour"], "no group 'pv_colour'"),
    "neither form": (["measure"], "name a COLLECTION, or give --qrels"),
    "both forms": (["measure", "TINY", "--qrels", "x", "--run", "y"], "name a COLLECTION"),
    "a run that is not there": (["measure", "--qrels", "x", "--run", "y"], "x: found no such file"),
    "an empty text": (["search", "TINY", " "], "empty"),
    "no text at all": (["search", "TINY"], "one of TEXT, --item ID"),
    "an unknown item": (["search", "TINY", "--item", "v99"], "no item 'v99'"),
    "no qrels": (["measure", "TINY", "--protocol", "trec"], "no qrels"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_is_one_line_on_stderr_and_exit_two(tiny: Path, case: str, capsys) -> None:
    arguments, said = WRONG[case]
    code = main([str(tiny) if word == "TINY" else word for word in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [["search", "x", "t", "-k", "0"], ["search", "x", "t", "-k", "1e9"], ["fly"], []]
)
def test_what_cannot_be_parsed_exits_with_two(arguments: list[str], capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def test_labels_that_were_refused_give_no_number(tiny: Path, capsys) -> None:
    (tiny / "unified_annotation.csv").write_text("slice_id,pv_object_type\nv00,car,x\n")
    assert main(["measure", str(tiny)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "unified_annotation.csv, line 2" in err


def test_the_three_formats_of_one_table() -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"run": ["=1+1", "-x", "plain"], "value": [-0.5, np.nan, 1 / 3], "n": [1, 2, 3]}
    )
    assert json.loads(printed(frame, "json"))[1] == {"run": "-x", "value": None, "n": 2}
    cells = list(csv.reader(io.StringIO(printed(frame, "csv"))))
    assert cells[1:] == [["'=1+1", "-0.5", "1"], ["'-x", "", "2"], ["plain", repr(1 / 3), "3"]]
    lines = printed(frame, "table").split("\n")
    assert lines[0].split() == ["run", "value", "n"]
    assert lines[2].split() == ["-x", "–", "2"]
    assert printed(frame[:0], "json") == "[]"


def test_a_whole_number_beside_a_null_stays_whole_in_csv() -> None:
    import pandas as pd

    frame = pd.DataFrame({"cutoff": pd.array([62, None], dtype="Int64"), "mean": [0.5, 2.0]})
    assert printed(frame, "csv") == "cutoff,mean\n62,0.5\n,2.0"


def test_the_whole_program_in_its_own_process(tiny: Path) -> None:
    done = call("measure", tiny, "--metrics", "P@1", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "run,metric,cutoff,mean,scored,total"
    done = call("check", "nothing", "--format", "json")
    assert (done.returncode, done.stdout) == (2, "")


def test_numbers_need_no_language_model_and_start_quickly(tiny: Path) -> None:
    code = (
        "import sys\nfrom dashboard.__main__ import main\n"
        f"main(['measure', {str(tiny)!r}])\n"
        "slow = {'scipy.stats', 'altair', 'sqlalchemy'} & set(sys.modules)\n"
        "slow and sys.exit(f'{slow} loaded')\n"
        f"main(['compare', {str(tiny)!r}, '--baseline', 'v0.1', '--candidate', 'v0.2'])\n"
        f"main(['check', {str(tiny)!r}])\nmain(['metrics'])\n"
        "slow = {'torch', 'keybert', 'transformers', 'streamlit'} & set(sys.modules)\n"
        "sys.exit(f'{slow} loaded' if slow else 0)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert after.ru_utime - before.ru_utime < 10, "seconds of the processor, 2 or 3 as a rule"


def test_a_command_that_is_entered_alone_is_the_one_among_all() -> None:
    every = _parser()._subparsers._group_actions[0].choices
    for name in ENTERED_BY:
        alone = _parser(name)._subparsers._group_actions[0].choices
        assert list(alone) == [name]
        assert alone[name].format_help() == every[name].format_help()


def test_a_wrong_call_is_one_line_on_stderr(capsys):
    for call in (["search", "driving", "x", "-k", "0"], ["compare", "driving"], ["nothing"]):
        with pytest.raises(SystemExit) as stopped:
            main(call)
        assert stopped.value.code == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_no_metric_is_not_the_usual_metrics(capsys):
    assert main(["measure", "driving", "--metrics", ""]) == 2
    assert "names no metric" in capsys.readouterr().err


def test_what_files_of_runs_lack_is_said(tmp_path, capsys):
    (tmp_path / "judged.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "a.trec").write_text("q1 Q0 a 1 1 x\nq9 Q0 a 1 1 x\n")
    files = ["--qrels", str(tmp_path / "judged.txt"), "--run", str(tmp_path / "a.trec")]
    assert main(["measure", *files, "--metrics", "P@1"]) == 0
    said = capsys.readouterr().err
    assert "no results for 1 of 2 judged queries (q2)" in said
    assert "1 query without judgements (q9)" in said


def test_equal_scores_of_a_file_stand_as_trec_eval_puts_them_in_every_protocol(tmp_path, capsys):
    (tmp_path / "judged.txt").write_text("q 0 b 1\n")
    (tmp_path / "a.trec").write_text("q Q0 a 1 0.5 x\nq Q0 b 2 0.5 x\n")
    files = ["--qrels", str(tmp_path / "judged.txt"), "--run", str(tmp_path / "a.trec")]
    for protocol in ("trec", "crossmodal", "composed"):
        call = ["measure", *files, "--metrics", "RR", "--protocol", protocol, "--format", "json"]
        assert main(call) == 0
        assert '"mean": 1.0' in capsys.readouterr().out, protocol


def test_unlike_versions_are_not_compared_unless_asked_to(tmp_path, capsys):
    folder = make_collection(tmp_path / "tiny")
    place = folder / "models" / "v0.2"
    np.save(place / "items.npy", np.load(place / "items.npy")[:-1])
    (place / "items.txt").write_text("v00\nv01\nv02\n")
    call = ["compare", str(folder), "--baseline", "v0.1", "--candidate", "v0.2"]
    assert main([*call, "--queries", "item"]) == 2
    assert "lacks 1 item " in capsys.readouterr().err
    assert main([*call, "--queries", "item", "--anyway"]) in (0, 1)


@pytest.mark.parametrize("missing", ["models", "unified_annotation.csv"])
def test_check_says_what_is_missing_altogether(tmp_path, capsys, missing):
    folder = make_collection(tmp_path / "tiny")
    gone = folder / missing
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    assert main(["check", str(folder), "--format", "json"]) == 1
    assert missing in capsys.readouterr().out


def test_groups_of_ones_own_count_by_default(tmp_path):
    folder = make_collection(tmp_path / "tiny")
    (folder / "collection.toml").write_text('groups = ["pv_object_type"]\n')
    opened = open_collection(folder, allow_path=True)
    assert opened.default_groups == ("pv_object_type",)
    assert opened.findings.empty or "default_groups" not in opened.findings.to_string()
