"""What an uploaded picture may cost, what it must not tell, and when it is not kept."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.storage.cache import disk_cache
from dashboard.storage.media.decoding import formats
from dashboard.storage.media.decoding.formats import COSTLY_PIXELS, PICTURE_PIXELS, WHOLE_PIXELS
from dashboard.storage.media.decoding.layouts import LAYOUTS
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.media.uploads import NotKept, clean, is_kept, keep, kept_picture


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def file_of(picture: Image.Image, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, method=0)  # the fastest of WebP
    return file.getvalue()


RED = file_of(Image.new("RGB", (8, 6), "red"))


@pytest.mark.parametrize(
    ("kind", "most"), [("JPEG", PICTURE_PIXELS), ("PNG", WHOLE_PIXELS), ("WEBP", COSTLY_PIXELS)]
)
def test_an_upload_has_a_limit_of_pixels_by_its_kind(kind: str, most: int) -> None:
    row = 10_000
    largest = clean(file_of(Image.new("L", (row, most // row)), kind))
    assert largest.width == 1024
    with pytest.raises(Unusable, match="too many pixels"):
        clean(file_of(Image.new("L", (row, most // row + 1)), kind))


def test_it_is_made_small_before_it_is_turned_or_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Image.Exif()
    said[0x112] = 6
    file = io.BytesIO()
    Image.new("RGBA", (3000, 1500), (1, 2, 3, 4)).save(file, "PNG", exif=said)
    turned: list[tuple[int, int]] = []
    whole = Image.Image.transpose

    def transpose(picture: Image.Image, method: Image.Transpose) -> Image.Image:
        turned.append(picture.size)
        return whole(picture, method)

    monkeypatch.setattr(Image.Image, "transpose", transpose)
    assert LAYOUTS["upload"](formats.picture(file)).size == (512, 1024)
    assert turned == [(1024, 512)]


def test_two_are_decoded_at_once_and_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, lock = 0, 0, threading.Lock()
    work: Callable[[Image.Image], Image.Image] = LAYOUTS["upload"]

    def slow(opened: Image.Image) -> Image.Image:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.05)
        with lock:
            inside -= 1
        return work(opened)

    monkeypatch.setitem(LAYOUTS, "upload", slow)
    threads = [threading.Thread(target=clean, args=(RED,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_colours_that_nobody_sees_are_not_passed_on() -> None:
    pixels = np.full((4, 6, 4), (200, 150, 100, 255), np.uint8)
    pixels[:, :3, 3] = 0
    pixels[:, 3, 3] = 1
    content = kept_picture(keep(file_of(Image.fromarray(pixels)))) or b""
    seen = np.asarray(Image.open(io.BytesIO(content)).convert("RGBA"))
    assert not seen[:, :3].any()
    assert (seen[:, 3:] == pixels[:, 3:]).all(), "what is seen, though hardly, stays"


@pytest.mark.parametrize("mode", ["P", "L", "RGB"])
def test_a_colour_that_stands_for_nothing_becomes_transparent(mode: str) -> None:
    picture = Image.new("L", (4, 4), 0).convert(mode)
    picture.putpixel((0, 0), {"P": 7, "L": 7, "RGB": (7, 7, 7)}[mode])
    file = io.BytesIO()
    picture.save(file, "PNG", transparency={"P": 7, "L": 7, "RGB": (7, 7, 7)}[mode])
    seen = clean(file.getvalue())
    assert seen.mode == "RGBA" and seen.getpixel((0, 0)) == (0, 0, 0, 0)
    assert seen.getpixel((1, 1))[3] == 255


def test_what_the_cache_folder_does_not_take_is_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "0")
    with pytest.raises(NotKept, match="cannot be kept here"):
        keep(RED)
    monkeypatch.delenv("DASHBOARD_CACHE_MB")
    assert is_kept(keep(RED))
    monkeypatch.setenv("DASHBOARD_CACHE", str(cache / "file"))
    (cache / "file").write_text("not a folder")
    with pytest.raises(NotKept, match="cannot be kept here"):
        keep(RED)


def test_a_picture_is_there_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    name = keep(RED)
    monkeypatch.setattr(disk_cache, "recall", lambda _: pytest.fail("it was read"))
    assert is_kept(name)
    assert not any(map(is_kept, ("", "0" * 64, f"../{name}", name.upper() + "g")))
