"""Several processes behind nginx, as the README sets them up: a reader stays with one, and each
shows what another was given."""

from __future__ import annotations

import io
import os
import re
import shutil
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from websockets.asyncio.client import connect
from websockets.typing import Origin

from dashboard.storage.media import uploads
from tests import own_loop
from tests.benchmarks.behind_nginx import behind_nginx
from tests.benchmarks.bench_load import Reader

PROCESSES = 2

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
]


@dataclass
class Team:
    """nginx before several processes."""

    port: int
    log: Path

    def get(self, path: str, cookie: str = "") -> tuple[str, str]:
        """The text at a path, and the cookie that came with it."""
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}")
        if cookie:
            asked.add_header("Cookie", cookie)
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.read().decode("latin-1"), answer.headers.get("Set-Cookie", "")

    def process_behind(self, cookie: str) -> str:
        """When the process was started that answers a reader with a cookie: no two at once."""
        figures = self.get("metrics", cookie)[0]
        return re.search(r"^process_start_time_seconds (\S+)$", figures, re.M)[1]  # type: ignore[index]

    def page(self, page: str, query: str, cookie: str) -> str:
        """All that a page draws for a reader with a cookie, as text."""
        return own_loop.run(self._page(page, query, cookie))

    async def _page(self, page: str, query: str, cookie: str) -> str:
        address, origin = f"ws://127.0.0.1:{self.port}/_stcore/stream", "http://127.0.0.1"
        drawn: list[str] = []

        class Noting(Reader):
            def _read(self, message) -> bool:  # type: ignore[no-untyped-def]
                drawn.append(str(message))
                packed = message.delta.new_element.bidi_component.bytes
                drawn.append(zlib.decompress(packed).decode() if packed else "")
                return super()._read(message)

        async with connect(
            address,
            origin=Origin(f"{origin}:{self.port}"),
            additional_headers={"Cookie": cookie},
            max_size=None,
        ) as there:
            await Noting(there, page, query).run()
        return "\n".join(drawn)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    with behind_nginx(folder, PROCESSES) as (port, _):
        yield Team(port, folder / "nginx.txt")


def test_a_reader_stays_with_one_process_and_all_are_used(team: Team) -> None:
    cookies = {team.get("healthz")[1].partition(";")[0] for _ in range(40)}
    assert cookies <= {f"dashboard_process={number}" for number in "1234"} and len(cookies) > 1
    behind = {cookie: team.process_behind(cookie) for cookie in sorted(cookies)}
    for cookie, process in behind.items():
        assert [team.process_behind(cookie) for _ in range(5)] == 5 * [process]
        assert not team.get("healthz", cookie)[1], "who has a process is given no other"
    both = {team.process_behind(f"dashboard_process={number}") for number in "12"}
    assert len(both) == PROCESSES
    assert team.get("healthz", "dashboard_process=9; x=1")[1], "no such process: another one"


def test_a_link_to_an_upload_opens_in_a_process_that_never_saw_it(team: Team) -> None:
    """Uploaded here, in a third process that shares the cache folder."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (200, 30, os.getpid() % 256)).save(file, "PNG")
    fingerprint = uploads.keep(file.getvalue())
    for number in "12":
        cookie = f"dashboard_process={number}"
        picture, _ = team.get(uploads.address_of(fingerprint), cookie)
        assert picture.startswith("RIFF") and "WEBP" in picture[:16]
        query = f"?collection=openmoji_composed&picture={fingerprint}"
        drawn = team.page("search", query, cookie)
        assert fingerprint in drawn and "Like your picture" in drawn
        assert "upload it again" not in drawn
    assert "error" not in team.log.read_text(), "nginx forwards without a complaint"
