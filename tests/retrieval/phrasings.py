"""Requests as people phrase them, each with the keywords that a reader would tick.

Written before the mapping was tuned and before its vocabulary's other words were read: the held-out
list. Keywords of all five groups are listed that the words name; nothing is listed that is only
implied.
"""

PHRASINGS: list[tuple[str, list[str]]] = [
    ("cyclist entering ego lane", ["bicyclist", "entering ego path"]),
    ("guy on a bike swerving into our lane", ["bicyclist", "entering ego path"]),
    ("pedestrian crossing at night", ["pedestrian", "straight crossing path", "nighttime"]),
    (
        "somebody walking across the road in the rain",
        ["pedestrian", "straight crossing path", "rainy"],
    ),
    ("truck parked at the kerb", ["large vehicle", "stationary"]),
    ("a lorry standing still", ["large vehicle", "stationary"]),
    ("bus coming towards us", ["large vehicle", "traveling in opposite direction"]),
    ("oncoming car", ["small vehicle", "traveling in opposite direction"]),
    (
        "car cutting in front of us on the motorway",
        ["small vehicle", "entering ego path", "highway"],
    ),
    ("motorbike overtaking in the left lane", ["motorcyclist", "left adjacent"]),
    ("motorcycle merging into our path", ["motorcyclist", "entering ego path"]),
    ("foggy highway with a truck ahead", ["foggy", "highway", "large vehicle", "corridor front"]),
    ("we are turning at an intersection", ["ego turning", "intersection"]),
    ("ego vehicle changes lane on the freeway", ["ego lane change", "highway"]),
    (
        "stopped at a zebra crossing for people on foot",
        ["ego stationary", "crosswalk", "pedestrian"],
    ),
    ("car turning left across our path", ["small vehicle", "oncoming turn across path"]),
    ("a van driving the same way as us", ["small vehicle", "traveling in same direction"]),
    ("cyclist riding beside us on the right", ["bicyclist", "right adjacent"]),
    ("bicycle crossing the junction", ["bicyclist", "straight crossing path", "intersection"]),
    ("wet road, truck in front", ["rainy", "large vehicle", "corridor front"]),
    ("night drive through the city", ["nighttime", "urban"]),
    ("cloudy day, cyclist waiting", ["overcast", "daytime", "bicyclist", "stationary"]),
    ("bright sun, pedestrian at the crosswalk", ["sunny", "pedestrian", "crosswalk"]),
    ("vehicle stopped in our lane", ["stationary", "corridor front"]),
    ("a pedestrian and a cyclist", ["pedestrian", "bicyclist"]),
    (
        "large vehicle moving in the opposite direction",
        ["large vehicle", "traveling in opposite direction"],
    ),
    ("person stepping out into our way", ["pedestrian", "entering ego path"]),
    ("scooter rider in traffic", ["motorcyclist"]),
    ("taxi pulling out in front of the ego car", ["small vehicle", "entering ego path"]),
    ("driving straight in dense fog", ["proceeding straight", "foggy"]),
    ("coach crossing ahead from the side street", ["large vehicle", "straight crossing path"]),
    ("biker in the rain", ["motorcyclist", "rainy"]),
    ("children crossing the street", ["pedestrian", "straight crossing path"]),
    ("our car standing at a red light", ["ego stationary"]),
    ("delivery van blocking the lane", ["small vehicle", "stationary"]),
    (
        "turning right while a bicyclist crosses",
        ["ego turning", "bicyclist", "straight crossing path"],
    ),
    ("downtown traffic in the evening dark", ["urban", "nighttime"]),
    ("car on the left in the next lane", ["small vehicle", "left adjacent"]),
    ("two trucks on the highway in drizzle", ["large vehicle", "highway", "rainy"]),
    ("waiting for a jogger to cross", ["pedestrian", "straight crossing path", "ego stationary"]),
    ("automobile ahead of us in the same lane", ["small vehicle", "corridor front"]),
    ("pedestrian on a bend of the road", ["pedestrian", "curved road"]),
    ("hgv changing into our lane", ["large vehicle", "entering ego path"]),
    (
        "misty morning with oncoming motorbike",
        ["foggy", "motorcyclist", "traveling in opposite direction"],
    ),
    ("beautiful landscape with mountains", []),
    ("the quick brown fox", []),
    ("purple giraffe dancing", []),
]
