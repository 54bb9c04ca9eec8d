"""The address holds the whole view, reads back what it wrote, and says what it cannot follow."""

from dataclasses import fields
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.experiment import measuring
from dashboard.experiment.collection import collections
from dashboard.letters import is_visible
from dashboard.views import address
from dashboard.views.address.choices import CHOICES, NAMES, OUTCOMES, SHOWN, WHICH_QUERIES, View
from dashboard.views.address.reading import whole


@pytest.fixture(scope="module")
def driving():
    return collections.opened("driving")


@pytest.fixture
def view(driving):
    view, problems = address.from_params({}, driving)
    assert problems == []
    return view


def test_a_link_without_choices_has_the_collections_defaults(view, driving):
    assert view.baseline == driving.default_baseline
    assert view.groups == driving.default_groups
    assert view.metric == "P@5"
    assert view.mapping_threshold == driving.mapping_threshold


def test_every_default_is_spelled_out(view, driving):
    said = address.to_params(view)
    # nothing is open, typed or filtered yet
    unsaid = {key for key, choice in CHOICES.items() if choice.default.of(driving) in ("", ())}
    assert unsaid >= {"query", "clip", "text", "item", "slice", "between", "at", "find"}
    assert set(said) == {"v", "collection", *CHOICES} - unsaid


def test_a_link_means_the_same_after_the_defaults_changed(view, driving):
    changed = {key: f"{key}=x" for key in CHOICES}
    said = address.to_params(view)
    again, problems = address.from_params(said, driving)
    assert problems == [] and changed  # every value came from the link, none from a default
    assert again == view


@given(data=st.data())
def test_what_is_written_reads_back(data):
    driving = collections.opened("driving")
    versions = st.sampled_from(driving.versions)
    words = st.text(max_size=50).map(lambda text: text.strip() if is_visible(text) else "")
    some = {
        "baseline": versions,
        "candidate": versions,
        "runs": st.lists(versions, min_size=1, unique=True).map(tuple),
        "protocol": st.sampled_from(driving.protocols),
        "metric": st.sampled_from(["P@1", "nDCG@10", "AP", "CAG(DCG,w=3)@5", "RBP(0.8)"]),
        "queries": st.sampled_from(list(WHICH_QUERIES)),
        "slice": st.sampled_from(["", "pv_object_type=bicyclist", "pv_scene_type=nighttime"]),
        "anyway": st.sampled_from(["no", "yes"]),
        "by": st.sampled_from(list(measuring.slices_of(driving))),
        "groups": st.lists(st.sampled_from(driving.groups), min_size=1, unique=True).map(tuple),
        "mapping_threshold": st.integers(0, 100).map(lambda n: n / 100),
        "min_similarity": st.integers(-100, 100).map(lambda n: n / 100),
        "names": st.sampled_from(list(NAMES)),
        "outcome": st.sampled_from(list(OUTCOMES)),
        "between": st.sampled_from(["", "-0.4..-0.2"]),
        "at": st.sampled_from(["", "0.2..1"]),
        "find": words,
        "shown": st.sampled_from(SHOWN),
        "query": st.sampled_from(["", *driving.queries["query_id"]]),
        "clip": st.sampled_from(["", *driving.items["item_id"]]),
        "text": words,
        "item": st.sampled_from(["", *driving.items["item_id"]]),
    }
    usual, _ = address.from_params({}, driving)
    drawn = {key: data.draw(strategy) for key, strategy in some.items()}
    view = View(**{**vars(usual), **drawn})
    again, problems = address.from_params(address.to_params(view), driving)
    assert problems == []
    assert again == view


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("baseline", "v9", "asks for the model version 'v9'; choose v0.1, v0.2 or v0.3"),
        ("runs", "v0.1,v9", "asks for the model version 'v9'; choose v0.1, v0.2 or v0.3"),
        ("query", "q999", "asks for the query 'q999', which this collection does not have"),
        ("clip", "../../etc/passwd", "asks for the item"),
        ("metric", "nDCK@10", "no metric 'nDCK'"),
        ("metric", "P", "needs a cutoff"),
        ("metric", "P@5 AP", "choose one, such as"),
        ("metric", "__class__", "no metric"),
        ("metric", "gm_map", "geometric mean"),
        ("groups", "pv_colour", "asks for the keyword group 'pv_colour'"),
        ("groups", "", "leaves groups empty"),
        ("slice", "pv_object_type=spaceship", "asks for the slice 'pv_object_type=spaceship'"),
        ("between", "0.2", "write two numbers"),
        ("at", "0.2..many", "choose a number"),
        ("by", "colour", "asks for the slicing 'colour'"),
        ("mapping_threshold", "2", "from 0 to 1"),
        ("mapping_threshold", "nan", "from 0 to 1"),
        ("min_similarity", "warm", "from -1 to 1"),
        ("protocol", "<script>", "asks for the protocol '<script>'"),
        ("shown", "-3", "This link asks for -3 results; choose 5, 10, 20 or 50."),
        ("text", "x" * 1001, "1,001 characters"),
    ],
)
def test_an_unknown_value_is_said_and_not_replaced(driving, key, value, said):
    view, problems = address.from_params({key: [value]}, driving)
    assert getattr(view, key) is None
    assert [p.key for p in problems] == [key]
    assert said in problems[0].sentence
    others = [k for k in CHOICES if k != key]
    assert all(getattr(view, k) is not None for k in others)


