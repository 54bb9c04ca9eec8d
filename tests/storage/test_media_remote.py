"""Media on other hosts: from allowed ones in parts by our own route; from no other, ever."""

from __future__ import annotations

import io
import socket
import sys
import threading
import time
from collections.abc import Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from pathlib import Path

import numpy as np
import pytest
from cachetools import LRUCache, TLRUCache
from PIL import Image
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard.storage.media.item_media import media, poster
from dashboard.storage.media.remote import client
from dashboard.storage.media.remote.blocks import BLOCK, BLOCKS
from dashboard.storage.media.remote.facts import FACTS, Facts, expires
from dashboard.storage.media.remote.hosts import OFF, VARIABLE, allowed, is_public, origin_of
from dashboard.storage.media.remote.opening import open_remote
from dashboard.storage.media.remote.shared_cache import SharedCache
from dashboard.storage.media.safe_open import Opened, Unusable
from dashboard.storage.media.serving import Content, answer
from tests.storage.media_addresses import problem
from tests.storage.remote_host import Host, served
from tests.storage.test_media import client as client_of
from tests.storage.test_media import clip, world_of

SECRET = b"only for those inside"


@pytest.fixture(scope="module")
def clip_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("clip") / "c.mp4"
    clip(path)
    return path.read_bytes()


def picture_bytes() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (2000, 1000), "green").save(written, "PNG")
    return written.getvalue()


