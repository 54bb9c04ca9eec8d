"""What a version says of its picture side, and which uploaded pictures are kept."""

from __future__ import annotations

import io
import os
import re
import struct
import time
import zlib
from pathlib import Path

import pytest
from PIL import Image
from PIL.ExifTags import Base

from dashboard.storage.cache import disk_cache
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.media.uploads import keep, kept_picture
from dashboard.storage.versions.picture_side import read_side
from dashboard.tables import DataError, Findings


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def version(tmp_path: Path) -> Path:
    folder = tmp_path / "c/models/v1"
    folder.mkdir(parents=True)
    (folder / "picture.onnx").write_bytes(b"own")
    (tmp_path / "c/networks").mkdir()
    (tmp_path / "c/networks/body.onnx").write_bytes(b"shared")
    return folder


def read(version: Path, table: dict, findings: Findings | None = None):
    return read_side(version, table, "models/v1/model.toml", findings or Findings())


def test_what_is_not_said_is_usual(version: Path) -> None:
    side = read(version, {"size": [32, 16]})
    assert side is not None and side.networks == (version / "picture.onnx",)
    assert (side.size, side.mean, side.spread) == ((32, 16), (0.0,), (255.0,))
    assert (side.fit, side.resample, side.colours) == ("stretch", "bilinear", "RGB")
    assert read(version, {}) is None, "a version without the table sees no pictures"


def test_a_shared_network_comes_first_and_counts_in_the_fingerprint(version: Path) -> None:
    table = {"size": [1, 1], "before": "body.onnx", "mean": [1, 2, 3.5]}
    side = read(version, table)
    assert [path.name for path in side.networks] == ["body.onnx", "picture.onnx"]
    assert side.mean == (1.0, 2.0, 3.5)
    side.networks[0].write_bytes(b"another")
    again = read(version, table)
    assert again.digest != side.digest
    assert read(version, {**table, "mean": 1}).digest != again.digest


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "size"),
        ({"size": [32]}, "width and height"),
        ({"size": [32, 0]}, "width and height"),
        ({"size": [32, 5000]}, "width and height"),
        ({"size": "32"}, "list of a whole number"),
        ({"resample": "nicely"}, "one of nearest"),
        ({"fit": "cover"}, "one of stretch"),
        ({"colours": "BGR"}, "one of RGB"),
        ({"encoder": "torch"}, "one of onnx"),
        ({"mean": [1, 2]}, "one for each of RGB"),
        ({"mean": True}, "a number"),
        ({"spread": 0}, "other than 0"),
        ({"background": 300}, "0 to 255"),
        ({"network": "../v2/picture.onnx"}, "name of a file"),
        ({"network": "/etc/passwd"}, "name of a file"),
        ({"network": ".."}, "name of a file"),
        ({"network": ""}, "name of a file"),
        ({"network": "missing.onnx"}, "no such file"),
        ({"before": "../../x.onnx"}, "name of a file"),
    ],
)
def test_what_cannot_be_meant_is_refused(version: Path, table: dict, said: str) -> None:
    usual = {"size": [8, 8]} if table else {"colours": "RGB"}
    with pytest.raises(DataError, match=said):
        read(version, {**usual, **table})


def test_a_network_that_a_link_leads_to_is_refused(version: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.onnx").write_bytes(b"x")
    (version / "picture.onnx").unlink()
    (version / "picture.onnx").symlink_to(tmp_path / "outside.onnx")
    with pytest.raises(DataError, match="name of a file"):
        read(version, {"size": [8, 8]})


def test_an_unknown_word_is_a_warning(version: Path) -> None:
    findings = Findings()
    assert read(version, {"size": [8, 8], "colour": "RGB"}, findings) is not None
    assert "colour" in findings.frame()["found"].iloc[0]


def file_of(picture: Image.Image, kind: str, **how: object) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **how)
    return file.getvalue()


