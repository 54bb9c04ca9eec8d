"""Every number that stands in two places or more is the same there, to the last digit printed.

The screens are drawn as a reviewer sees them, the report and the command line are made as a user
makes them, for every protocol and each collection of the repository. What each says is noted under
what it is a number of; then all places of a number must agree: values to 1e-12, texts letter by
letter. `-s` prints how many numbers were held against each other.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from dashboard.__main__ import main
from dashboard.commands.output import printed
from dashboard.evaluation.digits import number, percent, signed
from dashboard.evaluation.metrics.registry import parse
from dashboard.experiment import measuring
from dashboard.storage.collection import collection as collections
from dashboard.views import charts, summary
from dashboard.views.address import view_of
from dashboard.views.charts.texts import with_texts
from dashboard.views.experiments import experiment_of
from tests.test_screens import cards, no_text_model, opened, with_open  # noqa: F401
from tests.views.test_report import cells

CASES = {
    ("driving", "alfa", "text"): 765,
    ("driving", "alfa", "all"): 1_371,
    ("driving", "context", "text"): 804,
    ("openmoji_captions", "crossmodal", "all"): 5_496,
    ("openmoji_composed", "composed", "text"): 544,
    ("openmoji_context", "context", "text"): 328,
    ("openmoji_hashes", "hashing", "item"): 418,
    ("digits_hashes", "hashing", "item"): 587,
    ("graded", "trec", "text"): 574,
}
"""How many numbers stand in two places at least: one that is no longer read is missed."""
FAST = {("driving", "alfa", "text")}
BOUNDS = r"(\S+) \[(\S+), (\S+)\], p (= \S+|< 0\.0001) "
COUNTS = (
    r"([\d,]+) of ([\d,]+) (?:query|queries) scored(?:: (\d+) better, (\d+) same, (\d+) worse)?"
)
COUNTED = ("scored", "total", "better", "same", "worse")


class Numbers:
    """What each place says of each number."""

    def __init__(self) -> None:
        self.texts: dict[tuple, dict[str, str]] = defaultdict(dict)
        self.values: dict[tuple, dict[str, Any]] = defaultdict(dict)

    def text(self, place: str, key: tuple, text: str) -> None:
        assert self.texts[key].setdefault(place, text) == text, (place, key)

    def value(self, place: str, key: tuple, value: Any) -> None:
        known = None if value is None or pd.isna(value) else float(value)
        self.values[key][place] = known

    def row(self, place: str, key: tuple, row: Any, names: tuple[str, ...]) -> None:
        """The values of a row, and how they are written."""
        for name in names:
            self.value(place, (name, *key), row[name])

    def disagreements(self) -> Iterator[str]:
        for key, texts in self.texts.items():
            if len(set(texts.values())) > 1:
                yield f"{key}: {texts}"
        for key, values in self.values.items():
            known = [value for value in values.values() if value is not None]
            spread = max(known) - min(known) if known else 0.0
            if len(known) not in (0, len(values)) or spread > 1e-12 * max(1.0, *map(abs, known), 1):
                yield f"{key}: {values}"

    def compared(self) -> Counter[str]:
        """How many numbers stand in two places or more, by what they are."""
        keys = [
            key for of in (self.texts, self.values) for key, there in of.items() if len(there) > 1
        ]
        return Counter(str(key[0]) for key in dict.fromkeys(keys))


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection of the protocol trec: that of the composed queries without what only it has."""
    source, copy = collections.COLLECTIONS / "openmoji_composed", tmp_path / "graded"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build", "media", "posters"))
    settings = (copy / "collection.toml").read_text(encoding="utf-8")
    (copy / "collection.toml").write_text(settings.replace('["composed"]', '["trec"]'))
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path)


