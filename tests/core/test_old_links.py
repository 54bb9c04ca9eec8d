"""Links of the first edition, which spell every choice out: the same view, or a sentence."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest

from dashboard.errors import ChoiceError
from dashboard.storage.collection import open_collection
from dashboard.study.choices import list_choices, resolve
from dashboard.views.address import find_problems, join_values

DATA = Path(__file__).parents[2] / "data"
USUAL = {
    "v": "1", "anyway": "no", "names": "source", "outcome": "all", "shown": "10",
    "columns": "line", "density": "compact", "judging": "no", "differing": "no",
    "copies": "counted", "labels": "given", "test": "whole", "min_similarity": "-1.0",
    "mapping_threshold": "0.6", "rows": "10", "window": "10", "divide": "window",
    "average": "pictures", "between": "", "at": "", "find": "", "also": "", "missed": "",
    "clip": "", "beside": "", "review": "", "pair": "", "list": "", "text": "", "item": "",
    "picture": "", "slice": "", "query": "",
}  # fmt: skip
GROUPS = ["pv_object_type", "pv_actor_behavior"]
CLIP = "highway_large_vehicle_entering_001"
DRIVING = {
    "collection": "driving", "protocol": "alfa", "baseline": "v0.2", "candidate": "v0.3",
    "runs": ["v0.1", "v0.2", "v0.3"], "groups": GROUPS, "metric": "P@5", "queries": "text",
    "by": "pv_object_type",
}  # fmt: skip
SAME = [
    {}, {"metric": "AP"}, {"metric": "nDCG@10"}, {"metric": "P@1"}, {"queries": "item"},
    {"queries": "all"}, {"groups": GROUPS[:1]}, {"groups": [*GROUPS, "pv_scene_type"]},
    {"mapping_threshold": "0.7"}, {"min_similarity": "0.3"}, {"shown": "5"}, {"shown": "20"},
    {"query": "q001"}, {"query": "q004", "metric": "R@5"}, {"text": "cyclist entering ego lane"},
    {"item": CLIP}, {"runs": ["v0.1", "v0.3"]}, {"baseline": "v0.1"},
    {"baseline": "v0.3", "candidate": "v0.1"}, {"clip": CLIP, "query": "q001"},
    {"columns": "5"}, {"density": "comfortable"}, {"names": "standard"}, {"missed": "3"},
    {"beside": CLIP, "clip": CLIP}, {"by": "pv_ego_behavior"}, {"list": "l1"},
    {"protocol": "context"}, {"outcome": "worse"},
]  # fmt: skip
SAID = [
    {"v": "2"}, {"metric": "Q@5"}, {"metric": "P@5 AP"}, {"query": "q999"}, {"item": "none"},
    {"baseline": "v9"}, {"runs": ["v0.1", "v9"]}, {"groups": ["pv_nothing"]}, {"shown": "50"},
    {"mapping_threshold": "2"}, {"min_similarity": "nan"}, {"queries": "none"},
    {"copies": "left_out"}, {"test": "1K"}, {"differing": "yes"}, {"picture": "0" * 64},
    {"submissions": ["A=a.npy,b.npy"]}, {"find": "lorry"}, {"between": "-0.4..-0.2"},
]  # fmt: skip
OTHERS = [
    ("openmoji_captions", "crossmodal", "R@10"), ("openmoji_composed", "composed", "R@5"),
    ("openmoji_context", "context", "DCG"), ("openmoji_hashes", "hashing", "AP@50"),
    ("digits_hashes", "hashing", "AP@50"),
]  # fmt: skip


def write_link(**values: object) -> str:
    return urlencode(USUAL | values, doseq=True)


def list_links() -> Iterator[tuple[str, bool]]:
    """Yield each link, and whether it must open the same view."""
    for change in SAME:
        yield write_link(**DRIVING | change), True
    for change in SAID:
        yield write_link(**DRIVING | change), False
    for name, protocol, metric in OTHERS:
        yield write_link(collection=name, protocol=protocol, metric=metric), True


@pytest.mark.parametrize(("link", "is_same"), [*list_links()])
def test_same_view_or_a_sentence(link: str, is_same: bool) -> None:
    given = join_values(parse_qs(link))
    collection = open_collection(DATA / given["collection"])
    try:
        problems = find_problems(collection, given)
    except ChoiceError as error:
        problems = {"protocol": str(error)}
    assert bool(problems) != is_same, problems
    assert all(each.endswith((".", "?")) for each in problems.values())
    if is_same:
        values = resolve(collection, given).write()
        for each in list_choices():
            assert values[each.key] == (given.get(each.key) or values[each.key])
