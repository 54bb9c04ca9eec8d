"""Thirteen ways to draw a version: told apart on light and dark, with any colour vision, and the
same on every chart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dashboard.views import charts
from dashboard.views.charts import colours, composed, crossmodal, hashing

THIRTEEN = [f"v{n}" for n in range(13)]
WAYS = charts.version_ways(THIRTEEN, "v0", "v1")
FAR = 0.1  # of two colours in OKLab; people begin to see a difference at 0.02
# Linear RGB as people see it who lack one kind of cone (Machado, Oliveira and Fernandes, 2009).
EYES = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(colour: str) -> np.ndarray:
    """Red, green and blue in proportion to their light, from #rrggbb."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(light: np.ndarray) -> np.ndarray:
    """Linear RGB in a space where distance is how different colours look (Ottosson, 2020)."""
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    opponents = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(opponents) @ np.cbrt(np.array(cones) @ np.clip(light, 0, 1))


def apart(one: charts.Way, other: charts.Way, eyes: str) -> float:
    seen = [oklab(np.array(EYES[eyes]) @ linear(way.colour)) for way in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


@pytest.mark.parametrize("page", ["#ffffff", "#0f141b"])
def test_every_colour_stands_out_from_the_light_and_the_dark_page(page):
    def luminance(colour):
        return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))

    for colour in [*(way.colour for way in WAYS.values()), charts.SAME]:
        light, dark = sorted([luminance(page), luminance(colour)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, colour


def test_thirteen_colours_look_different():
    assert min(apart(*two, "usual") for two in combinations(WAYS.values(), 2)) > FAR


@pytest.mark.parametrize("eyes", EYES)
def test_with_any_colour_vision_lines_and_marks_of_two_versions_differ(eyes):
    for one, other in combinations(WAYS.values(), 2):
        alike = apart(one, other, eyes) <= FAR
        assert not (alike and one.dashes == other.dashes), (one, other)
        assert not (alike and one.shape == other.shape), (one, other)
        assert (one.dashes, one.shape) != (other.dashes, other.shape), "without any colour, too"


def test_a_version_is_drawn_by_its_part_or_else_by_its_name():
    one = charts.version_ways(["a", "b", "by-name"], "a", "b")
    other = charts.version_ways(["by-name", "x", "y", "z"], "z", "x")
    assert one["a"] == other["z"], "the baseline"
    assert one["b"] == other["x"], "the candidate"
    assert one["by-name"] == other["by-name"], "any other, wherever it stands"
    assert len({way.colour for way in WAYS.values()}) == 13
    nine = charts.version_ways(THIRTEEN[:10], "v0", "v1")
    red_or_green = {"#1b714c", "#c83122", "#f1577a"}
    assert not red_or_green & {way.colour for way in nine.values()}, "these mean worse and better"
    same = charts.version_ways(["a", "b"], "a", "a")
    assert same["a"] == one["a"] != same["b"]


def test_more_versions_share_colours_but_not_shapes_with_them_and_it_is_said():
    many = charts.version_ways([f"v{n}" for n in range(40)], "v0", "v1")
    assert len({(way.colour, way.shape) for way in many.values()}) == 40
    assert charts.colours_again(THIRTEEN) == ""
    assert "14 versions share 13 colours" in charts.colours_again([*THIRTEEN, "one more"])


def rows(*runs: str) -> pd.DataFrame:
    numbers = {"low": 0.4, "high": 0.6, "worst": 0.4, "best": 0.6, "mean": 0.5, "share": 0.5}
    numbers |= {"scored": 7, "total": 9, "queries": 7, "found": 5, "recall": 0.2}
    numbers |= {"bits": 16, "cutoff": 5, "rank": 5, "radius": 2, "precision_found": 0.5}
    return pd.DataFrame({"run": list(runs), "method": "m", "keyword": "k", "group": "g"} | numbers)


FEW = ["v9", "v5"]
SOME = {run: WAYS[run] for run in FEW}
CHANCE = pd.DataFrame({"rank": [1, 5], "share": 0.1})
DRAWN = {
    "curves": charts.curves(rows(*FEW), SOME),
    "keyword_bars": charts.keyword_bars(rows(*FEW), SOME),
    "standings": composed.standings(rows(*FEW), SOME),
    "within_rank": crossmodal.within_rank(rows(*FEW), CHANCE, SOME, (1, 5, 10)),
    "over_p": hashing.over_p(rows(*FEW), WAYS),
    "over_bits": hashing.over_bits(rows(*FEW), WAYS),
    "precision_recall": hashing.precision_recall(rows(*FEW), WAYS),
}


def scales(spec: object, channel: str) -> list[dict]:
    """Every scale by version of a channel, as version → what it is drawn with."""
    if isinstance(spec, list):
        return [found for each in spec for found in scales(each, channel)]
    if not isinstance(spec, dict):
        return []
    inside = [found for each in spec.values() for found in scales(each, channel)]
    there = spec.get(channel)
    if not (isinstance(there, dict) and there.get("field") == "run" and "scale" in there):
        return inside
    scale = there["scale"]
    return [*inside, dict(zip(scale["domain"], map(str, scale["range"]), strict=True))]


@pytest.mark.parametrize("name", DRAWN)
def test_a_version_is_drawn_in_the_same_way_on_every_chart(name):
    spec = DRAWN[name].to_dict()
    for channel, part in (("color", "colour"), ("shape", "shape"), ("strokeDash", "dashes")):
        for scale in scales(spec, channel):
            assert scale == {run: str(getattr(WAYS[run], part)) for run in scale}
            assert set(scale) == set(FEW)
    assert scales(spec, "color") and scales(spec, "shape")


@pytest.mark.parametrize("eyes", EYES)
def test_better_same_and_worse_are_told_apart_with_any_colour_vision(eyes):
    ways = [charts.Way(c, "", []) for c in (charts.BETTER, charts.SAME, charts.WORSE)]
    assert min(apart(*two, eyes) for two in combinations(ways, 2)) > FAR / 2


def test_bars_of_many_versions_show_those_that_curves_do():
    many = charts.version_ways(THIRTEEN, THIRTEEN[0], THIRTEEN[1])
    (bars,) = scales(charts.keyword_bars(rows(*THIRTEEN), many).to_dict()["layer"][0], "color")
    assert len(bars) == charts.FEW and {THIRTEEN[0], THIRTEEN[1]} <= set(bars)


def test_a_legend_of_long_names_has_two_side_by_side():
    assert colours.legend_of(["v1", "v2"]).columns == 3
    long = [f"a-rather-long-name-{n}" for n in range(5)]
    assert (colours.legend_of(long).columns, colours.LEGEND.columns) == (2, 3)
    assert colours.further_rows(long) == 2 * colours.further_rows(["v"] * 5) == 52
