"""The vocabulary: every keyword with the other words that people in the field use for it.

No bare word stands for two keywords: "stopped" alone is an actor's, so the ego's own standstill
is always said with "we", "our" or "ego".
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from driving.labelling.labels import GROUPS

OTHER_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "pv_object_type": {
        "small vehicle": (
            "car", "passenger car", "sedan", "saloon car", "hatchback", "automobile", "van",
            "delivery van", "light vehicle", "taxi", "SUV", "another car",
        ),
        "large vehicle": (
            "truck", "lorry", "bus", "coach", "HGV", "heavy goods vehicle", "heavy vehicle",
            "box truck", "city bus", "semi truck", "delivery truck", "big rig",
            "trucks and buses",
        ),
        "pedestrian": (
            "walker", "person on foot", "person walking", "someone walking", "someone on foot",
            "people walking", "person", "man walking", "woman walking", "passer-by",
            "jaywalker",
        ),
        "motorcyclist": (
            "motorcycle", "motorbike", "motorbike rider", "motorcycle rider", "biker", "moped",
            "scooter rider", "powered two-wheeler",
        ),
        "bicyclist": (
            "cyclist", "bike rider", "bicycle", "bicycle rider", "person on a bicycle",
            "person on a bike", "push bike", "someone cycling", "pedal cyclist",
        ),
    },
    "pv_actor_behavior": {
        "entering ego path": (
            "entering ego lane", "entering our lane", "entering our path", "cutting in",
            "cuts in", "cut-in", "cutting us off", "merging into our lane",
            "moving into our lane", "moving into our path", "moves into our path",
            "drifting into our lane", "veering into our lane", "comes into our lane",
            "joining our lane", "pulling out in front", "pulls into our lane",
            "pulling into our lane", "swerving into our lane", "swerves in front",
            "stepping into our path", "steps into the road", "stepping into the road",
            "steps off the kerb", "lane intrusion",
        ),
        "stationary": (
            "standing still", "stopped", "parked", "not moving", "halted", "at a standstill",
            "waiting", "motionless", "broken down", "stands still", "blocking the lane",
        ),
        "traveling in same direction": (
            "same direction as us", "going our way", "moving along with us", "lead vehicle",
            "leading vehicle", "driving ahead of us", "riding ahead of us", "driving ahead",
            "riding ahead", "following a vehicle", "we are following", "driving alongside us",
            "heading the same way", "overtaking us",
        ),
        "traveling in opposite direction": (
            "oncoming", "oncoming traffic", "coming towards us", "coming the other way",
            "approaching from ahead", "opposite direction", "heading towards us", "contraflow",
            "driving the other way", "opposing traffic",
        ),
        "straight crossing path": (
            "crossing", "crossing our path", "crossing the road", "crossing the street",
            "crosses the road", "crosses in front", "walking across", "walks across the street",
            "passing across", "passing across our path", "crosses our path",
            "crossing the ego path", "cross traffic", "riding across",
            "driving across our path", "walks over",
        ),
        "oncoming turn across path": (
            "oncoming left turn", "turning left across our path", "turning across our path",
            "turns left in front of us", "left turn across path",
            "turning across oncoming lane", "oncoming vehicle turning left",
            "turning left in front of us", "turns left across our path",
            "turning left in front of our car",
        ),
    },
    "pv_spatial_relation": {
        "corridor front": (
            "in front of us", "ahead of us", "directly ahead", "straight ahead",
            "ahead in our lane", "in front of the ego vehicle", "in the ego corridor",
        ),
        "left adjacent": (
            "alongside on the left", "right next to us on the left", "beside us on the left",
            "abreast on the left",
        ),
        "right adjacent": (
            "alongside on the right", "next to us on the right side", "beside us on the right",
            "abreast on the right",
        ),
        "left adjacent front": (
            "ahead on the left", "in the left lane ahead", "front left", "left lane ahead",
            "on the left side ahead",
        ),
        "right adjacent front": (
            "ahead on the right", "in the right lane ahead", "front right", "right lane ahead",
            "on the right side ahead",
        ),
        "left split front": (
            "far left ahead", "far over on the left", "two lanes to the left",
            "on the far left side",
        ),
        "right split front": (
            "far right ahead", "far over on the right", "two lanes to the right",
            "on the far right side",
        ),
    },
    "pv_ego_behavior": {
        "ego turning": (
            "we are turning", "ego vehicle turns", "our car turns", "while we turn",
            "we turn left", "we turn right", "ego turn", "during our turn",
            "when turning ourselves",
        ),
        "proceeding straight": (
            "going straight", "ego going straight", "driving straight on",
            "we drive straight on", "continuing straight", "we keep straight",
        ),
        "ego lane change": (
            "we change lane", "we change lanes", "changing lanes", "ego changes lane",
            "our lane change", "while changing lane", "lane change",
        ),
        "ego stationary": (
            "we are stopped", "we are standing still", "ego vehicle stopped",
            "our car is stopped", "while we wait", "we are waiting", "ego vehicle waiting",
            "ego vehicle stationary", "own car at a standstill",
        ),
    },
    "pv_scene_type": {
        "urban": (
            "city", "in the city", "town", "in town", "downtown", "city street",
            "built-up area", "inner city", "city traffic",
        ),
        "highway": (
            "motorway", "freeway", "expressway", "interstate", "on the motorway",
            "dual carriageway", "autobahn",
        ),
        "intersection": (
            "junction", "crossroads", "road junction", "at the intersection", "at a junction",
            "street corner", "traffic lights",
        ),
        "non-intersection": (
            "away from intersections", "no intersection", "away from junctions", "mid-block",
            "between intersections", "open stretch of road",
        ),
        "crosswalk": (
            "zebra crossing", "pedestrian crossing", "zebra", "marked crossing",
            "zebra stripes",
        ),
        "curved road": (
            "bend", "curve", "bend in the road", "winding road", "curvy road", "road bends",
        ),
        "vulnerable road user present": (
            "vulnerable road users", "VRU", "vulnerable road user nearby", "VRU present",
            "unprotected road users",
        ),
        "daytime": (
            "by day", "in daylight", "during the day", "daylight", "day",
        ),
        "nighttime": (
            "at night", "by night", "night", "after dark", "in the dark", "dusk", "darkness",
            "night drive",
        ),
        "sunny": (
            "sunshine", "clear sky", "sunny day", "in bright sun", "blue sky", "fine weather",
        ),
        "overcast": (
            "cloudy", "grey sky", "overcast sky", "clouded over", "dull weather",
        ),
        "rainy": (
            "rain", "in the rain", "raining", "wet road", "rainfall", "wet weather", "downpour",
        ),
        "foggy": (
            "fog", "in fog", "mist", "misty", "poor visibility", "hazy",
        ),
    },
}  # fmt: skip


def vocabulary_toml(used: Iterable[tuple[str, str]]) -> str:
    """The text of vocabulary.toml for the (group, keyword) pairs that the annotation uses."""
    pairs = set(used)
    tables = ["# Made by build/build.py: every keyword with its other words."]
    for group in GROUPS:
        for keyword, words in OTHER_WORDS[group].items():
            if (group, keyword) not in pairs:
                continue
            listed = "\n".join(f"  {json.dumps(word)}," for word in words)
            tables.append(
                f'[[keyword]]\nkeyword = "{keyword}"\ngroup = "{group}"\n'
                f"other_words = [\n{listed}\n]"
            )
    return "\n\n".join(tables) + "\n"
