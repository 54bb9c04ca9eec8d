"""Media of other hosts: a server on this machine stands in for one."""

import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from PIL import Image

from dashboard.__main__ import main
from dashboard.errors import DataError
from dashboard.plugins.remote_media import remote_files
from dashboard.plugins.remote_media.remote_files import HOSTS, fetch_media
from dashboard.storage.collection import open_collection
from dashboard.storage.media import list_missing
from dashboard.views.media_routes import address_media, read_poster
from tests.plugins.worlds import write_world


def draw(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """Host and port of a server that the operator lists with its network, and what it was asked."""
    asked: list[str] = []
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            known = {"/red.png?size=1": draw("red"), "/slow.png": b"half"}
            content = known.get(self.path, b"")
            self.send_response(200 if content else 302 if self.path == "/moved.png" else 404)
            self.send_header("Location", "/red.png?size=1")
            self.send_header("Content-Length", str(len(content) + (content == b"half")))
            self.end_headers()
            self.wfile.write(content)
            if content == b"half":
                ended.wait()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name = f"localhost:{server.server_port}"
        monkeypatch.setenv(HOSTS, f"{name} 127.0.0.0/8 ::1/128 s3://bucket")
        remote_files._fetch.cache.clear()  # type: ignore[attr-defined]
        yield name, asked
        ended.set()
        server.shutdown()


def test_a_picture_is_fetched_once_and_shown(tmp_path: Path, host, monkeypatch) -> None:
    """Its address on the page is ours; it is asked for when it is shown, and not by `check`."""
    name, asked = host
    files = {"a": f"http://{name}/red.png?size=1", "b": f"http://{name}/none.png", "c": ""}
    rows = "".join(f"{item},{file}\n" for item, file in files.items())
    vectors = {item: [1.0, 0.0] for item in files}
    folder = write_world(
        tmp_path / "world", "", f"item_id,file\n{rows}", "query_id,text\nq,x\n", vectors,
        {"q": [1.0, 0.0]}, "q 0 a 1\n",
    )  # fmt: skip
    collection = open_collection(folder)
    assert not list_missing(collection) and not asked
    assert address_media(collection, "poster", "a").startswith("files/world/poster/a?v=")
    for _ in range(2):
        kind, content = read_poster(collection, "poster", "a")
        assert kind == "image/webp"
        assert Image.open(io.BytesIO(content)).convert("RGB").getpixel((4, 3))[0] > 240
    assert asked == ["/red.png?size=1"]
    assert read_poster(collection, "poster", "b") is None
    monkeypatch.setenv(HOSTS, "127.0.0.0/8")
    (finding,) = list_missing(collection)
    said = f"2 of 2 files that are at the host {name}"
    assert finding.line == 2 and finding.found.startswith(said) and HOSTS in finding.wanted


def test_init_takes_addresses_for_files(tmp_path: Path, monkeypatch) -> None:
    """A column of addresses that end like clips, whatever its name; without ids their names."""
    rows = "".join(f"https://h.example/x/{name}.mp4?key=1,{name}\n" for name in "abc")
    (tmp_path / "t.csv").write_text(f"link,page\n{rows}")
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path))
    assert main(["init", "made", "--from", str(tmp_path / "t.csv"), "--relevance", "none"]) == 0
    items = open_collection(tmp_path / "made").items
    assert items.ids == ("a.mp4", "b.mp4", "c.mp4") and items["kind"] == ("video",) * 3
    assert items["file"][0] == "https://h.example/x/a.mp4?key=1"


@pytest.mark.parametrize(
    ("address", "listed", "said"),
    [
        ("http://{0}/moved.png", "{0} 127.0.0.0/8 ::1/128", "status 302"),
        ("http://{0}/red.png?size=1", "{0}", "the private address"),
        ("http://{0}/red.png?size=1", "localhost 127.0.0.0/8", "the host localhost"),
        ("http://{0}.example/a.png", "{0} 127.0.0.0/8", "an address that is none"),
        ("http://a:b@{0}/a.png", "{0}", "an address that is none"),
        ("file://{0}/etc", "{0}", "an address that is none"),
        ("s3://bucket/a.png", "bucket", "the host s3://bucket"),
    ],
)
def test_refusals(host, monkeypatch, address: str, listed: str, said: str) -> None:
    """Redirects, private addresses, other ports and hosts; nothing is asked of those not listed."""
    name, asked = host
    monkeypatch.setenv(HOSTS, listed.format(name))
    with pytest.raises(DataError, match=said):
        fetch_media(address.format(name), True)
    assert bool(asked) == said.startswith("status")


