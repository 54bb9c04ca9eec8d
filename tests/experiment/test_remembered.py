"""What is remembered between reruns is forgotten when anything that it rests on has changed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from dashboard.experiment import experiment, judging, measuring, memory, ranking
from dashboard.experiment.collection import collections, near_duplicates
from dashboard.experiment.collection.near_duplicates import REMEMBERED
from dashboard.experiment.experiment import Experiment
from dashboard.retrieval.encoders import language_models
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection import sides
from dashboard.storage.media import state
from dashboard.tables import DataError
from dashboard.views.address.collection_in_view import CollectionInView
from dashboard.views.experiments import experiment_of

FILES = {
    "collection.toml": 'title = "Three pictures"\nprotocols = ["hashing"]\n',
    "items.csv": "item_id,file,kind,caption\na,a.png,image,\nb,b.png,image,\nc,c.png,image,\n",
    "queries.csv": "query_id,text,image,scene,mood\nq1,one,x.png,s1,day\nq2,two,y.png,s2,day\n",
    "qrels.csv": "query_id,item_id,grade\nq1,c,1\nq2,c,2\n",
    "runs/r.csv": "query_id,item_id,score\nq1,a,.9\nq1,b,.8\nq1,c,.7\nq2,a,.9\nq2,b,.8\nq2,c,.7\n",
}


def picture(path: Path, seed: int) -> None:
    shades = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(shades).resize((128, 128), Image.Resampling.BILINEAR).save(path)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three pictures, b a copy of a."""
    folder = tmp_path / "tiny"
    for place in ("runs", "media"):
        (folder / place).mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for name, seed in (("a", 1), ("b", 1), ("c", 3)):
        picture(folder / "media" / f"{name}.png", seed)
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    return folder


def view(**changes: str) -> SimpleNamespace:
    usual = SimpleNamespace(
        collection="tiny", protocol="hashing", groups=(), mapping_threshold=0.6,
        min_similarity=-1.0, queries="all", text="", item="", picture="",
        copies="counted", labels="given", submissions=(),
    )  # fmt: skip
    return SimpleNamespace(**(vars(usual) | changes))


def ask(copies: str = "counted") -> Experiment:
    return experiment_of(view(copies=copies))


def rewrite(folder: Path, name: str, before: str, after: str) -> None:
    text = (folder / name).read_text()
    assert before in text
    (folder / name).write_text(text.replace(before, after))


def moods() -> list[str]:
    table = measuring.slices(ask())
    return table.loc[table["by"] == "mood", "slice"].tolist()


def test_slices_and_scenes_are_those_of_the_file_as_it_is(world: Path) -> None:
    assert moods() == ["day", "day"]
    assert measuring.scenes_of(ask()) == {"q1": "s1", "q2": "s2"}
    assert measuring.slices_of(collections.opened("tiny"))["mood"] == ("day",)
    rewrite(world, "queries.csv", "s1,day", "s2,night")
    assert moods() == ["night", "day"]
    assert measuring.scenes_of(ask()) == {"q1": "s2", "q2": "s2"}
    assert measuring.slices_of(collections.opened("tiny"))["mood"] == ("night", "day")


def test_a_query_that_becomes_a_picture_of_the_gallery_is_refused(world: Path) -> None:
    assert len(judging.judgement(ask()).query_ids) == 2
    rewrite(world, "queries.csv", "x.png", "a.png")
    with pytest.raises(DataError):
        judging.judgement(ask())


def test_a_file_of_labels_that_becomes_unusable_is_refused(world: Path) -> None:
    (world / "qrels.csv").rename(world / "kept")
    rewrite(world, "collection.toml", "hashing", "alfa")
    asked = replace(ask(), protocol="alfa")
    judging.judgement(asked)
    (world / "qrels.csv").write_text("nothing that could be read\n")
    with pytest.raises(DataError, match="qrels.csv"):
        judging.judgement(replace(ask(), protocol="alfa"))


def test_words_follow_the_kinds_of_items(world: Path) -> None:
    assert collections.words(collections.opened("tiny")).gallery == "3 pictures"
    rewrite(world, "items.csv", "c.png,image", "c.png,video")
    assert collections.words(collections.opened("tiny")).gallery == "2 pictures and 1 clip"


