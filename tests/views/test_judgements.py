"""What a page in review mode sends: saved once, in order, read back; refused in a sentence."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.experiment import memory
from dashboard.experiment.reviews import assigned_reviews, people, review_acts
from dashboard.experiment.reviews.review_acts import Act
from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews import assignments, review_file
from dashboard.views.frame import judgements
from dashboard.views.server.allowed_hosts import AllowedHosts
from tests.storage.tiny import made_mapping, make_collection


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A server of the tiny collection, with an empty store."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    make_collection(tmp_path / "data" / "tiny")
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    memory.forget()
    app = AllowedHosts(Starlette(routes=judgements.routes()))
    return TestClient(app, base_url="http://localhost")


def act(once: str, item: str = "v01", value: str = "not", **more: Any) -> dict[str, Any]:
    names = {"kind": "verdict", "collection": "tiny", "query": "q1", "author": "Ada"}
    return {"once": once, **names, "item": item, "value": value, **more}


def send(client: TestClient, *acts: object) -> dict[str, Any]:
    answer = client.post("/judgements", json={"acts": list(acts)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def look(client: TestClient, author: str = "Ada", **more: str):
    return client.get(
        "/judgements", params={"collection": "tiny", "query": "q1", "author": author, **more}
    )


def test_presses_are_saved_once_and_in_order_and_read_back(client: TestClient) -> None:
    pair = {"kind": "preference", "item": "", "run": "v2", "against": "v1", "value": "better"}
    presses = [act("a"), act("b", value="relevant"), act("c", cause="label"), act("d", **pair)]
    for _ in range(2):  # the answer was lost: the same is sent again
        answer = send(client, *presses)
        assert [(each["once"], each["problem"]) for each in answer["results"]] == [
            (once, "") for once in "abcd"
        ]
        [query] = answer["queries"]
        assert query["own"] == {"v01": ["not", "label", ""]} and query["number"] == 4
        assert query["preferences"] == [["v2", "v1", "better"]]
        assert query["items"]["v01"][0] == "not relevant: label"


def test_a_list_is_rated_and_rated_anew(client: TestClient) -> None:
    of = {"kind": "rating", "item": "", "run": "v0.2", "list": "results of v0.2"}
    answer = send(client, act("a", value="2", **of), act("b", value="4", **of))
    assert [each["problem"] for each in answer["results"]] == ["", ""]
    assert answer["queries"][0]["ratings"] == [["results of v0.2", "4"]]
    other = look(client, "Bob", now="", queries="").json()
    assert other["ratings"] == other["preferences"] == [] and other["items"] == {}
    assert look(client, queries="", now="").json()["judged"] == ["q1"]
    for change, problem in (
        ({"value": "6"}, "'6' is no rating: 1, 2, 3, 4, 5 are"),
        ({"run": "gone", "list": "results of gone"}, "this list is no longer in the collection"),
        ({"list": "l17"}, "this list is no longer in the collection"),
        ({"list": ""}, "this list is no longer in the collection"),
    ):
        [refused] = send(client, act(f"x{change}", **{**of, "value": "3", **change}))["results"]
        assert problem in refused["problem"] and not refused["again"]


def test_a_step_back_names_what_it_took_back_and_is_one_however_often_sent(
    client: TestClient,
) -> None:
    send(client, act("a"), act("b", "v02", "relevant"))
    back = act("back", "", "", kind="undo", query="")
    answer = send(client, back)
    assert answer["results"][0]["undone"] == ["q1", "v02"]
    assert list(answer["queries"][0]["own"]) == ["v01"]
    assert send(client, back)["results"][0]["undone"] is None
    assert list(look(client, now="").json()["own"]) == ["v01"]


def test_a_colleague_is_told_of_what_is_newer_and_of_nothing_else(client: TestClient) -> None:
    number = send(client, act("a", note="she stands"))["queries"][0]["number"]
    before = look(client, "Bob", queries="").json()
    assert before["items"]["v01"][1][0][:3] == ["Ada", "not relevant", "she stands"]
    assert (before["own"], before["judged"], before["number"]) == ({}, [], number)
    assert look(client, queries="", now="").json()["judged"] == ["q1"]
    assert look(client, "Bob", after=str(number)).status_code == 204
    after_a_press = look(client, queries="", after=str(number)).json()  # a reloaded page sent it
    assert (after_a_press["judged"], after_a_press["number"]) == (["q1"], number)
    assert look(client, "", queries="", after=str(number)).status_code == 204
    send(client, act("b", author="Cleo", value="relevant"))
    memory.forget()  # the look that is shared for half a second
    later = look(client, "Bob", after=str(number)).json()
    assert later["items"]["v01"][0] == "relevant 1, not relevant 1"


OTHER_PROCESS = """
import json, sys
from pathlib import Path
from dashboard.storage.collection import collection
collection.COLLECTIONS = Path(sys.argv[1])
from dashboard.experiment.reviews.review_acts import Act
from dashboard.views.frame import judgements
asked = {"collection": "tiny", "query": "q1", "author": "Bob"}
for line in sys.stdin:
    act = json.loads(line)
    answer = judgements.saved([Act(**act)]) if act else judgements.news(asked)
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.slow
def test_two_processes_on_one_file_see_each_other_within_two_seconds(
    client: TestClient, tmp_path: Path
) -> None:
    """A page looks every second, and its process looks into the store once in AGE seconds; each
    process has looked before the other one saves."""
    page = Path(judgements.__file__).parents[1] / "cards/component/live.js"
    every = int(re.search(r"const EVERY = (\d+);", page.read_text())[1])  # type: ignore[index]
    assert every / 1000 + review_acts.AGE < 2

    command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path / "data")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=os.environ, **pipes) as other:  # type: ignore[call-overload]

        def there(act: dict[str, Any] | None) -> dict[str, Any]:
            print(json.dumps(act), file=other.stdin, flush=True)
            return json.loads(other.stdout.readline())

        def until_seen(verdict: dict[str, Any], look: Callable[[], dict[str, Any] | None]) -> None:
            looks, until = 0, time.monotonic() + 60
            while verdict["item"] not in ((look() or {}).get("items") or {}):
                assert time.monotonic() < until, f"not seen in {looks} looks"
                looks += 1
                time.sleep(review_acts.AGE / 5)

        try:
            assert there(None)["items"] == {}
            mine = act("a", "v01")
            send(client, mine)
            until_seen(mine, lambda: there(None))
            theirs = act("b", "v02", "relevant", author="Bob")
            known = str(look(client).json()["number"])
            assert look(client, after=known).status_code == 204
            assert there(theirs)["results"][0]["problem"] == ""
            asked = {"collection": "tiny", "query": "q1", "author": "Ada", "after": known}
            until_seen(theirs, lambda: judgements.news(asked))
        finally:
            other.kill()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"item": "gone"}, "this item is no longer in the collection"),
        ({"query": "gone"}, "this query is no longer in the collection"),
        ({"value": "perhaps"}, "'perhaps' is no verdict"),
        ({"cause": "weather"}, "'weather' is no cause"),
        ({"author": " "}, "Enter your name."),
        ({"kind": "decision"}, "'decision' is nothing that a page saves"),
        ({"kind": "undo", "author": ""}, "Enter your name."),
        ({"once": ""}, "this press has no name"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_the_rest_saved(
    client: TestClient, change: dict[str, str], problem: str
) -> None:
    first, second = send(client, {**act("a"), **change}, act("b", "v02"))["results"]
    assert problem in first["problem"] and not first["again"]
    assert second["problem"] == ""


def test_a_stale_tab_adds_a_cause_to_no_newer_verdict(client: TestClient) -> None:
    send(client, act("a", value="relevant"))
    send(client, act("b", value="not", note="from another tab"))
    stale = act("c", value="relevant", cause="model", seen='["relevant","",""]')
    answer = send(client, stale)
    [refused] = answer["results"]
    assert "has changed meanwhile, in another tab" in refused["problem"] and not refused["again"]
    assert answer["queries"][0]["own"] == {"v01": ["not", "", "from another tab"]}
    anew = act("d", cause="model", note="from another tab", seen='["not","","from another tab"]')
    assert send(client, anew)["results"][0]["problem"] == ""


def test_a_store_that_cannot_be_written_is_a_sentence_and_the_rest_waits(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "other"))
    review_file.folder().mkdir()
    sqlite3.connect(review_file.review_file()).execute("CREATE TABLE another (a)")
    [only] = send(client, act("a"), act("b"))["results"]
    assert only["again"] and only["problem"].startswith("Not saved yet: reviews.sqlite")


