"""Routes: who may save, what is refused, and what is answered to a row that comes twice."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.errors import DataError
from dashboard.plugins.reviews import routes
from dashboard.plugins.reviews.judging_lists import close_list, create_list
from dashboard.plugins.reviews.verdicts import keep_last, list_history
from dashboard.views.people import Person
from tests.plugins.reviews.conftest import MADE

Post = Callable[..., tuple[int, dict[str, Any]]]
HALF = "\ud800"
OWN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def post(graded: Path, monkeypatch: pytest.MonkeyPatch) -> Post:
    """Post rows of eva; `about` replaces fields of the request."""
    monkeypatch.setenv("DASHBOARD_DATA", str(graded.parent))
    client = TestClient(Starlette(routes=routes.ROUTES), base_url="http://localhost:8501")

    def send(*rows: Any, to: str = "verdicts", headers: Any = OWN, **about: Any) -> Any:
        body = {"collection": "graded", "author": "eva", "rows": list(rows)} | about
        headers = {"Content-Type": "application/json"} | headers
        answer = client.post(f"/reviews/{to}", content=json.dumps(body), headers=headers)
        return answer.status_code, answer.json()

    return send


def make_row(once: str, item: str = "a", value: str = "not", **more: Any) -> dict[str, Any]:
    return {"once": once, "query_id": "q1", "item_id": item, "value": value} | more


def list_values() -> list[tuple[str, str]]:
    return [(row.item_id, row.value) for row in list_history("graded")]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://proxy.example"}, 200),
        ({"Origin": "http://localhost:8501"}, 200),
        ({"Origin": "http://localhost:8502"}, 403),
        ({"Origin": "http://[evil"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8501"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({}, 403),
    ],
)
def test_pages_of_this_server_only(post: Post, headers: dict[str, str], status: int) -> None:
    for to, more in (("verdicts", {}), ("undo", {"once": "u"})):
        assert post(make_row("1"), headers=headers, to=to, **more)[0] == status
    assert bool(list_values()) == (status == 200)


def test_roles(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader saves nothing, a reviewer verdicts, an owner decisions; under their own name."""
    rows = make_row("1"), make_row("2", kind="decision")
    answers = {}
    for role in ("reader", "reviewer", "owner"):
        person = Person("eva", role, is_verified=True)
        monkeypatch.setattr(routes, "find_person", lambda _, person=person: person)
        answers[role] = post(*rows)
    assert answers["reader"] == (403, {"said": "eva is reader; this needs the role reviewer. "
                                               "Ask an owner."})  # fmt: skip
    status, answer = post(to="undo", once="u1", kind="decision")
    assert (status, answer["taken"]["value"]) == (200, "not")
    saved = {role: [row["once"] for row in answers[role][1]["saved"]] for role in list(answers)[1:]}
    assert saved == {"reviewer": ["1"], "owner": ["1", "2"]}
    status, answer = post(make_row("3"), author="kim")
    assert (status, answer["said"]) == (400, "You are logged in as eva, not as kim.")


@pytest.mark.usefixtures("each_store")
def test_each_row_is_answered(post: Post) -> None:
    """Rows around a refused one are saved, in their order; one that comes twice has its number."""
    odd = [
        make_row("3", value="3"), make_row("4", item="z"), make_row("5", note=5), "text",
        make_row("6", kind="rating"), {"value": "not"}, make_row("7", note="x" * 2_001),
    ]  # fmt: skip
    status, answer = post(make_row("1"), *odd, make_row("2", "b", "2"), make_row("1", value="2"))
    assert status == 200
    assert answer["saved"] == [
        {"once": "1", "number": 1}, {"once": "2", "number": 2}, {"once": "1", "number": 1},
    ]  # fmt: skip
    assert [each["once"] for each in answer["refused"]] == ["3", "4", "5", "", "6", "", "7"]
    assert answer["refused"][0]["said"].startswith("'3' is no verdict.")
    assert list_values() == [("a", "not"), ("b", "2")]


