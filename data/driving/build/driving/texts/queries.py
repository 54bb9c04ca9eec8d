"""Text queries made from keyword combinations that the clips have, in a reviewer's own words.

One table below holds every phrase. Phrases of one combination take turns, so that the same clips
always give the same queries; a few combinations that no clip has are asked on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from driving.labelling.clips import Clip

Pair = tuple[str, str]

FIRST = "cyclist entering ego lane"
NOUNS = {
    "bicyclist": ("cyclist", "bike rider", "person on a bicycle"),
    "pedestrian": ("person on foot", "walker", "passer-by"),
    "motorcyclist": ("motorbike", "motorcycle rider", "biker"),
    "small vehicle": ("car", "passenger car", "van"),
    "large vehicle": ("truck", "bus", "lorry"),
}
"""Every way of naming an actor; they take turns."""

DEEDS = {
    "entering ego path": (
        "{} cutting in",
        "{} entering our lane",
        "{} moving into our path",
    ),
    "straight crossing path": (
        "{} crossing the road",
        "{} crosses in front",
        "{} passing across our path",
    ),
    "oncoming turn across path": (
        "{} turning left across our path",
        "{} turns left in front of us",
    ),
    "stationary": ("{} standing still", "stopped {}", "{} not moving"),
    "traveling in same direction": (
        "{} going our way",
        "following a {}",
        "{} heading the same way",
    ),
    "traveling in opposite direction": (
        "oncoming {}",
        "{} coming towards us",
        "{} coming the other way",
    ),
}
PERSON_DEEDS = {
    "entering ego path": ("{} stepping into our path", "{} steps into the road"),
    "straight crossing path": ("{} crossing the street", "{} walks across the street"),
}
"""Where a walker is said to do it otherwise."""

SETTINGS = {
    "nighttime": ("at night", "after dark"),
    "rainy": ("in the rain", "on a wet road"),
    "foggy": ("in fog", "in the mist"),
    "overcast": ("under a grey sky",),
    "sunny": ("in sunshine",),
    "daytime": ("in daylight",),
    "urban": ("in the city", "in town"),
    "highway": ("on the motorway", "on the freeway"),
    "intersection": ("at a junction", "at the crossroads"),
    "crosswalk": ("at a zebra crossing",),
    "curved road": ("in a bend",),
    "ego turning": ("while we turn", "when our car turns"),
    "ego lane change": ("as we change lanes",),
    "ego stationary": ("while we are stopped",),
    "corridor front": ("directly ahead",),
    "left adjacent front": ("ahead on the left",),
    "right adjacent front": ("ahead on the right",),
    "left adjacent": ("alongside on the left",),
    "right adjacent": ("alongside on the right",),
    "left split front": ("far over on the left",),
    "right split front": ("far over on the right",),
}
"""What can be added to a phrase about an actor."""

ALONE = {
    ("pv_scene_type", "highway"): "freeway driving",
    ("pv_scene_type", "crosswalk"): "zebra crossing",
    ("pv_scene_type", "nighttime"): "driving after dark",
    ("pv_scene_type", "foggy"): "misty morning",
    ("pv_scene_type", "rainy"): "wet weather",
    ("pv_scene_type", "sunny"): "blue sky",
    ("pv_scene_type", "overcast"): "cloudy sky",
    ("pv_scene_type", "daytime"): "drive in daylight",
    ("pv_scene_type", "urban"): "city street",
    ("pv_scene_type", "curved road"): "bend in the road",
    ("pv_scene_type", "intersection"): "at a junction",
    ("pv_scene_type", "non-intersection"): "open stretch of road",
    ("pv_scene_type", "vulnerable road user present"): "vulnerable road users",
    ("pv_ego_behavior", "ego turning"): "our car turns",
    ("pv_ego_behavior", "ego lane change"): "we change lanes",
    ("pv_ego_behavior", "ego stationary"): "we are standing still",
    ("pv_ego_behavior", "proceeding straight"): "we drive straight on",
    ("pv_actor_behavior", "entering ego path"): "somebody cuts in",
    ("pv_actor_behavior", "oncoming turn across path"): "oncoming left turn",
}
"""Queries of one keyword."""

ODD = {("pedestrian", word) for word in ("left adjacent", "right adjacent", "urban", "highway")}
"""Settings that nobody would say of a walker."""

SETTING_GROUPS = ("pv_scene_type", "pv_ego_behavior", "pv_spatial_relation")
MOST_WITH_SETTING = {"pv_scene_type": 24, "pv_ego_behavior": 8, "pv_spatial_relation": 14}
PER_SETTING = 2
RARE_SETTINGS = ("foggy", "overcast", "rainy", "curved road")
"""Each gives one query to which nothing is relevant, if there is such a combination."""


@dataclass(frozen=True)
class Query:
    """One text query and the keywords that it was made from."""

    query_id: str
    text: str
    keywords: tuple[Pair, ...]

    def known_keywords(self) -> str:
        """The keywords as a cell of queries.csv."""
        return "; ".join(f"{group}={keyword}" for group, keyword in self.keywords)


class Phrases:
    """Says a combination in the next of its phrasings."""

    def __init__(self) -> None:
        self.turns: Counter[str] = Counter()

    def turn(self, key: str, options: tuple[str, ...]) -> str:
        """The next option of a key."""
        self.turns[key] += 1
        return options[(self.turns[key] - 1) % len(options)]

    def actor(self, kind: str, deed: str) -> str:
        """An actor and what it does."""
        deeds = PERSON_DEEDS.get(deed, DEEDS[deed]) if kind == "pedestrian" else DEEDS[deed]
        return self.turn(deed + kind, deeds).format(self.turn(kind, NOUNS[kind]))

    def setting(self, keyword: str) -> str:
        """A place, a weather, a side or what we do."""
        return self.turn(keyword, SETTINGS[keyword])


def combinations(clips: Sequence[Clip]) -> Counter[tuple[Pair, ...]]:
    """How many clips have each object with a behaviour of the same actor, and each such pair
    with one further keyword."""
    counts: Counter[tuple[Pair, ...]] = Counter()
    for clip in clips:
        words = clip.keywords()
        for actor in clip.label.actors:
            for behaviour in actor.behaviours:
                pair = (("pv_object_type", actor.object_type), ("pv_actor_behavior", behaviour))
                counts[pair] += 1
                for group in SETTING_GROUPS:
                    here = [actor.relation] if group == "pv_spatial_relation" else words[group]
                    for word in here:
                        if word in SETTINGS and (actor.object_type, word) not in ODD:
                            counts[*pair, (group, word)] += 1
    return counts


def frequent_first(counts: Counter[tuple[Pair, ...]], length: int) -> list[tuple[Pair, ...]]:
    """Combinations of a length, the most frequent first, then by their words."""
    chosen = [keys for keys in counts if len(keys) == length]
    return sorted(chosen, key=lambda keys: (-counts[keys], keys))


def with_settings(counts: Counter[tuple[Pair, ...]]) -> Iterator[tuple[Pair, ...]]:
    """Object, behaviour and one thing more: frequent ones, with no setting asked too often."""
    triples = frequent_first(counts, 3)
    for group, most in MOST_WITH_SETTING.items():
        used: Counter[str] = Counter()
        pairs: Counter[tuple[Pair, ...]] = Counter()
        for keys in (keys for keys in triples if keys[2][0] == group):
            word = keys[2][1]
            if used[word] < PER_SETTING and pairs[keys[:2]] < 2 and used.total() < most:
                used[word] += 1
                pairs[keys[:2]] += 1
                yield keys


def never_seen(
    counts: Counter[tuple[Pair, ...]], clips: Sequence[Clip]
) -> Iterator[tuple[Pair, ...]]:
    """Plausible combinations that no clip has, one for each setting: nothing is relevant."""
    bags = [clip.pairs() for clip in clips]
    asked = []
    for keyword in RARE_SETTINGS:
        for pair in frequent_first(counts, 2):
            keys = (*pair, ("pv_scene_type", keyword))
            if pair not in asked and not any(bag.issuperset(keys) for bag in bags):
                asked.append(pair)
                yield keys
                break


def text_queries(clips: Sequence[Clip]) -> list[Query]:
    """All text queries of a choice of clips, q001 first."""
    counts, phrases = combinations(clips), Phrases()
    asked: list[tuple[str, tuple[Pair, ...]]] = [
        (FIRST, (("pv_object_type", "bicyclist"), ("pv_actor_behavior", "entering ego path")))
    ]
    pairs = frequent_first(counts, 2)
    for _ in range(2):
        asked += [(phrases.actor(keys[0][1], keys[1][1]), keys) for keys in pairs]
    for keys in [*with_settings(counts), *never_seen(counts, clips)]:
        actor = phrases.actor(keys[0][1], keys[1][1])
        asked.append((f"{actor} {phrases.setting(keys[2][1])}", keys))
    present = {pair for clip in clips for pair in clip.pairs()}
    asked += [(text, (pair,)) for pair, text in ALONE.items() if pair in present]
    number, unique = count(1), dict.fromkeys(asked)
    texts: set[str] = set()
    found = []
    for text, keys in unique:
        if text not in texts:
            texts.add(text)
            found.append(Query(f"q{next(number):03d}", text, keys))
    return found
