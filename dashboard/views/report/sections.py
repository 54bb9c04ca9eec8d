"""The parts of the page that are words and tables: verdict, what was compared, metrics, slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import pandas as pd

from dashboard.evaluation.comparison.compare import verdict
from dashboard.evaluation.comparison.verdict import SIGNIFICANT
from dashboard.evaluation.coverage import not_run_said, outside, outside_said
from dashboard.evaluation.digits import chance, number, signed
from dashboard.evaluation.protocols.hashing import signs_in_a_sentence
from dashboard.experiment import measuring
from dashboard.views.labels import group_name
from dashboard.views.report.figures import Scale, interval, interval_axis, interval_scale
from dashboard.views.report.found import Found
from dashboard.views.report.markup import Inside, Markup, data, joined, tag
from dashboard.views.report.subject import Subject

SMALL_SLICE = 5
KINDS = {"text": "text queries", "item": "item queries"}
SIGNS = {"better": "▲", "worse": "▼", "same": "●"}


def said(found: Found) -> Markup:
    """The verdict on the metric in front, and below it on each of the others."""
    sentences = [_sentence(found, row) for _, row in found.comparison.iterrows()]
    front = found.subject.measures.index(found.subject.front)
    warned = [tag("li", data(sentence, None)) for sentence in found.subject.unlike]
    box = tag("p", sentences[front], class_="verdict")
    known = found.subject.collection.by_signs(found.subject.protocol)
    if some := [version for version in found.subject.versions if version in known]:
        box = joined([box, tag("p", data(signs_in_a_sentence(some), None))])
    if warned:
        told = "Not comparable; compared on request:"
        box = joined([tag("div", told, tag("ul", *warned), class_="unlike"), box])
    others = [tag("li", each) for place, each in enumerate(sentences) if place != front]
    if not others:
        return box
    listed = tag("ul", *others, class_="others")
    return joined([box, tag("details", tag("summary", "Other metrics"), listed)])


def _sentence(found: Found, row: pd.Series) -> Markup:
    sentence = verdict(row, *found.subject.versions, label=row["label"])
    clear = row["p_holm"] < SIGNIFICANT
    kind = ("better" if row["delta"] > 0 else "worse") if clear else "same"
    return joined([tag("span", SIGNS[kind], class_=kind), " ", data(sentence, None), "."])


def compared(found: Found) -> Markup:
    """What was compared, on what, by which rules: everything that the numbers depend on."""
    subject, known = found.subject, found.subject.collection
    facts: list[tuple[str, Inside]] = [
        ("Collection", joined([data(known.title), " – ", data(known.about, None)])),
        ("Licence", data(". ".join(filter(None, [known.licence, known.attribution])), None)),
        ("Baseline", _version(subject, subject.baseline)),
        ("Candidate", _version(subject, subject.candidate)),
        ("Queries", _queries(found)),
        ("Items", f"{len(known.items):,}"),
        ("Protocol", joined([data(subject.rules.title), " – ", data(subject.rules.source)])),
        ("Keyword groups that count", data(", ".join(map(group_name, subject.groups)))),
        *((name, data(value)) for name, value in subject.choices.items()),
        ("Date", data(subject.date)),
        ("Uncertainty", _method(found)),
    ]
    listed = [joined([tag("dt", name), tag("dd", value)]) for name, value in facts if value]
    return joined([tag("dl", *listed), _notes(found), _fingerprints(subject)])


def _version(subject: Subject, name: str) -> Markup:
    model = subject.collection.searched.get(name)
    if name not in subject.collection.versions:
        about = ["submitted features"]
    elif model is None:
        about = ["ranked results from a file"]
    else:
        about = [model.note, f"encoder {model.encoder}" if model.encoder else "", model.date]
    return joined([tag("strong", data(name)), *(f" – {part}" for part in about if part)])


def _queries(found: Found) -> Markup:
    queries = found.subject.queries
    texts = int((queries["text"] != "").sum())
    counts = {"text": texts, "item": len(queries) - texts}
    kinds = ", ".join(f"{there:,} {KINDS[kind]}" for kind, there in counts.items() if there)
    reasons = Counter(found.judgement.unscorable.values())
    why = [f"{times:,} not scored: {reason}" for reason, times in reasons.most_common()]
    for version, run in found.subject.runs.items():
        if run.attrs.get("not_run"):
            why.append(f"{len(run.attrs['not_run']):,} not run in {version}")
    return data("; ".join([kinds, *why]), None)


def _method(found: Found) -> str:
    front = found.front
    queries = found.subject.queries
    scenes = measuring.scenes_of(found.subject.experiment) or {}
    of_scenes = queries["query_id"].isin(scenes.keys()).any()
    together = ", queries of one scene drawn together" if of_scenes else ""
    test = f"; p by {front['method']}" if front["method"] else ""
    return (
        "95 % intervals of the mean difference over the queries scored in both versions, "
        f"by bootstrap (BCa{together}){test}, corrected by Holm over {front['tests']} metrics"
    )


def _notes(found: Found) -> Markup:
    """What the protocol says, and what of the collection's files was refused or left out."""
    findings = found.subject.collection.findings
    serious = findings[findings["level"].isin(["error", "warning"])]
    subject = found.subject
    beyond = outside(subject.runs, subject.collection.items["item_id"])
    said = outside_said(beyond, condensed=subject.rules.condensed)
    lines = [data(f"warning: {version}: {sentence}", None) for version, sentence in said.items()]
    asked = subject.queries
    silent = not_run_said(subject.runs, asked["query_id"].tolist())
    lines += [data(f"warning: {name}: {sentence}", None) for name, sentence in silent.items()]
    lines += [data(note, None) for note in found.judgement.notes]
    lines += [
        data(f"{row.level}: {row.file}: found {row.found}; wanted {row.wanted}")
        for row in serious.itertuples()
    ]
    if not lines:
        return Markup("")
    return tag("ul", *(tag("li", line) for line in lines), class_="notes")


