"""Media in buckets: what the author of a collection may name, and what is read of one object."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from fsspec.asyn import AsyncFileSystem

from dashboard.storage.media.remote import buckets, client
from dashboard.storage.media.remote.blocks import BLOCK, BLOCKS
from dashboard.storage.media.remote.facts import FACTS
from dashboard.storage.media.remote.hosts import VARIABLE, allowed_address, in_bucket
from dashboard.storage.media.remote.opening import open_remote, promise
from dashboard.storage.media.safe_open import Unusable


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two buckets are allowed, and nothing is remembered of another test."""
    monkeypatch.setenv(VARIABLE, "s3://bucket gs://bucket")
    monkeypatch.setattr(buckets, "_MADE", {})
    for remembered in (FACTS, BLOCKS, client.SILENT):
        remembered.clear()
    yield
    client.SILENT.clear()


KEYS = [
    "a b.mp4",
    "a%2Fb%20c.mp4",
    "Straße/ä 日本.mp4",
    "take #2.mp4",
    "what?.mp4",
    "a//b+c&d=e.mp4",
]


@pytest.mark.parametrize(
    "key", [*KEYS, "back\\slash.mp4", "[a].mp4", "a@b:c.mp4", "..a/b..mp4", ""]
)
def test_a_key_is_taken_letter_by_letter(key: str) -> None:
    assert in_bucket(f" s3://bucket/{key}") == ("s3://bucket", key)
    assert allowed_address(f"S3://bucket/{key}") == f"s3://bucket/{key}"


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("s3://bucket/../secret/x.mp4", "not an address"),
        ("gs://bucket/..", "not an address"),
        ("gs://bucket/a/./b.mp4", "not an address"),
        ("s3://bucket/a\nb.mp4", "not an address"),
        ("s3://bucket/a\tb.mp4", "not an address"),
        ("s3://bucket?x/a.mp4", "not an address"),
        ("s3://bucket#x/a.mp4", "not an address"),
        ("s3://bucket\\x/a.mp4", "not an address"),
        ("s3:///a.mp4", "not an address"),
        ("s3://me:pw@bucket/a.mp4", "a password in the address"),
        ("s3://Bucket/a.mp4", "host not allowed"),
        ("s3://bucket.evil/a.mp4", "host not allowed"),
        ("s3://other/a.mp4", "host not allowed"),
    ],
)
def test_no_other_bucket_can_be_reached(address: str, word: str) -> None:
    with pytest.raises(Unusable, match=word):
        open_remote(address)


def test_the_ending_of_a_key_tells_pictures_from_clips() -> None:
    names = {"take #1.png": "picture", "what?.webp": "picture", "a#b.mp4": "clip", "a": "clip"}
    assert {name: promise(f"gs://bucket/{name}", "") for name in names} == names


def test_a_library_that_is_not_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("s3fs", "gcsfs", "gcsfs.core"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unusable, match="s3 needs s3fs"):
        open_remote("s3://bucket/x.mp4")
    with pytest.raises(Unusable, match="gs needs gcsfs"):
        open_remote("gs://bucket/x.mp4")


def test_a_library_that_looks_for_credentials_for_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = threading.Event()
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    monkeypatch.setitem(buckets._MAKERS, "gs", lambda: found.wait(20) and Bucket({}))
    with pytest.raises(Unusable, match="host too slow"):
        open_remote("gs://bucket/x.mp4")
    found.set()
    buckets._MADE["gs"].result(20)
    client.SILENT.clear()
    FACTS.clear()
    with pytest.raises(Unusable, match="missing"):
        open_remote("gs://bucket/x.mp4")


class Bucket(AsyncFileSystem):
    """Stands for gcsfs: objects by name, each with its generation and its content."""

    cachable = False

    def __init__(self, objects: dict[str, tuple[str, bytes]]) -> None:
        super().__init__()
        self.objects, self.refused = objects, ""

    async def _info(self, path: str, **_: object) -> dict:
        if self.refused:
            raise OSError(self.refused)
        if path not in self.objects:
            raise FileNotFoundError(path)
        generation, content = self.objects[path]
        return {"size": len(content), "type": "file", "etag": "e", "generation": generation}

    async def _cat_file(self, path: str, start: int, end: int, generation: str) -> bytes:
        known, content = self.objects.get(path, ("", b""))
        if known != generation:
            raise FileNotFoundError(path)
        return content[start:end]


def test_parts_are_of_one_generation_of_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = bytes(3 * BLOCK), b"\1" * (3 * BLOCK)
    stand_in = Bucket({"gs://bucket/c #1.mp4": ("1", before)})
    monkeypatch.setitem(buckets._MAKERS, "gs", lambda: stand_in)
    opened = open_remote("gs://bucket/c #1.mp4")
    assert opened.file.read(4) == before[:4]
    stand_in.objects["gs://bucket/c #1.mp4"] = ("2", after)
    opened.file.seek(2 * BLOCK)
    with pytest.raises(Unusable, match="changed while it was read"):
        opened.file.read(4)
    assert set(open_remote("gs://bucket/c #1.mp4").file.read()) == {1}


def test_an_object_that_is_forbidden_does_not_silence_its_bucket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in = Bucket({"gs://bucket/c.mp4": ("1", b"x")})
    stand_in.refused = "Forbidden: b/bucket/o/no.mp4\nno access"  # as gcsfs words a 403
    monkeypatch.setitem(buckets._MAKERS, "gs", lambda: stand_in)
    with pytest.raises(Unusable, match="not readable"):
        open_remote("gs://bucket/no.mp4")
    stand_in.refused = ""
    assert open_remote("gs://bucket/c.mp4").file.read() == b"x"
