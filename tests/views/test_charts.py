"""Charts as values: every field is one of our own names, and the data's words stay words."""

import json

import pandas as pd
import pytest

from dashboard.evaluation.comparison.changes import bins
from dashboard.views import charts
from dashboard.views.charts.hashing import code_bits

ODD = ["m.v1", "r@[1]", "datum.x", "<b>", 'a"b', "image"]
WAYS = charts.version_ways(ODD, *ODD[:2])


def means(**columns):
    return pd.DataFrame({"run": ODD, "mean": 0.5, "low": 0.4, "high": 0.6, "scored": 7} | columns)


def drawn():
    """Each chart of odd names."""
    deltas = pd.DataFrame(
        {"baseline": [0.2, 0.4, None], "candidate": [0.4, 0.4, 0.1], "delta": [0.2, 0.0, None]}
    )
    rows = pd.DataFrame(
        {"label": ODD[:3], "delta": [0.1, 0.1, -0.1], "low": -0.2, "high": 0.2}
    ).assign(p=0.01, p_holm=[0.04, 0.06, 0.01], scored=9)
    slices = {"slice": ODD, "delta": 0.1, "delta_low": 0.0, "delta_high": 0.2}
    return {
        "curves": charts.curves(means(cutoff=5, total=9), WAYS),
        "keyword_bars": charts.keyword_bars(means(keyword=ODD, group="g.[0]"), WAYS),
        "forest": charts.forest(rows),
        "differences": charts.differences(bins(deltas), "nDCG@5"),
        "pairs": charts.pairs(deltas, "m.v1", "r@[1]"),
        "slice_grid": charts.slice_grid(means(**slices), ODD),
    }


def fields(spec):
    """Every name that a specification reads from its rows."""
    if isinstance(spec, dict):
        yield from [spec["field"]] if isinstance(spec.get("field"), str) else []
        for value in spec.values():
            yield from fields(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from fields(value)


@pytest.mark.parametrize(("name", "chart"), drawn().items())
def test_a_chart_reads_only_names_of_our_own(name, chart):
    spec = chart.to_dict()
    rows = {column for table in spec["datasets"].values() for row in table for column in row}
    read = set(fields(spec))
    assert read, name
    assert all(column.isidentifier() for column in read)
    assert read <= rows | {"__count"}
    assert not read & {"image", "url", "href"}
    json.dumps(spec, allow_nan=False)


def test_better_and_worse_are_said_as_the_verdict_says_them():
    spec = drawn()["forest"].to_dict()
    kinds = [row["kind"] for table in spec["datasets"].values() for row in table if "kind" in row]
    assert kinds == ["better", "no clear difference", "worse"]


def test_small_means_keep_digits_and_colour():
    means = pd.DataFrame({"slice": ["a", "b"], "run": "v", "mean": [0.004, 0.0007], "scored": 9})
    means = means.assign(delta=0.0, delta_low=0.0, delta_high=0.0)
    drawn = charts.slice_grid(means, ["v"]).to_dict()
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 0.004]
    (rows,) = drawn["datasets"].values()
    assert [row["mean_text"] for row in rows] == ["0.00400", "0.000700"]


@pytest.mark.parametrize(
    ("versions", "angle"), [(["v0.1", "v0.2"], 0), (["supervised-64"] * 9, -45)]
)
def test_the_name_of_every_version_stands_above_the_grid(versions, angle):
    names = [f"{version}{n}" for n, version in enumerate(versions)]
    rows = pd.DataFrame({"run": names, "mean": 0.5, "scored": 7, "slice": "day"}).assign(
        delta=0.1, delta_low=0.0, delta_high=0.2
    )
    axis = charts.slice_grid(rows, names).to_dict()["layer"][0]["encoding"]["x"]["axis"]
    assert axis["labelAngle"] == angle and axis["labelOverlap"] is False


