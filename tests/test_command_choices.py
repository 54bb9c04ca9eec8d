"""The choices of a call: the same numbers as the screens', and never taken in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main

QRELS, RUN = "q1 0 a 1\nq1 0 b 0\n", "q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.1 x\n"


def printed(capsys: pytest.CaptureFixture[str], *call: str) -> pd.DataFrame:
    assert main([*call, "--format", "json"]) == 0
    return pd.DataFrame(json.loads(capsys.readouterr().out))


def test_copies_that_are_left_out_change_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    call = ("measure", "openmoji_composed", "--metrics", "AP", "--protocol", "composed")
    counted, left_out = printed(capsys, *call), printed(capsys, *call, "--copies", "left_out")
    assert counted["mean"].tolist() != left_out["mean"].tolist()


@pytest.mark.slow
def test_a_report_says_what_was_left_out(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    versions = ("--baseline", "v0.1", "--candidate", "v0.3")
    choices = ("--copies", "left_out", "--min-similarity", "0.2")
    assert main(["report", "driving", *versions, *choices, "-o", str(page)]) == 0
    said = page.read_text()
    assert "Near-duplicates" in said and "items left out" in said
    assert "Similarity threshold" in said and "0.2" in said


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