@pytest.mark.parametrize(
    ("name", "protocol", "queries"),
    [pytest.param(*case, marks=() if case in FAST else pytest.mark.slow) for case in CASES],
)
def test_a_number_is_the_same_wherever_it_stands(
    name: str,
    protocol: str,
    queries: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name == "graded":
        request.getfixturevalue("graded")
    choices = {"collection": name, "protocol": protocol, "queries": queries}
    view, problems = view_of({key: [value] for key, value in choices.items()})
    assert view is not None and not problems
    found = Numbers()
    overview(found, view, with_open(opened("overview", **choices), "keywords", "over-p"))
    compare(found, view, opened("compare", **choices))
    slices(found, view)
    query(found, view, choices)
    call = [name, "--protocol", protocol, "--queries", queries]
    pair = ["--baseline", view.baseline, "--candidate", view.candidate]
    metrics = ["--metrics", " ".join(summary.metrics_in_view(view))]
    command_line(found, view, call, pair, metrics, capsys)
    report(found, view, call, pair, tmp_path, capsys)
    assert list(found.disagreements()) == []
    numbers = found.compared()
    assert sum(numbers.values()) >= CASES[name, protocol, queries]
    assert {"mean", "delta", "low", "high", "p", "scored", "value", "slice delta"} <= set(numbers)
    with capsys.disabled():
        if request.config.getoption("capture") == "no":
            print(name, protocol, queries, dict(numbers), sum(numbers.values()))


def front_of(view: Any) -> str:
    return str(parse(view.metric)[0])


def tables_of(app: Any) -> list[pd.DataFrame]:
    """The data of every drawing of a screen."""
    found = []
    for chart in app.get("vega_lite_chart"):
        for dataset in [*(each.data for each in chart.proto.datasets), chart.proto.data]:
            if dataset.data:
                found.append(pa.ipc.open_stream(dataset.data).read_pandas())
    return found


def written_in(table: Any) -> pd.DataFrame:
    """The cells of a scrolling table as they are read."""
    styler = table.proto.arrow_data.styler.display_values
    return pa.ipc.open_stream(styler).read_pandas() if styler else table.value


def verdict(found: Numbers, view: Any, place: str, said: str) -> None:
    pair = (view.baseline, view.candidate, front_of(view))
    bounds, counts = re.search(BOUNDS, said), re.search(COUNTS, said)
    if bounds:
        for name, text in zip(("delta", "low", "high"), bounds.groups(), strict=False):
            found.text(place, (name, *pair), text)
        found.text(place, ("p", *pair), bounds[4].removeprefix("= "))
    assert counts, said
    for name, text in zip(COUNTED, counts.groups(), strict=True):
        if text is not None:
            found.value(place, (name, *pair), int(text.replace(",", "")))


def sentence_of(app: Any, view: Any) -> str:
    said = [each.value.replace("\\", "").replace("\u2060", "") for each in app.markdown]
    return next(text for text in said if view.candidate in text and "scored" in text)


def overview(found: Numbers, view: Any, app: Any) -> None:
    assert not app.exception
    place, front = "Overview", front_of(view)
    verdict(found, view, "Overview, verdict", sentence_of(app, view))
    metrics = summary.metrics_in_view(view)
    table = app.table[0].value
    first = table.shape[1] - 1 - len(view.runs)
    for metric, (_, row) in zip(metrics, table.iterrows(), strict=True):
        for version, cell in zip(view.runs, row.iloc[first:], strict=False):
            mean, _, mark = str(cell).replace("*", "").partition(" :")
            found.text(place, ("mean", version, metric), mean)
            if mark:
                found.text(place, ("delta", view.baseline, version, metric), mark.split()[1][:-1])
    pairs = next(each for each in app.dataframe if "Pair" in each.value or "pair" in each.value)
    texts, values = written_in(pairs), pairs.value
    for text, value in zip(texts.to_dict("records"), values.to_dict("records"), strict=True):
        candidate, _, baseline = value["pair"].partition(" − ")
        key = (baseline, candidate, front)
        found.text("All pairs", ("delta", *key), text["delta"])
        found.value("All pairs", ("delta", *key), value["delta"])
        found.value("All pairs", ("scored", *key), value["scored"])
    for drawn in tables_of(app):
        drawn_means(found, view, drawn)
    percents(found, view, app)


def drawn_means(found: Numbers, view: Any, drawn: pd.DataFrame) -> None:
    """The means of a drawing of the Overview: over K or p, by keyword, with intervals."""
    if "mean_text" not in drawn:
        return
    name = parse(view.metric)[0].name
    for row in drawn.to_dict("records"):
        if "keyword" in row:
            key, place = ("slice mean", row["group"], row["keyword"], row["run"]), "keyword bars"
        elif row.get("bits") is not None and "method" in row and pd.isna(row.get("cutoff")):
            continue  # the look-up within a radius stands nowhere else as a mean
        elif "cutoff" in row:
            metric = row.get("metric", name)
            cutoff = "" if pd.isna(row["cutoff"]) else f"@{int(row['cutoff'])}"
            key, place = ("mean", row["run"], f"{metric}{cutoff}"), "Overview, drawn"
        else:
            continue
        found.text(place, key, row["mean_text"])
        found.value(place, key, row["mean"])


def percents(found: Numbers, view: Any, app: Any) -> None:
    """The table of recalls both ways, in per cent."""
    table = next((each.value for each in app.table if "mR" in each.value), None)
    if table is None:
        return
    columns = [*(f"{way}@{k}" for way in ("i2t_R", "t2i_R") for k in (1, 5, 10)), "Rsum", "mR"]
    for version, (_, row) in zip(view.runs, table.iterrows(), strict=True):
        for metric, cell in zip(columns, row, strict=True):
            found.text(
                "Recall in both directions", ("percent", version, metric), cell.replace("*", "")
            )


def compare(found: Numbers, view: Any, app: Any) -> None:
    assert not app.exception
    verdict(found, view, "Compare, verdict", sentence_of(app, view))
    pair = (view.baseline, view.candidate)
    forest = next(drawn for drawn in tables_of(app) if "p_holm_text" in drawn)
    for row in forest.to_dict("records"):
        key = (*pair, row["metric_name"])
        for name in ("delta", "low", "high", "p", "p_holm"):
            found.text("Compare, drawn", (name, *key), row[f"{name}_text"])
            found.value("Compare, drawn", (name, *key), row[name])
        found.value("Compare, drawn", ("scored", *key), row["scored"])
    ids = summary.chosen(view, summary.deltas(view))["query_id"]
    texts = written_in(app.dataframe[0]).to_dict("records")
    for query_id, row in zip(ids, texts, strict=False):
        for version, column in zip(pair, ("Baseline", "Candidate"), strict=True):
            key = ("value", query_id, version, front_of(view))
            found.text("Compare, queries", key, "–" if row[column] == "" else row[column])
        found.text("Compare, queries", ("query delta", query_id), row["Difference"])


def slices(found: Numbers, view: Any) -> None:
    """Every way to divide the queries, as Slices draws it and as Compare has each part alone."""
    asked = experiment_of(view)
    versions = tuple(dict.fromkeys([*view.runs, view.baseline, view.candidate]))
    divided = measuring.slices(asked)
    for by in divided["by"].unique():
        means = measuring.slice_means(asked, versions, view.baseline, view.metric, by, None)
        parts = means[means["by"] != "all"]
        mine = parts[parts["run"] == view.candidate]
        for row, read in zip(
            mine.to_dict("records"), summary.readable_slices(mine).to_dict("records"), strict=True
        ):
            names = {"delta": "Difference", "low": "from", "high": "to"}
            for name, column in names.items():
                written = summary.SLICES_WRITTEN[column](read[column])
                found.text("Slices", (f"slice {name}", by, row["slice"]), written)
                found.value("Slices", (f"slice {name}", by, row["slice"]), read[column])
            found.value("Slices", ("slice scored", by, row["slice"]), read["Queries"])
            of = divided[(divided["by"] == by) & (divided["slice"] == row["slice"])]
            alone = measuring.comparison(
                asked, view.baseline, view.candidate, view.metric, tuple(of["query_id"].unique())
            ).iloc[0]
            for name in names:
                found.value("Compare, a slice", (f"slice {name}", by, row["slice"]), alone[name])
            found.value("Compare, a slice", ("slice scored", by, row["slice"]), alone["scored"])
        drawn = charts.slice_grid(parts, versions).to_dict()["datasets"].values()
        for row in (row for rows in drawn for row in rows if "mean_text" in row):
            key = ("slice mean", by, row["slice"], row["run"])
            found.text("Slices, drawn", key, row["mean_text"])
            found.value("Slices, drawn", key, row["mean"])
            if row["run"] == view.candidate:
                for name in ("delta", "low", "high"):
                    column = "delta" if name == "delta" else f"delta_{name}"
                    key = (f"slice {name}", by, row["slice"])
                    found.text("Slices, drawn", key, row[f"{column}_text"])


def query(found: Numbers, view: Any, choices: dict[str, str]) -> None:
    """The query that changed most, as its own screen shows it."""
    worst = summary.deltas(view)["query_id"].iloc[0]
    app = opened("query", **choices, query=worst)
    app.session_state["values"] = True  # open: all metrics of this query
    assert not app.run().exception
    table = next(each.value for each in app.table if len(each.value.columns) >= 2)
    versions = [column.replace("\\", "") for column in table.columns]
    for metric, (_, row) in zip(summary.metrics_in_view(view), table.iterrows(), strict=True):
        for version, cell in zip(versions, row, strict=True):
            text = "–" if cell == "not scored" else cell
            found.text("Query", ("value", worst, version, metric), text)
    for row in cards(app)["rows"]:
        if row["role"] == "version":
            key = ("value", worst, row["name"], front_of(view))
            found.value("Query, cards", key, row["value"])


def metric_of(row: dict[str, Any]) -> str:
    cutoff = row["cutoff"]
    return row["metric"] if cutoff is None else f"{row['metric']}@{int(cutoff)}"


def command_line(
    found: Numbers, view: Any, call: list[str], pair: list[str], metrics: list[str], capsys: Any
) -> None:
    def rows(*command: str) -> list[dict[str, Any]]:
        main([*command, "--format", "json"])
        return json.loads(capsys.readouterr().out)

    def read(table: list[dict[str, Any]]) -> list[dict[str, str]]:
        """The rows as the command prints them for people."""
        heads, *lines = printed(pd.DataFrame(table), "table").splitlines()
        names = heads.split()
        return [dict(zip(names, re.split(r"\s{2,}", line.strip()), strict=False)) for line in lines]

    both = (view.baseline, view.candidate)
    comparison = rows("compare", *call, *pair, *metrics)
    for row, text in zip(comparison, read(comparison), strict=True):
        metric = metric_of(row)
        found.row(
            "compare", (*both, metric), row, ("delta", "low", "high", "p", "p_holm", *COUNTED)
        )
        for name in ("delta", "low", "high", "p", "p_holm"):
            found.text("compare", (name, *both, metric), text[name])
    measured = rows("measure", *call, *metrics)
    for row, text in zip(measured, read(measured), strict=True):
        key = (row["run"], metric_of(row))
        found.value("measure", ("mean", *key), row["mean"])
        found.text("measure", ("mean", *key), text["mean"])
        found.text("measure", ("percent", *key), percent(row["mean"]))
    for row in rows("measure", *call, *metrics, "--by-query"):
        key = ("value", row["query_id"], row["run"], metric_of(row))
        found.value("measure", key, row["value"])
        found.text("measure", key, number(row["value"]))


def report(
    found: Numbers, view: Any, call: list[str], pair: list[str], folder: Path, capsys: Any
) -> None:
    page, both, front = folder / "report.html", (view.baseline, view.candidate), front_of(view)
    main(["report", *call, *pair, "-o", str(page), "--tables", str(folder / "tables")])
    capsys.readouterr()
    html = page.read_text(encoding="utf-8")

    def table(name: str) -> list[dict[str, Any]]:
        return json.loads((folder / "tables" / f"{name}.json").read_text(encoding="utf-8"))

    heads, *lines = cells(html, "Change by metric")
    for row, line in zip(table("metrics"), lines, strict=True):
        key = (*both, metric_of(row))
        found.row("report", key, row, ("delta", "low", "high", "p", "p_holm", *COUNTED))
        read = dict(zip(heads, line, strict=True))
        found.text("report", ("delta", *key), read["Difference"])
        for name, text in zip(("low", "high"), read["95 % interval"].split(" to "), strict=False):
            found.text("report", (name, *key), text)
        for name, head in (("p", "p"), ("p_holm", "p (Holm)")):
            found.text("report", (name, *key), read[head])
        counts = [*read["Scored"].split(" of "), read["Better"], read["Same"], read["Worse"]]
        for name, text in zip(COUNTED, counts, strict=True):
            found.value("report, printed", (name, *key), int(text.replace(",", "")))
    for row in table("queries"):
        for version, name in zip(both, ("baseline", "candidate"), strict=True):
            found.value("report", ("value", row["query_id"], version, front), row[name])
        found.text("report", ("query delta", row["query_id"]), signed(row["delta"]))
    lines = [line for line in cells(html, "Slices: ")[1:] if len(line) > 1]
    rows = table("slices")  # the page has the parts of one kind together
    kinds = list(dict.fromkeys(row["by"] for row in rows))
    rows.sort(key=lambda row: kinds.index(row["by"]))
    for row, line in zip(rows, lines, strict=True):
        if row["by"] == "all":
            continue
        for name in ("delta", "low", "high", "scored"):
            found.value("report", (f"slice {name}", row["by"], row["slice"]), row[name])
        found.text("report", ("slice delta", row["by"], row["slice"]), line[3])
        for name, text in zip(("low", "high"), line[4].split(" to "), strict=False):
            found.text("report", (f"slice {name}", row["by"], row["slice"]), text)
        for version, name, text in zip(both, ("baseline", "candidate"), line[1:3], strict=True):
            key = ("slice mean", row["by"], row["slice"], version)
            found.text("report", key, text)
            if name in row:
                found.value("report", key, row[name])


def test_the_walk_finds_a_number_that_differs() -> None:
    found = Numbers()
    found.text("one", ("delta", "a"), "+0.40")
    found.text("another", ("delta", "a"), "+0.400")
    found.value("one", ("low", "a"), 0.057)
    found.value("another", ("low", "a"), 0.029)
    assert len(list(found.disagreements())) == 2
    assert with_texts(pd.DataFrame({"mean": [0.25]}), ("mean",))["mean_text"].tolist() == ["0.250"]
