"""Overview: verdict, versions by metrics, the curve, slices and what is not scored."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dashboard.views.comparison import name_curve, pick_slices
from tests.core.test_screens import draw


def test_screen(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half = shutil.copytree(world / "models" / "v2", world / "models" / "v3")
    np.save(half / "queries.npy", np.eye(2)[:1])
    (half / "queries.txt").write_text("q1")
    drawn = draw(world, monkeypatch, "overview", metric="P@2", candidate="v2")
    assert not drawn.exception and not drawn.error
    said = drawn.header[0].value.replace("\\", "")
    assert said.startswith("v2 is not clearly different from v1: P@2 +0.500")
    (table,) = [each.proto.body for each in drawn.get("html") if "<table>" in each.proto.body]
    best, same = (next(r for r in table.split("<tr") if f">{m}<" in r) for m in ("P@1", "R@3"))
    assert '<td class="number best" title="best">★ ' in best and 'wide">● cannot' in same
    assert ">1.000 (1 of 2)<" in best and best.count("★") == 1  # others have more queries
    assert "★" not in same  # all versions have 1.0
    captions = [each.value.replace("\\", "") for each in drawn.caption]
    assert any("left out of means: 1 (no keyword mapped)" in each for each in captions)
    specs = [json.loads(each.proto.spec) for each in drawn.get("vega_lite_chart")]
    curve = next(spec for spec in specs if "@K" in json.dumps(spec))
    assert curve["layer"][0]["encoding"]["y"]["scale"] == {"zero": False}


def test_curve_reaches_the_cutoff_of_the_metric() -> None:
    depths = {metric: len(name_curve(metric).split()) for metric in ("P@5", "P@50", "nDCG", "P@80")}
    assert depths == {"P@5": 10, "P@50": 50, "nDCG": 10, "P@80": 50}
    assert name_curve("Rprec") == ""


def test_slices_with_many_queries_come_first() -> None:
    rows = [
        {"slice": name, "queries": queries, "run": "v1", "mean": 0.5}
        for name, queries in (("a=few", 4), ("a=small", 5), ("a=large", 9))
    ]
    assert [row["slice"] for row in pick_slices(rows)] == ["a=large", "a=small"]
