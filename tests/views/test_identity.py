"""Who asks: a header counts only from a named proxy, roles come from a list, and what nobody could
mean is refused at start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import auth_util, config
from streamlit.web.server.starlette import starlette_websocket

from dashboard.experiment.reviews import people, reviewing
from dashboard.experiment.reviews.people import Actor
from dashboard.storage.reviews import rights, share_links
from dashboard.storage.reviews.rights import ANYBODY, NotAllowed, acting
from dashboard.views.server import identity, logins, share_page

ROLES = """
claim = "groups"
admin = ["root@example.org"]
curator = ["Search-Leads"]
reviewer = ["*@example.org"]
"""
SECRET = {"cookie_secret": "x" * 40, "client_id": "c"}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in (identity.HEADER, identity.PROXIES, identity.WRITING):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "roles.toml").write_text(ROLES, encoding="utf-8")
    monkeypatch.setenv(people.FILE, str(tmp_path / "roles.toml"))
    monkeypatch.setattr(identity, "_login", lambda: {})
    monkeypatch.setenv(identity.FORWARDED, "")
    # whoever has imported app.py in this process is asked who acts
    monkeypatch.setattr(rights, "_identify", [lambda: ANYBODY])
    yield


@pytest.mark.parametrize(
    ("name", "claims", "role"),
    [
        ("root@example.org", {}, "admin"),
        ("ROOT@example.org", {}, "admin"),
        ("ada@example.org", {}, "reviewer"),
        ("ada@example.org", {"groups": ["search-leads", "all"]}, "curator"),
        ("ada@other.org", {"groups": "search-leads"}, "curator"),
        ("ada@other.org", {"roles": ["search-leads"]}, "viewer"),
        ("eve@example.org.evil", {}, "viewer"),
        ("eve", {"groups": None}, "viewer"),
    ],
)
def test_the_highest_role_of_name_and_claim_counts(name: str, claims: dict, role: str) -> None:
    assert people.read_roles().actor(name, claims) == Actor(name, role, checked=True)


def test_with_a_list_of_viewers_others_have_no_right(tmp_path: Path) -> None:
    (tmp_path / "roles.toml").write_text('viewer = ["a"]', encoding="utf-8")
    assert [people.read_roles().actor(name).role for name in ("a", "b")] == ["viewer", "nobody"]


@pytest.mark.parametrize(
    "text", ['owner = ["a"]', 'admin = "a"', "admin = [1]", "admin", "claim = 3"]
)
def test_a_list_that_cannot_be_read_stops_the_start(tmp_path: Path, text: str) -> None:
    (tmp_path / "roles.toml").write_text(text, encoding="utf-8")
    assert identity.problem_at_start().startswith("roles.toml: found ")


def told(request: Request) -> PlainTextResponse:
    who = people.actor()
    return PlainTextResponse(f"{who.name}|{who.role}|{request.headers.get('x-user')}")


def answer(path: str = "/page", peer: str = "10.0.0.5", **headers: str) -> tuple[int, str]:
    app = Starlette(routes=[Route("/page", told), Route("/report", told)])
    client = TestClient(identity.Identity(app, ("report",)), client=(peer, 5000))
    found = client.get(path, headers={name.replace("_", "-"): of for name, of in headers.items()})
    return found.status_code, found.text


def test_the_header_counts_only_from_a_named_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(identity.HEADER, "X-User")
    monkeypatch.setenv(identity.PROXIES, "10.0.0.5, 10.1.0.0/16")
    name = "root@example.org"
    for peer in ("10.0.0.5", "10.1.2.3"):
        assert answer(peer=peer, X_User=name) == (200, f"{name}|admin|{name}")
    for peer in ("10.0.0.6", "127.0.0.1", "testclient"):
        forwarded = {"X_Forwarded_For": "10.0.0.5", "X_User": name}
        assert answer(peer=peer, **forwarded) == (200, "|nobody|None"), "taken away, not believed"
        assert answer("/report", peer=peer, **forwarded) == (401, "Log in first.\n")
    assert answer() == (200, "|nobody|None")
    assert answer("/report", X_User="ada@example.org")[0] == 200


def test_without_a_login_everybody_is_admin_or_may_look(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer("/report", X_User="eve") == (200, "|admin|eve")
    monkeypatch.setenv(identity.WRITING, "off")
    assert answer("/report") == (200, "|viewer|None")


def test_a_login_is_read_from_its_signed_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = b'{"origin": "http://testserver", "is_logged_in": true, "email": "ada@example.org"}'
    monkeypatch.setattr(identity, "_login", lambda: SECRET)
    monkeypatch.setattr(
        starlette_websocket,
        "_get_signed_cookie_with_chunks",
        lambda cookies, name: signed if cookies.get(name) == "signed" else None,
    )
    assert answer("/report", Cookie="_streamlit_user=signed")[1].startswith("ada@example.org|rev")
    assert answer("/report", Cookie="_streamlit_user=forged")[0] == 401
    assert answer("/report")[0] == 401


def test_a_review_stands_under_the_name_of_the_login() -> None:
    with acting(Actor("ada@example.org", "reviewer", checked=True)):
        assert people.signed("Bob") == "ada@example.org"
    assert people.signed("Bob") == "Bob"
    with acting(Actor("x", "reviewer", checked=True)), pytest.raises(NotAllowed):
        reviewing.verify()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TestClient:
    """An app behind a proxy that logs in, and a browser that comes past it with a share link."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    monkeypatch.setenv(identity.HEADER, "X-User")
    monkeypatch.setenv(identity.PROXIES, "10.0.0.5")
    monkeypatch.setattr(share_links, "_login_is_set_up", [identity.is_set_up])
    routes = [Route(f"/{name}", told) for name in ("report", "clips")]
    app = Starlette(routes=[*routes, *share_page.routes()])
    return TestClient(identity.Identity(app, ("report", "clips"), ("clips",)))