def _fingerprints(subject: Subject) -> Markup:
    digests = subject.collection.digests
    wanted = ["gallery", "gallery order", "queries", "labels", "settings"]
    for version in subject.versions:
        file = f"runs/{version}"
        wanted.append(file if file in digests else f"models/{version}")
    rows = [[data(name), tag("code", data(digests[name]))] for name in wanted if name in digests]
    told = "Fingerprints of the content: reports with the same fingerprints use the same data."
    return joined([tag("p", told), table(["", "Fingerprint"], rows, texts=2)])


def metrics(found: Found) -> Markup:
    """Every metric: means, difference, interval, p, and how many queries it rests on."""
    scale, (before, after) = interval_scale(found.comparison), found.subject.versions
    heads = ["Metric", data(before), data(after), "Difference", "95 % interval"]
    heads += [interval_axis(scale), "p", "p (Holm)", "Scored", "Better", "Same", "Worse"]
    rows = [
        [
            _named(row["label"]),
            number(row["baseline"]),
            number(row["candidate"]),
            signed(row["delta"]),
            _range(row["low"], row["high"]),
            interval(row, scale),
            chance(row["p"]),
            chance(row["p_holm"]),
            f"{row['scored']:,} of {row['total']:,}",
            *(f"{row[kind]:,}" for kind in ("better", "same", "worse")),
        ]
        for _, row in found.comparison.iterrows()
    ]
    return joined([table(heads, rows), definitions(found.subject)])


def definitions(subject: Subject) -> Markup:
    """Each metric once: its formula, what it is, and where it is defined."""
    seen = {each.name: each.metric for each in subject.measures}
    listed = [
        joined([tag("dt", name), tag("dd", data(each.formula), tag("br"), data(each.summary))])
        + tag("dd", "Source: ", data(each.source), class_="source")
        for name, each in seen.items()
    ]
    return joined([tag("h3", "Definitions"), tag("dl", *map(Markup, listed))])


def _named(label: str) -> Markup:
    """A metric's label with its formula on a line of its own."""
    name, _, formula = label.partition(" (")
    small = tag("small", data(f"({formula}")) if formula else ""
    return joined([data(name), " ", small])


def slices(found: Found) -> Markup:
    """The metric in front on each part of the queries; parts with few queries are pale."""
    rows, scale = found.slices, interval_scale(found.slices)
    heads = ["Queries", data(found.subject.baseline), data(found.subject.candidate), "Difference"]
    heads += ["95 % interval", interval_axis(scale), "Scored"]
    kinds = rows.groupby("by", sort=False)
    bodies = [_slice_rows(str(by), part, scale, len(heads)) for by, part in kinds]
    told = (
        f"Slices with fewer than {SMALL_SLICE} scored queries are pale. These intervals are not "
        "corrected for the number of parts: one in twenty is off by chance."
    )
    return joined([tag("p", told), _scrolled(tag("thead", _heads(heads, 1)), *bodies)])


def _slice_rows(by: str, part: pd.DataFrame, scale: Scale | None, width: int) -> Markup:
    """The slices of one kind under its name."""
    title = tag("th", data(group_name(by)), colspan=width, scope="rowgroup")
    lines = [] if by == "all" else [tag("tr", title, class_="by")]
    for _, row in part.iterrows():
        cells: list[Inside] = [
            data(row["slice"]),
            number(row["baseline"]),
            number(row["candidate"]),
            signed(row["delta"]),
            _range(row["low"], row["high"]),
            interval(row, scale),
            f"{row['scored']:,} of {row['total']:,}",
        ]
        lines.append(_row(cells, 1, "small" if row["scored"] < SMALL_SLICE else None))
    return tag("tbody", *lines)


def table(heads: Sequence[Inside], rows: Iterable[Sequence[Inside]], texts: int = 1) -> Markup:
    """A table whose first `texts` columns are words, the others numbers."""
    body = tag("tbody", *(_row(cells, texts) for cells in rows))
    return _scrolled(tag("thead", _heads(heads, texts)), body)


def _scrolled(*parts: Markup) -> Markup:
    return tag("div", tag("table", *parts), class_="wide", tabindex=0)


def _heads(heads: Sequence[Inside], texts: int) -> Markup:
    cells = [
        tag("th", head, scope="col", class_=None if place < texts else "number")
        for place, head in enumerate(heads)
    ]
    return tag("tr", *cells)


def _row(cells: Sequence[Inside], texts: int, class_: str | None = None) -> Markup:
    first = tag("th", cells[0], scope="row")
    rest = [
        tag("td", cell, class_=None if place < texts else "number")
        for place, cell in enumerate(cells[1:], start=1)
    ]
    return tag("tr", first, *rest, class_=class_)


def _range(low: float, high: float) -> str:
    return "–" if pd.isna(low) else f"{signed(low)} to {signed(high)}"
