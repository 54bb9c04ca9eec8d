"""The report: one file that holds all it shows, and no text of the collection as HTML."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.plugins.report.commands import make_download
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import open_study
from tests.core.test_screens import draw


class Reader(HTMLParser):
    """Collects the text and the addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for key, value in attrs if key in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def write_report(world: Path, *words: str) -> str:
    file = world.parent / "report.html"
    pair = ("--baseline", "v2", "--candidate", "v1", "--metrics", "P@1 AP", "--metric", "AP")
    assert main(["report", str(world), "-o", str(file), *pair, *words]) == 0
    assert [path.name for path in world.parent.iterdir() if "report" in path.name] == [file.name]
    return file.read_text()


def test_numbers_and_pictures(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "media").mkdir()
    rows = "a,a.png,\nb,b.png,\nc,c.mp4,\nd,,words of d\n"
    (world / "items.csv").write_text(f"item_id,file,caption\n{rows}")
    for name in "ab":
        Image.new("RGB", (32, 18)).save(world / "media" / f"{name}.png")
    page = write_report(world)
    told = " ".join(Reader(page).words)
    # AP of q1: 1 for a, b (v2) and 5/6 for a, c, b (v1); of q2: 1 for a and 1/3 for b, d, a
    assert "v1 is not clearly different from v2: AP −0.417" in told
    assert "a car and a bus" in told and "lacks bus" in told and "words of d" in told
    pair = ("--baseline", "v2", "--candidate", "v1", "--metrics", "P@1 AP", "--format", "csv")
    capsys.readouterr()
    assert main(["compare", str(world), *pair]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    for _, _, baseline, candidate, *_ in rows:
        assert f"{float(baseline):.3f} {float(candidate):.3f}" in told
    addresses = Reader(page).addresses
    assert sum(each.startswith("data:image/svg+xml") for each in addresses) == 4
    assert sum(each.startswith("data:image/webp") for each in addresses) >= 4
    assert all(each.startswith("data:") for each in addresses)  # nothing is fetched
    assert "In the dashboard: /compare?collection=world&baseline=v2&candidate=v1&metrics=" in told
    assert re.search(r"Made 20\d\d-\d\d-\d\d \d\d:\d\d UTC", told)


def test_choices_are_said_at_once(world: Path) -> None:
    page = write_report(world, "--slice", "pv_object_type=bus", "--min-similarity", "0.5")
    for each in ("All required keywords", "Min similarity: 0.5", "Slice: pv_object_type=bus"):
        assert each in page[:300]
        assert each in " ".join(Reader(page[page.index("<h1>") :]).words)[:300]


def test_texts_are_no_html(world: Path) -> None:
    path = world / "queries.csv"
    path.write_text(path.read_text().replace("a car and a bus", "<script>alert(1)</script>"))
    (world / "collection.toml").write_text('title = "<b>W</b>"\nprotocols = ["alfa"]\n')
    page = write_report(world)
    assert {"script", "b"}.isdisjoint(Reader(page).tags)
    assert "<script>alert(1)</script>" in Reader(page).words


def test_screens_offer_it(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Report" in [each.value for each in draw(world, monkeypatch, "overview").markdown]
    collection = open_collection(world)
    choices = resolve(collection, {"baseline": "v2", "candidate": "v1", "metric": "AP"})
    study = open_study(collection, choices)
    page = make_download(study, choices, "http://x.example/compare").decode()
    link = "http://x.example/compare?collection=world&baseline=v2&candidate=v1&metric=AP"
    assert link in Reader(page).addresses
    assert re.search(r"<title>v1 against v2 on World: AP;", page)
