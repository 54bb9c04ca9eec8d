"""What is told of formats that browsers do not show, of transparency, of damage and of spans."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pytest
from PIL import Image, ImageDraw
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from dashboard.storage.media.decoding.boxes import contents
from dashboard.storage.media.hashes import picture_hash
from dashboard.storage.media.item_media import media, routes
from dashboard.storage.media.serving import Tamed
from tests.storage.media_addresses import media_url, poster_url
from tests.storage.test_media import World, client, clip, folder, world_of

__all__ = ["folder"]  # the fixture

HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(500)
SVG = b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"


def sound(path: Path) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=44_100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4_096), np.float32), "fltp", "mono")
        frame.rate = 44_100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())


@pytest.fixture
def others(folder: Path) -> World:
    inside = folder / "media"
    (inside / "h.heic").write_bytes(HEIC)
    (inside / "d.svg").write_bytes(SVG)
    Image.new("RGB", (9, 9)).save(inside / "t.tiff")
    (inside / "m.mkv").write_bytes(b"\x1a\x45\xdf\xa3\x8bB\x82\x88matroska" + bytes(99))
    (inside / "a.avi").write_bytes(b"RIFF\1\0\0\0AVI LIST" + bytes(99))
    sound(inside / "s.mp4")
    return world_of(
        folder, {n: n for n in ("h.heic", "d.svg", "t.tiff", "m.mkv", "a.avi", "s.mp4")}
    )


def test_formats_that_browsers_do_not_show_are_named_and_offered(others: World) -> None:
    found = media(others, others.items["item_id"]).set_index("item_id")
    assert found["problem"].to_dict() == {
        "h.heic": "HEIC pictures are not shown by most browsers",
        "d.svg": "SVG may hold scripts: not shown",
        "t.tiff": "TIFF pictures are not shown by most browsers",
        "m.mkv": "Matroska clips are not played by all browsers",
        "a.avi": "AVI clips are not played by browsers",
        "s.mp4": "sound only, no picture",
    }
    assert (found["kind"] == "").all() and (found["poster"] == "").all()
    for item_id, address in found["clip"].items():
        got = client(others).get("/" + address)
        assert got.content == (others.folder / "media" / item_id).read_bytes()
        assert got.headers["content-type"] == "application/octet-stream"
        assert got.headers["content-disposition"] == f"attachment; filename*=UTF-8''{item_id}"


def test_the_name_of_a_file_that_is_kept_comes_from_the_id(folder: Path) -> None:
    (folder / "media" / "h").write_bytes(HEIC)
    world = world_of(folder, {'a"/b': "h"})
    got = client(world).get("/" + media_url(world, 'a"/b'))
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''a%22%2Fb.heic"


def test_a_bitmap_is_a_picture(folder: Path) -> None:
    Image.new("RGB", (90, 60), "red").save(folder / "media" / "b.bmp")
    world = world_of(folder, {"b": "b.bmp"})
    assert client(world).get("/" + media_url(world, "b")).headers["content-type"] == "image/bmp"
    assert poster(world, "b").getpixel((4, 4))[0] > 240


def poster(world: World, item_id: str) -> Image.Image:
    got = client(world).get("/" + poster_url(world, item_id))
    return Image.open(io.BytesIO(got.content)).convert("RGB")


def drawing(mode: str) -> Image.Image:
    """A black disc on nothing."""
    drawn = Image.new("RGBA", (200, 100))
    ImageDraw.Draw(drawn).ellipse((60, 10, 140, 90), fill="black")
    return drawn.convert("LA") if mode == "LA" else drawn


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_is_white_on_a_poster(folder: Path, mode: str) -> None:
    place = folder / "media" / "d.png"
    if mode == "P":
        plain = Image.new("P", (200, 100), 1)
        plain.putpalette([0, 0, 0, 9, 9, 9])
        plain.paste(0, (60, 10, 140, 90))
        plain.save(place, transparency=1)
    else:
        drawing(mode).save(place)
    seen = poster(world_of(folder, {"d": "d.png"}), "d")
    assert min(seen.getpixel((5, 5))) > 250 and max(seen.getpixel((100, 50))) < 10


def test_a_drawing_has_the_hash_of_what_is_seen() -> None:
    stripes = Image.new("RGBA", (170, 160))
    for left in range(0, 170, 20):
        ImageDraw.Draw(stripes).rectangle((left, 0, left + 9, 160), fill="black")
    seen = Image.alpha_composite(Image.new("RGBA", stripes.size, "white"), stripes).convert("RGB")
    both = []
    for picture in (stripes, seen):
        written = io.BytesIO()
        picture.save(written, "PNG")
        both.append(picture_hash(written.getvalue()))
    assert both[0] == both[1] != b""


def test_the_poster_of_a_tiny_picture_is_the_picture(folder: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (8, 8, 3)).astype(np.uint8)
    Image.fromarray(noise).save(folder / "media" / "t.png")
    world = world_of(folder, {"t": "t.png"})
    assert (np.asarray(poster(world, "t")) == noise).all()


def test_a_damaged_picture_is_told_from_one_that_is_not_there(folder: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3)).astype(np.uint8)
    Image.fromarray(noise).save(folder / "media" / "half.jpg")
    whole = (folder / "media" / "half.jpg").read_bytes()
    (folder / "media" / "half.jpg").write_bytes(whole[: len(whole) // 2])
    got = client(world_of(folder, {"h": "half.jpg"})).get("/posters/tiny?item=h")
    assert (got.status_code, got.text) == (422, "damaged")
    assert got.headers["x-content-type-options"] == "nosniff"
    assert client(world_of(folder, {"h": "no.jpg"})).get("/posters/tiny?item=h").status_code == 404


def test_an_animation_is_told_from_a_still(folder: Path) -> None:
    frames = [Image.new("L", (20, 20), shade) for shade in (0, 200)]
    frames[0].save(folder / "media" / "a.gif", save_all=True, append_images=frames[1:])
    frames[0].save(folder / "media" / "s.gif")
    world = world_of(folder, {"a": "a.gif", "s": "s.gif", "p": "ok.png"})
    assert media(world, ["a", "s", "p"])["kind"].tolist() == ["animation", "picture", "picture"]


SPANS = {  # of a clip of 1 second
    (0.2, 0.8): "",
    (0.5, 40.0): "",
    (-3.0, 0.5): "",
    (0.5, None): "",
    (None, 0.5): "",
    (50.0, 60.0): "its span lies outside its clip",
    (1.0, None): "its span lies outside its clip",
    (-3.0, -1.0): "its span lies outside its clip",
    (0.5, 0.5): "its span does not end after its start",
    (0.8, 0.2): "its span does not end after its start",
}


def test_a_span_that_is_no_part_of_its_clip_is_not_shown(folder: Path) -> None:
    clip(folder / "media" / "c.mp4")
    begins, ends = zip(*SPANS, strict=True)
    items = pd.DataFrame({"item_id": [str(number) for number in range(len(SPANS))]})
    items = items.assign(file="c.mp4", span_start=begins, span_end=ends)
    found = media(World(folder, items), items["item_id"])
    assert dict(zip(SPANS, found["problem"], strict=True)) == SPANS
    assert (found["kind"] == np.where(found["problem"] == "", "clip", "")).all()
    assert ((found["clip"] == "") == (found["kind"] == "")).all()
    assert ((found["poster"] == "") == (found["kind"] == "")).all()


CUT = {  # of a clip of 1 second, 25 frames
    (20.0, 21.0): True,
    (20.0, 21.08): True,  # two frames more
    (20.0, 20.92): True,
    (20.0, 21.2): False,
    (0.0, 1.0): True,
    (None, 1.0): True,
    (0.4, 1.4): True,
    (0.4, 0.9): False,
    (20.0, None): False,
}


def spans_of(folder: Path, spans: dict, **more: object) -> World:
    clip(folder / "media" / "c.mp4")
    begins, ends = zip(*spans, strict=True)
    items = pd.DataFrame({"item_id": [str(number) for number in range(len(spans))]})
    return World(folder, items.assign(file="c.mp4", span_start=begins, span_end=ends, **more))


def test_a_file_as_long_as_its_span_is_that_span(folder: Path) -> None:
    world = spans_of(folder, CUT)
    found = media(world, world.items["item_id"])
    assert dict(zip(CUT, found["cut"], strict=True)) == CUT
    whole = found[found["cut"]]
    assert whole[["begin", "end"]].isna().all(axis=None) and (whole["kind"] == "clip").all()
    problems = found["problem"].tolist()
    assert problems[3] == problems[8] == "its span lies outside its clip"
    assert not found["length_decides"].any()


def test_the_poster_of_a_file_that_is_its_span_is_its_first_frame(folder: Path) -> None:
    world = spans_of(folder, {(0.8, 1.8): "cut", (0.8, 1.0): "a part"})
    shades = [poster(world, item).convert("L").getpixel((9, 9)) for item in ("0", "1")]
    assert shades[0] < 10 and 160 < shades[1] < 200


@pytest.mark.parametrize(
    ("usual", "told", "cut"),
    [
        ("auto", "", [True, False]),
        ("yes", "", [True, True]),
        ("no", "", [False, False]),
        ("no", "Yes", [True, True]),
        ("yes", "no", [False, False]),
        ("auto", "perhaps", [True, False]),
    ],
)
def test_a_setting_and_a_column_say_what_lengths_do_not(
    folder: Path, usual: str, told: str, cut: list[bool]
) -> None:
    world = spans_of(folder, {(0.5, 1.5): "", (20.0, 40.0): ""}, cut_beforehand=told)
    object.__setattr__(world, "cut_beforehand", usual)
    assert media(world, ["0", "1"])["cut"].tolist() == cut


def test_where_the_length_is_not_known_here_the_browser_is_told_to_look(folder: Path) -> None:
    with av.open(str(folder / "media" / "c.webm"), "w", format="webm") as container:
        stream = container.add_stream("libvpx", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 36, "yuv420p"
        for number in range(25):
            shade = np.full((36, 64, 3), number * 9, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shade, format="rgb24")))
        container.mux(stream.encode())
    items = pd.DataFrame({"item_id": ["cut", "part"], "file": "c.webm"})
    world = World(folder, items.assign(span_start=[20.0, 0.8], span_end=[21.0, 1.0]))
    found = media(world, ["cut", "part"])
    assert found["length_decides"].all() and not found["cut"].any()
    shades = [poster(world, item).convert("L").getpixel((9, 9)) for item in ("cut", "part")]
    assert shades[0] < 20 and 150 < shades[1] < 210


@pytest.mark.parametrize("form", ["mp4", "mov"])
def test_contents_agree_with_the_library_that_plays(tmp_path: Path, form: str) -> None:
    clip(tmp_path / "c.mp4", frames=23)
    with av.open(str(tmp_path / "c.mp4")) as made, av.open(str(tmp_path / "d"), "w", form) as copy:
        stream = copy.add_stream_from_template(made.streams.video[0])
        for packet in made.demux(made.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                copy.mux(packet)
    with (tmp_path / "d").open("rb") as file, av.open(str(tmp_path / "d")) as played:
        found = contents(file)
        assert (found.codec, found.pictures) == ("avc1", True)
        assert found.seconds == pytest.approx(played.duration / 1e6, abs=0.05)


def test_contents_that_are_cut_off_or_say_nothing_promise_nothing() -> None:
    def box(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I4s", len(body) + 8, name) + body

    media = box(b"mdia", box(b"hdlr", bytes(8) + b"soun" + bytes(12)))
    heard = box(b"moov", box(b"mvhd", bytes(20)) + box(b"trak", media))
    assert not contents(io.BytesIO(heard)).pictures
    assert contents(io.BytesIO(heard)).seconds is None
    longer = struct.pack(">I4s", len(heard) + 50, b"moov") + heard[8:]
    assert contents(io.BytesIO(longer)).pictures, "the other tracks are beyond what was read"
    assert contents(io.BytesIO(box(b"moov", b""))).pictures
    long = b"\1" + bytes(19) + struct.pack(">IQ", 1_000, 20_500)
    assert contents(io.BytesIO(box(b"moov", box(b"mvhd", long)))).seconds == 20.5


def test_refusals_beside_the_routes_are_tamed_too(folder: Path) -> None:
    world = world_of(folder, {"p": "ok.png"})
    inner = Starlette(
        routes=routes(lambda _: world), middleware=[Middleware(Tamed, ["clips", "posters"])]
    )
    for got in (
        TestClient(inner).post("/clips/tiny?item=p"),
        TestClient(inner).get("/base/posters/a/b/c"),
    ):
        assert got.status_code in (404, 405)
        assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert got.headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" not in TestClient(inner).get("/other").headers
