"""Words of a text become keywords, with the real language model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.plugins.alfa.keywords import Entry, keep_best, read_vocabulary
from dashboard.plugins.alfa.mapping import list_negations, map_texts
from dashboard.storage.collection import open_collection
from tests.plugins.alfa.phrasings import HELD_OUT, TUNED

DRIVING = Path(__file__).parents[3] / "data" / "driving"
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def vocabulary() -> tuple[Entry, ...]:
    return read_vocabulary(open_collection(DRIVING))


def name_keywords(texts: Sequence[str], vocabulary: tuple[Entry, ...]) -> list[list[str]]:
    mapped = map_texts(texts, vocabulary)
    return [[each.keyword.name for each in keep_best(found, 0.6)] for found in mapped]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cyclist entering ego lane", ["bicyclist", "entering ego path"]),
        ("LORRIES", ["large vehicle"]),
        ("pedestrian pedestrian", ["pedestrian"]),
        ("the of and", []),
        ("(((", []),
        ("car in the same direction", ["small vehicle", "traveling in same direction"]),
        ("no pedestrians", []),
        ("not crossing", []),
        ("dry road", []),
        ("beside us", []),
        ("far ahead", []),
    ],
)
def test_texts(text: str, expected: list[str], vocabulary: tuple[Entry, ...]) -> None:
    assert sorted(name_keywords([text], vocabulary)[0]) == sorted(expected)


@pytest.mark.parametrize(
    ("data", "precision", "recall"), [(TUNED, 0.98, 0.98), (HELD_OUT, 0.95, 0.92)]
)
def test_phrasings(
    data: list[tuple[str, list[str]]],
    precision: float,
    recall: float,
    vocabulary: tuple[Entry, ...],
) -> None:
    mapped = name_keywords([text for text, _ in data], vocabulary)
    got = {(text, name) for (text, _), names in zip(data, mapped, strict=True) for name in names}
    wanted = {(text, name) for text, names in data for name in names}
    assert len(got & wanted) / len(got) >= precision
    assert len(got & wanted) / len(wanted) >= recall


def test_phrases_name_their_keyword_and_negations_none(vocabulary: tuple[Entry, ...]) -> None:
    phrases = [(p, entry.keyword.name) for entry in vocabulary for p in entry.words]
    mapped = name_keywords([phrase for phrase, _ in phrases], vocabulary)
    assert len(phrases) > 700
    assert [p for (p, name), got in zip(phrases, mapped, strict=True) if name not in got] == []
    assert list_negations("a bus and no pedestrians", vocabulary) == ["no pedestrians"]


def test_own_vocabulary(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keywords", str(world), "--draft"]) == 0
    path = world / "vocabulary.toml"
    assert 'keyword = "bus"' in path.read_text()
    assert main(["keywords", str(world), "--draft"]) == 2
    assert "is there already" in capsys.readouterr().err
    path.write_text(
        '[[keyword]]\nkeyword = "bus"\ngroup = "pv_object_type"\nother_words = ["coach"]'
    )
    assert main(["keywords", str(world), "two coaches", "--format", "csv"]) == 0
    assert "coaches,bus,pv_object_type,1.0,True" in capsys.readouterr().out
    (world / "queries.csv").write_text("query_id,text,item_id,scene\nq1,a coach,,\n")
    assert main(["keywords", str(world), "--write"]) == 0
    lines = (world / "query_keywords.csv").read_text().splitlines()
    assert lines == ["query_id,ngram,group,keyword,score", "q1,coach,pv_object_type,bus,1.0000"]


@pytest.mark.parametrize("content", ["[[keyword]]\nkeyword = 5\n", "keyword = 5"])
def test_broken_vocabulary(world: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    (world / "vocabulary.toml").write_text(content)
    assert main(["keywords", str(world), "bus"]) == 2
    assert "entry 1" in capsys.readouterr().err
