"""A report on more queries than it shows: order, signs, bounds and colours, against plain counts.

One small world: 26 queries are better, 24 worse and 6 the same, each by another difference.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.statistics.resampling import bootstrap_interval
from dashboard.views import charts
from dashboard.views.report.page import OPENED

DEPTH, MOST = 60, 20
ITEMS = [f"i{n:02}" for n in range(DEPTH)]


def places():
    """The rank of the only relevant item of each query: before and after, query by query."""
    better = [(n + 2, 1 + n // 7) for n in range(26)]  # 2 → 1, 3 → 1 …
    worse = [(1 + n // 9, n + 4) for n in range(24)]
    found = {f"up{n:02}": pair for n, pair in enumerate(better)}
    found |= {f"down{n:02}": pair for n, pair in enumerate(worse)}
    return found | {f"same{n}": (n + 1, n + 1) for n in range(6)}


BEFORE_AFTER = {q: (1 / a, 1 / b) for q, (a, b) in places().items()}
DELTAS = {q: after - before for q, (before, after) in BEFORE_AFTER.items()}
BETTER = sorted((q for q in DELTAS if DELTAS[q] > 1e-9), key=DELTAS.get, reverse=True)
WORSE = sorted((q for q in DELTAS if DELTAS[q] < -1e-9), key=DELTAS.get)


def test_the_world_has_more_than_is_shown_and_no_two_alike():
    assert len(BETTER) == 26 and len(WORSE) == 24
    changed = [round(DELTAS[q], 9) for q in (*BETTER, *WORSE)]
    assert len(set(changed)) == len(changed)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page and its tables."""
    folder = tmp_path_factory.mktemp("many") / "world"
    (folder / "runs").mkdir(parents=True)
    (folder / "collection.toml").write_text('protocols = ["trec"]\n')
    pd.DataFrame({"item_id": ITEMS}).to_csv(folder / "items.csv", index=False)
    queries = list(places())
    # half of each kind are in each part, in another order than that of the differences
    part = ["north" if n % 2 else "south" for n in range(len(queries))]
    table = {"query_id": queries, "text": [f"words of {q}" for q in queries], "part": part}
    pd.DataFrame(table).to_csv(folder / "queries.csv", index=False)
    (folder / "qrels.txt").write_text("".join(f"{q} 0 i00 1\n" for q in queries))
    for side, name in enumerate(("a", "b")):
        lines = []
        for q, pair in places().items():
            order = ITEMS[1:]
            order.insert(pair[side] - 1, "i00")
            lines += [f"{q} Q0 {item} 0 {DEPTH - n} t\n" for n, item in enumerate(order)]
        (folder / f"runs/{name}.trec").write_text("".join(lines))
    page, tables = folder / "report.html", folder / "tables"
    words = ["--baseline", "a", "--candidate", "b", "--metrics", "RR P@1"]
    assert main(["report", str(folder), *words, "-o", str(page), "--tables", str(tables)]) == 0
    found = {path.stem: json.loads(path.read_text()) for path in tables.glob("*.json")}
    return page.read_text(), found, dict(zip(queries, part, strict=True))


def articles(html, heading):
    """The queries under a heading: name, the sign and the number that stand with it, its class."""
    section = html.partition(f"<h2>{heading}</h2>")[2].split("</section>")[0]
    found = re.findall(
        r"<h3><bdi>words of (\w+)</bdi></h3>.*?<strong class=\"(\w+)\">(.) ([+−-][\d.]+)</strong>\s"
        r"\(([\d.]+), then ([\d.]+)\)",
        section,
        re.DOTALL,
    )
    return section, found