def test_a_collection_that_is_away_keeps_no_other_s_presses_waiting(client: TestClient) -> None:
    away = [act("a", collection="moved"), act("b", collection="moved", item="v02")]
    answer = send(client, away[0], act("c"), away[1], act("d", "v02"))
    assert [(each["once"], each["again"]) for each in answer["results"]] == [
        ("a", True),  # and its second one is not tried: they are saved in order
        ("c", False),
        ("d", False),
    ]
    assert sorted(answer["queries"][-1]["own"]) == ["v01", "v02"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"acts": []}', "application/json", 400),
        (b'{"acts": [1]}', "application/json", 400),
        (b'{"acts": [{"once": 5}]}', "application/json", 400),
        (b'{"acts": [' + b"9" * 5_000 + b"]}", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b" " * (judgements.LONGEST + 1), "application/json", 413),
        (b'{"acts": []}', "text/plain", 415),
    ],
)
def test_what_is_no_list_of_acts_is_refused(
    client: TestClient, body: bytes, kind: str, status: int
) -> None:
    answer = client.post("/judgements", content=body, headers={"Content-Type": kind})
    assert answer.status_code == status and answer.json()["problem"]
    assert "sys." not in answer.json()["problem"], "no words of Python"


def test_a_page_from_elsewhere_saves_nothing(client: TestClient) -> None:
    for origin, status in (("http://localhost", 200), ("http://evil.example", 403), ("null", 403)):
        answer = client.post("/judgements", json={"acts": [act("a")]}, headers={"Origin": origin})
        assert answer.status_code == status


