"""Collections without a vocabulary: driving's words for what is known, and a draft to edit."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.collection.vocabulary import with_driving_words

OBJECTS, DEEDS = "pv_object_type", "pv_actor_behavior"


def words_of(*keywords: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    table = pd.DataFrame(keywords, columns=["group", "keyword"]).assign(words=[()] * len(keywords))
    helped = with_driving_words(table)
    return dict(zip(helped["keyword"], helped["words"], strict=True))


def test_known_keywords_have_other_words_and_unknown_ones_none() -> None:
    words = words_of((OBJECTS, "Bicyclist"), (DEEDS, "entering_ego_path"), (OBJECTS, "tram"))
    assert {"cyclist", "bike rider"} <= set(words["Bicyclist"])
    assert "entering ego lane" in words["entering_ego_path"]
    assert words["tram"] == ()


def test_a_keyword_is_known_by_another_name_where_that_can_only_mean_it() -> None:
    assert {"bicyclist", "bike rider"} <= set(words_of((OBJECTS, "cyclist"))["cyclist"])
    both = words_of((OBJECTS, "cyclist"), (OBJECTS, "bicyclist"))
    assert both["cyclist"] == () and "cyclist" not in both["bicyclist"]
    two = words_of((OBJECTS, "cyclist"), (OBJECTS, "pedal cyclist"))
    assert two == {"cyclist": (), "pedal cyclist": ()}
    assert words_of((OBJECTS, "bus"))["bus"] == (), "a lorry is no bus, though both are large"
    assert "bus" not in words_of((OBJECTS, "bus"), (OBJECTS, "large vehicle"))["large vehicle"]


def test_a_word_that_says_nothing_of_who_acts_stands_for_no_deed() -> None:
    deeds = words_of((DEEDS, "entering ego path"), ("pv_ego_behavior", "ego lane change"))
    entering, ours = deeds["entering ego path"], deeds["ego lane change"]
    assert not [word for word in entering if "kerb" in word], "on a kerb somebody may stand"
    assert "changing lanes into our lane" in entering
    assert ours and all({"we", "our", "ego"} & set(word.split()) for word in ours)


def test_a_known_group_is_another_matter_a_group_of_ones_own_is_not() -> None:
    assert words_of((DEEDS, "bicyclist"))["bicyclist"] == ()
    assert "cyclist" in words_of(("pv_who", "bicyclist"))["bicyclist"]


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def test_a_collection_without_a_vocabulary_says_whose_words_it_uses(tiny: Path) -> None:
    (tiny / "vocabulary.toml").unlink()
    collection = opened(tiny)
    words = collection.vocabulary.set_index("keyword")["words"]
    assert "cyclist" in words["bicyclist"]
    notes = collection.findings[collection.findings["file"] == "vocabulary.toml"]
    assert notes["level"].tolist() == ["note"]
    assert "6 keywords known of driving scenes" in notes["found"].iloc[0]
    assert "--draft" in notes["wanted"].iloc[0]


def test_a_draft_is_the_vocabulary_that_is_used_and_is_never_overwritten(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    annotation = tiny / "unified_annotation.csv"
    annotation.write_text(annotation.read_text() + 'v03b,"a ""tram"" \\ é\x7f",\n')
    items = tiny / "items.csv"
    items.write_text(items.read_text() + "v03b,v03.mp4,video,\n")
    (tiny / "vocabulary.toml").unlink()
    before = opened(tiny)
    assert main(["keywords", str(tiny), "--draft", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("group,keyword,other_words")
    after = opened(tiny)
    assert after.digests["labels"] == before.digests["labels"]
    assert 'a "tram" \\ é' in set(after.vocabulary["keyword"])
    text = (tiny / "vocabulary.toml").read_text(encoding="utf-8")
    assert len(tomllib.loads(text)["keyword"]) == len(before.vocabulary)
    (tiny / "vocabulary.toml").write_text(text + "# mine")
    assert main(["keywords", str(tiny), "--draft"]) == 2
    assert "found a vocabulary; wanted none" in capsys.readouterr().err
    assert (tiny / "vocabulary.toml").read_text(encoding="utf-8").endswith("# mine")


def test_nothing_is_drafted_of_no_keywords(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("unified_annotation.csv", "vocabulary.toml"):
        (tiny / name).unlink()
    assert main(["keywords", str(tiny), "--draft"]) == 2
    assert "no keyword of any item" in capsys.readouterr().err
    assert not (tiny / "vocabulary.toml").exists()


def test_the_sources_own_categories_are_known_in_the_plural_and_shortened() -> None:
    words = words_of(
        (OBJECTS, "cyclists"),
        (OBJECTS, "pedestrians"),
        (DEEDS, "entering path"),
        (DEEDS, "crossing"),
        ("pv_ego_behavior", "lane change"),
    )
    assert "bike rider" in words["cyclists"] and "person" in words["pedestrians"]
    assert "entering ego lane" in words["entering path"]
    assert "crossing" not in words["lane change"] and words["crossing"] and words["lane change"]
