"""A login by OIDC against a provider, and a guest of a share link beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser import review_world
from tests.browser.conftest import _free_port, unfold
from tests.browser.oidc_provider import Provider

REPOSITORY = Path(__file__).parents[2]
ROLES = 'claim = "groups"\nviewer = ["*@example.org"]\ncurator = ["leads"]\n'
REVIEWS = "/reviews?collection=streets"


@pytest.fixture(scope="module")
def app(
    serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SimpleNamespace]:
    """The dashboard with a login, and its provider."""
    place, port = tmp_path_factory.mktemp("login"), _free_port()
    review_world.build(place / "data" / "streets")
    provider = Provider()
    (place / "roles.toml").write_text(ROLES)
    (place / "secrets.toml").write_text(provider.secrets(f"http://127.0.0.1:{port}"))
    settings = {
        "DASHBOARD_DATA": str(place / "data"),
        "DASHBOARD_REVIEWS": str(place / "said"),
        "DASHBOARD_ROLES": str(place / "roles.toml"),
        "STREAMLIT_SECRETS_FILES": str(place / "secrets.toml"),
    }
    url = serve(REPOSITORY / "app.py", port=port, **settings)
    yield SimpleNamespace(url=url, provider=provider, log=lambda: serve.log(url))
    provider.close()


def log_in(page, app: SimpleNamespace, place: str = "", **person: object) -> None:
    """Follow a link, and log in where the page asks for it."""
    app.provider.person = {"sub": "1", **person}
    page.goto(f"{app.url}{place}")
    page.get_by_role("button", name="Log in").click()


@pytest.mark.slow
def test_who_logs_in_has_the_role_of_the_list_and_a_guest_what_the_link_gives(
    app: SimpleNamespace, new_page: Callable
) -> None:
    page, guest = new_page(fresh=True), new_page(fresh=True)
    log_in(page, app, REVIEWS, email="ada@example.org", groups=["leads"])
    page.get_by_text(re.compile("You are ada@.?example.org, curator.")).wait_for()
    unfold(page.locator("details", has_text="Share links"))
    page.get_by_role("button", name="Create share link").click()
    link = page.get_by_role("button", name="Copy share link").get_attribute("data-copy")
    sent: list[str] = []
    guest.on("request", lambda request: sent.append(f"{request.url} {request.headers}"))
    file, other = (f"{app.url}/files/verdicts.csv?collection={name}" for name in ("streets", "x"))
    assert guest.request.get(file).status == 401
    guest.goto(link)
    guest.get_by_role("heading", name="Overview").wait_for()
    assert guest.request.get(file).status == 200 and guest.request.get(other).status == 404
    guest.goto(f"{app.url}{REVIEWS}")
    guest.get_by_text("You are guest, viewer.").wait_for()
    secret = link.partition("#")[2]
    assert len(secret) == 43 and not [each for each in sent if secret in each]
    assert secret not in app.log() and "#" not in guest.url
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("revoked").first.wait_for()
    guest.reload()
    guest.get_by_role("button", name="Log in").wait_for()
    assert guest.request.get(file).status == 401
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in(page, app, email="eve@elsewhere.org")
    page.get_by_text("has no role here. Ask an admin for one.").wait_for()


@pytest.mark.slow
def test_a_login_that_is_refused_is_a_sentence(app: SimpleNamespace, new_page: Callable) -> None:
    page = new_page(fresh=True)
    try:
        for spoil in ("signature", "audience", "expired", "nonce"):
            app.provider.spoil = spoil
            log_in(page, app, email="ada@example.org")
            page.get_by_text("The login did not work").wait_for()
            page.get_by_role("button", name="Log in").wait_for()
            page.context.clear_cookies()
        app.provider.spoil, app.provider.refuse = "", "access_denied"
        log_in(page, app, email="ada@example.org")
        page.get_by_text("The login did not work").wait_for()
    finally:
        app.provider.spoil = app.provider.refuse = ""
    log_in(page, app, email="ada@example.org")
    page.get_by_role("heading", name="Overview").wait_for()
