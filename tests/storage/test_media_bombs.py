"""Pictures of many pixels in few bytes: refused from their headers, or decoded one at a time in
little memory, and no other collection waits for them."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import httpx
import pandas as pd
import pytest
from PIL import Image
from starlette.applications import Starlette

from dashboard.storage.media import hashes, item_media
from dashboard.storage.media.decoding import decoder, decoder_queue
from dashboard.storage.media.decoding.formats import picture, pixels_of
from dashboard.storage.media.decoding.layouts import LAYOUTS, reduced
from dashboard.storage.media.safe_open import NotMade, Unusable
from dashboard.storage.media.uploads import clean
from tests.bombs import ROOT, turned_picture

CASES = {
    "PNG 7000": ("PNG", 7_000, "RGB"),
    "PNG 5000": ("PNG", 5_000, "RGB"),
    "PNG 5000 see-through": ("PNG", 5_000, "RGBA"),
    "PNG 5000 of a palette": ("PNG", 5_000, "P"),
    "WebP 5000 see-through": ("WEBP", 5_000, "RGBA"),
    "WebP 3740 see-through": ("WEBP", 3_740, "RGBA"),
    "GIF 3740": ("GIF", 3_740, "P"),
    "AVIF 3740": ("AVIF", 3_740, "RGB"),
    "PNG 1400 see-through": ("PNG", 1_400, "RGBA"),
    "JPEG 7000": ("JPEG", 7_000, "RGB"),
}


def world(folder: Path, name: str, files: list[str]) -> SimpleNamespace:
    items = pd.DataFrame({"item_id": files, "file": files, "kind": "image"})
    return SimpleNamespace(
        name=name, folder=folder, items=items, media_root="", posters_root="", settings={}
    )


def ask_all(*places: str) -> None:
    """Print for each folder what asking for its pictures took."""
    for place in places:
        print(json.dumps(asked_for(Path(place))))


def asked_for(folder: Path) -> tuple[float, float, float, list[int]]:
    """Ask for three large pictures twelve times while one of them is uploaded and fingerprinted,
    and for a small one of another collection: MB, seconds, how long the small one waited, codes."""
    large = [path.name for path in sorted(folder.glob("large*"))]
    worlds = {
        "large": world(folder, "large", large),
        "small": world(folder, "small", ["small.png"]),
    }
    app = Starlette(routes=item_media.routes(worlds.__getitem__))

    async def asked() -> tuple[list[int], float]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://x", timeout=300
        ) as client:
            many = [
                asyncio.create_task(client.get(f"/posters/large?item={item}"))
                for _ in range(12)
                for item in large
            ]
            await asyncio.sleep(0.2)
            began = time.monotonic()
            other = await client.get("/posters/small?item=small.png")
            waited = time.monotonic() - began
            assert other.status_code == 200
            return [(await each).status_code for each in many], waited

    small = (folder / "small.png").read_bytes()
    picture(io.BytesIO(small)).load()
    decoder.laid_out_elsewhere(io.BytesIO(small), "poster")
    for process in ("self", _decoder()):
        Path(f"/proc/{process}/clear_refs").write_text("5")  # the largest is that from now on
    before, began = _largest() + _largest(_decoder()), time.process_time()
    content = (folder / large[0]).read_bytes()
    works = [clean, hashes.picture_hash]
    threads = [threading.Thread(target=_quietly, args=(work, content)) for work in works]
    for each in threads:
        each.start()
    codes, waited = asyncio.run(asked())
    for each in threads:
        each.join()
    memory = _largest() + _largest(_decoder()) - before
    return memory, time.process_time() - began, waited, sorted(set(codes))


def _decoder() -> str:
    return str(decoder.PROCESSES.free[0].process.pid)


def _largest(process: str = "self") -> float:
    """The largest memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1_024


