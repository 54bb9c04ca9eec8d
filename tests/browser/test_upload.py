"""Searching with a picture of one's own: upload, results, link, ticks by words, what is refused."""

from __future__ import annotations

import io
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from PIL.ExifTags import Base


@pytest.fixture(scope="module")
def app(made_up: SimpleNamespace) -> str:
    return made_up.url


def file_of(colour: tuple[int, int, int]) -> dict[str, object]:
    said = Image.Exif()
    said[Base.Make] = "a secret camera"
    file = io.BytesIO()
    Image.new("RGB", (300, 200), colour).save(file, "JPEG", exif=said, quality=95)
    return {"name": "mine.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


def upload(page, content: dict[str, object]) -> None:
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(content)


def first_cards(page, version: str) -> list[str]:
    row = page.locator(f"section[aria-label='{version}']")
    row.locator(".card").first.wait_for()
    return row.locator(".card").evaluate_all("cards => cards.map(card => card.item.caption)")


@pytest.mark.slow
def test_what_is_no_picture_is_refused_the_next_is_searched_with_and_its_link_shows_it_again(
    app: str, new_page
) -> None:
    page = new_page()
    page.goto(f"{app}/search?collection=plain&baseline=v1&candidate=v2")
    broken = {"name": "<b>x</b>.png", "mimeType": "image/png", "buffer": b"<svg onload='a()'/>"}
    upload(page, broken)
    alert = page.get_by_role("alert").filter(has_text="Upload a picture")
    alert.wait_for()
    assert "<b>x</b>.png" in alert.inner_text()
    upload(page, file_of((250, 5, 5)))
    page.get_by_role("heading", name="Like your picture").wait_for()
    assert first_cards(page, "v1")[:2] == ["all red", "all yellow"]
    assert first_cards(page, "v2")[:2] == ["all green", "all yellow"]
    page.get_by_text("Not scored. Describe the target to see scores.").wait_for()

    link = page.url
    fingerprint = parse_qs(urlsplit(link).query)["picture"][0]
    other = new_page(fresh=True)
    other.goto(link)
    other.get_by_role("heading", name="Like your picture").wait_for()
    assert first_cards(other, "v1")[:2] == ["all red", "all yellow"]
    shown = other.get_by_alt_text("query picture")
    shown.wait_for()
    answer = other.request.get(shown.evaluate("image => image.src"))
    content = answer.body()
    policy = "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert answer.headers["content-security-policy"] == policy
    assert other.request.get(f"{app}/uploads/kept?item=../../{fingerprint}").status == 404
    seen = Image.open(io.BytesIO(content)).convert("RGB")
    assert b"secret" not in content and seen.getpixel((5, 5)) == pytest.approx((250, 5, 5), abs=4)
    assert len(fingerprint) == 64


@pytest.mark.slow
def test_words_say_what_the_picture_should_find(app: str, new_page) -> None:
    page = new_page()
    page.goto(f"{app}/search?collection=plain&baseline=v1&candidate=v2")
    upload(page, file_of((250, 5, 5)))
    field = page.get_by_role("textbox", name="Target description")
    field.wait_for()
    before = page.url
    field.fill("warm")
    field.press("Enter")
    page.get_by_text("2 relevant items").wait_for()
    assert page.url.startswith(before.split("&picture")[0]) and "picture=" in page.url
    assert first_cards(page, "v1")[:2] == ["all red", "all yellow"], "the order stays"
    marks = page.locator("section[aria-label='v1'] .card .mark")
    marks.filter(has_text="not relevant").first.wait_for()
    assert ["not" in mark for mark in marks.all_inner_texts()[:3]] == [False, False, True]
    page.get_by_role("button", name="Remove picture").click()
    page.get_by_text("Search by ").wait_for()


@pytest.mark.slow
def test_a_version_without_a_picture_side_says_so_and_the_other_finds(app: str, new_page) -> None:
    page = new_page()
    page.goto(f"{app}/search?collection=plain&baseline=v1&candidate=v3")
    upload(page, file_of((5, 250, 5)))
    page.get_by_role("heading", name="Like your picture").wait_for()
    assert first_cards(page, "v1")[0] == "all green"
    page.get_by_text("no table [picture]").first.wait_for()
    page.goto(f"{page.url.replace('baseline=v1', 'baseline=v3')}")
    page.get_by_text("Your picture was not searched").wait_for()


@pytest.mark.slow
def test_a_link_to_a_picture_that_is_gone_says_so(app: str, new_page) -> None:
    page = new_page()
    page.goto(f"{app}/search?collection=plain&picture={'0' * 64}")
    page.get_by_text("upload it again").first.wait_for()
    upload(page, file_of((5, 250, 5)))
    page.get_by_role("heading", name="Like your picture").wait_for()
