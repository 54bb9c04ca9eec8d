"""A search on the command line finds and judges what the cards of the screen Search do."""

from __future__ import annotations

import pandas as pd
import pytest

from dashboard.experiment import searching
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import TYPED, Experiment
from dashboard.tables import Findings
from dashboard.views.cards.query_results import results_of

SEARCHES = [
    pytest.param(
        "driving", "alfa", {"text": "a cyclist entering the ego lane"}, marks=pytest.mark.slow
    ),
    ("openmoji_captions", "crossmodal", {"item": "1F600"}),
    ("digits_hashes", "hashing", {"item": "d0003"}),
]


@pytest.mark.parametrize(("name", "protocol", "given"), SEARCHES)
def test_results_and_hits_are_those_of_the_cards(name: str, protocol: str, given: dict) -> None:
    collection = collections.opened(name)
    assert protocol in collection.protocols
    experiment = Experiment.of(
        collection,
        protocol=protocol,
        groups=collection.default_groups,
        mapping_threshold=collection.mapping_threshold,
        queries=collections.usual_queries(collection),
        **given,
    )
    versions = collection.under(protocol).versions[:2]
    table = searching.search(experiment, versions, 20, Findings())
    cards = results_of(experiment, TYPED, versions)
    assert set(table["run"]) == set(versions)
    for version, mine in table.groupby("run"):
        first = cards.runs[version].head(20)
        assert mine["item_id"].tolist() == first["item_id"].astype("str").tolist()
        assert mine["score"].tolist() == first["score"].tolist()
        hits = [None if pd.isna(hit) else bool(hit) for hit in mine["hit"]]
        assert hits == [cards.hit(item) for item in mine["item_id"]]
