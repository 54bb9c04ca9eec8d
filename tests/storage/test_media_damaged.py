"""Files whose insides lie: whatever a decoder makes of them, a card, a poster and a hash say so."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.storage.media.decoding.boxes import contents
from dashboard.storage.media.hashes import picture_hash
from dashboard.storage.media.item_media import media, poster
from dashboard.storage.media.probe import look
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.media.uploads import clean
from tests.storage.test_media import client, folder, world_of

__all__ = ["folder"]  # a fixture

BRAND = struct.pack(">I4s4sI", 16, b"ftyp", b"isom", 0)
NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8))


def file_of(picture: Image.Image, kind: str, **how: object) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **how)
    return file.getvalue()


def lying(content: bytes) -> dict[str, bytes]:
    """An AVIF file that names a picture it does not hold, and one whose pixels are all zero."""
    pixels = content.index(b"mdat") + 4
    return {
        "none": content.replace(b"pitm\0\0\0\0\0\1", b"pitm\0\0\0\0\0\7"),
        "zeros": content[:pixels] + bytes(len(content) - pixels),
    }


def said(*entries: tuple[int, int, int, bytes]) -> bytes:
    """Exif with entries of tag, type, number of values and value, whether they fit or not."""
    body = b"".join(struct.pack("<HHI4s", *entry) for entry in entries)
    return b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + body + bytes(4)


HELD = (0x112, 3, 1, b"\6\0\0\0")
ODD = {
    "bytes as a number": (0x128, 7, 2, b"\1\2\0\0"),
    "text as a fraction": (0x11A, 2, 2, b"1\0\0\0"),
    "a number too large": (0x128, 4, 1, b"\xff\xff\xff\xff"),
    "a fraction as a text": (0x10F, 11, 1, b"\1\2\3\4"),
}


def table(size: int, head: bytes = b"", length: int = 4_000) -> bytes:
    return BRAND + struct.pack(">I4s", size, b"moov") + head + bytes(length)


@pytest.mark.parametrize("size", [2, 6, 7])
def test_a_table_of_contents_smaller_than_its_own_head_is_damaged(folder: Path, size: int) -> None:
    (folder / "media/x.mp4").write_bytes(table(size))
    assert look(folder, "media", "x.mp4").problem == "damaged"
    found = media(world_of(folder, {"x": "x.mp4"}), ["x"]).iloc[0]
    assert (found["kind"], found["problem"]) == ("", "damaged")


@pytest.mark.parametrize(
    ("size", "usable"), [(0, False), (15, False), (16, True), (2**64 - 1, True)]
)
def test_a_long_size_counts_its_own_head(size: int, usable: bool) -> None:
    file = io.BytesIO(table(1, struct.pack(">Q", size)))
    if usable:
        assert contents(file).pictures, "in doubt there are some"
    else:
        with pytest.raises(Unusable, match="damaged"):
            contents(file)


def test_a_long_size_gives_the_same_contents() -> None:
    header = bytes(12) + struct.pack(">II", 10, 25)
    box = struct.pack(">I4s", 8 + len(header), b"mvhd") + header
    short = BRAND + struct.pack(">I4s", 8 + len(box), b"moov") + box
    long = BRAND + struct.pack(">I4sQ", 1, b"moov", 16 + len(box)) + box
    assert contents(io.BytesIO(short)).seconds == 2.5
    assert contents(io.BytesIO(long)) == contents(io.BytesIO(short))


@pytest.mark.parametrize("size", [0, 7, 100_000_000, 2**40])
def test_little_is_read_whatever_size_is_said(tmp_path: Path, size: int) -> None:
    class Counted(io.FileIO):
        most = 0

        def read(self, size: int | None = -1, /) -> bytes:
            content = super().read(size) or b""
            Counted.most = max(Counted.most, len(content))
            return content

    long = struct.pack(">Q", size) if size >= 2**32 else b""
    with (tmp_path / "x").open("wb") as sparse:
        sparse.write(table(1 if long else size, long))
        sparse.truncate(50_000_000)
    with Counted(tmp_path / "x") as file:
        try:
            assert contents(file).pictures
        except Unusable:
            assert size == 7
    assert Counted.most <= 1_000_000


def test_a_box_that_reaches_beyond_every_file_ends_the_search() -> None:
    beyond = struct.pack(">I4sQ", 1, b"free", 2**64 - 1)
    with pytest.raises(Unusable, match="damaged"):
        contents(io.BytesIO(BRAND + beyond + table(0)))


@pytest.mark.parametrize("how", ["none", "zeros"])
def test_a_damaged_avif_is_said_everywhere(folder: Path, how: str) -> None:
    content = lying(file_of(NOISE, "AVIF"))[how]
    (folder / "media/x.avif").write_bytes(content)
    world = world_of(folder, {"x": "x.avif"})
    for work in (clean, picture_hash, lambda _: poster(world, "x")):
        with pytest.raises(Unusable, match="damaged"):
            work(content)
    found = media(world, ["x"]).iloc[0]
    answer = client(world).get("/posters/tiny?item=x")
    if how == "none":  # nothing can be opened, so nothing is offered
        assert (found["problem"], found["poster"], answer.status_code) == ("damaged", "", 404)
    else:
        assert (answer.status_code, answer.text) == (422, "damaged")


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
@pytest.mark.parametrize("odd", ODD)
def test_odd_exif_leaves_the_pixels_as_they_are(folder: Path, odd: str, kind: str) -> None:
    """How the camera was held is still said beside what is odd."""
    wide = Image.new("RGB", (40, 20), (0, 0, 200))
    content = file_of(wide, kind, exif=said(*sorted([HELD, ODD[odd]])))
    assert clean(content).size == (20, 40)
    (folder / "media/x.jpg").write_bytes(content)
    made = poster(world_of(folder, {"x": "x.jpg"}), "x")
    assert Image.open(io.BytesIO(made)).size == (20, 40)


@pytest.mark.parametrize("turn", [(0x112, 2, 4, b"six\0"), (0x112, 3, 1, b"\x63\0\0\0")])
def test_an_odd_turn_is_none(turn: tuple[int, int, int, bytes]) -> None:
    assert clean(file_of(Image.new("RGB", (40, 20)), "JPEG", exif=said(turn))).size == (40, 20)


@pytest.mark.parametrize("held", range(1, 9))
def test_every_turn_is_the_library_s_own(held: int) -> None:
    from PIL import ImageOps

    content = file_of(
        NOISE.crop((0, 0, 40, 20)), "PNG", exif=said((0x112, 3, 1, bytes([held, 0, 0, 0])))
    )
    right = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    assert clean(content).tobytes() == right.tobytes()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF", "BMP"])
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_file_with_wrong_bytes_is_a_picture_or_unusable(kind: str) -> None:
    chance = random.Random(kind)
    how = {} if kind in ("GIF", "BMP") else {"exif": said(HELD, (0x128, 3, 1, b"\1\0\0\0"))}
    whole = file_of(NOISE.resize((32, 24)), kind, **how)
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(4, min(len(content), chance.choice([400, 10_000])))
            content[place] = chance.choice([0, 1, 255, 128, chance.randrange(256)])
        for work in (clean, picture_hash):
            try:
                work(bytes(content))
            except Unusable as word:
                assert str(word)
