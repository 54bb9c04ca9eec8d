"""Charts of names that JavaScript objects have, too."""

from typing import Any

import pytest

from dashboard.views import charts
from dashboard.views.downloads import make_file


def write_svg(chart: Any) -> str:
    return make_file("svg", chart).decode()


NAMES = ["constructor", "__proto__", "toString"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_drawn(name: str) -> None:
    colours = charts.colour_versions([name, "v2"])
    rows = [{"run": r, "cutoff": k, "mean": k / 9} for r in colours for k in (1, 2)]
    drawn = write_svg(charts.draw_curve(rows, "P", colours))
    assert drawn.count('aria-roledescription="point"') == 4
    means = [{"slice": "A=x", "queries": 3, "run": r, "mean": 0.5} for r in colours]
    assert name in write_svg(charts.draw_slice_values(means, "P@5", colours))
    point = {"point": 0, "baseline": 0.1, "candidate": 0.0625, "queries": 1, "outcome": "worse"}
    drawn = write_svg(charts.draw_scatter([point], "P@5", name, "v2"))
    assert name in drawn and "v2: 0.063" in drawn  # as tables round it
    cell = {"gain": 0.1, "queries": 3, "note": "+0.100", "count": "n 3", "slice": "A=x & B=y"}
    cells = [cell | {"first": first, "second": second} for first in (name, "x") for second in NAMES]
    assert write_svg(charts.draw_heatmap(cells, name, "B")).count("n 3") >= 6


def test_many_versions_are_told_apart() -> None:
    """Each has a shape with an area, for points are filled; the height is without the legend."""
    colours = charts.colour_versions(f"v{at}" for at in range(12))
    rows = [{"run": r, "cutoff": k, "mean": k / 9} for r in colours for k in (1, 2)]
    shown = charts.draw_curve(rows[6:8], "P", colours).to_dict(validate=False)
    for scale in (
        each["scale"] for each in shown["layer"][1]["encoding"].values() if "scale" in each
    ):
        assert scale.get("domain", ["v3"]) == ["v3"]  # the legend names no version that is hidden
    made = charts.draw_curve(rows, "P", colours).to_dict(validate=False)
    shapes = made["layer"][1]["encoding"]["shape"]["scale"]["range"]
    assert len({*zip(colours.values(), shapes, strict=True)}) == 12 and "stroke" not in shapes
    assert made["autosize"]["type"] == "fit-x" and made["height"] == 200