def noise_bytes() -> bytes:
    written = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (900, 900, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


@pytest.fixture
def host(clip_bytes: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host that the operator allowed; `hostile` stands beside it and is not."""
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    for remembered in (FACTS, BLOCKS, client.SILENT, client._LOGGED):
        remembered.clear()
    files = {
        "/clip.mp4": clip_bytes,
        "/whole.mp4": clip_bytes,
        "/p.png": picture_bytes(),
        "/page.png": b"<html><script>alert(1)</script>",
        "/empty.mp4": b"",
        "/long.mp4": clip_bytes + bytes(3 * BLOCK),
    }
    with served(files) as known:
        monkeypatch.setenv(VARIABLE, known.url)
        yield known


def asked(folder: Path, address: str) -> tuple[TestClient, str]:
    """A client of our routes and the place of the one item, which lies at `address`."""
    return client_of(world_of(folder, {"i": address})), "/clips/tiny?item=i"


def test_without_an_allowed_host_nothing_is_asked(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    routes, place = asked(tmp_path, f"{host.url}/clip.mp4")
    assert routes.get(place).status_code == 404
    assert problem(world_of(tmp_path, {"i": f"{host.url}/clip.mp4"}), "i") == OFF
    assert host.asked == []


def test_looking_at_a_table_of_remote_items_asks_no_host(host: Host, tmp_path: Path) -> None:
    files = {"a": f"{host.url}/clip.mp4", "b": f"{host.url}/p.png", "c": "ftp://x/y.mp4"}
    found = media(world_of(tmp_path, files), files).set_index("item_id")
    assert found["kind"].tolist() == ["clip", "picture", ""]
    assert found["far"].tolist() == [True, True, False]
    assert found.loc["a", "clip"].startswith("clips/tiny?item=a&v=")
    assert host.url not in found.to_csv(), "no address of the host reaches the page"
    assert host.asked == []


def test_our_route_answers_with_the_hosts_bytes_and_our_headers(
    host: Host, tmp_path: Path, clip_bytes: bytes
) -> None:
    routes, place = asked(tmp_path, f"{host.url}/clip.mp4")
    whole = routes.get(place)
    assert (whole.status_code, whole.content) == (200, clip_bytes)
    assert whole.headers["content-type"] == "video/mp4"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in whole.headers["content-security-policy"]
    assert parsedate_to_datetime(whole.headers["last-modified"]).year == 2026
    part = routes.get(place, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, clip_bytes[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(clip_bytes)}"
    again = routes.get(place, headers={"If-None-Match": whole.headers["etag"]})
    assert again.status_code == 304


def test_a_range_fetches_only_its_part_of_a_long_file(host: Host, tmp_path: Path) -> None:
    content = host.files["/long.mp4"]
    routes, place = asked(tmp_path, f"{host.url}/long.mp4")
    found = routes.get(place, headers={"Range": f"bytes={2 * BLOCK + 5}-{2 * BLOCK + 9}"})
    assert found.content == content[2 * BLOCK + 5 : 2 * BLOCK + 10]
    ranges = {range_ for method, _, range_ in host.asked if method == "GET"}
    assert ranges == {f"bytes=0-{BLOCK - 1}", f"bytes={2 * BLOCK}-{3 * BLOCK - 1}"}
    last = routes.get(place, headers={"Range": "bytes=-7"})
    assert last.content == content[-7:]


def test_a_host_that_sends_no_parts_is_read_whole_and_once(
    host: Host, tmp_path: Path, clip_bytes: bytes
) -> None:
    routes, place = asked(tmp_path, f"{host.url}/whole.mp4")
    assert routes.get(place).content == clip_bytes
    assert routes.get(place, headers={"Range": "bytes=5-9"}).content == clip_bytes[5:10]
    assert [method for method, *_ in host.asked] == ["HEAD", "GET"]


def test_a_poster_is_made_once_from_parts_and_kept_by_etag(host: Host, tmp_path: Path) -> None:
    world = world_of(tmp_path, {"i": f"{host.url}/clip.mp4", "p": f"{host.url}/p.png"})
    made = [Image.open(io.BytesIO(poster(world, item))).size for item in ("i", "p")]
    assert made == [(480, 270), (480, 240)]
    BLOCKS.clear()
    before = len(host.asked)
    poster(world, "i")
    assert len(host.asked) == before, "neither its facts nor its bytes are asked for again"
    FACTS.clear()
    kept = sorted((tmp_path / "cache").rglob("*.webp"))
    host.files["/clip.mp4"] = host.files["/long.mp4"]
    poster(world, "i")
    assert len(sorted((tmp_path / "cache").rglob("*.webp"))) == len(kept) + 1


WRONG = {
    "/no.mp4": "missing",
    "/forbidden.mp4": "not readable",
    "/broken.mp4": "host answers 500",
    "/away.mp4": "leads to another host",
    "/big.mp4": "too large (over 2 GB)",
    "/unsized.mp4": "of unknown size",
    "/empty.mp4": "empty",
    "/endless.mp4": "host sends no parts",
    "/page.png": "not a picture or a clip",
}


@pytest.mark.parametrize(("path", "word"), WRONG.items())
def test_what_a_host_does_wrong_has_a_word(
    host: Host, tmp_path: Path, path: str, word: str
) -> None:
    world = world_of(tmp_path, {"i": host.url + path})
    with pytest.raises(Unusable, match=word.replace("(", r"\(").replace(")", r"\)")):
        poster(world, "i")
    routes, place = asked(tmp_path, host.url + path)
    assert (routes.get(place).status_code, routes.get(place).text) == (404, "not found")


def test_a_word_that_was_found_out_stands_on_the_card(host: Host, tmp_path: Path) -> None:
    world = world_of(tmp_path, {"i": f"{host.url}/no.mp4"})
    assert problem(world, "i") is None
    with pytest.raises(Unusable):
        poster(world, "i")
    assert problem(world, "i") == "missing"


def test_a_redirect_is_followed_on_the_same_host_only(
    host: Host, tmp_path: Path, clip_bytes: bytes
) -> None:
    routes, place = asked(tmp_path, f"{host.url}/around.mp4")
    assert routes.get(place).content == clip_bytes
    with served({"/secret": SECRET}) as inner:
        for target in (
            inner.url,
            inner.url.replace("127.0.0.1", "localhost"),
            "file:///etc/passwd",
        ):
            host.elsewhere = f"{target}/secret"
            FACTS.clear()
            routes, place = asked(tmp_path, f"{host.url}/away{target[-1]}.mp4")
            assert routes.get(place).status_code == 404
        assert inner.asked == []


def test_a_file_that_changes_while_it_is_read_is_never_mixed(host: Host, tmp_path: Path) -> None:
    before, after = bytes(3 * BLOCK), b"\1" * (3 * BLOCK)
    host.files["/c.mp4"] = before
    opened = open_remote(f"{host.url}/c.mp4")
    assert opened.file.read(4) == before[:4]
    host.files["/c.mp4"] = after
    opened.file.seek(2 * BLOCK)
    with pytest.raises(Unusable, match="changed while it was read"):
        opened.file.read(4)
    again = open_remote(f"{host.url}/c.mp4")
    assert again.version != opened.version
    assert set(again.file.read()) == {1}


@pytest.mark.parametrize(
    ("name", "longer"), [("c.mp4", 0), ("untagged.mp4", 9)], ids=["another ETag", "another size"]
)
def test_a_host_that_heeds_no_condition_is_never_mixed_either(
    host: Host, name: str, longer: int
) -> None:
    host.files[f"/heedless/{name}"] = bytes(3 * BLOCK)
    opened = open_remote(f"{host.url}/heedless/{name}")
    assert opened.file.read(4) == bytes(4)
    host.files[f"/heedless/{name}"] = b"\1" * (3 * BLOCK + longer)
    opened.file.seek(BLOCK)
    with pytest.raises(Unusable, match="changed while it was read"):
        opened.file.read(4)
    assert set(open_remote(f"{host.url}/heedless/{name}").file.read()) == {1}


def test_what_is_wrong_with_a_host_stands_in_the_log_once(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    for path in ("/broken.mp4", "/broken2.mp4", "/no.mp4"):
        with pytest.raises(Unusable):
            open_remote(host.url + path)
    assert [record.getMessage()[: len(host.url) + 18] for record in caplog.records] == [
        f"{host.url}: host answers 500"
    ]


def test_a_slow_host_is_given_up_and_then_left_alone(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.5)
    with pytest.raises(Unusable, match="host too slow"):
        open_remote(f"{host.url}/slow.mp4")
    before = len(host.asked)
    for path in ("/slow.mp4", "/clip.mp4", "/p.png"):
        with pytest.raises(Unusable, match="host too slow"):
            open_remote(host.url + path)
    assert len(host.asked) == before
    client.SILENT.clear()
    assert open_remote(f"{host.url}/clip.mp4").size > 0


def test_a_host_that_is_not_there_is_not_reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    monkeypatch.setenv(VARIABLE, url)
    with pytest.raises(Unusable, match="host not reachable"):
        open_remote(f"{url}/x.mp4")
    client.SILENT.clear()


REFUSED = [
    ("http://127.0.0.1:{port}1/clip.mp4", "host not allowed|not an address"),
    ("https://127.0.0.1:{port}/clip.mp4", "host not allowed"),
    ("http://localhost:{port}/clip.mp4", "host not allowed"),
    ("http://127.1:{port}/clip.mp4", "host not allowed"),
    ("http://2130706433:{port}/clip.mp4", "host not allowed"),
    ("http://[::ffff:127.0.0.1]:{port}/clip.mp4", "host not allowed"),
    ("http://127.0.0.1.:{port}/clip.mp4", "host not allowed"),
    ("http://127.0.0.1/clip.mp4", "host not allowed"),
    ("http://me:pw@127.0.0.1:{port}/clip.mp4", "a password in the address"),
    ("http://127.0.0.1:{port}@evil.example/clip.mp4", "not an address|a password"),
    ("http://evil.example\\@127.0.0.1:{port}/clip.mp4", "not an address|a password"),
    ("http://127.0.0.1:{port}\\.evil.example/x", "not an address"),
    ("http://evil.example#@127.0.0.1:{port}/x", "host not allowed"),
    ("http://127.0.0.1:{port}/a b.mp4", "not an address"),
    ("http:///clip.mp4", "not an address"),
    ("http://[bad/clip.mp4", "not an address"),
    ("s3://bucket/x.mp4", "host not allowed"),
]


@pytest.mark.parametrize(("address", "word"), REFUSED)
def test_only_exactly_the_allowed_host_is_asked(host: Host, address: str, word: str) -> None:
    with pytest.raises(Unusable, match=word):
        open_remote(address.format(port=host.url.rpartition(":")[2]))
    assert host.asked == []


def test_a_name_that_leads_to_a_private_address_needs_a_word_of_the_operator(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, usual = host.url.rpartition(":")[2], socket.getaddrinfo

    def looked_up(name: object, *rest: object, **more: object) -> object:
        return usual("127.0.0.1" if name == "clips.example" else name, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    named = f"http://clips.example:{port}"
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(Unusable, match="private address"):
        open_remote(f"{named}/clip.mp4")
    assert host.asked == []
    FACTS.clear()
    monkeypatch.setenv(VARIABLE, f"private+{named}")
    assert open_remote(f"{named}/clip.mp4").size > 0


def test_a_name_with_one_private_address_among_public_ones_is_refused(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, usual = host.url.rpartition(":")[2], socket.getaddrinfo

    def looked_up(name: object, *rest: object, **more: object) -> object:
        if name != "clips.example":
            return usual(name, *rest, **more)
        numbers = ("93.184.216.34", "127.0.0.1")
        return [found for number in numbers for found in usual(number, *rest, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setenv(VARIABLE, f"http://clips.example:{port}")
    with pytest.raises(Unusable, match="private address"):
        open_remote(f"http://clips.example:{port}/clip.mp4")
    assert host.asked == []


def test_a_poster_from_a_lazy_host_is_given_up(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.files["/lazy.png"] = noise_bytes()
    assert len(host.files["/lazy.png"]) > 8 * BLOCK
    monkeypatch.setattr("dashboard.storage.media.item_media._POSTER_PATIENCE", 0.5)
    with pytest.raises(Unusable, match="host too slow"):
        poster(world_of(tmp_path, {"i": f"{host.url}/lazy.png"}), "i")
    assert len(host.asked) < 6


def test_what_lies_on_another_host_holds_up_nothing_that_lies_here() -> None:
    answers = threading.Event()

    def find(_: str, item_id: str) -> Content:
        assert item_id == "near" or answers.wait(20)
        return Content(Opened(io.BytesIO(b"x"), 1, None, "v"), "image/webp")

    endpoint = answer(find, lambda _, item_id: item_id != "near", at_once=2)
    app = Starlette(routes=[Route("/posters/{collection}", endpoint)])
    with TestClient(app) as routes, ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(routes.get, f"/posters/c?item=far{n}") for n in range(3)]
        near = threads.submit(routes.get, "/posters/c?item=near")
        assert near.result(10).status_code == 200
        assert not any(each.done() for each in asked)
        answers.set()
        assert [each.result(10).status_code for each in asked] == [200, 200, 200]


def test_addresses_in_figures_are_private_or_public() -> None:
    private = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fe80::1%eth0", "fc00::1"]
    private += ["64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "fec0::1", "::7f00:1"]
    private += ["::ffff:10.0.0.1", "0.0.0.0", "224.0.0.1", "2002:7f00:1::", "100.64.0.1"]
    assert [number for number in private if is_public(number)] == []
    assert is_public("64:ff9b::5db8:d822")
    assert is_public("93.184.216.34") and is_public("2606:2800:220:1:248:1893:25c8:1946")


def test_the_operators_words_are_read_strictly(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said = "https://A.example, http://10.0.0.5:8080 private+https://nas s3://Team-Clips gs://b_2"
    monkeypatch.setenv(VARIABLE, f"{said} example.org https://x/path http://u:p@y ftp://z")
    assert dict(allowed()) == {
        "https://a.example:443": False,
        "http://10.0.0.5:8080": True,
        "https://nas:443": True,
        "s3://Team-Clips": False,
        "gs://b_2": False,
    }
    assert caplog.text.count("is no host such as") == 4
    assert origin_of("HTTPS://A.Example/x.mp4") == "https://a.example:443"


def test_a_library_that_is_not_there_is_a_sentence(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "fsspec.implementations.http", raising=False)
    client.web.cache_clear()
    with pytest.raises(Unusable, match="http needs aiohttp"):
        open_remote(f"{host.url}/clip.mp4")


class OneThread(LRUCache[Hashable, int]):
    """A cache that notices when a second thread writes to it before the first has written."""

    writing = overlapped = False

    def __setitem__(self, key: Hashable, value: int) -> None:
        self.overlapped |= self.writing
        self.writing = True
        time.sleep(0.002)
        super().__setitem__(key, value)
        self.writing = False


def test_threads_that_remember_at_once_wait_for_each_other() -> None:
    values = OneThread(3)
    cache: SharedCache[int] = SharedCache(values)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(cache.put, range(12), range(12)))
    assert not values.overlapped and len(values) == 3


def test_what_went_wrong_is_forgotten_earlier_than_what_a_host_answered() -> None:
    clock = [0.0]
    cache = SharedCache(TLRUCache(9, ttu=expires, timer=lambda: clock[0]))
    cache.put("word", "missing")
    cache.put("facts", Facts(1, None, "", ""))
    for now, remembered in ((29.0, [True, True]), (31.0, [False, True]), (61.0, [False, False])):
        clock[0] = now
        assert [cache.get(key) is not None for key in ("word", "facts")] == remembered