def exchanged(client: TestClient, review: str = "", role: str = "reviewer") -> dict[str, str]:
    link = share_links.ShareLink(
        collection="a b", key="a b", role=role, until="", review=review, label="Bob"
    )
    _, secret = share_links.create(link, "Ada")
    found = client.post("/share", json={"secret": secret})
    cookie = found.headers["set-cookie"].lower()
    assert all(each in cookie for each in ("httponly", "samesite=lax", "max-age=12"))
    assert secret not in cookie and found.headers["referrer-policy"] == "no-referrer"
    return found.json()


def test_a_share_link_is_exchanged_for_a_guest_of_its_collection(
    shared: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shared.get("/report").status_code == 401
    page = shared.get("/share")
    assert "location.hash" in page.text and "script-src 'sha256-" in str(page.headers)
    assert exchanged(shared) == {"to": "./?collection=a+b"}
    assert shared.get("/report").text == "guest Bob|reviewer|None"
    monkeypatch.setenv(identity.WRITING, "off")
    assert shared.get("/report").text == "guest Bob|viewer|None"
    share_links.revoke(share_links.listed()[0].id, "Ada")
    assert shared.get("/report").status_code == 401, "a link that was revoked ends what it began"
    for sent, status in (
        ({"secret": "x"}, 403),
        ({}, 400),
        ([1], 400),
        ({"secret": "x" * 2000}, 413),
    ):
        found = shared.post("/share", json=sent)
        assert (found.status_code, found.json()) == (status, {"problem": share_links.UNKNOWN})
    assert shared.post("/share", content="{}").status_code == 415
    endless = {"content": b"9" * 5_000, "headers": {"Content-Type": "application/json"}}
    assert shared.post("/share", **endless).json() == {"problem": share_links.UNKNOWN}


def test_a_header_that_is_sent_twice_is_taken_away_twice(shared: TestClient) -> None:
    sent = [("X-User", "ada@example.org"), ("x-user", "root@example.org")]
    assert shared.get("/report", headers=sent).status_code == 401


def test_a_guest_of_a_review_is_answered_its_clips_only(shared: TestClient) -> None:
    assert exchanged(shared, review="abc") == {"to": "reviews?review=abc"}
    assert shared.get("/clips").status_code == 200 and shared.get("/report").status_code == 403
    person = {"X-User": "ada@example.org"}
    from_proxy = TestClient(shared.app, client=("10.0.0.5", 1), cookies=shared.cookies)
    assert from_proxy.get("/report", headers=person).text.startswith("ada@example.org|reviewer")
    guest = {"X-User": "Guest Bob"}
    assert from_proxy.get("/clips", headers=guest).text.startswith("guest Bob|"), "by its cookie"
    from_proxy.cookies.clear()
    assert from_proxy.get("/clips", headers=guest).status_code == 401, "a name that is a visitor's"


def test_without_a_login_nothing_of_share_links_exists(
    shared: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchanged(shared)
    monkeypatch.delenv(identity.HEADER)
    assert shared.get("/share").status_code == 404
    assert shared.post("/share", json={"secret": "x"}).status_code == 403
    assert shared.get("/report").text == "|admin|None", "whoever sits at this machine"


def test_a_login_service_that_does_not_answer_or_is_not_believed_is_a_sentence() -> None:
    def fails(request: Request) -> PlainTextResponse:
        return PlainTextResponse("Authentication error", 400)

    def leads_back(request: Request) -> PlainTextResponse:
        answer = PlainTextResponse("")
        answer.delete_cookie("_streamlit_user")
        if "good" in request.query_params:
            answer.set_cookie("_streamlit_user", "signed")
        return answer

    app = Starlette(routes=[Route("/auth/login", fails), Route("/oauth2callback", leads_back)])
    client = TestClient(logins.Logins(app))
    found = client.get("/auth/login")
    assert (found.status_code, found.text) == (503, logins.UNREACHABLE)
    for query, refused in (("", True), ("?good", False)):
        cookies = client.get(f"/oauth2callback{query}").headers.get("set-cookie", "")
        assert (f"{logins.COOKIE}=refused" in cookies) is refused


@pytest.mark.parametrize(
    ("began", "back"),
    [
        ("/reviews?review=a%26b&by=Zo%C3%AB", "/reviews?review=a%26b&by=Zo%C3%AB"),
        ("/quality/compare", "/quality/compare"),
        ("/", "/"),
        ("//elsewhere.org/compare", "/quality/"),
        ("/\\elsewhere.org/compare", "/quality/"),
        ("/report?q=1", "/quality/"),
        ("/compare?q=" + "x" * 4000, "/quality/"),
        ("/compare?q=\u0107", "/quality/"),
    ],
)
def test_a_login_leads_back_to_the_screen_where_it_began_and_nowhere_else(
    began: str, back: str
) -> None:
    def begins(_: Request) -> RedirectResponse:
        return RedirectResponse("https://login.example.org/authorize", 302)

    def logs_in(_: Request) -> RedirectResponse:
        answer = RedirectResponse("/quality/", 302)
        answer.set_cookie("_streamlit_user", "signed")
        return answer

    app = Starlette(routes=[Route("/auth/login", begins), Route("/oauth2callback", logs_in)])
    client = TestClient(logins.Logins(app), follow_redirects=False)
    referer = f"http://testserver{began}".encode()
    there = client.get("/auth/login", headers={b"Referer": referer})
    assert there.headers["location"] == "https://login.example.org/authorize"
    assert client.get("/oauth2callback").headers["location"] == back
    client.get("/auth/login")
    assert client.get("/oauth2callback").headers["location"] == "/quality/", "forgotten"


REFUSED = [
    ({"HEADER": "X-User"}, {}, "believed from anybody: name the proxies"),
    ({"HEADER": "X-User", "PROXIES": "0.0.0.0/0"}, {}, "names every address"),
    ({"HEADER": "X-User", "PROXIES": "::/0 10.0.0.5"}, {}, "names every address"),
    ({"HEADER": "X-User", "PROXIES": "proxy"}, {}, "write addresses such as 10.0.0.5"),
    ({"HEADER": "X-User", "PROXIES": "10.0.0.5", "FORWARDED": "*"}, {}, "hides the addresses"),
    ({"PROXIES": "10.0.0.5"}, {}, "no header says who logged in"),
    ({"HEADER": "X-User", "PROXIES": "10.0.0.5"}, SECRET, "Leave one of them out"),
    ({}, {"client_id": "c"}, "no cookie_secret"),
    ({"address": "0.0.0.0"}, {}, "would listen on 0.0.0.0"),
    ({"address": None}, {}, "would listen on every address"),
    ({"trusted": {"X-User": "email"}}, {}, "server.trustedUserHeaders"),
]
FINE = [
    ({}, {}),
    ({"HEADER": "X-User", "PROXIES": "10.0.0.5", "address": "0.0.0.0"}, {}),
    ({"address": "0.0.0.0"}, SECRET),
    ({"address": "0.0.0.0", "WRITING": "off"}, {}),
]


@pytest.mark.parametrize(("setting", "login", "sentence"), [*REFUSED, *((*of, "") for of in FINE)])
def test_what_nobody_could_mean_is_refused_at_start(
    setting: dict, login: dict, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEADER", "PROXIES", "WRITING", "FORWARDED"):
        if name in setting:
            monkeypatch.setenv(getattr(identity, name), setting[name])
    options = {
        "server.address": setting.get("address", "127.0.0.1"),
        "server.trustedUserHeaders": setting.get("trusted", {}),
    }
    monkeypatch.setattr(config, "get_option", options.__getitem__)
    monkeypatch.setattr(identity, "_login", lambda: login)
    monkeypatch.setattr(auth_util, "is_authlib_installed", lambda: True)
    found = identity.problem_at_start()
    assert sentence in found and bool(found) == bool(sentence)
