"""Checks of a comparison, worked by hand: judged pairs and files of results.

Of forty queries each has one relevant item; `good` has it first in all, `bad` in half of them, and
`near` in all but one. P@1 of `bad` against `good`: -0.5, of 38 twos of equal signs.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dashboard.__main__ import main
from dashboard.plugins.gate.checks import read_conditions
from tests.plugins.worlds import call

QUERIES = 40
RUNS = {"good": 0, "bad": QUERIES // 2, "near": 1, "a|`b`<i>": 0}
"""Queries whose first result is wrong, by the version."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    write_judged(QUERIES)
    for name, wrong in RUNS.items():
        lines = [f"q{n} Q0 {'x' if n < wrong else 'a'} 1 1 t\n" for n in range(QUERIES)]
        Path(f"{name}.trec").write_text("".join(lines))
    return ["--qrels", "judged.txt", *(word for name in RUNS for word in ("--run", f"{name}.trec"))]


def write_judged(queries: int) -> None:
    Path("judged.txt").write_text("".join(f"q{n} 0 a 1\n" for n in range(queries)))


def compare(files: list[str], baseline: str, candidate: str, *more: str) -> int:
    versions = ["--baseline", baseline, "--candidate", candidate]
    try:
        return main(["compare", *files, *versions, "--metrics", "P@1", "--format", "json", *more])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(
    ("candidate", "conditions", "code"),
    [
        ("bad", "P@1<0", 1),
        ("bad", "P@1<-0.3", 1),
        ("bad", "P@1<-0.9", 0),  # a clear loss, which alone would end with 1
        ("bad", "P@1 < -0.5, R@1<-0.6", 0),  # the interval reaches above both
        ("near", "P@1<0", 0),  # one lost query: the interval reaches to 0
        ("a|`b`<i>", "P@1<0 R@1<0", 0),
    ],
)
def test_fail_on(
    files: list[str], capsys: pytest.CaptureFixture[str], candidate: str, conditions: str, code: int
) -> None:
    assert compare(files, "good", candidate, "--fail-on", conditions) == code
    said = capsys.readouterr()
    assert said.err.startswith("failed: P@1<") == bool(code)
    assert ("all of it lies below" in said.err) == bool(code)
    over = json.loads(said.out)[0]["corrected_over"]
    assert over == ("P@1, R@1" if "R@1" in conditions else "P@1")


@pytest.mark.parametrize(
    ("pair", "conditions", "code", "said"),
    [
        (("bad", "good"), "P@1>-0.01", 0, ""),
        (("good", "near"), "P@1>-0.2", 0, ""),
        # 0 of 40 lost: the bootstrap's lower bound is 0; with a gain and a loss more it is not
        (("near", "good"), "P@1>-0.01", 1, "were there one query more"),
        (("good", "near"), "P@1>-0.01", 1, "a loss of 0.010 is not excluded; to see one of"),
        # nothing differs: of none in 40 at most 0.088 lose
        (("good", "a|`b`<i>"), "P@1>-0.5", 0, ""),
        (("good", "a|`b`<i>"), "P@1>-0.08", 1, "scored; a loss of 0.080 is not excluded\n"),
    ],
)
def test_require(files: list[str], capsys, pair, conditions: str, code: int, said: str) -> None:
    assert compare(files, *pair, "--require", conditions) == code
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--fail-on", "P@1"], 'write for example --fail-on "nDCG@10<'),
        (["--fail-on", "P@1<0 >"], "'>' is no such condition"),
        (["--fail-on", "P@1<nan"], "write for example"),
        (["--fail-on", "P@1<0 P@1<-0.1"], "P@1<0 and P@1<-0.1: give one"),
        (["--fail-on", "Q@1<0"], "no metric 'Q'"),
        (["--fail-on", "P@1<-2"], "choose a limit between -1 and 1"),
        (["--fail-on", "i2t_MdR<0"], "a median has no interval"),
        (["--require", "P@1>0"], 'nDCG@10>-0.01", a limit below 0.'),
        (["--require", "P@1>-2"], "choose a limit between -1 and 1"),
        (["--junit", "gone/file.xml"], "gone is no folder; make it first."),
        (["--markdown", "."], "Name a file in it"),
        (["--baseline", "bad", "--fail-on", "P@1<0"], "another version than bad"),
    ],
)
def test_wrong_calls(
    files: list[str], capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    assert compare(files, "good", "bad", *more) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and said in line


def test_a_name_may_hold_a_sign() -> None:
    (condition,) = read_conditions("P(H<=2) > -0.1", ">")
    assert condition.title == "require P(H<=2)>-0.1"


def test_one_query(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write_judged(1)
    for name in RUNS:
        Path(f"{name}.trec").write_text("q0 Q0 a 1 1 t\n")
    assert compare(files, "good", "bad", "--fail-on", "P@1<0") == 2
    assert "one query has no interval" in capsys.readouterr().err


def test_a_metric_without_a_value_fails(world: Path, tmp_path: Path) -> None:
    """Of four queries none has keywords under this threshold, so none is scored."""
    (world / "query_keywords.csv").write_text("query_id,ngram,group,keyword,score\n")
    code, _, said = call("compare", world, "--fail-on", "P@1<0", "--junit", tmp_path / "j.xml")
    assert code == 1 and "P@1<0: no interval: 0 of" in said
    suites = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert suites.attrib == {"tests": "1", "failures": "1", "errors": "0", "skipped": "0"}


def test_margins_of_others_stay(world: Path) -> None:
    settings = world / "collection.toml"
    settings.write_text(settings.read_text() + 'margins = ["AP=0.5"]\n')
    words = ("compare", world, "--metrics", "AP")
    margins = {r["metric"]: r["margin"] for r in call(*words, "--require", "P@2>-0.25")[1]}
    assert margins == {"AP": 0.5, "P": 0.25}
    said = call(*words, "--margins", "R@2=0.1")[2]
    assert "note: --margins replaces AP=0.5 of collection.toml" in said
    assert "note: No effect: the margin of R@2, which is not compared." in said


def test_files(files: list[str], tmp_path: Path) -> None:
    """Each text is text: no tag of XML, no cell of a table, no code span ends early."""
    written = ["--junit", "j.xml", "--markdown", "s.md"]
    compare(files, "a|`b`<i>", "bad", "--fail-on", "P@1<0", "--require", "R@1>-0.9", *written)
    suite = ElementTree.parse("j.xml").getroot()[0]
    assert (suite.get("name"), suite.get("failures")) == ("judged: bad against a|`b`<i>", "1")
    choices, failed, passed = suite
    told = ["Margins: R@1=0.9", "p_holm is corrected over P@1, R@1"]
    assert [each.get("value") for each in choices] == told
    assert failed.get("name") == "fail on P@1<0"
    assert "all of it lies" in str(failed[0].get("message"))
    assert (passed.get("name"), passed[0].tag) == ("require R@1>-0.9", "system-out")
    title, *lines = Path("s.md").read_text().splitlines()
    assert title == "## `judged`: `bad` against `` a|`b`<i> ``: 1 of 2 checks failed"
    assert lines[1].startswith("- **failed** `fail on P@1<0`: `95 % interval of the diff")
    assert lines[8].startswith("| P | 1 | 1.000 | 0.500 | -0.500 | -0.6")
