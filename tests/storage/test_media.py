"""Which file an address shows, what a placeholder says; nothing outside the folder is served."""

from __future__ import annotations

import io
import os
import struct
import threading
import zlib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import av
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.evaluation.duplicates import BITS
from dashboard.storage.cache import disk_cache
from dashboard.storage.media import item_media as media_module
from dashboard.storage.media import probe
from dashboard.storage.media.hashes import picture_hash
from dashboard.storage.media.item_media import media, problems, routes
from dashboard.storage.media.safe_open import Unusable, open_inside
from dashboard.tables import DataError
from tests.storage.media_addresses import media_url, poster_url, problem


@dataclass(frozen=True)
class World:
    """A collection as far as media go."""

    folder: Path
    items: pd.DataFrame
    name: str = "tiny"
    media_root: str = "media"
    posters_root: str = "posters"


def clip(path: Path, codec: str = "libx264", frames: int = 25) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        for number in range(frames):
            shade = np.full((360, 640, 3), number * 9, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shade, format="rgb24")))
        container.mux(stream.encode())


def png_claiming(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        check = zlib.crc32(name + body)
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"\0" * 10_000))
    return b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")


def world_of(folder: Path, files: dict[str, str], posters: dict[str, str] | None = None) -> World:
    items = pd.DataFrame(
        {
            "item_id": list(files),
            "file": list(files.values()),
            "poster": [(posters or {}).get(item_id, "") for item_id in files],
        }
    )
    return World(folder, items)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tiny" / "media" / "sub").mkdir(parents=True)
    (tmp_path / "tiny" / "posters").mkdir()
    Image.new("RGB", (640, 480), "red").save(tmp_path / "tiny" / "media" / "ok.png")
    return tmp_path / "tiny"


def client(world: World) -> TestClient:
    def opened(name: str) -> World:
        if name != world.name:
            raise DataError(name, "nothing", "a collection")
        return world

    return TestClient(Starlette(routes=routes(opened)))


@pytest.mark.parametrize("block", [1, 4, 1_000])
def test_what_is_wrong_with_all_items_is_what_is_wrong_with_each(folder, monkeypatch, block):
    monkeypatch.setattr(media_module, "_BLOCK", block)
    clip(folder / "media" / "ok.mp4")
    files = ["ok.png", "ok.mp4", "", "none.png", "ok.mp4", "", "ok.mp4", "../x.png", "ok.png"]
    items = pd.DataFrame({"item_id": [f"i{n}" for n in range(len(files))], "file": files})
    items["poster"] = ["", "", "ok.png", "", "", "", "", "", ""]
    items["kind"] = ["", "video", "video", "image", "", "text", "", "text", "text"]
    items["span_start"] = ["", "", "0", "", "0.2", "", "5", "", ""]
    items["span_end"] = ["", "1", "1", "", "3", "", "6", "", ""]
    world = World(folder, items)
    each = media(world, items["item_id"])
    found = problems(world)
    assert found.to_dict("list") == each[["item_id", "problem", "cut", "beyond"]].to_dict("list")
    assert found["cut"].any() and found["beyond"].any() and found["problem"].nunique() == 4


OUTSIDE = "outside the collection's folder"
HOSTILE = {
    "../../secret.png": OUTSIDE,
    "sub/../../secret.png": OUTSIDE,
    "..\\..\\secret.png": OUTSIDE,
    "/etc/passwd": OUTSIDE,
    "C:\\x.png": OUTSIDE,
    "C:x.png": OUTSIDE,
    "\\\\host\\share\\x.png": OUTSIDE,
    "//host/share/x.png": OUTSIDE,
    "file:///etc/passwd": OUTSIDE,
    "FILE:/etc/passwd": OUTSIDE,
    "leaves.png": OUTSIDE,
    "leaves/secret.png": OUTSIDE,
    "http://127.0.0.1:1/x.png": "remote media are off",
    "s3://bucket/x.mp4": "remote media are off",
    "ok.png\0.png": "not a file name",
    "a\nb.png": "not a file name",
    "a\tb.png": "not a file name",
    ".x.png": "hidden",
    ".git/config": "hidden",
    "to-hidden.png": "hidden",
    "loop.png": "missing",
    "no.png": "missing",
    "x" * 300 + ".png": "missing",
    "ok.png/x.png": "missing",
    "%2e%2e/secret.png": "missing",
    "d.png": "not a file",
    "pipe.png": "not a file",
    "empty.mp4": "empty",
    "huge.mp4": "too large (over 2 GB)",
    "text.png": "not a picture or a clip",
    "page.html": "not a picture or a clip",
    "zeros.mp4": "not a picture or a clip",
    "bomb.png": "too many pixels",
    "half.mp4": "damaged",
    "": "no file named",
    "  ": "no file named",
}


