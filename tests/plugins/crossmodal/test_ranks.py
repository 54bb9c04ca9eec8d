"""Mean and median rank of the first answer: lower is better, and who has none counts."""

import re
from pathlib import Path

import pytest

from dashboard.evaluation.differences import CANNOT_TELL
from dashboard.study.changes import list_changes
from dashboard.study.study import Study
from tests.core.test_screens import draw
from tests.plugins.crossmodal.test_crossmodal import QRELS, write
from tests.plugins.worlds import measure_values, open_world

RANKS = "i2t_MnR i2t_MdR t2i_MnR t2i_MdR"
FULL = "i1 t1 t2 t3\ni2 t1 t3 t2\ns1 p1 p2\ns2 p1 p2\ns3 p1 p2\n"
"""Results: the ranks of the pictures are 1 and 2, those of the texts 1, 2 and 2."""


def write_runs(folder: Path, *runs: str) -> Study:
    write(folder)
    (folder / "runs").mkdir()
    for number, run in enumerate(runs):
        (folder / "runs" / f"r{number}.trec").write_text(
            "".join(
                f"{query} Q0 {item} {rank} {-rank} t\n"
                for query, *items in [line.split() for line in run.splitlines()]
                for rank, item in enumerate(items, start=1)
            )
        )
    return open_world(folder)


def list_means(study: Study, run: str) -> list[float | None]:
    return [row["mean"] for row in study.measure([run], RANKS)[0].list_means()]


def test_a_query_that_does_not_find_its_pair(tmp_path: Path) -> None:
    """Of three texts s1 has none: no mean; it is the last of two in the median, of half none."""
    study = write_runs(tmp_path / "w", FULL.replace("s1 p1 p2", "s1 p2"))
    assert list_means(study, "r0") == [1.5, 1.5, None, 2]
    assert study.values("r0", "t2i_MdR").tolist()[2:] == [2, 2, 2]
    study = write_runs(tmp_path / "half", FULL.replace("i2 t1 t3 t2", "i2 t1"))
    assert list_means(study, "r0")[:2] == [None, None]


def test_a_lower_rank_is_better(tmp_path: Path) -> None:
    """s2 and s3 find their picture first instead of second."""
    study = write_runs(
        tmp_path / "w", FULL, FULL.replace("s2 p1 p2", "s2 p2 p1").replace("s3 p1 p2", "s3 p2 p1")
    )
    mean, median = study.compare("r0", "r1", "t2i_MnR t2i_MdR")
    assert (mean["baseline"], mean["candidate"]) == (pytest.approx(5 / 3), 1)
    assert mean["delta"] == pytest.approx(-2 / 3) and (mean["better"], mean["worse"]) == (2, 0)
    assert mean["outcome"] == CANNOT_TELL  # of two queries
    assert (median["baseline"], median["candidate"], median["delta"]) == (2, 1, -1)
    assert median["better"] == 2 and median["low"] is None and median["p"] is None
    worst = list_changes(study, "r1", "r0", "t2i_MnR")[0]
    assert (worst["query_id"], worst["delta"], worst["outcome"]) == ("s2", 1, "worse")


def test_any_of_several_pictures_answers_a_text(tmp_path: Path) -> None:
    """Extended positives: s2, which finds p1 first, belongs to p1 and p2, and p1 to t1, t3."""
    folder = write(tmp_path / "w")
    (folder / "qrels.txt").write_text(QRELS + "s2 0 p1 1\ni1 0 t3 1\n")
    values = measure_values(folder, "t2i_R@1 t2i_MnR i2t_R@1 AP(R) Rprec Rsum")
    assert values["t2i_R@1"] == [None, None, 1, 1, 1]
    assert values["t2i_MnR"] == [None, None, 1, 1, 1]
    assert values["AP(R)"] == [0.5, 1, 1, 1, 1]
    assert values["Rprec"] == [0.5, 1, 1, 1, 1]
    assert sum(v for v in values["Rsum"] if v is not None) / 2 == pytest.approx(6)


def test_the_section_on_overview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recalls in per cent beside ranks, the lower of which are best, and the sum of 600."""
    write_runs(tmp_path / "data" / "w", FULL, FULL.replace("s2 p1 p2", "s2 p2 p1"))
    given = {"baseline": "r0", "candidate": "r1", "runs": "r0 r1"}
    drawn = draw(tmp_path / "data" / "w", monkeypatch, "overview", **given)
    assert not drawn.exception
    table = next(each.proto.body for each in drawn.get("html") if "i → t R@1" in each.proto.body)
    rows = [re.findall(r">(★ )?([^<]*)</td>", row) for row in table.split("<tr")[2:]]
    first, second = (" ".join(text for _, text in row) for row in rows)
    assert first == "r0 50.0 100.0 100.0 33.3 100.0 100.0 483.3 80.6 1.5 1.5 2.0 1.7"
    assert second == "r1 50.0 100.0 100.0 66.7 100.0 100.0 516.7 86.1 1.5 1.5 1.0 1.3"
    assert [bool(star) for star, _ in rows[1]][-2:] == [True] * 2
    told = [each.value for each in drawn.caption]
    assert any("2 pictures and 3 texts ask" in each for each in told)
