"""A picture that is uploaded: what the screen Search says, and that its file is held nowhere."""

import io
import runpy
from pathlib import Path

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dashboard.storage.collection import collection as collections
from dashboard.storage.media import uploads
from dashboard.storage.media.decoding.formats import PICTURE_PIXELS
from dashboard.storage.media.serving import Tamed
from tests.browser.upload_world import build
from tests.test_screens import no_text_model, opened

__all__ = ["no_text_model"]  # a fixture

LAUNCHER = Path(__file__).parents[1] / "app.py"


@pytest.fixture
def plain(tmp_path, monkeypatch):
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    return build(tmp_path / "data" / "plain")


@pytest.fixture
def memories(monkeypatch):
    """Every memory of Streamlit that a file was put into."""
    found, add = [], MemoryUploadedFileManager.add_file

    def noted(self, session_id, file):
        found.append(self)
        add(self, session_id, file)

    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", noted)
    return found


def red() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(file, "PNG")
    return file.getvalue()


def upload(content: bytes):
    app = opened("search", collection="plain", baseline="v1", candidate="v2")
    app.get("file_uploader")[0].upload("mine.png", content, "image/png")
    return app.run()


def refusal(app) -> str:
    return app.error[0].value.replace("\\", "")


def asked_with(app) -> str:
    """The fingerprint in the address."""
    return "".join(app.query_params.get("picture", ""))


def held(memories) -> list[str]:
    return [file.name for memory in memories for kept in memory.file_storage.values()
            for file in kept.values()]  # fmt: skip


def test_a_file_that_was_taken_is_held_nowhere(plain, memories):
    app = upload(red())
    assert len(asked_with(app)) == 64
    assert memories and not held(memories)


def test_a_file_that_was_refused_is_held_nowhere_and_the_limit_is_said(plain, memories):
    app = upload(red()[:60])
    assert "mine.png: damaged" in refusal(app)
    assert f"{PICTURE_PIXELS // 1_000_000} million pixels" in refusal(app)
    assert not asked_with(app)
    assert memories and not held(memories)


def test_a_picture_that_cannot_be_kept_gets_no_link(plain, monkeypatch):
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "0")
    app = upload(red())
    assert "cannot be kept here" in refusal(app)
    assert "Upload a picture" not in refusal(app) and not asked_with(app)


def test_the_field_says_how_long_a_link_lives(plain):
    app = opened("search", collection="plain", baseline="v1", candidate="v2")
    assert any("pictures that were not used" in (line.help or "") for line in app.caption)


def test_a_refusal_beside_the_route_of_uploads_is_tamed_too():
    launched = runpy.run_path(str(LAUNCHER))
    tamed = [Middleware(Tamed, launched["MEDIA"])]
    for method in ("POST", "GET"):
        site = TestClient(Starlette(routes=uploads.routes(), middleware=tamed))
        answer = site.request(method, "/uploads/kept?item=x")
        assert answer.status_code in (404, 405)
        assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert answer.headers["x-content-type-options"] == "nosniff"
