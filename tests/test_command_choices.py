"""The choices of a call: the same numbers as the screens', and never taken in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.commands.copies import copies_of
from dashboard.storage.collection import open_collection
from dashboard.views import cached
from dashboard.views.cached.asked import Question

QRELS, RUN = "q1 0 a 1\nq1 0 b 0\n", "q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.1 x\n"


def printed(capsys: pytest.CaptureFixture[str], *call: str) -> pd.DataFrame:
    assert main([*call, "--format", "json"]) == 0
    return pd.DataFrame(json.loads(capsys.readouterr().out))


def screens(name: str, protocol: str, metrics: str, least: float, copies: str) -> pd.DataFrame:
    known = open_collection(name)
    asked = Question(
        name, known.digest, protocol, known.default_groups, known.mapping_threshold,
        least, "text", copies=copies,
    )  # fmt: skip
    return cached.measurements(asked, known.versions, metrics)


@pytest.mark.parametrize("copies", ["counted", "left_out"])
@pytest.mark.parametrize("least", [-1.0, 0.3])
@pytest.mark.parametrize("name, protocol", [("driving", "alfa"), ("openmoji_composed", "composed")])
def test_the_numbers_are_those_of_the_screens(
    name: str, protocol: str, least: float, copies: str, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = "P@5 AP nDCG@10"
    call = ["measure", name, "--protocol", protocol, "--metrics", metrics, "--queries", "text"]
    call += ["--by-query", "--copies", copies, f"--min-similarity={least}"]
    ours = printed(capsys, *call)
    theirs = screens(name, protocol, metrics, least, copies)
    key = ["run", "metric", "query_id"]
    assert ours[key].to_numpy().tolist() == theirs[key].to_numpy().tolist()
    values = pd.to_numeric(ours["value"]).to_numpy()
    assert values == pytest.approx(theirs["value"].to_numpy(), abs=1e-12, nan_ok=True)


def test_copies_are_those_of_the_screens_and_change_the_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = open_collection("openmoji_composed")
    found = copies_of(known)
    assert found and found == cached.copies(known.name, known.digest)
    call = ("measure", "openmoji_composed", "--metrics", "AP", "--protocol", "composed")
    counted, left_out = printed(capsys, *call), printed(capsys, *call, "--copies", "left_out")
    assert counted["mean"].tolist() != left_out["mean"].tolist()


def test_a_report_says_what_was_left_out(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    versions = ("--baseline", "v0.1", "--candidate", "v0.3")
    choices = ("--copies", "left_out", "--min-similarity", "0.2")
    assert main(["report", "driving", *versions, *choices, "-o", str(page)]) == 0
    said = page.read_text()
    assert "Near-duplicates" in said and "items left out" in said
    assert "Least similarity of a result" in said and "0.2" in said


@pytest.mark.parametrize(
    "flag",
    ["--groups=a", "--threshold=0.5", "--queries=text", "--copies=left_out", "--min-similarity=0"],
)
@pytest.mark.parametrize("command", ["measure", "compare"])
def test_what_only_a_collection_has_is_refused_for_files(
    command: str, flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "r.trec").write_text(RUN)
    call = [command, "--qrels", str(tmp_path / "qrels.txt"), "--run", str(tmp_path / "r.trec")]
    call += ["--baseline", "r", "--candidate", "r"] if command == "compare" else []
    assert main([*call, flag]) == 2
    name = flag.split("=")[0]
    sentence = f"{name}: only a COLLECTION has that; leave it out with --qrels\n"
    assert capsys.readouterr().err == sentence


@pytest.mark.parametrize("cosine", ["1.5", "-2", "nan", "high"])
def test_a_least_similarity_is_a_cosine(cosine: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["measure", "driving", f"--min-similarity={cosine}"])
    assert stopped.value.code == 2
    assert "is not a number between -1 and 1" in capsys.readouterr().err
