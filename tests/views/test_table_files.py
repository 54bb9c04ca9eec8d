"""Files that screens offer: made when their address is asked for, and from that address alone."""

from __future__ import annotations

import csv
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from dashboard.experiment.collection import collections
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import VERDICT, Review, append
from dashboard.views import protocols, table_files
from dashboard.views.server.base_path import BelowBase
from tests.storage.tiny import reviewed_collection


@cache
def site() -> TestClient:
    return TestClient(Starlette(routes=table_files.routes(protocols.load_sections)))


def asked(key: str, **choices: str):
    """The answer to the address of a file."""
    return site().get(f"/files/{key}", params={"collection": "driving", **choices})


def saved_as(answer) -> str:
    return unquote(answer.headers["content-disposition"].removeprefix("attachment; filename*="))


@pytest.mark.parametrize(
    ("key", "choices", "sentence"),
    [
        ("gone.csv", {}, "Nothing here is called gone.csv"),
        ("<b>.csv", {}, "&lt;b&gt;.csv"),
        ("queries.csv", {"collection": "gone"}, "There is no collection"),
        ("queries.csv", {"candidate": "<b>v9</b>"}, "&lt;b&gt;v9&lt;/b&gt;"),
        ("queries.csv", {"candidate": "v0.2"}, "Baseline and candidate are the same version"),
        ("gains.csv", {}, "a file of the protocol context, not of alfa"),
        ("corrections.patch", {}, "labels as they are given"),
        ("ranks.csv", {"collection": "openmoji_captions", "query": ""}, "no query"),
    ],
    ids=str,
)
def test_what_is_not_there_has_a_sentence_and_no_file(key, choices, sentence):
    answer = asked(key, **choices)
    assert answer.status_code == 404 and "content-disposition" not in answer.headers
    assert "There is no such file" in answer.text and sentence in answer.text
    assert "<b>" not in answer.text


def test_the_queries_are_those_that_the_screen_lists():
    every, worse = (asked("queries.csv", outcome=outcome) for outcome in ("all", "worse"))
    assert saved_as(every) == "UTF-8''driving-v0.3-against-v0.2-queries.csv"
    assert every.headers["cache-control"] == "no-store"
    assert every.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(every.text.splitlines()) == 1 + 113
    assert len(worse.text.splitlines()) == 1 + 17, "as the screen says: 17 of 113"
    of_json = asked("queries.json", outcome="worse")
    assert saved_as(of_json).endswith("-queries.json") and len(of_json.json()) == 17
    called = {row["query_id"]: row["name"] for row in of_json.json()}
    names = collections.query_names(collections.opened("driving"))
    assert called == {query: names[query] for query in called}


def test_ranks_of_answers_are_a_row_for_each_version_whatever_it_is_called():
    chosen = {"collection": "openmoji_captions", "protocol": "crossmodal"}
    query = collections.opened("openmoji_captions").queries["query_id"].iloc[3]
    rows = list(csv.DictReader(StringIO(asked("ranks.csv", **chosen, query=query).text)))
    assert list(rows[0]) == ["query_id", "item_id", "name", "version", "rank"]
    asked_pairs = {(row["query_id"], row["item_id"]) for row in rows}
    versions = collections.opened("openmoji_captions").versions
    assert len(rows) == len(asked_pairs) * len(versions) and query in dict(asked_pairs)
    assert {row["version"] for row in rows} == set(versions) and all(row["rank"] for row in rows)


@pytest.mark.slow
def test_every_file_of_every_collection_is_made_or_refused_in_a_sentence():
    protocols.load_sections()
    made = set()
    for name, key in product(collections.collection_names(), table_files.keys()):
        for protocol in collections.opened(name).protocols:
            answer = asked(key, collection=name, protocol=protocol)
            assert answer.status_code in (200, 404), (name, key)
            made |= {key} if answer.status_code == 200 else set()
    refused = set(table_files.keys()) - made
    assert {key.partition(".")[0] for key in refused} == {
        *("corrections", "qrels", "corrected-metrics-of-pair", "corrected-metrics-of-runs"),
        *("ranks", "list"),  # the addresses above name no query and no list
    }


def test_verdicts_are_saved_without_a_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = reviewed_collection(tmp_path, monkeypatch, '["trec"]')
    assert asked("verdicts.csv", collection="tiny").text.count("\n") == 1
    key = key_of(open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, "not", "Ada", query_id="q1", item_id="v00", note="=1+1"))
    answer = asked("verdicts.csv", collection="tiny")
    assert "not relevant" in answer.text and ",'=1+1," in answer.text
    assert saved_as(answer) == "UTF-8''tiny-verdicts.csv"


def test_files_stand_below_the_path_of_the_app_too(monkeypatch: pytest.MonkeyPatch):
    from streamlit import config

    monkeypatch.setattr(config, "get_option", lambda name: "/team/quality/")
    routes = table_files.routes(protocols.load_sections)
    app = Starlette(routes=routes, middleware=[Middleware(BelowBase, (table_files.FILES,))])
    address = "/team/quality/files/queries.csv?collection=driving"
    assert TestClient(app).get(address).status_code == 200
