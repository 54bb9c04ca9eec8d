"""What frames every screen: the side bar, the title of the browser's tab."""

from __future__ import annotations

import pytest
import streamlit as st

from dashboard.views import address, frame
from tests.test_screens import drawn, no_text_model  # noqa: F401


def controls(block):
    """The controls of a block: selectboxes, sliders, and groups of buttons."""
    return [*block.selectbox, *block.slider, *block.get("button_group")]


def test_the_side_bar_holds_collection_versions_and_metric_and_the_others_under_more():
    bar = drawn(collection="driving").sidebar
    (more,) = [box for box in bar.expander if box.label.startswith("More")]
    inside = {each.proto.label for each in controls(more)}
    labels = [each.proto.label for each in controls(bar) if each.proto.label not in inside]
    assert labels == ["Collection", "Baseline", "Candidate", "Metric"]
    assert {"Protocol", "Queries", "Query slice", "Near-duplicates", "Metric names"} <= inside
    assert more.label == "More"
    part = drawn(collection="driving", slice="pv_object_type=bicyclist", shown="5").sidebar
    assert "More (2 changed)" in [box.label for box in part.expander]


def test_every_control_of_the_side_bar_has_its_help():
    bar = controls(drawn(collection="driving").sidebar)
    assert [control.proto.label for control in bar if not control.proto.help] == []


@pytest.mark.parametrize("title", ["Compare", "Slices", "Query"])
def test_every_control_of_a_screen_has_its_help(title):
    app = drawn(title.lower(), collection="driving")
    assert [c.proto.label for c in controls(app.main) if not c.proto.help] == []


def test_metrics_have_short_names_and_their_formula_and_source_on_request():
    box = next(
        box for box in drawn(collection="driving").sidebar.selectbox if box.label == "Metric"
    )
    assert box.options[:3] == ["Recall@1", "Recall@3", "Recall@5"]
    told = box.proto.help.replace("\\", "")
    assert "hits ÷ 5" in told and "elsewhere: Precision@5" in told and "Source: " in told


@pytest.mark.parametrize(
    ("title", "choices", "wanted"),
    [
        ("Query", {"query": "q113"}, "van crossing the road · v0.3 vs v0.2"),
        ("Compare", {}, "Compare · v0.3 vs v0.2 · Simulated driving clips"),
        ("Search", {"text": "x" * 1000}, f"{'x' * 59}… · v0.3 vs v0.2"),
        ("Overview", {"candidate": "v0.2"}, "Overview · Simulated driving clips"),
        ("Collections", {}, "Collections · Simulated driving clips"),
    ],
)
def test_the_tab_is_named_after_what_is_seen(monkeypatch, title, choices, wanted):
    if title == "Query":
        from dashboard.experiment.collection import collections

        names = collections.query_names(collections.opened("driving"))
        choices = {"query": next(q for q, n in names.items() if n == "van crossing the road")}
    params = {"collection": ["driving"], **{key: [value] for key, value in choices.items()}}
    view, problems = address.view_of(params)
    assert view is not None and not problems
    named = []
    monkeypatch.setattr(st, "set_page_config", lambda page_title: named.append(page_title))
    frame.name_tab(title, view)
    assert named == [wanted]
