"""The gate for CI: what fails, what does not, and what is written down about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.commands.gate.checks import Check, check_slices, check_whole
from dashboard.commands.gate.conditions import conditions, sliced
from dashboard.commands.gate.formats import junit, summary
from tests.storage.tiny import make_collection

QUERIES = 24


def measured(values: Sequence[float]) -> pd.DataFrame:
    """Measurements of P@5 whose candidate differs from 0.5 by `values`, one a query."""
    rows = [("a", f"q{n:02}", "P", 5, 0.5) for n in range(len(values))]
    rows += [("b", f"q{n:02}", "P", 5, 0.5 + value) for n, value in enumerate(values)]
    table = pd.DataFrame(rows, columns=["run", "query_id", "metric", "cutoff", "value"])
    return table.astype({"cutoff": "Int64"})


def alternating(mean: float, spread: float, number: int = QUERIES) -> list[float]:
    return [mean + (spread if n % 2 else -spread) for n in range(number)]


@pytest.mark.parametrize(
    ("differences", "condition", "outcome"),
    [
        (alternating(-0.10, 0.02), "P@5<0", "failed"),  # every query fell
        (alternating(-0.02, 0.30), "P@5<0", "passed"),  # half fell by 0.32, half rose by 0.28
        (alternating(-0.10, 0.02), "P@5<-0.2", "passed"),  # fell, but by less than the limit
        (alternating(-0.10, 0.30), "P@5<-0.05", "passed"),  # beyond the limit, but by chance
        (alternating(-0.30, 0.05), "P@5<-0.2", "failed"),
        (alternating(0.10, 0.02), "P@5<0", "passed"),
        (alternating(0.01, 0.001), "P@5<0.05", "failed"),  # at least +0.05 was wanted
        ([0.0] * QUERIES, "P@5<0", "passed"),
        ([-0.5], "P@5<0", "undecided"),  # one query has no interval
        ([float("nan")] * QUERIES, "P@5<0", "undecided"),
    ],
)
def test_a_drop_fails_where_its_interval_lies_below_the_limit(
    differences: list[float], condition: str, outcome: str
) -> None:
    (check,) = check_whole(measured(differences), "a", "b", conditions(condition))
    assert check.outcome == outcome, check
    assert check.breaks == (outcome in ("failed", "undecided"))


def test_queries_of_one_scene_are_one_piece_of_evidence() -> None:
    table, condition = measured(alternating(-0.10, 0.02)), conditions("P@5<0")
    scenes = {f"q{n:02}": "all the same" for n in range(QUERIES)}
    (check,) = check_whole(table, "a", "b", condition, scenes)
    assert check.outcome == "undecided"


def slices(**parts: range) -> pd.DataFrame:
    rows = [(f"q{n:02}", "keyword", name) for name, part in parts.items() for n in part]
    return pd.DataFrame(rows, columns=["query_id", "by", "slice"])


def test_each_slice_is_judged_and_small_ones_are_only_listed() -> None:
    table = measured([*alternating(-0.2, 0.02, 12), *alternating(0.2, 0.02, 12)])
    parts = slices(car=range(12), bus=range(12, 24), tram=range(4), none=range(0))
    found = check_slices(table, "a", "b", conditions("P@5<0"), parts)
    outcomes = {each.name: each.outcome for each in found}
    assert outcomes == {
        "P@5<0 where keyword is car": "failed",
        "P@5<0 where keyword is bus": "passed",
        "P@5<0 where keyword is tram": "small",
    }
    assert "4 queries" in found[2].reason and not found[2].breaks
    (whole,) = check_whole(table, "a", "b", conditions("P@5<0"))
    assert whole.outcome == "passed", "over all queries nothing changed"


def test_many_slices_are_corrected_for_their_number() -> None:
    # as far from 0 are only sums whose 7 large terms agree: p = 2 · 2³ ÷ 2¹⁰ = 0.016, · 5 = 0.078
    fell = [-0.1] * 7 + [0.02] * 3
    alone = check_slices(measured(fell), "a", "b", conditions("P@5<0"), slices(one=range(10)))
    assert [each.outcome for each in alone] == ["failed"]
    assert "p = 0.016 against 0" in alone[0].reason
    names = {f"s{n}": range(n * 10, n * 10 + 10) for n in range(5)}
    many = check_slices(measured(fell * 5), "a", "b", conditions("P@5<0"), slices(**names))
    assert {each.outcome for each in many} == {"passed"}
    assert "p = 0.078 against 0" in many[0].reason


def test_a_slice_that_is_one_scene_never_fails() -> None:
    scenes = {f"q{n:02}": "one" for n in range(12)}
    table = measured(alternating(-0.2, 0.02, 12))
    (check,) = check_slices(table, "a", "b", conditions("P@5<0"), slices(x=range(12)), scenes)
    assert check.outcome == "small" and "no interval" in check.reason


def test_slices_are_asked_for_by_short_names() -> None:
    table = pd.DataFrame(
        [("q", by, "x") for by in ("pv_scene_type", "kind of query", "query length", "city")],
        columns=["query_id", "by", "slice"],
    )
    assert set(sliced(table, "keyword, kind")["by"]) == {"pv_scene_type", "kind of query"}
    assert set(sliced(table, "city,pv_scene_type")["by"]) == {"city", "pv_scene_type"}
    with pytest.raises(ValueError, match="'town'; there is keyword, kind, length, pv_scene_type,"):
        sliced(table, "town")
    with pytest.raises(ValueError, match="no slices are named"):
        sliced(table, " , ")


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable:
    """Compares two runs of 16 queries whose one relevant item the candidate loses in `lost`."""
    (tmp_path / "qrels.txt").write_text("".join(f"q{n} 0 d{n} 1\n" for n in range(16)))
    (tmp_path / "a.trec").write_text("".join(f"q{n} Q0 d{n} 1 1 a\n" for n in range(16)))

    def called(lost: int, *more: object) -> tuple[int, str, str]:
        lines = (f"q{n} Q0 {'x' if n < lost else 'd'}{n} 1 1 b\n" for n in range(16))
        (tmp_path / "b.trec").write_text("".join(lines))
        files = ["--qrels", "qrels.txt", "--run", "a.trec", "--run", "b.trec"]
        found = [str(tmp_path / each) if "." in each else each for each in files]
        command = ["compare", *found, "--baseline", "a", "--candidate", "b", *map(str, more)]
        return main(command), *capsys.readouterr()

    return called


def test_the_exit_code_is_the_verdict(call: Callable, tmp_path: Path) -> None:
    xml, markdown = tmp_path / "gate.xml", tmp_path / "gate.md"
    written = ("--junit", xml, "--summary", markdown, "--format", "json")
    code, out, err = call(12, "--fail-on", "P@1<-0.1 RR<0", *written)
    assert code == 1
    assert [row["metric"] for row in json.loads(out)] == ["P", "RR"]
    assert "failed: P@1<-0.1: -0.750, 95 % from" in err
    suite = ElementTree.parse(xml).getroot().find("testsuite")
    assert suite is not None and suite.get("failures") == "2"
    text = markdown.read_text(encoding="utf-8")
    assert "2 of 2 checks fail" in text
    assert "lies entirely below the limit" in text, "the rule is said"
    assert call(1, "--fail-on", "P@1<-0.1", *written)[0] == 0
    assert "passes" in markdown.read_text(encoding="utf-8")


def test_without_conditions_compare_is_as_it_was(call: Callable) -> None:
    assert call(0)[0] == 0
    assert call(12)[0] == 1, "its own rule: an interval below 0"


def test_known_queries_are_held_to_what_they_do(call: Callable, tmp_path: Path) -> None:
    known = tmp_path / "known.csv"
    known.write_text("query_id,metric,least,status\nq1,P@1,1,good\nq0,P@1,1,fails\n")
    gate = ("--fail-on", "P@1<-0.9", "--known", known)
    code, _, err = call(1, *gate)
    assert (code, err) == (0, ""), "q0 fails as it is known to, q1 is good"
    code, _, err = call(2, *gate)
    assert code == 1
    assert err == "failed: q1 P@1 at least 1 (good): 0.000; it was known to be good\n"
    code, _, err = call(0, *gate)
    assert code == 1
    assert "q0 P@1 at least 1 (fails): 1.000" in err and "promote it to good" in err


def test_known_queries_alone_make_a_gate(call: Callable, tmp_path: Path) -> None:
    known = tmp_path / "known.csv"
    known.write_text("query_id,metric,least,status\nq15,RR,0.5,good\n")
    assert call(1, "--known", known)[0] == 0
    code, _, err = call(12, "--known", known)
    assert code == 1 and "failed: RR<0" in err, "a drop still fails"


def test_a_known_query_that_is_not_asked_is_reported_where_all_else_is(
    call: Callable, tmp_path: Path
) -> None:
    known, junit, summary = (tmp_path / name for name in ("known.csv", "gate.xml", "gate.md"))
    known.write_text("query_id,metric,least,status\nq1,P@1,1,good\ngone,P@1,1,good\n")
    code, out, err = call(0, "--known", known, "--junit", junit, "--summary", summary)
    assert code == 1 and "P" in out
    sentence = "no such query is measured here (known.csv, line 3): correct or remove it"
    assert err == f"undecided: gone P@1 at least 1 (good): {sentence}\n"
    suite = ElementTree.parse(junit).getroot()
    assert suite.get("errors") == "1" and sentence in junit.read_text()
    assert "q1 P@1 at least 1 (good)" in junit.read_text()
    assert sentence in summary.read_text() and "1 of 3 checks fail" in summary.read_text()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("q1,P@1,1,maybe", "line 2: found the status 'maybe'; wanted good or fails"),
        ("q1,Q@1,1,good", "line 2: found the metric 'Q@1'"),
        ("q1,P@1,much,good", "line 2: found least 'much'; wanted a finite number"),
        ("q1,P@1,1,good\nq1,P@1,0,good", "q1"),
    ],
)
def test_a_bad_file_of_known_queries_is_named_with_its_line(
    call: Callable, tmp_path: Path, lines: str, said: str
) -> None:
    (tmp_path / "known.csv").write_text(f"query_id,metric,least,status\n{lines}\n")
    code, _, err = call(0, "--known", tmp_path / "known.csv")
    assert code == 2
    assert err.startswith("known.csv") and said in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--fail-on", "P@5"), "'P@5' is not a condition"),
        (("--fail-on", "P@5<"), "'' is not a limit"),
        (("--fail-on", "P@5<=0"), "'=0' is not a limit"),
        (("--fail-on", "P@5>0"), "'P@5>0' is not a condition"),
        (("--fail-on", "P@5<nan"), "'nan' is not a limit"),
        (("--fail-on", "P@5<1e999"), "'1e999' is not a limit"),
        (("--fail-on", "Q@5<0"), "no metric 'Q'"),
        (("--fail-on", "P<0"), "needs a cutoff"),
        (("--fail-on", " "), "no condition is named"),
        (("--slices", "kind"), "--slices belongs to a gate"),
        (("--junit", "x.xml"), "--junit belongs to a gate"),
        (("--fail-on", "P@5<0", "--slices", "kind"), "--slices needs a COLLECTION"),
    ],
)
def test_a_malformed_gate_is_a_wrong_call(call: Callable, more: tuple[str, ...], said: str) -> None:
    code, out, err = call(0, *more)
    assert (code, out) == (2, "")
    assert said in err and err.count("\n") == 1


def test_settings_with_commas_stay_in_one_condition() -> None:
    found = conditions("CAG(DCG,w=3)@5 < -0.01, AP<0 AP<0")
    assert [str(each) for each in found] == ["CAG(DCG,w=3)@5<-0.01", "AP<0"]


def test_versions_that_are_not_comparable_fail_unless_let(tmp_path: Path, capsys) -> None:
    folder = make_collection(tmp_path / "tiny")
    place = folder / "models" / "v0.2"
    np.save(place / "items.npy", np.load(place / "items.npy")[:3])
    (place / "items.txt").write_text("v00\nv01\nv02\n")
    gate = ["compare", str(folder), "--baseline", "v0.1", "--candidate", "v0.2"]
    gate += ["--fail-on", "P@1<-1", "--queries", "item", "--groups", "pv_object_type"]
    assert main([*gate, "--slices", "kind"]) == 1
    assert "failed: may be compared: v0.2 lacks 1 item" in capsys.readouterr().err
    main([*gate, "--anyway"])
    assert "may be compared" not in capsys.readouterr().err


HOSTILE = '</failure>"&\x00\x1b\ufffe|`` [a](javascript:alert(1)) @team <b>\n# b\ud800 💥'


def test_junit_holds_any_text() -> None:
    checks = [Check("query", HOSTILE, "failed", HOSTILE), Check("slice", "x", "small", HOSTILE)]
    root = ElementTree.fromstring(junit(checks, HOSTILE).encode("utf-8"))
    case = root.findall("testsuite/testcase")[0]
    name = str(case.get("name"))
    assert name.startswith('</failure>"&\ufffd\ufffd\ufffd|`` [a]') and name.endswith("💥")
    assert [child.tag for child in case] == ["failure"]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("2", "1", "1")


def test_a_summary_holds_any_text_as_code() -> None:
    checks = [Check("query", HOSTILE, "failed", "x"), Check("query", "", "passed", "`")]
    comparison = pd.DataFrame(
        [("P", 5, 0.5, 0.4, -0.1, float("nan"), float("nan"), float("nan"), 3, 4)],
        columns=[
            "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p_holm", "scored",
            "total",
        ],
    )  # fmt: skip
    text = summary(checks, comparison, HOSTILE)
    text.encode("utf-8")
    for line in text.splitlines():
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        assert not re.search(r"javascript|@team|<b>", outside), line
        if line.startswith("| ❌"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 4, "three cells"
    assert "| `P@5` | 0.500 | 0.400 | -0.100 | – to – | – | 3 of 4 |" in text
