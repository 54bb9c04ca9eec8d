"""A whole review: two people in two browsers, through one link, blind, to agreement, a curator's
decision, a patch, and the metric that it changes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from dashboard.__main__ import main
from tests.browser import review_world
from tests.browser.conftest import unfold

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
NAME = "search-quality-reviewer"
QUERIES = ("like1", "like2", "like3")
VERSIONS = re.compile(r"\bv[12]\b")


@pytest.fixture(scope="module")
def server(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A server of a collection with a file of judgements."""
    place = tmp_path_factory.mktemp("two-people")
    folder = place / "data" / "streets"
    review_world.build(folder)
    settings = (folder / "collection.toml").read_text().replace('["alfa"]', '["trec"]')
    (folder / "collection.toml").write_text(settings)
    items = list(enumerate(review_world.GOOD))
    rows = (f"{query},{item},{n % 2}" for query in QUERIES for n, item in items)
    (folder / "qrels.csv").write_text("\r\n".join(["query_id,item_id,grade", *rows]))
    names = {"DATA": "data", "CACHE": "cache", "REVIEWS": "said"}
    settings = {f"DASHBOARD_{name}": str(place / of) for name, of in names.items()}
    url = serve(REPOSITORY / "app.py", **settings)
    return SimpleNamespace(url=url, folder=folder, reviews=settings["DASHBOARD_REVIEWS"])


def idle(page) -> None:
    page.get_by_role("heading", level=1).wait_for()
    page.locator(IDLE).wait_for()


def sign(page, name: str) -> None:
    field = page.get_by_role("textbox", name="Your name")
    field.fill(name)
    field.press("Enter")
    idle(page)


def photographed(page, name: str) -> None:
    """A picture of a page for whoever wants to look at it: TWO_PEOPLE names the folder."""
    if folder := os.environ.get("TWO_PEOPLE"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.slow
def test_two_people_review_through_one_link_to_agreement_patch_and_changed_metric(
    server: SimpleNamespace,
    new_page: Callable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    curator = new_page(fresh=True)
    curator.goto(f"{server.url}/reviews?collection=streets&protocol=trec")
    idle(curator)
    sign(curator, "Cleo")
    curator.get_by_role("textbox", name="Title").fill("Which streets are alike?")
    curator.get_by_role("textbox", name="Reviewers").fill("Ada, Bob")
    curator.locator(".st-key-review-way input").click()
    curator.get_by_role("option", name="At random").click()
    curator.get_by_role("spinbutton", name="Seed").wait_for()
    idle(curator)  # what is typed while the form is drawn anew may be lost
    curator.get_by_role("spinbutton", name="At most so many queries").fill("3")
    curator.get_by_role("button", name="Create review").click()
    link = curator.get_by_role("link", name="Which streets are alike?")
    link.wait_for()
    photographed(curator, "1-made")
    address = f"{server.url}/{link.get_attribute('href').lstrip('/')}"

    people = {name: new_page(fresh=True) for name in ("Ada", "Bob")}
    for name, page in people.items():
        page.goto(address)
        idle(page)
        sign(page, name)
        page.get_by_text("0 of 3 queries judged").wait_for()
        page.locator(".card").first.wait_for()
        assert not VERSIONS.search(page.get_by_test_id("stMain").inner_text()), "it is blind"
    photographed(people["Ada"], "2-blind")
    for place in range(1, 4):
        for name, page in people.items():
            page.locator(".card").first.wait_for()
            page.keyboard.press("2" if name == "Ada" or place > 1 else "4")
            if place < 3:
                page.get_by_text(f"{place} of 3 queries judged").wait_for()
    for page in people.values():
        page.get_by_text("You have judged all queries of this review.").wait_for()
        page.get_by_text("(sign test)").or_(page.get_by_text("the same, of")).first.wait_for()
    photographed(people["Bob"], "3-outcome")

    for name, page in people.items():
        page.add_init_script(f"localStorage.setItem({NAME!r}, {name!r})")
        page.goto(f"{server.url}/query?collection=streets&query=like1&judging=yes")
        page.locator(".card.front").wait_for()
        for key in "xxy" if name == "Ada" else "xxx":
            page.keyboard.press(key)
        page.locator(".judging .told", has_text="Saved.").wait_for()
        page.locator(".count", has_text="3 of").wait_for()
    photographed(people["Ada"], "4-judged")

    curator.goto(f"{server.url}/reviews?collection=streets&protocol=trec")
    idle(curator)
    sign(curator, "Cleo")
    curator.get_by_text("1 disagreement to decide").wait_for()
    photographed(curator, "5-agreement")
    curator.get_by_role("button", name="Not relevant").click()
    curator.get_by_text("No disagreement is undecided.").wait_for()

    curator.goto(
        f"{server.url}/compare?collection=streets&protocol=trec&queries=item&labels=corrected"
    )
    idle(curator)
    unfold(curator.locator("details", has_text=re.compile("with [1-3] corrections?")))
    photographed(curator, "6-corrected")
    patch = tmp_path / "fix.patch"
    with curator.expect_download() as saving:
        curator.get_by_role("link", name="Patch").click()
    saving.value.save_as(patch)

    monkeypatch.setenv("DASHBOARD_REVIEWS", server.reviews)
    words = ("measure", str(server.folder), "--metrics", "P@3 AP", "--format", "json")
    measured = []
    for labels in ("given", "corrected"):
        assert main([*words, "--labels", labels]) == 0
        measured.append(capsys.readouterr().out)
    alone = os.environ | {"GIT_CEILING_DIRECTORIES": str(server.folder.parent.parent)}
    command = ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", str(patch)]
    subprocess.run(command, cwd=server.folder, env=alone, check=True)
    assert main(list(words)) == 0
    after = json.loads(capsys.readouterr().out)
    assert after == json.loads(measured[1]) != json.loads(measured[0])
