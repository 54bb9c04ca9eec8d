"""Media in buckets of real servers: s3fs against moto's S3, gcsfs against an emulator.

s3fs and moto come with tests/requirements.txt; the emulator needs
`pip install gcsfs gcp-storage-emulator` and is left out without.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec.config
import pytest

from dashboard.storage.media.item_media import poster
from dashboard.storage.media.remote import buckets, client
from dashboard.storage.media.remote.blocks import BLOCK, BLOCKS
from dashboard.storage.media.remote.facts import FACTS
from dashboard.storage.media.remote.hosts import VARIABLE
from dashboard.storage.media.remote.opening import open_remote
from dashboard.storage.media.safe_open import Unusable
from tests.storage.test_media import client as client_of
from tests.storage.test_media import clip, world_of

KEYS = [
    "a b/c.mp4",
    "a%2Fb%20.mp4",
    "Straße/ä 日本.mp4",
    "take #2.mp4",
    "what?.mp4",
    "a//b+c&d=e.mp4",
]
MISSING = "comes with tests/requirements.txt"


@pytest.fixture(scope="module")
def clip_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("clip") / "c.mp4"
    clip(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def storage(clip_bytes: bytes) -> Iterator[Any]:
    """A client of an S3 server with the buckets `clips` and `secret`."""
    pytest.importorskip("s3fs", reason=f"s3fs {MISSING}")
    moto = pytest.importorskip("moto.server", reason=f"moto {MISSING}")
    import boto3

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            environment.setenv(name, "testing")
        found = boto3.client("s3")
        for name in ("clips", "secret"):
            found.create_bucket(Bucket=name)
            for key in KEYS:
                found.put_object(Bucket=name, Key=key, Body=clip_bytes)
        yield found
    server.stop()


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """One bucket of each kind is allowed, and nothing is remembered of another test."""
    monkeypatch.setenv(VARIABLE, "s3://clips gs://clips")
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(buckets, "_MADE", {})
    for remembered in (FACTS, BLOCKS, client.SILENT):
        remembered.clear()
    yield
    client.SILENT.clear()


def shown(folder: Path, address: str, content: bytes) -> None:
    """An item at `address` has a poster, and its bytes come through our route, also in parts."""
    world = world_of(folder, {"i": address})
    routes, place = client_of(world), "/clips/tiny?item=i"
    assert poster(world, "i")[8:12] == b"WEBP"
    assert (routes.get(place).content == content) is True
    part = routes.get(place, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, content[100:200])


@pytest.mark.parametrize("key", KEYS)
def test_an_object_of_s3_is_shown(
    storage: Any, tmp_path: Path, clip_bytes: bytes, key: str
) -> None:
    shown(tmp_path, f"s3://clips/{key}", clip_bytes)


def test_what_is_wrong_in_s3_has_a_word(storage: Any) -> None:
    storage.put_object(Bucket="clips", Key="empty.mp4", Body=b"")
    words = {
        "s3://clips/no such.mp4": "missing",
        "s3://clips/a b": "not a file",
        "s3://clips": "not a file",
        "s3://clips/empty.mp4": "empty",
        f"s3://secret/{KEYS[0]}": "host not allowed",
        f"s3://clips/../secret/{KEYS[0]}": "not an address",
    }
    assert {address: word_for(address) for address in words} == words


def word_for(address: str) -> str:
    with pytest.raises(Unusable) as word:
        open_remote(address)
    return str(word.value)


def test_an_object_of_s3_that_is_replaced_is_never_mixed(storage: Any) -> None:
    before, after = bytes(3 * BLOCK), b"\1" * (3 * BLOCK)
    storage.put_object(Bucket="clips", Key="c.mp4", Body=before)
    opened = open_remote("s3://clips/c.mp4")
    assert opened.file.read(4) == before[:4]
    storage.put_object(Bucket="clips", Key="c.mp4", Body=after)
    opened.file.seek(2 * BLOCK)
    with pytest.raises(Unusable, match="changed while it was read"):
        opened.file.read(4)
    assert set(open_remote("s3://clips/c.mp4").file.read()) == {1}
    storage.delete_object(Bucket="clips", Key="c.mp4")
    BLOCKS.clear()
    with pytest.raises(Unusable, match="missing"):
        open_remote("s3://clips/c.mp4").file.read()


def test_a_version_that_an_address_names_is_the_one_that_is_read(
    storage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "s3://versions")
    storage.create_bucket(Bucket="versions")
    kept = {"Status": "Enabled"}
    storage.put_bucket_versioning(Bucket="versions", VersioningConfiguration=kept)
    first = storage.put_object(Bucket="versions", Key="c.mp4", Body=b"first")["VersionId"]
    storage.put_object(Bucket="versions", Key="c.mp4", Body=b"second")
    assert open_remote("s3://versions/c.mp4").file.read() == b"second"
    assert open_remote(f"s3://versions/c.mp4?versionId={first}").file.read() == b"first"


def test_what_s3_does_not_let_us_read_has_a_word(
    storage: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as anybody:
        anybody.setitem(fsspec.config.conf, "s3", {"anon": True})
        assert word_for(f"s3://clips/{KEYS[0]}") == "not readable"
    FACTS.clear()
    buckets._MADE.clear()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    assert word_for(f"s3://clips/{KEYS[0]}") == "no credentials"


def test_an_s3_server_that_is_gone_is_given_up_in_time(
    storage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{probe.getsockname()[1]}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", gone)
    monkeypatch.setattr(client, "PATIENCE", 1.0)
    first = word_for("s3://clips/c.mp4")
    assert first in (client.TOO_SLOW, client.UNREACHABLE)
    assert client.SILENT.get("s3://clips") == first


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket `clips` of an emulator of Google Cloud Storage."""
    reason = "pip install gcsfs gcp-storage-emulator"
    pytest.importorskip("gcsfs", reason=reason)
    emulator = pytest.importorskip("gcp_storage_emulator.server", reason=reason)
    from google.cloud.storage import Client

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    server = emulator.create_server("127.0.0.1", port, in_memory=True)
    server.start()
    yield Client(project="test").create_bucket("clips")
    server.stop()


def test_objects_of_google_cloud_storage_are_shown(
    emulated: Any, tmp_path: Path, clip_bytes: bytes
) -> None:
    for number, key in enumerate(KEYS):
        emulated.blob(key).upload_from_string(clip_bytes)
        folder = tmp_path / str(number)
        folder.mkdir()
        shown(folder, f"gs://clips/{key}", clip_bytes)
    assert word_for("gs://clips/no such.mp4") == "missing"
    assert word_for("gs://secret/x.mp4") == "host not allowed"