def test_what_a_model_is_made_for_stays_when_a_column_that_divides_is_added(world: Path) -> None:
    before = collections.opened("tiny")
    rewrite(world, "queries.csv", "day", "night")
    rewrite(world, "items.csv", "a.png,image,", "a.png,image,A caption")
    after = collections.opened("tiny")
    assert after.digests == before.digests and after.digest != before.digest


def best(copies: str) -> float:
    """The mean over both queries of whether the second result is right."""
    means = measuring.means(ask(copies), ("r",), "P@2", None)
    return float(means["mean"].iloc[0])


def test_copies_are_those_of_the_pictures_as_they_are(world: Path) -> None:
    digest = collections.opened("tiny").digest
    assert near_duplicates.copies(str(world), digest) == {"b": "a"}
    assert (best("counted"), best("left_out")) == (0.0, 0.5)
    assert near_duplicates.alike(str(world), digest, ("a", "b")).of("a")
    picture(world / "media" / "b.png", 9)
    assert near_duplicates.alike(str(world), digest, ("a", "b")).of("a") == {}
    time.sleep(REMEMBERED + 0.1)
    assert collections.opened("tiny").digest == digest, "pictures are no content of the tables"
    assert near_duplicates.copies(str(world), digest) == {}
    assert (best("counted"), best("left_out")) == (0.0, 0.0)


def test_pictures_are_not_looked_at_where_copies_are_counted(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.forget()
    monkeypatch.setattr(state, "state", None)
    assert ask().pictures == ""
    with pytest.raises(TypeError):
        ask("left_out")


def test_what_is_typed_rests_on_the_text_model_as_it_is(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(language_models.OPERATOR, str(tmp_path / "model"))
    (tmp_path / "model").mkdir()
    asked = []
    for weights in ("one", "two"):
        (tmp_path / "model" / "a.safetensors").write_text(weights)
        changes = ({}, {"text": "a car"}, {"picture": "0" * 64})
        asked += [experiment_of(view(**change), live=True) for change in changes]
    assert asked[0] == asked[3]
    for before, after in (asked[1::3], asked[2::3]):
        assert before != after
        assert replace(before, text_model="") == replace(after, text_model="")


def test_a_ranking_for_a_picture_rests_on_nothing_that_only_judges_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither on the text beside it nor on a text model that no version sees with."""
    sides = {"onnx": ("a.onnx",), "clip": ()}
    models = {
        name: SimpleNamespace(picture=SimpleNamespace(networks=sides[name])) for name in sides
    }
    monkeypatch.setattr(experiment, "collection_in", lambda *_: SimpleNamespace(models=models))
    plain = Experiment(
        folder="tiny", digest="", protocol="hashing", groups=(), mapping_threshold=0.6,
        queries="all", text_model="state",
    )  # fmt: skip
    seen = replace(plain, text="a car", picture="p")
    assert ranking._live(seen, "onnx") == ranking._live(seen, "a run") == ("", "", "p", "")
    assert ranking._live(seen, "clip") == ("", "", "p", "state")
    assert ranking._live(replace(plain, text="a car"), "onnx") == ("a car", "", "", "state")


def test_the_state_of_pictures_sees_every_change_and_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "outside.png").write_text("x")
    rows = [
        {"file": "a.png", "poster": ""},
        {"file": "../outside.png", "poster": "/etc/hostname"},
        {"file": "https://host/b.png", "poster": "a\0b"},
    ]
    paths = state.places(tmp_path, "media", "posters", rows)
    assert paths == [tmp_path / "media" / "a.png", tmp_path / "posters" / "a\0b"]
    assert state.places(tmp_path, "../media", "/posters", rows) == []
    seen = [state.state(paths)]
    (tmp_path / "media" / "a.png").write_text("one")
    seen.append(state.state(paths))
    (tmp_path / "media" / "new.png").write_text("two")
    (tmp_path / "media" / "new.png").replace(tmp_path / "media" / "a.png")
    seen.append(state.state(paths))
    assert len(set(seen)) == 3 and state.state(paths) == seen[-1]


def test_the_queries_that_a_collection_opens_with_follow_the_protocol_and_are_chosen_once(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    usual = sides.usual_queries
    monkeypatch.setattr(sides, "usual_queries", lambda *of: looks.append(of) or usual(*of))
    opened = collections.opened("tiny")
    for protocol in ("hashing", "crossmodal", "hashing"):
        kind = collections.usual_queries(CollectionInView(opened, protocol, []))
        assert kind == usual(opened.queries, [protocol, *opened.protocols], opened.query_keywords)
    assert len(looks) == 2
