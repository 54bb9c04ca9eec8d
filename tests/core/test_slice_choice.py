"""The choice `slice` narrows every number, in links, on the command line and in Python."""

from pathlib import Path

import pytest

import dashboard
from dashboard.__main__ import main
from dashboard.errors import ChoiceError
from dashboard.views.address import join_values
from tests.core.test_screens import draw
from tests.plugins.worlds import open_world

CAR, BUS = "pv_object_type=car", "pv_object_type=bus"


@pytest.mark.parametrize(
    ("text", "queries"), [("", [0, 1, 3]), (CAR, [0, 1]), (BUS, [1]), (f"{CAR} & {BUS}", [1])]
)
def test_queries_of_slices(world: Path, text: str, queries: list[int]) -> None:
    assert open_world(world, slice=text).queries.tolist() == queries


def test_names_with_blanks(world: Path) -> None:
    path = world / "unified_annotation.csv"
    path.write_text(path.read_text().replace("bus", "school bus & van"))
    path = world / "queries.csv"
    path.write_text(path.read_text().replace("scene", "by").replace("s1", "R & D team") + "\n")
    path.write_text(path.read_text().replace("q4,the weather,,\n", "q4,the weather,,x\n"))
    assert open_world(world, slice=f"{CAR} & by=R & D team").queries.tolist() == [0, 1]


def test_command_line_and_python(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--slice", f"{CAR} & {BUS}"], ["--slice", CAR, "--slice", BUS]):
        assert main(["measure", str(world), "--metrics", "P@1", "--format", "csv", *words]) == 0
        assert capsys.readouterr().out.splitlines()[1].endswith(",1,1")
    verdict = dashboard.open(world).verdict("v1", "v2", "P@1", slice=[CAR, BUS])
    assert verdict.total == 1
    assert verdict.sentence.endswith(f"Slice: {CAR} & {BUS}.")
    assert "(1 query better, 0 same, 0 worse; 1 of 1 query scored)" in verdict.sentence
    with pytest.raises(ChoiceError, match="There is no slice 'A=x'. There are: .*pv_object_type"):
        open_world(world, slice="A=x")


def test_link_with_several_keys(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", slice=[CAR, BUS])
    assert not drawn.exception and not drawn.error
    assert dict(drawn.query_params)["slice"] in (f"{CAR} & {BUS}", [f"{CAR} & {BUS}"])
    assert join_values({"unknown": ["a", "b"]}) == {"unknown": "b"}