@pytest.mark.usefixtures("each_store")
def test_decision_of_somebody_else_stays(post: Post) -> None:
    """People who look at the same list of disagreements do not overrule each other unseen."""
    assert post(make_row("1", kind="decision"))[1]["saved"]
    [refused] = post(make_row("3", value="2", kind="decision"), author="kim")[1]["refused"]
    assert refused["said"] == "eva decided meanwhile: not. It stays so."


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"collection": "../graded"}, "There is no collection '../graded'."),
        ({"author": ""}, "Enter your name."),
        ({"author": HALF}, "The author has characters that cannot be kept"),
        ({"rows": "all"}, "rows must be a list"),
        ({"rows": [{}] * 101}, "rows must be a list"),
        ({"more": "x" * 1_000_000}, "The request has more than 1,000,000 bytes."),
        ({"headers": OWN | {"Content-Type": "text/plain"}}, "The request holds 'text/plain'"),
    ],
)
def test_requests_that_are_refused(post: Post, about: dict[str, Any], said: str) -> None:
    status, answer = post(make_row("1"), **about)
    assert (status, answer["said"][: len(said)]) == (400, said)
    assert not list_values()


def test_store_that_cannot_be_written(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> int:
        raise DataError("reviews.sqlite", "a full disk", "a file that can be written")

    monkeypatch.setattr(routes, "save_verdict", fail)
    status, answer = post(make_row("1"))
    assert status == 503 and "a full disk" in answer["said"]


@pytest.mark.parametrize("row", [{"once": HALF}, {"note": HALF}, {HALF: 1}])
@pytest.mark.usefixtures("each_store")
def test_half_a_letter_is_refused_in_words(post: Post, row: dict[str, Any]) -> None:
    """JSON may hold half of a pair of UTF-16, which no answer and no store can."""
    status, body = post(make_row("k1") | row, make_row("k2", "b"))
    assert status == 200 and len(body["refused"]) == 1 and list_values() == [("b", "not")]


@pytest.mark.usefixtures("each_store")
def test_undo(post: Post) -> None:
    """What was before counts again; a step that comes twice is answered as before."""
    post(make_row("1"), make_row("2", value="2", cause="label"))
    for _ in range(2):
        _, answer = post(to="undo", once="u1")
        assert (answer["taken"]["value"], answer["now"]["value"]) == ("2", "not")
    _, answer = post(to="undo", once="u2")
    assert (answer["taken"]["value"], answer["now"]) == ("not", None)
    assert post(to="undo", once="u3")[1] == {}
    post(make_row("1"), author="kim")  # another person's ids are no one's but theirs
    assert post(to="undo", once="u1", author="kim")[1]["taken"]["author"] == "kim"
    assert post(to="undo", once="")[0] == 400 and post(to="undo", once="u4", kind=5)[0] == 400
    assert not keep_last(list_history("graded"))


@pytest.mark.usefixtures("each_store")
def test_lists(graded: Path, post: Post) -> None:
    """A list takes its pairs until it is closed."""
    made = create_list(graded, replace(MADE, title="First", pairs=(("q1", "a"), ("q1", ""))))
    within = {"list_id": made.id}
    sides = {"kind": "preference", "item_id": "", "run": "v2", "against": "v1"}
    _, answer = post(
        make_row("1", run="v1", **within), make_row("2", "b", **within), make_row("3", list_id="x"),
        make_row("4", value="better", **within | sides), make_row("5", value="good", **sides),
        make_row("6", value="same", **sides | {"run": "v1"}), make_row("7", value=""),
    )  # fmt: skip
    assert [each["once"] for each in answer["saved"]] == ["1", "4"]
    said = {each["once"]: each["said"] for each in answer["refused"]}
    assert said["2"] == "The list 'First' does not have query q1 and item 'b'."
    assert said["3"] == "There is no list 'x'."
    assert said["5"].startswith("'good' is no preference.") and "two versions" in said["6"]
    close_list(made, "eva")
    _, answer = post(make_row("9", **within))
    told = "The list 'First' is closed; it takes no more verdicts."
    assert answer["refused"][0]["said"] == told
    assert post(to="undo", once="u", **within | {"kind": "preference"}) == (
        200, {"said": told},
    )  # fmt: skip
