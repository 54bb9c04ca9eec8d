"""Pictures to search with: limits, orientation, layout, and the vectors of a version's networks."""

from io import BytesIO
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image

from dashboard.errors import DataError
from dashboard.retrieval import encoders
from dashboard.retrieval.encoders import encode_picture, fit_to_items, lay_out, read_picture
from dashboard.storage.collection import open_collection
from tests.core.test_screens import draw, read_payload
from tests.plugins.worlds import call

DATA = Path(__file__).parents[2] / "data"


def write_picture(kind: str, orientation: int = 1, size: tuple[int, int] = (40, 20)) -> bytes:
    exif, file = Image.Exif(), BytesIO()
    exif[0x0112] = orientation
    Image.new("RGB", size, "red").save(file, kind, exif=exif)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "size"), [("JPEG", (20, 40)), ("PNG", (20, 40)), ("WEBP", (40, 20))]
)
def test_orientation_is_that_of_browsers(kind: str, size: tuple[int, int]) -> None:
    assert read_picture(write_picture(kind, orientation=6)).size == size


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"", b"<svg/>", write_picture("PNG")[:60]):
        with pytest.raises(DataError, match="expected a picture") as raised:
            read_picture(content)
        assert " at 0x" not in str(raised.value)
    with monkeypatch.context() as patched, pytest.raises(DataError, match="expected a picture"):
        patched.setattr(encoders.Image, "open", Mock(side_effect=IndexError))
        read_picture(write_picture("PNG"))
    monkeypatch.setattr(encoders, "MAX_PIXELS", 799)
    with pytest.raises(DataError, match="40 × 20 pixels"):
        read_picture(write_picture("PNG"))
    monkeypatch.setattr(encoders, "MAX_UPLOAD_BYTES", 10)
    with pytest.raises(DataError, match="at most 10 bytes"):
        read_picture(write_picture("PNG"))


def test_layout_of_pixels() -> None:
    """(value - mean) / spread; what shows through is the grey behind."""
    settings = dict(encoders.DEFAULTS) | {"size": [2, 1], "mean": 127.0, "spread": 128.0}
    found = lay_out(settings, Image.new("RGBA", (4, 4), (0, 0, 0, 0)))
    assert found.shape == (1, 3, 1, 2)
    assert np.allclose(found, 1.0)
    assert lay_out(settings | {"colours": "L"}, Image.new("L", (4, 4))).shape == (1, 1, 1, 2)


def test_code_of_a_shipped_picture() -> None:
    """A digit of the gallery has the code that its collection stores."""
    folder = DATA / "digits_hashes"
    model = folder / "models" / "itq-64"
    stored = np.load(model / "items.npy")
    place = (model / "items.txt").read_text().split().index("d0001")
    image = read_picture((folder / "media" / "d0001.png").read_bytes())
    version = open_collection(folder).versions["itq-64"]
    found = fit_to_items(encode_picture(folder, version, image), stored / 8, "itq-64")
    assert np.array_equal(found[0] * 8, stored[place])


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        ("", "no table [picture]"),
        ("[picture]\nsize = [0, 5]", "picture.size"),
        ('[picture]\nsize = [5, 5, "x"]', "picture.size"),
        ("[picture]\nsize = [5, 5]\nmeen = 127.5", "picture.meen"),
        ('[picture]\nsize = [5, 5]\nfit = "x"', "picture.fit"),
        ('[picture]\nsize = [5, 5]\nnetwork = "../v2/model.toml"', "no such file"),
        ('[picture]\nsize = [5, 5]\nnetwork = "model.toml"', "cannot be run"),
    ],
)
def test_version_that_cannot_see(world: Path, picture: str, said: str) -> None:
    (world / "models" / "v1" / "model.toml").write_text(picture)
    file = world / "a.png"
    file.write_bytes(write_picture("PNG"))
    code, _, complaint = call("search", str(world), "--file", str(file), "--model", "v1")
    assert code == 2
    assert said in complaint and "v1" in complaint


def test_upload_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = DATA / "digits_hashes"
    drawn = draw(folder, monkeypatch, "search", collection=folder.name)
    content = (folder / "media" / "d0001.png").read_bytes()
    drawn.file_uploader[0].set_value(("d0001.png", content, "image/png")).run()
    assert not drawn.exception and not drawn.error
    assert b"d0001" in drawn.get("bidi_component")[-1].proto.bytes
    assert read_payload(drawn, "buttons")["buttons"][1]["done"] == "Copied without the picture"
