"""The report to hand over: its numbers, its pictures, and that no text of the data breaks it."""

from __future__ import annotations

import base64
import csv
import doctest
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.evaluation.digits import chance, number, signed
from dashboard.storage.collection.collection import COLLECTIONS
from dashboard.views.report import comparison, page
from dashboard.views.report.exports import as_csv, as_json
from dashboard.views.report.page import POLICY
from tests.views.report_world import make_report_world

ODD = "</script><script>alert(1)</script>\"' onerror=x &amp <!--"
PAIR = ["--baseline", "a", "--candidate", "b", "--metrics", "P@1 P@3 AP", "--queries", "all"]


class Page(HTMLParser):
    """What a browser would find: the elements with their attributes, and the words outside them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "every element is closed where it was opened"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def cells(html: str, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, as text."""
    part = html.split(f"<h2>{heading}")[1].split("</table>")[0]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", part, re.DOTALL)
    return [
        [Page(cell).text for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in rows
    ]


class Made(NamedTuple):
    """A report of the small world: its page, the folder of its tables, and what was printed."""

    html: str
    world: Path
    page: Path
    tables: Path
    printed: str


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Makes the report of the small world with `odd` in its texts, each once for all tests."""

    @cache
    def report(odd: str = "") -> Made:
        folder = tmp_path_factory.mktemp("report")
        world, page, tables = folder / "world", folder / "report.html", folder / "tables"
        make_report_world(world, odd)
        command = ["report", str(world), *PAIR, "-o", str(page), "--tables", str(tables)]
        with redirect_stdout(io.StringIO()) as printed:
            assert main(command) == 0
        return Made(page.read_text(encoding="utf-8"), world, page, tables, printed.getvalue())

    return report


@pytest.fixture(scope="module")
def made(make: Callable[..., Made]) -> Made:
    """The report of the small world."""
    return make()


def test_it_prints_where_its_page_is(made: Made) -> None:
    assert str(made.page) in made.printed


def test_its_numbers_are_those_of_compare(made: Made, capsys) -> None:
    main(["compare", str(made.world), *PAIR, "--format", "json"])
    rows = json.loads(capsys.readouterr().out)
    stored = json.loads((made.tables / "metrics.json").read_text(encoding="utf-8"))
    assert stored == [{key: row[key] for key in stored[0]} for row in rows]
    _, *shown = cells(made.html, "Change by metric")
    for row, printed in zip(rows, shown, strict=True):
        numbers = [number(row["baseline"]), number(row["candidate"]), signed(row["delta"])]
        assert printed[1:4] == numbers
        assert printed[4] == f"{signed(row['low'])} to {signed(row['high'])}"
        assert printed[5:7] == [chance(row["p"]), chance(row["p_holm"])]
        assert printed[7] == f"{row['scored']} of {row['total']}" == "4 of 5"
        assert [int(n) for n in printed[8:]] == [row["better"], row["same"], row["worse"]]


def test_a_cutoff_is_saved_as_a_whole_number_also_beside_metrics_without_one() -> None:
    means = [pd.DataFrame({"metric": ["P"], "cutoff": [5]}), pd.DataFrame({"metric": ["within"]})]
    table = pd.concat(means)
    assert table["cutoff"].tolist()[0] == 5.0
    assert as_csv(table) == "metric,cutoff\nP,5\nwithin,\n"
    assert json.loads(as_json(table))[0] == {"metric": "P", "cutoff": 5}


def test_its_numbers_are_those_by_hand(made: Made) -> None:
    (first, *_) = json.loads((made.tables / "metrics.json").read_text(encoding="utf-8"))
    # P@1: a has q1, q2 and like v3 of four right, b has q3 and like v3
    assert (first["baseline"], first["candidate"], first["delta"]) == (0.75, 0.5, -0.25)
    assert (first["better"], first["same"], first["worse"]) == (1, 1, 2)
    queries = json.loads((made.tables / "queries.json").read_text(encoding="utf-8"))
    by_query = {row["query_id"]: row["delta"] for row in queries}
    assert by_query == {"q1": -1, "q2": -1, "item_v3": 0, "q3": 1, "q4": None}
    text = Page(made.html).text
    assert "All 2 queries worse in the candidate, largest change first." in text
    assert "The one query better in the candidate." in text
    assert "4 text queries, 1 item queries; 1 not scored: no keyword mapped" in text
    assert "No clear difference between b and a at Recall@1 (hits ÷ 1, ALFA 0.1;" in text


def test_results_are_marked_as_by_hand(made: Made) -> None:
    rows = json.loads((made.tables / "results.json").read_text(encoding="utf-8"))
    shown = {
        (query, run): [
            (row["item_id"], row["hit"], row["move"])
            for row in rows
            if (row["query_id"], row["run"]) == (query, run)
        ]
        for query in ("q1", "q2")
        for run in ("a", "b")
    }
    assert shown["q1", "b"] == [
        ("v1", False, "↑1"),
        ("v3", True, "↑2"),
        ("v0", True, "↓2"),
        ("v2", False, "↓1"),
        ("v5", True, "same"),
    ]
    assert shown["q2", "a"][0] == ("v1", True, "not in candidate's top 5 (rank 6)")
    assert shown["q2", "b"][0] == ("v4", None, "not in baseline's top 5 (rank 6)"), (
        "v4 is not annotated, not irrelevant"
    )


def test_ticks_crosses_and_pictures_stand_at_each_result(made: Made) -> None:
    article = made.html.split("<h3><bdi>person</bdi></h3>")[1].split("</article>")[0]
    cards = re.findall(r"<li class=\"(hit|miss|unjudged)\">(.*?</p>)</li>", article, re.DOTALL)
    assert [kind for kind, _ in cards] == ["hit", *["miss"] * 4, "unjudged", *["miss"] * 4]
    words = [Page(card).text for _, card in cards]
    assert "✓ pedestrian" in words[0] and "✗ pedestrian" in words[1] and "? pedestrian" in words[5]
    assert "#1 ✓ relevant" in words[0] and "similarity 0.900" in words[0]
    assert "damaged" in words[2] and "missing" in words[3] and "outside the" in words[4]


def test_each_picture_is_stored_once_and_small(made: Made) -> None:
    page = Page(made.html)
    stored = [each["href"] for each in page.all("image")]
    assert len(stored) == len(set(stored)) == 2, "v0 and v1; the others are words"
    for address in stored:
        assert address.startswith("data:image/webp;base64,")
        picture = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
        assert max(picture.size) <= 160 and picture.format == "WEBP"
    symbols = {each["id"] for each in page.all("symbol")}
    used = [each["href"].removeprefix("#") for each in page.all("use")]
    assert symbols == set(used) and len(used) > len(symbols)


def test_it_asks_nobody(made: Made) -> None:
    page = Page(made.html)
    assert not {"script", "link", "iframe", "object", "form", "img"} & {t for t, _ in page.elements}
    for _, attributes in page.elements:
        for key in ("href", "src", "action"):
            assert attributes.get(key, "#").startswith(("#", "data:")), attributes
        assert not [key for key in attributes if key.startswith("on")]
    metas = page.all("meta")
    assert metas[1] == {"http-equiv": "Content-Security-Policy", "content": POLICY}
    assert "url(" not in made.html and "@import" not in made.html


def test_no_text_of_the_data_becomes_markup(made: Made, make: Callable) -> None:
    plain, odd = Page(made.html), Page(make(ODD).html)
    assert not odd.open, "all is closed"
    shape = [(name, sorted(attributes)) for name, attributes in plain.elements]
    assert [(name, sorted(attributes)) for name, attributes in odd.elements] == shape
    assert odd.text.count("<script>alert(1)</script>") > 20, "it is shown as it is"
    assert "<!--" in odd.text


def test_tables_are_safe_for_spreadsheets_and_stand_in_the_page_too(made: Made) -> None:
    with (made.tables / "queries.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["query"] for row in rows][:2] == ["car", "person"]
    links = {a["download"]: a["href"] for a in Page(made.html).all("a") if "download" in a}
    assert set(links) == {path.name for path in made.tables.iterdir()}
    for name, address in links.items():
        inside = base64.b64decode(address.partition("base64,")[2]).decode("utf-8")
        assert inside == (made.tables / name).read_text(encoding="utf-8")


def test_a_heading_that_is_a_formula_is_neutral_too() -> None:
    assert as_csv(pd.DataFrame({"@SUM(1+1)": [1]})) == "'@SUM(1+1)\n1\n"


def test_a_formula_in_a_text_is_neutral_in_csv_only() -> None:
    import pandas as pd

    from dashboard.views.report.exports import as_csv, as_json

    table = pd.DataFrame({"query": ["=1+1", "@a", "b"], "delta": [-0.5, None, 1.0]})
    assert as_csv(table) == "query,delta\n'=1+1,-0.5\n'@a,\nb,1.0\n"
    assert [row["query"] for row in json.loads(as_json(table))] == ["=1+1", "@a", "b"]
    assert json.loads(as_json(table))[1]["delta"] is None


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("a", "a"), "both are 'a'"),
        (("a", "c"), "no such version"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(
    tmp_path: Path, capsys, pair: tuple[str, str], said: str
) -> None:
    world = make_report_world(tmp_path / "world")
    command = ["report", str(world), "--baseline", pair[0], "--candidate", pair[1]]
    assert main([*command, "-o", str(tmp_path / "r.html")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()


def test_unlike_versions_are_refused_or_said_in_red(tmp_path: Path, capsys) -> None:
    world, page = make_report_world(tmp_path / "world"), tmp_path / "r.html"
    run = world / "runs" / "b.trec"
    run.write_text("".join(x for x in run.read_text().splitlines(True) if " 6 " not in x))
    command = ["report", str(world), "--baseline", "a", "--candidate", "b", "-o", str(page)]
    assert main(command) == 2
    assert "go to rank 6" in capsys.readouterr().err and not page.exists()
    assert main([*command, "--anyway"]) == 0
    assert '<div class="unlike">Not comparable' in page.read_text(encoding="utf-8")


def test_nothing_scored_is_said_not_an_error(tmp_path: Path) -> None:
    world, page = make_report_world(tmp_path / "world"), tmp_path / "r.html"
    command = ["report", str(world), "--baseline", "a", "--candidate", "b", "-o", str(page)]
    (world / "query_keywords.csv").write_text("query_id,ngram,group,keyword,score\n")
    assert main([*command, "--queries", "text"]) == 0
    text = Page(page.read_text(encoding="utf-8")).text
    assert "none of 4 queries is scored in both" in text
    assert "No query is worse." in text and "No query is better." in text


def test_making_a_report_imports_no_streamlit() -> None:
    code = "import sys; from dashboard.__main__ import _parser; _parser('report'); "
    code += "sys.exit('streamlit' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


@pytest.mark.slow
def test_the_report_on_the_committed_collection_is_small(tmp_path: Path, capsys) -> None:
    from dashboard.storage.collection.collection import open_collection

    known = open_collection("driving")
    pair = ["--baseline", known.default_baseline, "--candidate", known.default_candidate]
    page = tmp_path / "driving.html"
    command = ["report", str(COLLECTIONS / "driving"), *pair, "--queries", "all", "-o", str(page)]
    assert main(command) == 0, capsys.readouterr().err
    assert 200_000 < page.stat().st_size < 4_000_000


@pytest.mark.parametrize("module", [comparison, page])
def test_examples_in_docstrings_are_true(module) -> None:
    assert doctest.testmod(module).failed == 0
