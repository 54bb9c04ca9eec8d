"""Differences on parts of the queries, worked by hand, and the command that lists them."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.evaluation.slicing import compare_slices, divide_by_column, pair_slices
from dashboard.evaluation.statistics import (
    compute_bootstrap_interval,
    compute_randomisation_p,
    sum_units,
)
from tests.plugins.worlds import call


def find_slices(differences: list[float], slices: dict[str, list[int]]) -> list[dict]:
    inside = {
        name: np.isin(np.arange(len(differences)), members) for name, members in slices.items()
    }
    ids = [f"q{place}" for place in range(len(differences))]
    return compare_slices(np.array(differences), inside, [""] * len(ids), ids)


def test_small_slices_are_last_and_have_no_interval() -> None:
    differences = [0.1, 0.2, 0.3, 0.4, 0.6, -0.5, np.nan, np.nan]
    slices = {"a=large": [0, 1, 2, 3, 4], "a=small": [5, 6], "a=null": [6, 7], "a=few": [0, 1, 6]}
    rows = find_slices(differences, slices)
    found = [(row["slice"], row["queries"], row["delta"]) for row in rows]
    expected = [("a=large", 5, 0.32), ("a=small", 1, -0.5), ("a=few", 2, 0.15), ("a=null", 0, None)]
    assert found == expected
    assert rows[0]["p"] == rows[0]["p_adjusted"] == 2 / 32
    assert 0.1 < rows[0]["low"] < 0.32 < rows[0]["high"] < 0.7
    for row in rows[1:]:
        assert [row[name] for name in ("low", "high", "p", "p_adjusted")] == [None] * 4


def test_a_slice_has_the_numbers_of_its_queries() -> None:
    values = np.random.default_rng(0).normal(0.1, 1, size=60)
    rows = find_slices(values.tolist(), {"a=x": list(range(40)), "a=y": list(range(40, 60))})
    parts = (values[:40], values[40:])
    for row, part in zip(sorted(rows, key=lambda row: row["slice"]), parts, strict=True):
        units = sum_units(part[:, None], None)
        assert row["delta"] == pytest.approx(part.mean(), abs=1e-12)
        bounds = compute_bootstrap_interval(*units)[:, 0].tolist()
        assert [row["low"], row["high"]] == pytest.approx(bounds, abs=1e-12)
        assert row["p"] == compute_randomisation_p(*units)[0]


@pytest.mark.parametrize(("values", "number"), [(1, 0), (2, 2), (20, 20), (21, 0)])
def test_columns_with_few_values_divide(values: int, number: int) -> None:
    cells = [str(place % values) for place in range(60)] + [""]
    assert len(divide_by_column("by", cells)) == number


def test_pairs_are_smaller_than_both() -> None:
    place = np.arange(20)
    slices = {"a=x": place < 12, "b=y": place >= 4, "c=z": place < 6, "d=w": place >= 11}
    assert {name: int(inside.sum()) for name, inside in pair_slices(slices).items()} == {
        "a=x & b=y": 8
    }  # c is part of a; the others share fewer than five
    assert find_slices([0.5], {}) == []
    assert pair_slices({}) == {}


def test_command(world: Path) -> None:
    (world / "items.csv").write_text("item_id,kind,file\na,x,1.png\nb,y,2.png\nc,x,\nd,y,\n")
    text = (world / "queries.csv").read_text().replace("the weather,", ",b").splitlines()
    cells = ["light", "day", "night", "day", ""]
    (world / "queries.csv").write_text("\n".join(map(",".join, zip(text, cells, strict=True))))
    options = ("--baseline", "v1", "--candidate", "v2", "--metric", "P@2", "--queries", "all")
    code, rows, _ = call("slices", world, *options)
    names = {row["slice"] for row in rows if not row["slice"].startswith("pv_")}
    assert names == {"kind=x", "kind=y", "scene=s1", "scene=s2", "light=day", "light=night"}
    assert (code, list(rows[0])[:4]) == (0, ["slice", "metric", "cutoff", "queries"])
    assert call("slices", world, *options, "--pairs")[:2] == (0, [])