@pytest.mark.parametrize(
    ("heading", "queries", "sign"), [("Worse", WORSE, "▼"), ("Better", BETTER, "▲")]
)
def test_those_that_changed_most_come_first_with_their_arrow(made, heading, queries, sign):
    section, found = articles(made[0], heading)
    assert [each[0] for each in found] == queries[:MOST]
    assert f"{MOST} of {len(queries)} queries {heading.lower()}" in section
    for query, word, arrow, number, before, after in found:
        assert (word, arrow) == (heading.lower(), sign)
        assert float(number.replace("−", "-")) == pytest.approx(DELTAS[query], abs=6e-4)
        assert (float(before), float(after)) == pytest.approx(BEFORE_AFTER[query], abs=6e-4)


def test_the_contents_name_the_parts_in_their_order_pictures_before_fingerprints(made):
    html = made[0]
    named = re.findall(r'<a href="#([\w-]+)">', html.partition("</nav>")[0])
    assert named == re.findall(r'<section id="([\w-]+)"', html)
    assert named.index("worse") < named.index("compared-data")
    assert html.index("<h2>Worse") < html.index("Fingerprints of the content")


@pytest.mark.parametrize("heading", ["Worse", "Better"])
def test_the_first_queries_are_open_and_of_the_others_a_line_each(made, heading):
    section, found = articles(made[0], heading)
    opened = re.findall(r"<article><details( open)?>", section)
    assert opened == [" open"] * OPENED + [""] * (len(found) - OPENED)


def test_every_query_is_in_the_table_the_worst_first(made):
    rows = made[1]["queries"]
    assert [row["query_id"] for row in rows][: len(WORSE)] == WORSE
    assert [row["query_id"] for row in rows][-len(BETTER) :] == BETTER[::-1]
    for row in rows:
        assert (row["baseline"], row["candidate"]) == pytest.approx(BEFORE_AFTER[row["query_id"]])
        assert row["delta"] == pytest.approx(DELTAS[row["query_id"]])


def test_the_comparison_counts_each_side(made):
    row = made[1]["metrics"][0]
    assert (row["better"], row["same"], row["worse"]) == (len(BETTER), 6, len(WORSE))
    assert row["delta"] == pytest.approx(np.mean(list(DELTAS.values())))
    assert row["low"] < row["delta"] < row["high"]


def test_each_slice_has_its_own_bounds_low_before_high(made):
    _, found, part = made
    slices = {(row["by"], row["slice"]): row for row in found["slices"]}
    assert slices["all", "all queries"]["scored"] == len(DELTAS)
    for name in ("north", "south"):
        row = slices["part", name]
        mine = [q for q in DELTAS if part[q] == name]
        sides = np.array([BEFORE_AFTER[q] for q in mine]).mean(axis=0)
        assert (row["baseline"], row["candidate"]) == pytest.approx(sides)
        assert row["delta"] == pytest.approx(sides[1] - sides[0])
        assert row["scored"] == row["total"] == len(mine)
        low, high = bootstrap_interval(np.array([[DELTAS[q]] for q in sorted(mine)]))
        assert row["low"] < row["delta"] < row["high"]
        assert (row["low"], row["high"]) == pytest.approx((low[0], high[0]), abs=0.02)


SIDES = {charts.BETTER: "better", charts.WORSE: "worse", charts.SAME: "same"}


def figure(html, caption):
    """A figure of the page: what describes each mark, with the mark's attributes."""
    part = re.split(f"<figcaption>{caption}", html)[1].split("</figure>")[0]
    marks = re.findall(r"<path ([^>]*)><title>([^<]*)</title>", part)
    return part, [(dict(re.findall(r'([\w-]+)="([^"]*)"', mark)), words) for mark, words in marks]


