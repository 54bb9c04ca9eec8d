"""A login by OIDC against a provider: a link leads through the login to its page."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import find_port
from tests.browser.oidc_provider import Provider
from tests.plugins.worlds import write_world


def test_who_has_a_role_sees_the_page_of_the_link(
    serve: Callable, page: Page, tmp_path: Path
) -> None:
    write_world(
        tmp_path / "data" / "small", "", "item_id\na\nb\n", "query_id,text\nq2,two\n",
        {"a": [1.0, 0.0], "b": [0.0, 1.0]}, {"q2": [0.0, 1.0]}, "q2 0 b 1\n",
    )  # fmt: skip
    provider, port = Provider(), find_port()
    (tmp_path / "roles.toml").write_text('reader = ["*@example.org"]\n')
    (tmp_path / "secrets.toml").write_text(provider.secrets(f"http://127.0.0.1:{port}"))
    settings = {
        "DASHBOARD_ROLES": str(tmp_path / "roles.toml"),
        "STREAMLIT_SECRETS_FILES": str(tmp_path / "secrets.toml"),
    }
    with serve(tmp_path / "data", port, **settings) as address:
        provider.person = {"sub": "1", "email": "eve@elsewhere.org", "email_verified": True}
        page.goto(f"{address}/query?collection=small&query=q2")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("eve@elsewhere.org has no role here")).to_be_visible()
        assert page.request.get(f"{address}/files/small/clips/a").status == 401
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        provider.person = {"sub": "2", "email": "ada@example.org", "email_verified": True}
        page.goto(f"{address}/query?collection=small&query=q2")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_label("v1, rank 1. relevant")).to_be_visible()
        assert "/query?" in page.url and "query=q2" in page.url
        assert page.request.get(f"{address}/files/small/clips/a").status == 404
    provider.close()
