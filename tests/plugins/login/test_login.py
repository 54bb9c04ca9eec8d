"""Who it is: roles of a file, a signed cookie of a login, a header that only a proxy may send."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import auth_util, config

from dashboard.errors import DataError
from dashboard.plugins.login import identity
from dashboard.plugins.login.identity import Login, _needs_role, find_role

ROLES = """
claim = "groups"
owner = ["root@example.org"]
reviewer = ["*@example.org"]
"""
USER = "root@example.org"


@pytest.fixture(autouse=True)
def roles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name a file of roles; nothing else is set up."""
    for name in ("USER_HEADER", "PROXIES", "REVIEWING"):
        monkeypatch.delenv(f"DASHBOARD_{name}", raising=False)
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    path = tmp_path / "roles.toml"
    path.write_text(ROLES)
    monkeypatch.setenv("DASHBOARD_ROLES", str(path))
    return path


@pytest.mark.parametrize(
    ("name", "claims", "role"),
    [
        ("ROOT@example.org", {}, "owner"),
        ("ada@example.org", {}, "reviewer"),
        ("ada@other.org", {"groups": ["all", USER]}, "owner"),
        ("ada@other.org", {"roles": [USER]}, "reader"),
        ("eve@example.org.evil", {"groups": None}, "reader"),
    ],
)
def test_the_highest_role_counts(name: str, claims: dict, role: str) -> None:
    assert find_role(name, claims).role == role


def test_old_names_of_roles_and_a_list_of_readers(roles: Path) -> None:
    roles.write_text('admin = ["a"]\ncurator = ["b"]\nviewer = ["c"]\n')
    found = [find_role(name, {}).role for name in "abcd"]
    assert found == ["owner", "owner", "reader", "nobody"]


@pytest.mark.parametrize(
    "text", ['king = ["a"]', 'owner = "a"', "owner = [1]", "owner", "claim = 3"]
)
def test_a_file_that_cannot_be_read_lets_nobody_in(
    roles: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    roles.write_text(text)
    with pytest.raises(DataError, match="roles.toml"):
        find_role(USER, {})
    monkeypatch.setenv("DASHBOARD_USER_HEADER", "X-User")
    person = Login.find_person({"X-User": USER})
    assert person.role == "nobody" and "roles.toml" in person.why


def ask(path: str, peer: str = "10.0.0.5", **headers: str) -> tuple[int, str]:
    def tell(request: Request) -> PlainTextResponse:
        person = Login.find_person(request.headers)
        return PlainTextResponse(f"{person.name} {person.role}")

    paths = ("/query", "/files/a/b/c", "/media/x.png", "/reviews/verdicts", "/_stcore/health")
    app = Starlette(routes=[Route(each, tell) for each in paths])
    client = TestClient(Login(app), client=(peer, 5000))
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    found = client.get(path, headers=[*named, *named])  # a header may stand twice
    return found.status_code, found.text


@pytest.mark.parametrize("path", ["/files/a/b/c", "/media/x.png", "/reviews/verdicts"])
def test_a_header_counts_from_a_proxy_only(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_USER_HEADER", "X-User")
    monkeypatch.setenv("DASHBOARD_PROXIES", "10.0.0.5, 10.1.0.0/16 0.0.0.0/0")
    for peer in ("10.0.0.5", "10.1.2.3"):
        assert ask(path, peer, X_User=USER) == (200, f"{USER} owner")
    for peer in ("10.0.0.6", "127.0.0.1", "testclient"):
        assert ask(path, peer, X_User=USER, X_Forwarded_For="10.0.0.5")[0] == 401
        assert ask("/query", peer, X_User=USER) == (200, " nobody"), "the page asks for a login"
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    assert ask(path, "10.0.0.5", X_User=USER)[0] == 401


@pytest.mark.parametrize("name", ["component_1", "favicon", "static/x", "auth/x", "_stcore/x"])
def test_no_name_of_an_item_or_collection_opens_its_media(name: str) -> None:
    for path in (f"/files/driving/clip/{name}", f"/files/{name}/clip/x", f"/media/{name}"):
        assert _needs_role({"path": path}), path


@pytest.mark.parametrize(
    "path",
    ["/", "/query", "/healthz", "/_stcore/health", "/query/_stcore/host-config", "/static/js/a.js",
     "/component/a/b.js", "/favicon.png", "/auth/login", "/oauth2callback"],
)  # fmt: skip
def test_what_the_page_to_log_in_needs_is_open(path: str) -> None:
    assert not _needs_role({"path": path})
    assert _needs_role({"path": "/_stcore/upload_file/a/b"})


def test_only_a_verified_address_matches_the_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is who a cookie without the signature of this server names."""
    monkeypatch.setattr(auth_util, "get_secrets_auth_section", lambda: {"client_id": "x"})
    assert ask("/files/a/b/c", Cookie="_streamlit_user=forged") == (401, "Log in first.\n")
    verified = {"yes": True, "no": False, "text": "true"}
    told = {kind: {"email": USER, "email_verified": value} for kind, value in verified.items()}
    found = {}
    for kind, claims in (told | {"not said": {"email": USER}}).items():
        monkeypatch.setattr(identity, "_read_claims", lambda _, claims=claims: claims)
        found[kind] = Login.find_person({}).role
    assert found == {"yes": "owner", "no": "nobody", "text": "owner", "not said": "reader"}


def test_without_a_login(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine anybody is an owner; from a network, a reader; roles need a login."""
    assert ask("/files/a/b/c")[0] == 401, "a file of roles, and nothing says who it is"
    monkeypatch.delenv("DASHBOARD_ROLES")
    assert ask("/files/a/b/c") == (200, " owner")
    monkeypatch.setenv("DASHBOARD_REVIEWING", "off")
    assert ask("/files/a/b/c") == (200, " reader")
    monkeypatch.delenv("DASHBOARD_REVIEWING")
    usual = config.get_option
    address = {"server.address": "0.0.0.0"}
    monkeypatch.setattr(config, "get_option", lambda key: address.get(key) or usual(key))
    assert ask("/files/a/b/c") == (200, " reader")
    with pytest.raises(ValueError, match="listens on 0.0.0.0 without a login"):
        Login.find_person({}).require("reviewer")


@pytest.mark.parametrize(
    ("begun", "back"),
    [
        ("/query?collection=a%26b&query=Zo%C3%AB", "/query?collection=a%26b&query=Zo%C3%AB"),
        ("/quality/compare", "/quality/compare"),
        ("//elsewhere.org/compare", "/"),
        ("/\\elsewhere.org", "/"),
        ("/query?text=" + "x" * 4000, "/"),
    ],
)
def test_a_login_leads_back_to_its_page_and_nowhere_else(begun: str, back: str) -> None:
    def begin(_: Request) -> RedirectResponse:
        return RedirectResponse("https://login.example.org/authorize", 302)

    def end(_: Request) -> RedirectResponse:
        return RedirectResponse("/", 302)

    app = Starlette(routes=[Route("/auth/login", begin), Route("/oauth2callback", end)])
    client = TestClient(Login(app), follow_redirects=False)
    there = client.get("/auth/login", headers={b"Referer": f"http://testserver{begun}".encode()})
    assert there.headers["location"] == "https://login.example.org/authorize"
    assert client.get("/oauth2callback").headers["location"] == back
    client.get("/auth/login")
    assert client.get("/oauth2callback").headers["location"] == "/", "forgotten"