def test_a_file_that_is_too_large_or_slow(host, monkeypatch) -> None:
    """The deadline counts for what has come; it does not wait until a whole piece is there."""
    monkeypatch.setattr(remote_files, "MAX_SECONDS", 0)
    with pytest.raises(DataError, match="not whole after 0 s"):
        fetch_media(f"http://{host[0]}/slow.png", True)
    monkeypatch.setattr(remote_files, "MAX_BYTES", 10)
    with pytest.raises(DataError, match="more than 10 bytes"):
        fetch_media(f"http://{host[0]}/red.png?size=1", True)


def test_a_host_that_is_silent_is_not_asked_at_once_again(host, monkeypatch) -> None:
    """Else every picture of a page would wait for it."""
    name, asked = host
    monkeypatch.setattr(remote_files, "_resolve", lambda *_: (_ for _ in ()).throw(TimeoutError))
    for _ in range(2):
        with pytest.raises(DataError, match="TimeoutError"):
            fetch_media(f"http://{name}/red.png?size=1", True)
        monkeypatch.undo()
        monkeypatch.setenv(HOSTS, f"{name} 127.0.0.0/8 ::1/128")
    assert not asked
    remote_files._SILENT.clear()
    assert fetch_media(f"http://{name}/red.png?size=1", True) and asked


@pytest.mark.parametrize(
    ("peer", "listed", "is_asked"),
    [
        ("10.1.2.3", "", False),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("64:ff9b::7f00:1", "", False),
        ("2002:7f00:1::", "", False),
        ("::ffff:10.0.0.1", "", False),
        ("93.184.215.14", "", True),
    ],
)
def test_private_addresses_are_said_by_check(monkeypatch, peer, listed, is_asked) -> None:
    """Nothing is sent but the question for the address of the host."""
    monkeypatch.setattr(remote_files, "_resolve", lambda host: peer)
    monkeypatch.setenv(HOSTS, f"Media.example {listed}")
    try:
        assert fetch_media("https://MEDIA.example/a.png", False) is None and is_asked
    except DataError as error:
        assert not is_asked and f"Add it to {HOSTS} if it may be asked" in str(error)


def test_a_file_that_is_tidied_up_is_fetched_again(host, monkeypatch) -> None:
    """From a private address, which is listed without a network."""
    name = host[0].replace("localhost", "127.0.0.1")
    monkeypatch.setenv(HOSTS, name)
    for _ in range(2):
        path = fetch_media(f"http://{name}/red.png?size=1", True)
        assert path is not None and path.read_bytes() == draw("red")
        path.unlink()


def test_no_message_tells_a_password_or_a_signature(host) -> None:
    for address in ("http://eva:secret@h.example/a.png", "https://h.example/a.png?key=secret"):
        with pytest.raises(DataError) as refused:
            fetch_media(address, True)
        assert "secret" not in str(refused.value) and "h.example/a.png" in str(refused.value)


def test_an_object_store(host) -> None:
    """The memory of fsspec stands in for s3: what is there is read, what is not is a sentence."""
    fsspec.register_implementation("s3", MemoryFileSystem, clobber=True)
    try:
        with fsspec.open("s3://bucket/blue.png", "wb") as file:
            file.write(draw("blue"))
        path = fetch_media("s3://bucket/blue.png", True)
        assert path is not None and path.read_bytes() == draw("blue")
        with pytest.raises(DataError, match="no answer"):
            fetch_media("s3://bucket/none.png", True)
    finally:
        fsspec.register_implementation("s3", "s3fs.S3FileSystem", clobber=True)