@pytest.fixture
def hostile(folder: Path) -> World:
    inside, outside = folder / "media", folder.parent
    Image.new("RGB", (64, 48), "blue").save(outside / "secret.png")
    (inside / "leaves.png").symlink_to(outside / "secret.png")
    (inside / "leaves").symlink_to(outside)
    (inside / ".x.png").write_bytes((inside / "ok.png").read_bytes())
    (inside / "to-hidden.png").symlink_to(inside / ".x.png")
    (inside / "loop.png").symlink_to(inside / "loop.png")
    (inside / "d.png").mkdir()
    os.mkfifo(inside / "pipe.png")
    (inside / "empty.mp4").touch()
    with (inside / "huge.mp4").open("wb") as sparse:
        sparse.truncate(3_000_000_000)
    (inside / "text.png").write_text("not an image")
    (inside / "page.html").write_text("<!DOCTYPE html><p>")
    (inside / "zeros.mp4").write_bytes(bytes(5000))
    (inside / "bomb.png").write_bytes(png_claiming(30_000, 30_000))
    clip(inside / "half.mp4")
    whole = (inside / "half.mp4").read_bytes()
    (inside / "half.mp4").write_bytes(whole[:200])
    return world_of(folder, {f"i{n}": name for n, name in enumerate(HOSTILE)})


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_what_cannot_be_shown_has_a_word_and_no_address(hostile: World) -> None:
    found = media(hostile, hostile.items["item_id"])
    assert dict(zip(HOSTILE, found["problem"], strict=True)) == HOSTILE
    assert (found["clip"] == "").all() and (found["poster"] == "").all()


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_what_cannot_be_shown_is_the_same_404_for_all(hostile: World) -> None:
    site = client(hostile)
    answers = {
        site.get(f"/{route}/{name}", params={"item": item_id}).text
        for route in ("posters", "clips")
        for name, item_id in [("tiny", "absent"), ("absent", "i0"), ("..", "i0")]
    }
    for item_id, name in zip(hostile.items["item_id"], HOSTILE, strict=True):
        for route in ("posters", "clips"):
            got = site.get(f"/{route}/tiny", params={"item": item_id})
            if (route, name) == ("posters", "half.mp4"):  # it is there: the word may say so
                assert (got.status_code, got.text) == (422, "not playable")
                continue
            assert got.status_code == 404, name
            answers.add(got.text)
    assert {text.lower() for text in answers} == {"not found"}


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_only_bytes_of_the_folder_are_ever_served(hostile: World) -> None:
    items = pd.concat([hostile.items, pd.DataFrame({"item_id": ["ok"], "file": "ok.png"})])
    world, served = World(hostile.folder, items), []
    for route in ("posters", "clips"):
        for item_id in items["item_id"]:
            got = client(world).get(f"/{route}/tiny", params={"item": item_id})
            served += [sha256(got.content).digest()] * (got.status_code == 200)
    own = [p for p in (world.folder / "media").iterdir() if p.name not in ("huge.mp4", "loop.png")]
    made = (world.folder.parent / "cache").rglob("*.webp")
    files = [path.read_bytes() for path in own if path.is_file() and not path.is_symlink()]
    files += [path.read_bytes()[disk_cache.CHECK :] for path in made]
    allowed = {sha256(content).digest() for content in files}
    assert len(served) == 2 and set(served) <= allowed


ODD_NAMES = {
    "a b+c%2e.png": "a b+c%2e.png",
    "q#1?x&y.png": "q#1?x&y.png",
    "Straße 1.PNG": "Straße 1.PNG",
    "sub\\w.png": "sub/w.png",
    "./sub//w.png": "sub/w.png",
    "a\N{RIGHT-TO-LEFT OVERRIDE}gnp.png": "a\N{RIGHT-TO-LEFT OVERRIDE}gnp.png",
}
ODD_IDS = ["..", "../..", "a/b", "C:\\x", "%2e%2e", 'q"<b>', "🚲", "a&v=1#?", " ", "+", "//x", "."]


def test_odd_but_honest_file_names_are_shown(folder: Path) -> None:
    for name in set(ODD_NAMES.values()):
        Image.new("RGB", (9, 9), "green").save(folder / "media" / name, "PNG")
    world = world_of(folder, {name: name for name in ODD_NAMES})
    for item_id in ODD_NAMES:
        got = client(world).get("/" + media_url(world, item_id))
        assert (got.status_code, got.headers["content-type"]) == (200, "image/png"), item_id


