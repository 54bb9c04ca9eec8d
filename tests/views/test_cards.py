"""What the cards are told: plain values, the right marks and movements, and never too much."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.views.cards import Row, movement, needed, opened, packed, payload, short
from dashboard.views.cards.captions import CAPTIONS, WHOLE


def found(*item_ids: str) -> pd.DataFrame:
    ranks = np.arange(1, len(item_ids) + 1, dtype=np.int64)
    return pd.DataFrame({"item_id": item_ids, "rank": ranks, "score": np.float32(0.5) / ranks})


def places_of(*item_ids: str) -> dict[str, tuple[int, float]]:
    return {item: (rank, 0.5 / rank) for rank, item in enumerate(item_ids, start=1)}


def media_of(*item_ids: str, **columns: object) -> pd.DataFrame:
    empty = {"kind": "clip", "clip": "", "poster": "", "problem": "", "caption": ""}
    return pd.DataFrame(
        {"item_id": list(item_ids), **empty, "begin": np.nan, "end": np.nan, **columns}
    )


def captions_of(items: pd.DataFrame) -> dict[str, str]:
    return dict(zip(items["item_id"], items["caption"], strict=True))


OLD = Row("v0.1", found("a", "b", "c"), "#0072b2", measure="nDCG@3", value=np.float64(0.5))
NEW = Row("v0.2", found("c", "b", "d"), "#d55e00", value=float("nan"))


@pytest.mark.parametrize(
    ("rank", "before", "moved"),
    [(1, 4, "↑3"), (4, 2, "↓2"), (2, 2, "same"), (1, None, "new"), (1, 6, "new"), (None, 1, "")],
)
def test_a_movement_is_told_from_the_baseline(
    rank: int | None, before: int | None, moved: str
) -> None:
    assert movement(rank, before, depth=5) == moved


def test_a_long_way_has_a_thousands_sign() -> None:
    assert movement(1, 2_000, depth=5_000) == "↑1,999"


def test_rows_say_who_moved_who_is_new_and_who_is_gone() -> None:
    told = payload([OLD, NEW], media_of("a", "b", "c", "d"), baseline="v0.1")
    moves = [[result.get("move", "") for result in row["results"]] for row in told["rows"]]
    assert moves == [["gone", "", ""], ["↑2", "same", "new"]]


def test_nothing_moves_to_or_from_a_version_that_could_not_be_asked() -> None:
    for old, new in ((OLD, replace(NEW, answered=False)), (replace(OLD, answered=False), NEW)):
        told = payload([old, new], media_of("a", "b", "c", "d"), baseline="v0.1")
        assert not any("move" in result for row in told["rows"] for result in row["results"])


def test_nothing_moves_without_a_baseline_or_with_one_version() -> None:
    items = media_of("a", "b", "c", "d")
    for told in (payload([OLD, NEW], items), payload([OLD], items, baseline="v0.1")):
        assert not any("move" in result for row in told["rows"] for result in row["results"])


def test_hits_are_counted_and_what_is_not_judged_is_not_a_miss() -> None:
    items = media_of("a", "b", "c", hit=[np.True_, np.False_, None])
    row = payload([OLD], items)["rows"][0]
    assert (row["hits"], row["judged"]) == (1, 2)
    assert [item["hit"] for item in payload([OLD], items)["items"]] == [True, False, None]


def test_ticks_keep_the_order_of_the_query_and_say_when_nothing_is_annotated() -> None:
    required = [("pv_scene_type", "urban"), ("pv_object_type", "cyclist")]
    ticks = {"a": [True, False], "b": [None, None]}
    told = payload([OLD], media_of("a", "b", "c"), required=required, ticks=ticks)
    assert told["required"] == [["scene type", "urban"], ["object type", "cyclist"]]
    assert [i["ticks"] for i in told["items"]] == [[True, False], [None, None], [None, None]]


def test_places_and_annotations_go_with_their_item() -> None:
    places = {"v1": {"a": (3, 0.5)}, "v2": {"a": (9, 0.25)}, "v3": {}}
    notes = {"a": [("pv_x", "one"), ("pv_x", "two")]}
    told = payload([OLD], media_of("a", "b", "c"), places=places, annotations=notes)
    item = told["items"][0]
    assert item["places"] == [[0, 3, 0.5], [1, 9, 0.25]] and told["versions"] == ["v1", "v2"]
    assert [told["keywords"][number] for number in item["annotations"]] == [
        ["x", "one"],
        ["x", "two"],
    ]


@pytest.mark.parametrize("null", [None, float("nan"), float("inf"), pd.NA, np.float32("nan")])
def test_numbers_that_json_cannot_hold_become_null(null: object) -> None:
    results = pd.DataFrame({"item_id": ["a"], "rank": [null], "score": [null]}, dtype=object)
    items = media_of("a", matched=pd.array([None], dtype="Int64"), required=null, hit=pd.NA)
    told = payload([Row("v", results, value=null)], items)
    assert told["rows"][0]["results"] == [{"item": 0, "rank": None, "score": None}]
    json.dumps(told, allow_nan=False)


def test_every_value_is_of_a_plain_type() -> None:
    def check(value: object) -> None:
        assert type(value) in (dict, list, str, int, float, bool, type(None)), repr(value)
        for part in value.values() if isinstance(value, dict) else ():
            check(part)
        for part in value if isinstance(value, list) else ():
            check(part)

    items = media_of("a", "b", "c", matched=np.int64(2), required=np.int32(3), hit=np.True_)
    check(payload([OLD, NEW], items, baseline="v0.1", columns=5))
    check(opened(captions_of(items), selected="a", answer=("once", "")))


def test_a_result_without_its_item_and_a_selection_without_one_are_left_out() -> None:
    assert len(payload([OLD], media_of("a"))["rows"][0]["results"]) == 1
    assert opened(captions_of(media_of("a")), selected="gone")["selected"] is None
    assert opened(captions_of(media_of("z", "a")), selected="a", beside="z") == {
        "selected": 1,
        "beside": 0,
        "answer": None,
        "text": [],
    }


def test_long_captions_share_what_there_is() -> None:
    item = payload([OLD], media_of("a", caption="x" * 200_000))["items"][0]
    assert len(item["caption"]) == CAPTIONS and item["caption"].endswith("…")
    assert item["few"] == "the first 39,999 of 200,000 letters"
    assert "few" not in payload([OLD], media_of("a", caption="x" * 300))["items"][0]
    ids = [f"i{number}" for number in range(50)]
    many = payload([Row("v", found(*ids))], media_of(*ids, caption="x" * 10_000))
    assert sum(len(item["caption"]) for item in many["items"]) <= CAPTIONS


@pytest.mark.parametrize("letter", ["x", "ж", "\N{GRINNING FACE}"])
def test_the_caption_of_the_open_item_comes_whole_up_to_a_bound(letter: str) -> None:
    ids = [f"i{number}" for number in range(150)]
    told = opened(captions_of(media_of(*ids, caption=letter * 4_000)), selected="i7")
    assert (told["text"][0] == letter * 4_000) and told["text"][1] == ""
    assert opened(captions_of(media_of(*ids, caption=letter * 280)), selected="i7")["text"] == []
    assert opened(captions_of(media_of(*ids, caption=letter * 5_000)))["text"] == []
    text, few = opened(captions_of(media_of(*ids, caption=letter * 90_000)), selected="i7")["text"]
    assert len(json.dumps(text)) <= WHOLE + 12 and text.endswith("…")
    assert few == f"the first {len(text) - 1:,} of 90,000 letters"


def test_fifty_cards_stay_under_100_kilobytes() -> None:
    ids = [f"urban_bicyclist_entering_ego_path_{number:03d}" for number in range(50)]
    address = "clips/driving?item=urban_bicyclist_entering_ego_path_000&v=0123456789ab"
    items = media_of(
        *ids,
        caption="A bicyclist enters the ego path in an urban street, at night, in the rain. " * 2,
        clip=address,
        poster=address,
        hit=True,
        matched=2,
        required=3,
    )
    groups = [f"pv_group_{number}" for number in range(5)]
    required = [(group, "same direction moving") for group in groups]
    told = payload(
        [Row(f"v0.{version}", found(*ids)) for version in range(2)],
        items,
        required=required,
        ticks=dict.fromkeys(ids, [True] * 5),
        places={f"v0.{version}": places_of(*ids) for version in range(4)},
        annotations=dict.fromkeys(ids, required * 2),
        baseline="v0.0",
    )
    assert len(json.dumps(told)) < 100_000


def test_control_and_direction_marks_are_visible_in_every_text() -> None:
    bad = "a\N{RIGHT-TO-LEFT OVERRIDE}b\x00"
    told = payload([Row(bad, found(bad), note=bad)], media_of(bad, caption=bad, problem=bad))
    assert told["items"][0]["id"] == bad  # the id itself must come back as it is
    texts = json.dumps([told["rows"], {**told["items"][0], "id": ""}], ensure_ascii=False)
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in texts and "\\u0000" not in texts


def test_short_names_of_groups() -> None:
    assert short("pv_object_type") == "object type"
    assert short("colour") == "colour"


def test_needed_items_are_named_once() -> None:
    assert needed([OLD, NEW], "z") == ["a", "b", "c", "d", "z"]
    assert needed([OLD]) == ["a", "b", "c"]


def test_a_screen_mounts_the_component_with_the_payload() -> None:
    def script() -> None:
        import pandas as pd

        from dashboard.views.cards import Row, cards, packed, payload

        results = pd.DataFrame({"item_id": ["a"], "rank": [1], "score": [0.5]})
        items = pd.DataFrame({"item_id": ["a"]})
        cards(packed(payload([Row("v0.1", results)], items)), items, key="grid")

    drawn = AppTest.from_function(script, default_timeout=20).run()
    assert not drawn.exception
    contents, told = [each.proto for each in drawn.get("bidi_component")]
    sent = json.loads(zlib.decompress(contents.bytes))
    assert sent["name"] == json.loads(told.json)["contents"]
    assert sent["rows"][0]["results"] == [{"item": 0, "rank": 1, "score": 0.5}]


def test_a_name_stands_for_a_content_and_for_no_other() -> None:
    one = payload([OLD], media_of("a", "b", "c"))
    name, sent = packed(one)
    assert packed(payload([OLD], media_of("a", "b", "c"))) == (name, sent)
    assert packed(payload([OLD], media_of("a", "b", "c", hit=True)))[0] != name
    assert json.loads(zlib.decompress(sent)) == {**one, "name": name}


def test_four_rows_of_fifty_long_texts_stay_small() -> None:
    ids = [f"urban_bicyclist_entering_ego_path_{number:04d}" for number in range(300)]
    rng = np.random.default_rng(1)
    words = [f"word{number}" for number in range(500)]
    captions = [" ".join(rng.choice(words, 20)) for _ in ids]
    places = {f"v0.{version}": places_of(*rng.permutation(ids)) for version in range(4)}
    rows = [Row(f"v0.{version}", found(*rng.permutation(ids)[:50])) for version in range(4)]
    told = payload(rows, media_of(*ids, caption=captions), places=places, baseline="v0.0")
    assert len(packed(told)[1]) < 70_000


def test_keywords_are_whole_up_to_what_all_share() -> None:
    one = [("pv_x", "long " * 100)]
    assert payload([OLD], media_of("a"), required=one)["required"] == [["x", "long " * 100]]
    many = [("pv_x", f"{number} " + "y" * 500) for number in range(1_000)]
    words = [word for _, word in payload([OLD], media_of("a"), required=many)["required"]]
    assert {len(word) for word in words} == {120} and words[0].endswith("…")