def _quietly(work, content: bytes) -> None:
    try:
        work(content)
    except Unusable:
        return


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    """For each case MB, seconds, how long another waited, and the codes: all in one process."""
    places = {case: tmp_path_factory.mktemp("large") for case in CASES}
    for number, (case, place) in enumerate(places.items()):
        content = turned_picture(*CASES[case])
        assert len(content) < 2_000_000
        for more in range(3):  # each differs, so that none is another's poster
            (place / f"large{more}").write_bytes(content + bytes(more))
        Image.new("RGB", (900, 900), (255, number, 0)).save(place / "small.png")
    script = (
        "import sys; from tests.storage.test_media_bombs import ask_all; ask_all(*sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, places.values())],
        cwd=ROOT,
        env={**os.environ, "DASHBOARD_CACHE": str(tmp_path_factory.mktemp("cache"))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(places), done.stderr[-2_000:]
    return dict(zip(places, map(json.loads, lines), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_many_large_pictures_take_little_memory_and_hold_up_nobody(taken: dict, case: str) -> None:
    memory, seconds, waited, codes = taken[case]
    print(f"{case:24} {memory:6.0f} MB {seconds:5.1f} s, another waits {waited:4.1f} s")
    assert memory < 200  # of the server and of the process that decodes
    assert codes in ([200], [404], [422])
    assert waited < 8  # up to 1 s where nothing else runs; 15 s where all wait in one queue


def test_what_is_too_large_is_refused_from_its_header(tmp_path: Path) -> None:
    for kind, side in (("PNG", 5_001), ("WEBP", 5_001), ("GIF", 5_001), ("BMP", 5_001)):
        file = io.BytesIO()
        Image.new("L", (side, side)).save(file, kind)
        began = time.process_time()
        with pytest.raises(Unusable, match="too many pixels"):
            picture(file)
        assert time.process_time() - began < 1


def encoded(kind: str, size: tuple[int, int]) -> io.BytesIO:
    file = io.BytesIO()
    Image.effect_noise(size, 60).convert("RGB").save(file, kind)
    return file


@pytest.mark.slow
def test_a_long_jpeg_counts_what_is_decoded_of_it() -> None:
    with pytest.raises(Unusable, match="too many pixels"):  # 1.5 M if both its sides were halved
        picture(encoded("JPEG", (26_000, 1_000)))
    assert pixels_of(encoded("JPEG", (20_000, 500))) == 10_000_000
    assert pixels_of(encoded("JPEG", (4_200, 4_200))) == 4_200 * 4_200 // 16


@pytest.mark.slow
def test_a_decoder_that_takes_too_long_is_ended_and_the_next_picture_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = encoded("PNG", (2_100, 2_100))
    assert decoder.laid_out(large, "poster").size == (480, 480)
    stopped = decoder.PROCESSES.free[0].process
    os.kill(stopped.pid, signal.SIGSTOP)
    with monkeypatch.context() as patch, pytest.raises(NotMade, match=r"not decoded within 0\.5 s"):
        patch.setattr(decoder, "PATIENCE", 0.5)
        decoder.laid_out(large, "poster")
    assert stopped.poll() is not None
    assert decoder.laid_out(large, "poster").size == (480, 480)


def test_a_decoder_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    large = encoded("PNG", (2_100, 2_100))
    with monkeypatch.context() as patch, pytest.raises(NotMade, match="too much memory"):
        patch.setattr(decoder, "ROOM", 5_000_000)
        decoder.laid_out(large, "poster")
    assert decoder.laid_out(large, "poster").size == (480, 480)


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_a_picture_is_the_same_wherever_it_is_decoded(layout: str, mode: str) -> None:
    still = Image.linear_gradient("L").resize((900, 700)).rotate(30)
    still = Image.new(mode, still.size) if mode == "I;16" else still.convert(mode)
    file, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6
    still.save(file, "PNG", exif=exif.tobytes(), icc_profile=b"a profile")
    here, elsewhere = decoder.laid_out(file, layout), decoder.laid_out_elsewhere(file, layout)
    assert (here.mode, here.size, here.tobytes()) == (
        elsewhere.mode,
        elsewhere.size,
        elsewhere.tobytes(),
    )
    assert here.info.get("icc_profile", b"") == elsewhere.info.get("icc_profile", b"")


def test_large_files_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "LARGEST_FILE", 1_000)
    with pytest.raises(Unusable, match="larger than 1,000 bytes"):
        decoder.laid_out(encoded("PNG", (2_100, 2_100)), "poster")


def served(asked: list[tuple[str, int]]) -> tuple[list[int], int]:
    """In which order those are served who ask one after another, and how many large ones at the
    same time at most."""
    queue, order, inside, most = decoder_queue._Queue(), [], [0], [0]

    def work(number: int, whose: str, pixels: int) -> None:
        with queue.turn(whose, pixels):
            order.append(number)
            inside[0] += pixels > decoder_queue.LARGE
            most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            inside[0] -= pixels > decoder_queue.LARGE

    threads = []
    with queue.turn("first", 10**8), queue.turn("second", 1):
        for number, (whose, pixels) in enumerate(asked):
            threads.append(threading.Thread(target=work, args=(number, whose, pixels)))
            threads[-1].start()
            while sum(map(len, queue._waiting.values())) <= number:
                time.sleep(0.001)
    for each in threads:
        each.join()
    return order, most[0]


def test_those_who_ask_take_turns_and_large_ones_are_decoded_one_at_a_time() -> None:
    large = [("a", 10**7)] * 6
    order, most = served([*large, ("b", 10**7), ("c", 10**7)])
    assert order == [0, 6, 7, 1, 2, 3, 4, 5] and most == 1


def test_small_ones_pass_a_large_one_that_waits_for_another() -> None:
    order, most = served([("a", 10**7), ("b", 10**7), ("c", 10), ("d", 10)])
    assert order.index(2) < order.index(1) and sorted(order) == [0, 1, 2, 3] and most == 1


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P", "1", "CMYK", "I"])
def test_a_picture_made_small_in_strips_is_the_same_as_made_small_at_once(mode: str) -> None:
    slope = Image.linear_gradient("L").resize((3_001, 1_999)).rotate(30)
    still = slope.convert(mode)
    small = reduced(still, 500)
    whole = still if mode in ("L", "LA", "RGB", "RGBA", "CMYK") else still.convert("RGB")
    assert small.tobytes() == whole.reduce(6).tobytes()


def scanned_often(times: int, side: int = 64) -> bytes:
    """A progressive JPEG that goes over its pixels again and again and changes none."""

    def segment(mark: int, content: bytes) -> bytes:
        return bytes([0xFF, mark]) + (len(content) + 2).to_bytes(2) + content

    def scan(first: int, last: int, precision: int, bits: int) -> bytes:
        head = segment(0xDA, bytes([1, 1, 0, first, last, precision]))
        return head + bytes(-(-bits // 8))

    blocks = (side // 8) ** 2
    one_code = bytes([1] + [0] * 15)
    return b"".join(
        [
            b"\xff\xd8",
            segment(0xDB, b"\0" + b"\1" * 64),
            segment(0xC2, bytes([8]) + side.to_bytes(2) * 2 + b"\1\1\x11\0"),
            segment(0xC4, b"\0" + one_code + b"\0"),
            segment(0xC4, b"\x10" + one_code + b"\0"),
            scan(0, 0, 0, blocks),
            *[scan(1, 63, 0x0D, blocks)] * times,
            b"\xff\xd9",
        ]
    )


def test_a_picture_that_is_gone_over_thousands_of_times_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(Unusable, match="too many scans"):
        picture(io.BytesIO(scanned_often(8_000)))
    usual = io.BytesIO()
    Image.effect_noise((640, 480), 60).save(usual, "JPEG", progressive=True)
    assert picture(usual).size == (640, 480)
    assert picture(io.BytesIO(scanned_often(20))).size == (64, 64)


def test_a_large_picture_is_gone_over_less_often_than_a_small_one() -> None:
    assert picture(io.BytesIO(scanned_often(90))).size == (64, 64)
    began = time.process_time()
    with pytest.raises(Unusable, match="too many scans"):
        picture(io.BytesIO(scanned_often(90, side=4_000)))
    assert time.process_time() - began < 1
    assert picture(io.BytesIO(scanned_often(12, side=4_000))).size == (4_000, 4_000)