def test_groups_may_be_repeated_or_joined_by_commas(driving):
    repeated, _ = address.from_params({"groups": ["pv_object_type", "pv_scene_type"]}, driving)
    joined, _ = address.from_params({"groups": ["pv_object_type,pv_scene_type"]}, driving)
    assert repeated.groups == joined.groups == ("pv_object_type", "pv_scene_type")


@pytest.mark.parametrize("name", ["gone", "../../etc", "/etc", "a\0b", ""])
def test_an_unknown_collection_is_said(name):
    view, problems = address.view_of({"collection": [name]})
    assert view is None
    assert problems[0].sentence.startswith(f"There is no collection {name!r}")


def test_a_key_that_is_nearly_one_is_said_and_those_of_others_are_not(driving):
    view, problems = address.from_params({"metrics": ["P@5"], "utm_source": ["chat"]}, driving)
    assert view == address.from_params({}, driving)[0]
    assert [problem.key for problem in problems] == ["metrics"]
    assert "write metric." in problems[0].sentence
    asked = {"Metric": ["P@5"], "collection": [driving.name]}
    assert [problem.key for problem in address.from_params(asked, driving)[1]] == ["Metric"]


def test_a_change_keeps_what_could_not_be_followed(driving):
    asked = {"baseline": ["v9"], "query": ["q001"]}
    view, _ = address.from_params(asked, driving)
    changed = address.merged(asked, view, {"query": "q002"})
    assert changed["baseline"] == ["v9"]
    assert changed["query"] == ["q002"]


def test_a_partial_link_is_completed_once(driving):
    full = address.complete({"collection": ["driving"], "query": ["q003"], "metric": ["gone@5"]})
    params = parse_qs(full)
    assert params["query"] == ["q003"]
    assert params["metric"] == ["gone@5"], "what is unknown is left to be said"
    assert params["baseline"] == [driving.default_baseline]
    assert address.complete({**params, "metric": ["P@5"]}) is None
    assert address.complete({"collection": ["gone"]}) is None


@pytest.mark.parametrize("name", collections.collection_names())
def test_a_view_has_a_field_of_the_right_kind_for_every_choice(name: str) -> None:
    view, problems = address.from_params({}, collections.opened(name))
    kinds = {"str": str, "tuple[str, ...]": tuple, "float": float}
    assert not problems and {each.name for each in fields(View)} == {"collection", *CHOICES}
    for each in fields(View):
        assert isinstance(getattr(view, each.name), kinds[str(each.type)]), each.name


def test_a_whole_number_has_one_spelling():
    """What is equal is computed and remembered once, and an address that is shared says it once."""
    read = whole("window", 1, 10)
    assert [read(text, None) for text in ("7", "07", "٧")] == ["7"] * 3
