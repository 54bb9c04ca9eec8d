"""How it is judged, on screen: by which protocol, in its own words, and beside which ceilings."""

import pytest

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.storage.collection import collection as stored
from tests.test_screens import SCREENS, drawn, no_text_model, opened, texts  # noqa: F401

COLLECTIONS = {
    "alfa": "driving",
    "composed": "openmoji_composed",
    "crossmodal": "openmoji_captions",
    "hashing": "digits_hashes",
    "context": "openmoji_context",
}


def chooser(app):
    """The drop-down of protocols; None where there is none."""
    return next((box for box in app.selectbox if box.label == "Protocol"), None)


def versions_by_metrics(app):
    return app.table[0].value


@pytest.mark.parametrize("protocol", COLLECTIONS)
def test_the_overview_says_how_it_is_judged_in_the_protocols_own_words(protocol):
    said = texts(drawn(collection=COLLECTIONS[protocol])).replace("\\", "").replace("\u2060", "")
    entry = PROTOCOLS[protocol]
    for sentence in (entry.definition, entry.formula, entry.source, *entry.blind):
        assert sentence in said


def test_a_ceiling_stands_beside_hits_over_k_and_over_r():
    table = versions_by_metrics(drawn(collection="driving"))
    ceilings = {
        metric.partition(" ")[0].replace("\\", ""): c for metric, c in table["Ceiling"].items()
    }
    asked = Experiment.of(
        collections.opened("driving"),
        protocol="alfa",
        groups=collections.opened("driving").default_groups,
        mapping_threshold=0.6,
        queries="text",
    )
    judged = judging.judgement(asked)
    relevant = [
        n
        for n, q in zip(judged.relevant, judged.query_ids, strict=True)
        if n and q not in judged.unscorable
    ]
    for k in (1, 3, 5):
        mean = sum(min(k, n) / k for n in relevant) / len(relevant)
        assert ceilings[f"Recall@{k}"] == f"{mean:.3f}", "ALFA's word for hits over K"
        mean = sum(min(k, n) / n for n in relevant) / len(relevant)
        assert ceilings[f"Precision@{k}"] == f"{mean:.3f}"
    assert ceilings["AP"] == ""


def test_metrics_that_reach_one_have_no_column_of_ceilings():
    assert "Ceiling" not in versions_by_metrics(drawn(collection="openmoji_context"))


@pytest.mark.parametrize("screen", SCREENS)
def test_the_driving_clips_are_judged_in_context_on_every_screen(screen):
    words = {"text": "cyclist entering ego lane"} if screen == "search" else {}
    app = opened(screen, collection="driving", protocol="context", **words)
    assert not app.exception and not app.error
    assert chooser(app).value == "context"
    metric = next(box for box in app.selectbox if box.label == "Metric")
    assert metric.value.startswith("CAG("), "the protocol's own metric is in front"
    assert metric.value.endswith("@50"), "at its own cutoff: the collection's is of its first one"


def test_another_protocol_brings_its_metric_and_its_grid_and_back():
    app = opened(collection="driving", between="0..1")
    chooser(app).select("context").run()
    assert app.query_params["protocol"] == "context"
    assert app.query_params["metric"].startswith("CAG(") and app.query_params["columns"] == "5"
    assert "between" not in app.query_params, "a range of differences was of the other metric"
    chooser(app).select("alfa").run()
    assert (app.query_params["metric"], app.query_params["columns"]) == ("P@5", "line")


def test_one_protocol_leaves_nothing_to_choose():
    assert chooser(drawn(collection="digits_hashes")) is None


def test_every_collection_that_ships_is_covered_here():
    first = {stored.open_collection(name).protocols[0] for name in stored.names()}
    assert first <= set(COLLECTIONS)