def test_an_uploaded_picture_is_kept_upright_and_without_what_else_its_file_says() -> None:
    """The camera was held sideways: left of the file is the top of the picture."""
    lying = Image.new("RGB", (40, 20), (0, 0, 200))
    lying.paste((200, 0, 0), (0, 0, 20, 20))
    said = Image.Exif()
    said[Base.Orientation], said[Base.Make] = 6, "a secret camera"
    name = keep(file_of(lying, "PNG", exif=said))
    content = kept_picture(name)
    assert content is not None and b"secret" not in content
    with Image.open(io.BytesIO(content)) as upright:
        assert upright.size == (20, 40) and not upright.getexif()
        assert upright.convert("RGB").getpixel((10, 5)) == (200, 0, 0)


def test_the_same_picture_has_the_same_name_and_its_pixels_are_not_touched() -> None:
    picture = Image.effect_noise((30, 20), 90).convert("RGB")
    name = keep(file_of(picture, "PNG"))
    assert re.fullmatch("[0-9a-f]{64}", name)
    assert keep(file_of(picture, "PNG", compress_level=1)) == name
    with Image.open(io.BytesIO(kept_picture(name) or b"")) as again:
        assert again.tobytes() == picture.tobytes()


def test_a_large_picture_becomes_smaller_and_transparency_stays() -> None:
    content = kept_picture(keep(file_of(Image.new("RGBA", (3000, 60), (9, 9, 9, 0)), "PNG")))
    with Image.open(io.BytesIO(content or b"")) as small:
        assert small.size == (1024, 20) and small.mode == "RGBA"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1"])
def test_pictures_of_every_kind_are_taken(kind: str, mode: str) -> None:
    picture = Image.new("RGB", (9, 7), (250, 10, 10)).convert(mode)
    if (kind, mode) in {("JPEG", "P"), ("JPEG", "1"), ("WEBP", "1"), ("AVIF", "1")}:
        picture = picture.convert("L")
    content = kept_picture(keep(file_of(picture, kind)))
    with Image.open(io.BytesIO(content or b"")) as taken:
        assert taken.size == (9, 7)


def test_sixteen_bits_are_not_white() -> None:
    picture = Image.new("I;16", (4, 4), 32768)
    content = kept_picture(keep(file_of(picture, "PNG")))
    with Image.open(io.BytesIO(content or b"")) as taken:
        assert taken.convert("L").getpixel((1, 1)) == 128


def bomb() -> bytes:
    """A PNG of a few hundred bytes that says it is 60,000 pixels wide and high."""

    def part(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    pixels = part(b"IDAT", zlib.compress(bytes(1000)))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + pixels + part(b"IEND", b"")


WHOLE = file_of(Image.effect_noise((64, 64), 80), "PNG")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not a picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "SVG"),
        (b"GIF89a", "damaged"),
        (WHOLE[: len(WHOLE) // 2], "damaged"),
        (bomb(), "too many pixels"),
        (b"\x00\x00\x00\x18ftypmp42" + bytes(40), "not a picture"),
        (b"%PDF-1.7", "not a picture"),
    ],
)
def test_anything_else_is_refused_with_a_word(content: bytes, word: str, cache: Path) -> None:
    with pytest.raises(Unusable, match=word):
        keep(content)
    assert not list(cache.rglob("*.upload"))


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "x" * 64, "A" * 64, "0" * 63, "0" * 64])
def test_only_a_fingerprint_is_looked_for(name: str) -> None:
    assert kept_picture(name) is None


def test_what_is_used_least_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (keep(file_of(Image.new("RGB", (8, 8), (n, 0, 0)), "PNG")) for n in (1, 2))
    paths = sorted(disk_cache.folder().rglob("*.upload"))
    for path in paths:
        os.utime(path, (time.time() - (9e6 if path.name.startswith(old) else 0),) * 2)
    disk_cache.shrink(disk_cache.folder(), sum(path.stat().st_size for path in paths) - 1)
    assert kept_picture(old) is None and kept_picture(new) is not None
