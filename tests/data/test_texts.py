"""Queries, captions and the vocabulary: words made from keywords, the same each time."""

from __future__ import annotations

import tomllib
from itertools import product

from driving.files import annotation_csv, items_csv, queries_csv
from driving.labelling.behaviours import ENTERING, STATIONARY
from driving.labelling.clips import Clip, name_clips
from driving.labelling.labels import GROUPS, Label, SalientActor
from driving.texts.captions import caption
from driving.texts.queries import combinations, text_queries
from driving.texts.vocabulary import OTHER_WORDS, vocabulary_toml

from dashboard.storage.collection import vocabulary

KINDS = product(("bicyclist", "pedestrian"), (ENTERING, STATIONARY), (("nighttime",), ("daytime",)))
CLIPS = name_clips(
    [
        Clip(
            "",
            f"scene{number}",
            Label(
                f"drive{number}",
                0,
                0,
                (SalientActor(1, who, (deed,), "corridor front", 9.0, 1.0),),
                "ego turning",
                ("urban", "intersection"),
            ),
            weather,
        )
        for number, (who, deed, weather) in enumerate(KINDS)
    ]
)


def test_the_first_query_is_the_one_that_everybody_knows() -> None:
    first = text_queries(CLIPS)[0]
    assert (first.query_id, first.text) == ("q001", "cyclist entering ego lane")
    assert first.known_keywords() == (
        "pv_object_type=bicyclist; pv_actor_behavior=entering ego path"
    )


def test_queries_are_unique_and_the_same_each_time() -> None:
    queries = text_queries(CLIPS)
    assert len({query.text for query in queries}) == len(queries)
    assert queries == text_queries(CLIPS)


def test_a_combination_of_two_keywords_belongs_to_one_actor() -> None:
    first, second = (
        CLIPS[0].label.actors[0],
        SalientActor(2, "large vehicle", (STATIONARY,), "corridor front", 9.0, 1.0),
    )
    label = CLIPS[0].label
    both = Clip(
        "", "s", Label("d", 0, 0, (first, second), "ego turning", label.scene), ("daytime",)
    )
    counts = combinations([both])
    wrong = (("pv_object_type", "large vehicle"), ("pv_actor_behavior", first.behaviours[0]))
    assert wrong not in counts


def test_a_caption_says_what_the_keywords_say() -> None:
    clip = next(c for c in CLIPS if c.item_id.startswith("urban_bicyclist_entering"))
    assert caption(clip) == (
        "A bicyclist enters the ego vehicle's path, in the corridor ahead; the ego vehicle turns. "
        "Urban, intersection, nighttime."
    )


def test_several_keywords_share_a_quoted_cell() -> None:
    line = annotation_csv(CLIPS).splitlines()[1]
    assert line.endswith('"urban, intersection, nighttime"')
    assert items_csv(CLIPS).count("\n") == len(CLIPS) + 1


def test_item_queries_follow_the_text_queries() -> None:
    lines = queries_csv(text_queries(CLIPS)[:2], CLIPS).splitlines()
    assert lines[1].startswith("q001,") and lines[3].startswith("item_urban_")


def test_no_word_of_the_vocabulary_stands_for_two_keywords() -> None:
    words = [
        word.lower()
        for group in GROUPS
        for keyword, others in OTHER_WORDS[group].items()
        for word in (keyword, *others)
    ]
    assert len(set(words)) == len(words)


OF_ONE_SCENE = {"steps off the kerb", "changing lanes", "while changing lane", "lane change"}
"""Words that in this collection can mean one thing only: elsewhere a kerb is where somebody stands,
and a truck may change lanes, too."""
OF_ANY_SCENE = {"changing lanes into our lane", "while we change lane", "ego vehicle changes lane"}


def test_collections_without_a_vocabulary_have_the_same_words_but_for_ambiguous_ones() -> None:
    every = {(group, keyword) for group in GROUPS for keyword in OTHER_WORDS[group]}
    own, general = (
        {
            (row["group"], row["keyword"], word)
            for row in tomllib.loads(text)["keyword"]
            for word in row["other_words"]
        }
        for text in (vocabulary_toml(every), vocabulary.DRIVING.read_text(encoding="utf-8"))
    )
    assert {word for _, _, word in own - general} == OF_ONE_SCENE
    assert {word for _, _, word in general - own} == OF_ANY_SCENE


def test_the_vocabulary_lists_only_what_is_used() -> None:
    text = vocabulary_toml({("pv_object_type", "bicyclist")})
    assert [row["keyword"] for row in tomllib.loads(text)["keyword"]] == ["bicyclist"]