def test_the_figure_of_pairs_puts_what_is_better_above_the_line(made):
    part, marks = figure(made[0], "[^<]* of each query in a and in b")
    (line,) = re.findall(r'<path d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)"[^>]*dasharray', part)
    x1, y1, x2, y2 = map(float, line)
    assert x2 > x1 and y2 < y1  # towards the right and, on a screen, upwards
    sides = {"better": 0, "worse": 0, "same": 0}
    for attributes, words in marks:
        number, before, after = re.fullmatch(
            r"(\d+) quer\w+: ([\d.]+), then ([\d.]+)", words
        ).groups()
        side = SIDES[attributes["fill"]]
        sides[side] += int(number)
        difference = float(after) - float(before)
        assert side == ("same" if difference == 0 else "better" if difference > 0 else "worse")
        x, y = map(float, re.findall(r"[\d.]+", attributes["transform"]))
        assert (x - x1) / (x2 - x1) == pytest.approx(float(before), abs=2e-3)
        assert (y - y1) / (y2 - y1) == pytest.approx(float(after), abs=2e-3)
    assert sides == {"better": len(BETTER), "worse": len(WORSE), "same": 6}


def test_the_histogram_stands_right_of_zero_for_what_is_better(made):
    _, marks = figure(made[0], "Queries by difference in ")
    total = {"better": 0, "same": 0, "worse": 0}
    middle, heights = {}, {}
    for attributes, words in marks:
        told = re.fullmatch(r"(\d+) quer\w+ (\w+), [-+]?[\d.]+ to [-+]?[\d.]+", words)
        number, side = told.groups()
        assert SIDES[attributes["fill"]] == side
        total[side] += int(number)
        x, _, wide, high = map(float, re.findall(r"[\d.]+", attributes["d"])[:4])
        middle.setdefault(side, []).append(x + wide / 2)
        heights[int(number)] = high
        assert wide > 0 and high > 0
    assert total == {"better": len(BETTER), "same": 6, "worse": len(WORSE)}
    assert max(middle["worse"]) < middle["same"][0] < min(middle["better"])
    number, most = min(heights), max(heights)
    assert heights[most] / heights[number] == pytest.approx(most / number, rel=0.02)


@pytest.mark.parametrize(
    ("caption", "table"), [("coloured where p", "metrics"), ("coloured where the", "slices")]
)
def test_the_intervals_of_a_figure_are_those_of_its_table(made, caption, table):
    part, marks = figure(made[0], f"Mean difference and 95 % interval; {caption}")
    told = [re.search(r": (\S+), 95 % from (\S+) to (\S+)", words) for _, words in marks]
    rows = [[row[name] for name in ("delta", "low", "high")] for row in made[1][table]]
    numbers = [[float(number) for number in each.groups()] for each in told]
    assert np.array(numbers) == pytest.approx(np.array(rows), abs=6e-4)
    zero = float(re.search(r'<line transform="translate\(([\d.]+),[^>]*dasharray', part)[1])
    points = [float(re.search(r"[\d.]+", mark["transform"])[0]) - zero for mark, _ in marks]
    bars = re.findall(
        r'<line transform="translate\(([\d.]+),[^>]*? x2="(-?[\d.]+)"[^>]*><title>', part
    )
    lows, lengths = np.array(bars, float).T
    delta, low, high = np.array(rows, float).T
    unit = points @ delta / (delta @ delta)  # pixels
    assert points == pytest.approx(unit * delta, abs=0.5)
    assert lows - zero == pytest.approx(unit * low, abs=0.5)
    assert lows - zero + lengths == pytest.approx(unit * high, abs=0.5)


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(0.1, 0.3, "better"), (-0.3, -0.1, "worse"), (-0.1, 0.1, "no clear difference"),
     (0, 0.2, "no clear difference"), (-0.2, 0, "no clear difference"),
     (np.nan, np.nan, "no clear difference")],
)  # fmt: skip
def test_an_interval_that_touches_zero_says_nothing(low, high, word):
    row = {"by": "part", "slice": "north", "delta": 0.0, "low": low, "high": high, "scored": 9}
    drawn = charts.slice_intervals(pd.DataFrame([row])).to_dict()
    (shown,) = [rows for rows in drawn["datasets"].values() if "kind" in rows[0]]
    assert shown[0]["kind"] == word and shown[0]["label"] == "part: north"
