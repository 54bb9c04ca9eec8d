"""Media: what is served, posters of pictures and clips, spans of long recordings."""

import io
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from dashboard.errors import DataError
from dashboard.retrieval.encoders import read_picture
from dashboard.storage import posters
from dashboard.storage.collection import open_collection
from dashboard.storage.media import Span, find_media, list_missing, read_span, recognise_type
from dashboard.storage.posters import make_poster
from dashboard.views.media_routes import address_media, describe_media

RED, GREEN, BLUE = (200, 0, 0), (0, 200, 0), (0, 0, 200)
ORIENTATION = 274


def write_clip(
    path: Path, colours: list[tuple[int, int, int]], first: float = 0.0, codec: str = "libx264"
) -> Path:
    """Write one second of each colour at 10 frames a second, the first frame at `first` seconds."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for place, colour in enumerate(colour for colour in colours for _ in range(10)):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), colour, np.uint8))
            frame.pts, frame.time_base = round(first * 1000) + place * 100, Fraction(1, 1000)
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
    return path


def find_colour(poster: bytes, where: tuple[float, float] = (0.5, 0.5)) -> int:
    """Return which of red, green and blue is the strongest at a place of a poster."""
    picture = Image.open(io.BytesIO(poster)).convert("RGB")
    pixel = picture.getpixel((int(picture.width * where[0]), int(picture.height * where[1])))
    return int(np.argmax(pixel))


@pytest.mark.parametrize("first", [0.0, 5.0])
@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "libx264"), ("a.webm", "libvpx-vp9")])
def test_a_span_counts_from_the_first_frame(
    tmp_path: Path, name: str, codec: str, first: float
) -> None:
    clip = write_clip(tmp_path / name, [RED, GREEN, BLUE], first, codec)
    assert recognise_type(clip) == f"video/{name[2:]}"
    shown = [
        find_colour(make_poster(clip, span))
        for span in (None, Span(1.0, 2.0), Span(2.0, np.inf), Span(100.0, 103.0))
    ]
    # the last span is as long as the file, which was cut out of a longer recording
    assert shown == [0, 1, 2, 0]
    with pytest.raises(DataError, match="no frame there"):
        make_poster(clip, Span(7.0, 8.0))


def test_pictures_stand_as_a_browser_shows_them(tmp_path: Path) -> None:
    """Chromium obeys the orientation of JPEG and PNG, and ignores it in WebP."""
    wide = Image.new("RGB", (80, 40), RED)
    wide.paste(BLUE, (40, 0, 80, 40))
    exif = wide.getexif()
    exif[ORIENTATION] = 6
    for form, size in {"jpg": (40, 80), "png": (40, 80), "webp": (80, 40)}.items():
        path = tmp_path / f"a.{form}"
        wide.save(path, exif=exif)
        poster = make_poster(path, None)
        assert Image.open(io.BytesIO(poster)).size == size
        assert find_colour(poster, (0.2, 0.2)) == 0


def test_a_turned_clip_stands_as_a_player_shows_it(tmp_path: Path) -> None:
    """A phone held upright: the matrix in the box tkhd turns the left side, red, to the top."""
    clip = write_clip(tmp_path / "a.mp4", [np.array([RED] * 32 + [BLUE] * 32)])
    plain, one, none = bytearray(clip.read_bytes()), (1 << 16).to_bytes(4), bytes(4)
    minus, last = (-1 << 16).to_bytes(4, signed=True), (1 << 30).to_bytes(4)
    at = plain.index(one + none * 3 + one + none * 3 + last, plain.index(b"tkhd"))
    plain[at : at + 36] = none + one + none + minus + none * 3 + none + last
    clip.write_bytes(plain)
    poster = make_poster(clip, None)
    width, height = Image.open(io.BytesIO(poster)).size
    assert height > width
    assert [find_colour(poster, (0.5, place)) for place in (0.2, 0.8)] == [0, 2]


def test_grey_of_16_bits_is_not_white(tmp_path: Path) -> None:
    """MED-08: also where a picture is searched with."""
    ramp = np.linspace(0, 65_535, 64 * 64).reshape(64, 64).astype(np.uint16)
    Image.fromarray(ramp).save(tmp_path / "a.png")
    poster = Image.open(io.BytesIO(make_poster(tmp_path / "a.png", None)))
    asked = read_picture((tmp_path / "a.png").read_bytes())
    for seen in (poster.convert("L"), asked):
        assert np.abs(np.asarray(seen, dtype=float) - ramp / 257).max() < 2


def test_wide_pixels_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posters, "MAX_PIXELS", 64 * 48)
    frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8))
    assert posters.turn_upright(frame, Fraction(1)).size == (64, 48)
    with pytest.raises(ValueError, match="128 × 48 pixels"):
        posters.turn_upright(frame, Fraction(2))


def test_posters_are_small_and_drawings_keep_their_pixels(tmp_path: Path) -> None:
    Image.new("RGB", (4000, 1000), RED).save(tmp_path / "large.jpg")
    dots = Image.fromarray(np.random.default_rng(0).integers(0, 255, (28, 28, 3), np.uint8))
    dots.save(tmp_path / "dots.png")
    large = Image.open(io.BytesIO(make_poster(tmp_path / "large.jpg", None)))
    small = Image.open(io.BytesIO(make_poster(tmp_path / "dots.png", None)))
    assert large.size == (480, 120)
    assert np.array_equal(np.asarray(small), np.asarray(dots))


def test_files_are_what_they_hold_and_stay_inside(tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    (folder / "media").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "media" / "text.mp4").write_text("no clip")
    (folder / "media" / "drawing.png").write_text("<svg onload='x()'/>")
    (folder / "media" / "link.png").symlink_to(tmp_path / "secret.txt")
    (folder / "media" / "loop.png").symlink_to(folder / "media" / "loop.png")
    Image.new("RGB", (4, 4)).save(folder / "media" / "a.png")
    outside = ("../../secret.txt", str(tmp_path / "secret.txt"), "link.png", "loop.png", "a\0", "")
    assert [find_media(folder, "media", name) for name in outside] == [None] * 6
    assert find_media(folder, "..", "secret.txt") is None
    for name, kind in {"a.png": "image/png", "text.mp4": "", "drawing.png": ""}.items():
        path = find_media(folder, "media", name)
        assert path and recognise_type(path) == kind


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("../../outside.png", "not there"), ("/etc/hostname", "not there"),
        ("gone.png", "not there"), ("folder.png", "not there"), ("//host/a.png", "not there"),
        ("http://localhost:1/a.png", "at the host localhost:1"),
        ("empty.png", "no picture or clip"), ("text.png", "no picture or clip"),
    ],
)  # fmt: skip
def test_check_names_items_without_a_picture(world: Path, file: str, found: str) -> None:
    """MAN-01 to 20, MED-01, 03, 12."""
    (world / "media" / "folder.png").mkdir(parents=True)
    (world / "media" / "empty.png").write_bytes(b"")
    (world / "media" / "text.png").write_text("text")
    (world / "items.csv").write_text(f"item_id,file\na,\nb,{file}\nc,\nd,\n")
    opened = open_collection(world)
    (finding,) = list_missing(opened)
    assert (finding.level, finding.file, finding.line) == ("warning", "items.csv", 3)
    assert f"1 of 1 files that are {found}" in finding.found and f"(b: {file})" in finding.found


def test_addresses_and_spans_of_a_collection(world: Path) -> None:
    (world / "media").mkdir()
    (world / "media" / "a.mp4").write_bytes(b"x")
    rows = ["item_id,file,span_start,span_end", "a,a.mp4,1.5,4", "b,gone.mp4,2,", "c,c.png,4,1"]
    (world / "items.csv").write_text("\n".join([*rows, "d,,soon,"]))
    opened = open_collection(world)
    assert [read_span(opened.items, place) for place in range(4)] == [
        (1.5, 4.0), (2.0, np.inf), None, None,
    ]  # fmt: skip
    address = address_media(opened, "poster", "a")
    assert address.startswith("files/world/poster/a?v=")
    assert [address_media(opened, "clip", name) for name in "bd"] == ["", ""]
    assert [describe_media(opened, name)["clip"] for name in ("a", "c", "d", "unknown")] == [
        True, False, False, False,
    ]  # fmt: skip
    (world / "media" / "a.mp4").write_bytes(b"longer")
    assert address_media(opened, "poster", "a") != address