def test_what_to_judge_next_leaves_out_what_its_reader_has_judged(client: TestClient) -> None:
    asked = {"collection": "tiny", "metric": "P@1", "author": "Ada"}
    plan = client.get("/judgements/next", params=asked).json()
    query, item = plan["results"][0]
    send(client, act("a", item, query=query))
    later = client.get("/judgements/next", params=asked).json()
    assert later["results"] == plan["results"][1:]
    other = client.get("/judgements/next", params={**asked, "author": "Bob"}).json()
    assert other == plan and plan["doubtful"] and plan["sample"] is None
    for odd in ({"collection": "gone"}, {"metric": "?"}, {"candidate": "v0.1", "baseline": "v0.1"}):
        assert client.get("/judgements/next", params={**asked, **odd}).status_code == 204


def test_what_an_open_sample_drew_comes_first_until_its_reader_has_judged_it(
    client: TestClient,
) -> None:
    drawn = (("q1", "v00", 0, 1, 0.1, 0.1), ("q1", "v02", 0, 1, 0.1, 0.0))
    others = {"seed": 1, "sure": (0.0, 0.0), "queries": 1, "every": True}
    sample = assignments.Sample(metric="P@3", strata=("ranks 1–3",), results=drawn, **others)
    versions = {"baseline": "v0.1", "candidate": "v0.2", "protocol": "alfa"}
    about = {
        "collection": "tiny",
        "title": "Ten",
        "queries": ("q1",),
        "people": ("Ada", "Bob"),
        **versions,
    }
    review = assignments.create(assignments.Assignment(**about, sample=sample), "Cleo")
    asked = {"collection": "tiny", "metric": "P@1", "baseline": "v0.2", "candidate": "v0.1"}

    def left(author: str) -> list[object] | None:
        return client.get("/judgements/next", params={**asked, "author": author}).json()["sample"]

    send(client, act("a", "v00"))  # beside the review: its sample is judged on its own page
    assert left("Ada") == left("Bob") == [review.id, "Ten", 2] and left("Cleo") is None
    assigned_reviews.save_judgement(review, "q1", "v00", "Ada", "unsure", "", "1")
    assert [left("Ada"), left("Bob")] == [[review.id, "Ten", 1], [review.id, "Ten", 2]]
    assigned_reviews.save_judgement(review, "q1", "v02", "Ada", "not", "", "2")
    assert left("Ada") is None
    assignments.close(review, "Cleo")
    assert left("Bob") is None


def test_behind_a_login_presses_stand_under_its_name_and_need_its_role(client: TestClient) -> None:
    with people.acting(people.Actor("ada@example.org", "reviewer", checked=True)):
        answer = judgements.saved([Act(**act("a", author="Bob"))])
    [query] = answer["queries"]
    assert query["signed"] == "ada@example.org" and list(query["own"]) == ["v01"]
    assert query["items"]["v01"][1][0][0] == "ada@example.org"
    with people.acting(people.Actor("eve@example.org", "viewer", checked=True)):
        [refused] = judgements.saved([Act(**act("b"))])["results"]
    assert "found the role viewer" in refused["problem"] and not refused["again"]
    assert look(client, "Bob").json()["signed"] == ""