def axes(spec):
    """(type of the field, axis) of each vertical axis of a specification."""
    if isinstance(spec, dict):
        y = spec.get("encoding", {}).get("y")
        yield from [(y.get("type"), y.get("axis") or {})] if isinstance(y, dict) else []
        for value in spec.values():
            yield from axes(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from axes(value)


def test_every_row_of_the_bits_has_its_name_beside_it():
    """Vega thins the labels of an ordinal axis: a row that loses its own reads as its neighbour."""
    table = pd.DataFrame({"place": range(1, 41), "sign": 1, "differs": False})
    both = pd.concat([table.assign(whose="query"), table.assign(whose="result", sign=-1)])
    drawings = [*drawn().values(), code_bits(both)]
    rows = [axis for each in drawings for kind, axis in axes(each.to_dict()) if kind == "ordinal"]
    assert rows
    for axis in rows:
        assert axis["labelOverlap"] is False
        assert axis["labelFlush"] is False  # the first and last names stand at their rows
        assert "min(32 * floor(datum.value / 4) + 32, 40)" in axis["labelExpr"]  # “query 33–40”


def test_charts_of_differences_are_drawn_where_no_query_is_scored_in_both_versions():
    none = bins(pd.DataFrame({"delta": pd.Series([], dtype="float64")}))
    assert none.empty
    assert charts.differences(none, "nDCG@5").to_dict()["mark"]["type"] == "bar"
    nobody = pd.DataFrame({"baseline": [None, 0.1], "candidate": [None, None], "delta": [None] * 2})
    assert charts.pairs(nobody.astype("float64"), "v1", "v2").to_dict()["layer"]


def axis_of(chart):
    """Domain and ticks of the first axis of differences of a drawing."""
    spec = chart.to_dict()
    for layer in spec.get("layer", [spec]):
        x = layer["encoding"]["x"]
        if "scale" in x:
            return x["scale"]["domain"], x["axis"]["values"]
    raise AssertionError("no scale")


@pytest.mark.parametrize(("largest", "end"), [(0.166, 0.2), (1.0, 1.0), (0.0004, 0.0005)])
def test_axes_of_differences_are_round_and_no_longer_than_the_metric(largest, end):
    rows = pd.DataFrame({"label": ["a"], "delta": [0.0], "low": [-largest / 2], "high": [largest]})
    rows = rows.assign(p=0.01, p_holm=0.04, scored=9)
    found = bins(pd.DataFrame({"delta": [-largest, 0.0, largest / 2]}))
    for chart in (charts.forest(rows), charts.differences(found, "P@5")):
        assert axis_of(chart) == ([-end, end], [-end, -end / 2, 0, end / 2, end])


def test_a_metric_of_0_and_1_is_drawn_in_bars_that_can_be_clicked():
    values = [(0.0, 1.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    deltas = pd.DataFrame(values, columns=["baseline", "candidate"])
    deltas["delta"] = deltas["candidate"] - deltas["baseline"]
    spec = charts.pairs(deltas, "a", "b").to_dict()
    assert spec["layer"][0]["mark"]["type"] == "bar"
    (rows,) = spec["datasets"].values()
    read = {(row["way"], row["queries"], row["side"]) for row in rows}
    assert read == {("0 → 1", 2, "better"), ("1 → 0", 1, "worse"), ("1 → 1", 1, "same")}
    assert spec["params"][0]["select"]["fields"] == ["baseline", "candidate"]
    assert spec["layer"][0]["encoding"]["x"]["axis"]["tickCount"] == 5  # more crowd a narrow column
    mixed = charts.pairs(pd.concat([deltas, deltas / 2]), "a", "b").to_dict()
    assert mixed["layer"][1]["mark"]["type"] == "circle"


def test_of_many_curves_a_few_keep_their_ways_and_the_others_are_grey() -> None:
    names = [f"v{n}" for n in range(9)]
    rows = [
        {"run": run, "cutoff": k, "mean": place / 10, "low": 0.0, "high": 0.9, "scored": 4,
         "total": 4}
        for place, run in enumerate(names) for k in (1, 2)
    ]  # fmt: skip
    ways = charts.version_ways(names, "v0", "v1")
    spec = charts.curves(pd.DataFrame(rows), ways).to_dict()
    front = ["v0", "v1", "v6", "v7", "v8"]  # baseline, candidate, the three best
    grey, *drawn = spec["layer"]
    assert grey["mark"]["color"] == charts.SAME and "color" not in grey["encoding"]
    assert all(each["encoding"]["color"]["scale"]["domain"] == front for each in drawn)
    tables = spec["datasets"]
    greys = {row["run"] for row in tables[grey["data"]["name"]]}
    assert greys == {"v2", "v3", "v4", "v5"} and grey["encoding"]["detail"]["field"] == "run"
    few = charts.curves(pd.DataFrame(rows[:10]), {run: ways[run] for run in names[:5]}).to_dict()
    assert len(few["layer"]) == 3, "five are all drawn in their ways"
