"""Collections: facts, what decides relevance, findings that can be opened, and refused folders."""

from pathlib import Path

import pytest

from dashboard.storage.collection import open_collection
from dashboard.views.contents import list_facts, write_facts
from tests.core.test_screens import draw


def test_facts(world: Path) -> None:
    (world / "collection.toml").write_text('title = "World"\nlicence = "MIT <1>"\n')
    facts = list_facts(collection := open_collection(world))
    assert facts["Items"] == "4" and facts["Queries"] == "3 texts, 1 item"
    assert facts["Versions"] == "v1, v2"
    assert facts["Relevant"].startswith("All required keywords: An item is relevant when")
    assert "MIT &lt;1&gt;" in write_facts(collection) and "<img" not in write_facts(collection)
    (world / "unified_annotation.csv").unlink()
    (world / "query_keywords.csv").unlink()
    assert list_facts(open_collection(world))["Relevant"].startswith("no protocol can judge it")


def test_findings_can_be_opened(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world / "queries.csv"
    path.write_text(path.read_text() + "q5,,nowhere,\n")
    drawn = draw(world, monkeypatch, "collections")
    tables = [each.proto.body for each in drawn.get("html") if "<details>" in each.proto.body]
    assert "<summary>1 warning, 1 note</summary>" in tables[0]
    assert "q5 names the unknown item &#39;nowhere&#39;" in tables[0]


def test_refused_folder_is_said_beside_others(world: Path, monkeypatch) -> None:
    other = world.parent / "another"
    other.mkdir()
    (other / "collection.toml").write_text("title = 'Broken'\n")
    (world / "collection.toml").write_text('title = "World"\nfirst = true\n')
    drawn = draw(world, monkeypatch, "collections")
    assert "items.csv: found no such file" in drawn.error[0].value.replace("\\", "")
    assert any("World" in each.value for each in drawn.markdown) and not drawn.exception