VEHICLE = {"group": "pv_object_type", "keyword": "small vehicle"}


def keywords(client: TestClient, author: str = "Ada", **asked: str) -> dict[str, list[list[Any]]]:
    """What stands of the keywords of an item or a query: its words of the query, whether it is
    given, one's own value, and all reviewers."""
    asked = {"collection": "tiny", "queries": "all", "author": author, **asked}
    answer = client.get("/judgements/keywords", params=asked)
    return {row[2]: row[3:] for row in answer.json()["rows"]}


def test_keywords_of_an_item_are_corrected_and_taken_back_as_verdicts_are(
    client: TestClient,
) -> None:
    before = keywords(client, of_item="v02")
    assert before == {"bicyclist": ["", True, "", []], "small vehicle": ["", True, "", []]} | {
        "entering ego path": ["", True, "", []]
    }
    wrong = act("a", "v02", "remove", kind="keyword", **VEHICLE)
    missing = act("b", "v02", "add", kind="keyword", group="pv_object_type", keyword="Pedestrian")
    for _ in range(2):  # the answer was lost: the same is sent again
        answer = send(client, wrong, missing)
        assert [each["problem"] for each in answer["results"]] == ["", ""]
    send(client, act("c", "v02", "add", kind="keyword", author="Bob", **VEHICLE))
    said = keywords(client, of_item="v02")
    both = [["Ada", "wrong"], ["Bob", "right"]]
    assert said["small vehicle"] == ["", True, "remove", both]
    assert said["pedestrian"] == ["", False, "add", [["Ada", "right"]]]
    assert keywords(client, "Bob", of_item="v02")["small vehicle"][2] == "add"
    back = send(client, act("d", "", "", kind="undo"))["results"][0]
    assert back["undone"] == ["q1", "v02"] and "pedestrian" not in keywords(client, of_item="v02")
    send(client, act("e", "v02", "", kind="keyword", **VEHICLE))
    assert keywords(client, of_item="v02")["small vehicle"] == ["", True, "", [["Bob", "right"]]]


def test_what_the_words_of_a_query_mean_is_corrected(client: TestClient, tmp_path: Path) -> None:
    made_mapping(tmp_path / "data" / "tiny")
    assert keywords(client, query="q1") == {"small vehicle": ["car", True, "", []]}
    missing = {"kind": "mapping", "group": "pv_object_type", "keyword": "pedestrian", "item": ""}
    sent = [
        act("a", value="remove", **{**missing, **VEHICLE}),
        act("b", value="add CAR", **missing),
    ]
    assert [each["problem"] for each in send(client, *sent)["results"]] == ["", ""]
    said = keywords(client, query="q1")
    assert said["small vehicle"] == ["car", True, "remove", [["Ada", "wrong"]]]
    assert said["pedestrian"] == ["", False, "add car", [["Ada", "“car”"]]]
    asked = {"collection": "tiny", "query": "item_v00", "queries": "all"}  # a query without words
    assert client.get("/judgements/keywords", params=asked).status_code == 204
    asked = {"collection": "gone", "query": "q1"}
    assert client.get("/judgements/keywords", params=asked).status_code == 204


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"item": "gone"}, "no item 'gone' in tiny"),
        ({"group": "colour"}, "no group of keywords 'colour'"),
        ({"keyword": "lorry"}, "has no keyword 'lorry'"),
        ({"value": "perhaps"}, "'perhaps' is no keyword"),
        ({"author": ""}, "Enter your name."),
        ({"kind": "mapping", "query": "gone"}, "no text query 'gone'"),
        ({"kind": "mapping", "value": "add lorry"}, "which words of the query mean"),
        ({"kind": "mapping", "value": "add "}, "which words of the query mean"),
        ({"kind": "keyword decision"}, "is nothing that a page saves"),
    ],
)
def test_a_correction_that_cannot_be_saved_is_one_sentence(
    client: TestClient, change: dict[str, str], problem: str
) -> None:
    sent = act("a", "v02", "remove", kind="keyword", **VEHICLE)
    [only] = send(client, {**sent, **change})["results"]
    assert problem in only["problem"] and not only["again"]
