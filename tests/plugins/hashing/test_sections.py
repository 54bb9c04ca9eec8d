"""The section of hash codes on Overview."""

from pathlib import Path

import pytest

from tests.core.test_screens import draw
from tests.plugins.hashing.test_hashing import QRELS, write


@pytest.mark.parametrize("metric", ["AP(retrieved)@3", "P(H<=2)"])
def test_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str) -> None:
    """Bounds of AP(retrieved)@3 are 5/6 and 1; within 2 are a b c d, two of them relevant."""
    folder = write(tmp_path / "w", QRELS)
    (folder / "runs").mkdir()
    (folder / "runs" / "v2.trec").write_text("q1 Q0 a 1 9 x\n")
    drawn = draw(folder, monkeypatch, "overview", metric=metric)
    assert not drawn.exception and not drawn.error
    titles = [each.value for each in drawn.markdown if "over K**" in each.value]
    assert titles == ["**Precision over K**", "**mAP over K**"]
    (table,) = [each.proto.body for each in drawn.get("html") if "Largest" in each.proto.body]
    codes, results = table.split("<tr")[2:]
    cells = [each.partition("</td>")[0] for each in codes.split('number">')[1:]]
    bounds = {"AP(retrieved)@3": ["0.833", "0.833", "1.000"], "P(H<=2)": ["–", "0.500", "–"]}
    assert cells == [*bounds[metric], "0.500"] and ">4<" in codes
    assert ">v2<" in results and results.endswith('number">–</td></tr></table></div>')