def test_any_id_finds_its_own_item_through_the_address(folder: Path) -> None:
    files = {}
    for number, item_id in enumerate(ODD_IDS):
        files[item_id] = f"{number}.png"
        Image.new("RGB", (9, 9), (number, 0, 0)).save(folder / "media" / files[item_id])
    world = world_of(folder, files)
    for item_id, file in files.items():
        got = client(world).get("/" + media_url(world, item_id))
        assert got.content == (folder / "media" / file).read_bytes(), item_id


def test_a_folder_that_is_swapped_after_the_check_never_leads_outside(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    within, outside, usual = folder / "media" / "within", folder.parent / "outside", os.open
    for place, text in ((within, "inside"), (outside, "outside")):
        place.mkdir()
        (place / "a.png").write_text(text)

    def late(path: object, *rest: object, **more: object) -> int:
        if str(path).endswith("within/a.png"):
            within.rename(folder / "media" / "gone")
            within.symlink_to(outside)
        return usual(path, *rest, **more)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(Unusable, match="outside the collection"):
        open_inside(folder, "media", "within/a.png")


def test_a_link_that_is_swapped_while_it_is_opened_never_leads_outside(folder: Path) -> None:
    (folder.parent / "secret.png").write_text("SENTINEL")
    swapped, stop = folder / "media" / "swap.png", threading.Event()

    def swap() -> None:
        other = folder / "media" / "other.png"
        while not stop.is_set():
            other.symlink_to(folder.parent / "secret.png")
            other.replace(swapped)
            other.write_text("inside")
            other.replace(swapped)

    swapped.write_text("inside")
    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                opened = open_inside(folder, "media", "swap.png")
            except Unusable as word:
                seen.add(str(word))
                continue
            seen.add(opened.file.read().decode())
            opened.close()
    finally:
        stop.set()
        swapper.join()
    assert "SENTINEL" not in seen and "inside" in seen


def test_what_takes_the_name_of_an_open_file_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, usual = folder / "media" / "ok.png", os.readlink
    (folder / "media" / "link.png").symlink_to(folder.parent)

    def late(path: str, **more: Any) -> str:
        answer = usual(path, **more)
        if str(answer) == str(place):
            (folder / "media" / "link.png").replace(place)
        return answer

    monkeypatch.setattr(os, "readlink", late)
    with open_inside(folder, "media", "ok.png") as opened:
        assert place.is_symlink() and opened.file.read()


@pytest.mark.parametrize("root", ["..", "/etc", "out"])
def test_a_media_root_that_leaves_the_folder_is_refused(folder: Path, root: str) -> None:
    (folder / "out").symlink_to(folder.parent)
    with pytest.raises(Unusable, match="outside"):
        open_inside(folder, root, "tiny/media/ok.png")


@pytest.fixture
def clips(folder: Path) -> World:
    clip(folder / "media" / "c.mp4")
    clip(folder / "media" / "odd.mp4", "mpeg2video")
    return world_of(folder, {"c": "c.mp4", "odd": "odd.mp4", "p": "ok.png"})


def test_an_odd_codec_is_said_and_the_file_still_offered(clips: World) -> None:
    assert problem(clips, "c") is None
    assert problem(clips, "odd") == "codec mp4v"
    assert media_url(clips, "odd")


def test_items_without_media_columns_have_no_media(folder: Path) -> None:
    world = World(folder, pd.DataFrame({"item_id": ["a"]}))
    assert problem(world, "a") == "no file named"
    assert problem(world, "b") == "not in the collection"
    assert media(world, []).empty and "poster" in media(world, [])
    assert client(world).get("/clips/tiny?item=a").status_code == 404


SIZE_CASES = [
    ("bytes=0-", 206, slice(0, None)),
    ("bytes=10-19", 206, slice(10, 20)),
    ("bytes=-7", 206, slice(-7, None)),
    ("bytes=5-999999999", 206, slice(5, None)),
    ("bytes=0-1,4-5", 200, slice(None)),
    ("bytes=x", 200, slice(None)),
    ("bytes=999999999-", 416, None),
    ("bytes=9-3", 416, None),
    ("bytes=-0", 416, None),
]


@pytest.mark.parametrize(("asked", "status", "part"), SIZE_CASES)
def test_a_range_is_answered(clips: World, asked: str, status: int, part: slice | None) -> None:
    whole = (clips.folder / "media" / "c.mp4").read_bytes()
    got = client(clips).get("/" + media_url(clips, "c"), headers={"Range": asked})
    assert got.status_code == status
    if part is not None:
        assert got.content == whole[part]
        assert got.headers["content-length"] == str(len(whole[part]))
    else:
        assert got.headers["content-range"] == f"bytes */{len(whole)}"


def test_headers_keep_a_file_from_being_more_than_a_file(clips: World) -> None:
    for route in ("clips", "posters"):
        got = client(clips).get(f"/{route}/tiny?item=c")
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert got.headers["cross-origin-resource-policy"] == "same-origin"
        assert got.headers["cache-control"] == "private, no-cache"
    got = client(clips).get("/" + media_url(clips, "c"))
    assert got.headers["cache-control"] == "private, max-age=31536000, immutable"
    assert got.headers["content-type"] == "video/mp4"


def test_the_type_comes_from_the_content_not_from_the_name(folder: Path) -> None:
    Image.new("RGB", (9, 9)).save(folder / "media" / "w.mp4", "WEBP")
    world = world_of(folder, {"w": "w.mp4"})
    assert client(world).get("/clips/tiny?item=w").headers["content-type"] == "image/webp"


def test_an_unchanged_file_is_not_sent_again_and_a_changed_one_is(clips: World) -> None:
    site, path = client(clips), "/" + media_url(clips, "c")
    tag = site.get(path).headers["etag"]
    assert site.get(path, headers={"If-None-Match": tag}).status_code == 304
    stale = {"Range": "bytes=0-3", "If-Range": '"another"'}
    assert site.get(path, headers=stale).status_code == 200
    clip(clips.folder / "media" / "c.mp4", frames=5)
    assert site.get(path, headers={"If-None-Match": tag}).status_code == 200
    assert "/" + media_url(clips, "c") != path


def test_head_tells_the_length_without_the_bytes(clips: World) -> None:
    got = client(clips).head("/" + media_url(clips, "c"))
    size = (clips.folder / "media" / "c.mp4").stat().st_size
    assert (got.status_code, got.headers["content-length"], got.content) == (200, str(size), b"")


def test_posters_are_made_small_and_once(clips: World, monkeypatch: pytest.MonkeyPatch) -> None:
    site = client(clips)
    for item_id in ("c", "odd", "p"):
        got = site.get("/" + poster_url(clips, item_id))
        still = Image.open(io.BytesIO(got.content))
        assert (still.format, still.width) == ("WEBP", 480), item_id
    kept = list((clips.folder.parent / "cache").rglob("*.webp"))
    assert len(kept) == 3
    assert kept[0].parent.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(
        "dashboard.storage.media.decoding.posters._written", lambda *_: pytest.fail("made again")
    )
    assert site.get("/" + poster_url(clips, "c")).status_code == 200


def test_a_poster_of_a_span_shows_its_beginning(folder: Path) -> None:
    clip(folder / "media" / "c.mp4")
    items = pd.DataFrame(
        {"item_id": ["all", "late"], "file": "c.mp4", "span_start": [0, 0.8], "span_end": [1, 1]}
    )
    world = World(folder, items)
    shades = [
        Image.open(io.BytesIO(client(world).get("/" + poster_url(world, name)).content))
        .convert("L")
        .getpixel((9, 9))
        for name in ("all", "late")
    ]
    assert shades[0] < 10 and 160 < shades[1] < 200


def test_a_poster_file_is_preferred_unless_it_is_a_bomb(clips: World) -> None:
    posters = clips.folder / "posters"
    Image.new("RGB", (48, 27), "blue").save(posters / "small.webp")
    Image.new("RGB", (2000, 1000), "blue").save(posters / "wide.png")
    (posters / "bomb.png").write_bytes(png_claiming(20_000, 20_000))
    for name, width in {"small.webp": 48, "wide.png": 480, "bomb.png": 480, "../x": 480}.items():
        world = world_of(clips.folder, {"c": "c.mp4"}, {"c": name})
        got = client(world).get("/" + poster_url(world, "c"))
        assert Image.open(io.BytesIO(got.content)).width == width, name


def test_unusual_pictures_get_posters(folder: Path) -> None:
    inside = folder / "media"
    Image.new("CMYK", (40, 40)).save(inside / "cmyk.jpg")
    Image.new("I;16", (40, 40), 32_768).save(inside / "deep.png")
    Image.new("P", (40, 40)).save(inside / "palette.png", transparency=0)
    still = Image.new("P", (8, 8))
    still.save(inside / "a.gif", save_all=True, append_images=[Image.new("P", (8, 8), 5)] * 500)
    names = ["cmyk.jpg", "deep.png", "palette.png", "a.gif"]
    world = world_of(folder, {name: name for name in names})
    for name in names:
        got = client(world).get("/" + poster_url(world, name))
        assert got.status_code == 200, name
    grey = Image.open(io.BytesIO(client(world).get("/" + poster_url(world, "deep.png")).content))
    assert 100 < grey.convert("L").getpixel((9, 9)) < 150


def test_posters_work_where_nothing_can_be_kept(
    clips: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (clips.folder.parent / "cache").write_text("a file where the cache folder should be")
    assert client(clips).get("/" + poster_url(clips, "c")).status_code == 200
    assert "cannot be kept" in caplog.text


def test_a_burst_of_posters_opens_the_collection_once(clips: World) -> None:
    times = []
    site = TestClient(Starlette(routes=routes(lambda name: times.append(name) or clips)))
    for _ in range(9):
        assert site.get("/posters/tiny?item=c").status_code == 200
    assert times == ["tiny"]


def test_files_are_closed_after_every_answer(clips: World, hostile: World) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    site = client(clips)
    site.get("/" + media_url(clips, "c"))
    before = descriptors()
    for headers in ({}, {"Range": "bytes=0-9"}, {"Range": "bytes=99999999-"}):
        for _ in range(10):
            site.get("/" + media_url(clips, "c"), headers=headers)
            site.head("/" + media_url(clips, "c"))
            site.get("/" + poster_url(clips, "c"))
    media(hostile, hostile.items["item_id"])
    assert descriptors() <= before + 1


def street(seed: int) -> Image.Image:
    shades = np.random.default_rng(seed).integers(0, 255, (9, 16, 3)).astype(np.uint8)
    return Image.fromarray(shades).resize((480, 270), Image.Resampling.BICUBIC)


def encoded(still: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    written = io.BytesIO()
    still.save(written, kind, **options)
    return written.getvalue()


def differing(one: bytes, other: bytes) -> int:
    both = np.frombuffer(one, np.uint8) ^ np.frombuffer(other, np.uint8)
    return int(np.unpackbits(both).sum())


def test_a_copy_has_nearly_the_same_hash_and_another_picture_has_not(folder: Path) -> None:
    first = picture_hash(encoded(street(1)))
    assert len(first) == 32
    smaller = encoded(street(1).resize((320, 180)), "JPEG", quality=60)
    assert differing(first, picture_hash(smaller)) <= BITS
    assert differing(first, picture_hash(encoded(street(2)))) > 2 * BITS


def test_a_plain_picture_has_no_hash_and_garbage_is_refused(folder: Path) -> None:
    assert picture_hash(encoded(Image.new("RGB", (48, 27), "black"))) == b""
    flat = Image.fromarray(np.repeat(np.arange(48, dtype=np.uint8)[:, None] * 5, 64, axis=1))
    assert picture_hash(encoded(flat)) == b"", "all skies over all streets would be one picture"
    with pytest.raises(Unusable):
        picture_hash(b"not an image")


def test_a_hash_is_kept_beside_the_posters(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = picture_hash(encoded(street(1)))
    kept = [p.read_bytes() for p in (folder.parent / "cache").rglob("*.hash")]
    assert [content[disk_cache.CHECK :] for content in kept] == [made]
    monkeypatch.setattr("dashboard.storage.media.hashes._made", lambda *_: pytest.fail("again"))
    assert picture_hash(encoded(street(1))) == made


def test_no_module_hands_a_file_to_streamlit_itself() -> None:
    rooms = Path(media_module.__file__).parents[2]
    calls = ("st.video(", "st.audio(", "st.image(")
    found = [
        f"{path.name}: {call}"
        for path in rooms.rglob("*.py")
        for call in calls
        if call in path.read_text(encoding="utf-8")
    ]
    assert not found


def test_a_file_is_looked_at_once_until_it_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, looks = folder / "media" / "ok.png", []
    monkeypatch.setattr(
        probe, "open_inside", lambda *named: looks.append(named) or open_inside(*named)
    )
    world = world_of(folder, {"a": "ok.png", "b": "sub\\late.png"})

    def shown() -> tuple[list[str], list[str]]:
        table = media(world, ["a", "b"])
        return table["problem"].tolist(), table["clip"].tolist()

    first = shown()
    assert first == shown() and first[0] == ["", "missing"]
    assert len(looks) == 2, "one for each file"
    Image.new("RGB", (640, 480), "blue").save(file)
    Image.new("RGB", (64, 48), "red").save(folder / "media" / "sub" / "late.png")
    words, addresses = shown()
    assert words == ["", ""] and addresses[0] != first[1][0]
    file.write_bytes(b"")
    assert shown()[0] == ["empty", ""]
    file.unlink()
    file.symlink_to("/etc/hostname")
    assert shown()[0] == [OUTSIDE, ""]
