"""A comparison as one HTML page: the template `report.html` and what it is filled with.

Whatever is filled in is escaped, and its letters that cannot be seen are made visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.comparison.changes import bins
from dashboard.evaluation.comparison.verdict import direction
from dashboard.evaluation.coverage import not_run_said, outside, outside_said
from dashboard.evaluation.digits import chance, number, signed
from dashboard.evaluation.duplicates import said_of_copies
from dashboard.evaluation.protocols.hashing import signs_in_a_sentence
from dashboard.evaluation.reviewing.cause_counts import RULE
from dashboard.experiment import judging, measuring, ranking
from dashboard.experiment.experiment import NO_CUT
from dashboard.experiment.reviews import label_changes, reviewing
from dashboard.tables import counted
from dashboard.views import charts
from dashboard.views.charts.svg import as_svg
from dashboard.views.labels import group_name
from dashboard.views.report import exports
from dashboard.views.report.comparison import MOST, Comparison
from dashboard.views.report.pictures import pictures_of
from dashboard.views.report.queries import changed, items_drawn
from dashboard.views.texts import LONGEST, shown

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
SIGNS = {"better": "▲", "worse": "▼", "same": "●"}
KINDS = {"text": "text queries", "item": "item queries"}
FINGERPRINTS = ("gallery", "gallery order", "queries", "labels", "settings")
WIDE, HALF = 580, 480
"""Pixels across a chart of rows and one of two side by side."""
OPENED = 2
"""How many of the worst and of the best queries are open when the page is opened."""
CONTENTS = (
    "Change by metric", "Change per query", "Worse", "Better", "Slices", "Compared data", "Tables",
)  # fmt: skip
FOLDER = Path(__file__).parent


def make_page(comparison: Comparison, files: Mapping[str, str]) -> str:
    """The page. files: what it offers to save, name → content."""
    pictures = pictures_of(comparison.collection, items_drawn(comparison))
    return (
        _environment()
        .get_template("report.html")
        .render(
            comparison=comparison,
            policy=POLICY,
            verdicts=_verdicts(comparison),
            unlike=ranking.unlike(comparison.experiment, *comparison.versions),
            by_signs=_by_signs(comparison),
            facts=_facts(comparison),
            warnings=_warnings(comparison),
            notes=_notes(comparison),
            fingerprints=_fingerprints(comparison),
            charts=_charts(comparison),
            judged=reviewing.verdicts_by_cause(comparison.experiment, comparison.only),
            cause_rule=RULE,
            definitions={each.name: each.metric for each in comparison.measures}.values(),
            changed={
                word: changed(comparison, query_ids, pictures)
                for word, query_ids in (("worse", comparison.worst), ("better", comparison.best))
            },
            pictures=pictures,
            links=exports.links(files),
            most=MOST,
            few=charts.SMALL_SLICE,
            opened=OPENED,
            contents=CONTENTS,
        )
    )


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "bdi": bdi,
        "number": number,
        "signed": signed,
        "chance": chance,
        "group_name": group_name,
    }
    return made


def _visible(value: object) -> object:
    """What the template is about to write, its control and direction marks visible."""
    return value if isinstance(value, Markup) else shown(str(value), None)


def bdi(text: object, longest: int | None = LONGEST) -> Markup:
    """Data in a sentence of ours: its direction of writing does not touch the words around it.

    >>> bdi("<b> & more", 9)
    Markup('<bdi>&lt;b&gt; &amp; mo…</bdi>')
    """
    return Markup("<bdi>{}</bdi>").format(shown(str(text), longest))


def _verdicts(comparison: Comparison) -> list[dict[str, str]]:
    """A sentence on each metric and what it says: kind (better, worse, same), sign, sentence."""
    verdicts = []
    for _, row in comparison.rows.iterrows():
        kind = direction(row).replace("unclear", "same")
        sentence = compare.verdict(row, *comparison.versions, label=row["label"])
        verdicts.append({"kind": kind, "sign": SIGNS[kind], "sentence": sentence})
    front = verdicts.pop(list(comparison.measures).index(comparison.front))
    return [front, *verdicts]


def _by_signs(comparison: Comparison) -> str:
    known = comparison.collection.by_signs(comparison.protocol)
    return signs_in_a_sentence([version for version in comparison.versions if version in known])


def _facts(comparison: Comparison) -> dict[str, list[str]]:
    """What was compared, on what, by which rules: everything that the numbers depend on."""
    collection, rules = comparison.collection, comparison.experiment.rules
    facts = {
        "Collection": [collection.title, collection.about],
        "Licence": [". ".join(filter(None, [collection.licence, collection.attribution]))],
        "Baseline": _version(comparison, comparison.baseline),
        "Candidate": _version(comparison, comparison.candidate),
        "Queries": ["; ".join(_queries(comparison))],
        "Items": [f"{len(collection.items):,}"],
        "Protocol": [rules.title, rules.source],
        "Keyword groups that count": [", ".join(map(group_name, comparison.experiment.groups))],
        **{name: [value] for name, value in _choices(comparison).items()},
        "Date": [comparison.date],
        "Uncertainty": [_method(comparison)],
    }
    filled = {name: [part for part in parts if part] for name, parts in facts.items()}
    return {name: parts for name, parts in filled.items() if parts}


def _version(comparison: Comparison, name: str) -> list[str]:
    model = comparison.collection.searched.get(name)
    if name not in comparison.collection.versions:
        return [name, "submitted features"]
    if model is None:
        return [name, "ranked results from a file"]
    return [name, model.note, f"encoder {model.encoder}" if model.encoder else "", model.date]


def _queries(comparison: Comparison) -> list[str]:
    """How many queries there are of each kind, and how many have no value, with the reasons."""
    queries = comparison.queries
    texts = int((queries["text"] != "").sum())
    counts = {"text": texts, "item": len(queries) - texts}
    kinds = ", ".join(f"{there:,} {KINDS[kind]}" for kind, there in counts.items() if there)
    reasons = Counter(comparison.judgement.unscorable.values()).most_common()
    not_run = {name: run.attrs.get("not_run") for name, run in comparison.runs.items()}
    return [
        kinds,
        *(f"{times:,} not scored: {reason}" for reason, times in reasons),
        *(f"{len(missing):,} not run in {name}" for name, missing in not_run.items() if missing),
    ]


def _choices(comparison: Comparison) -> dict[str, str]:
    """The choices that numbers depend on beside those that a report names anyway."""
    experiment, choices = comparison.experiment, {"Query slice": comparison.part}
    choices["Keyword match threshold"] = f"{experiment.mapping_threshold:g}"
    if experiment.min_similarity > NO_CUT:
        choices["Similarity threshold"] = f"{experiment.min_similarity:g}"
    if experiment.leaves_copies_out:
        choices["Near-duplicates"] = said_of_copies(len(judging.copies_left_out(experiment)))
    if experiment.corrections is not None:
        choices["Labels"] = _with_corrections(comparison)
    for submitted in experiment.submissions:
        of = submitted.submission
        choices[f"Submission {of.name}"] = f"features {of.gallery} and {of.queries}"
    return choices


def _with_corrections(comparison: Comparison) -> str:
    """How many labels reviewers change, and the metric in front with both labels."""
    experiment, only = comparison.experiment, comparison.only
    table = label_changes.changed_metrics(
        experiment, comparison.versions, str(comparison.front), only
    )
    means = [
        f"{comparison.title} of {row['run']} {number(row['given'])} → {number(row['corrected'])}"
        for row in table.to_dict("records")
    ]
    labels = counted(len(label_changes.changed_labels(experiment)), "correction")
    return f"with {labels} by reviewers: {'; '.join(means)}"


def _method(comparison: Comparison) -> str:
    front = comparison.front_row
    scenes = measuring.scenes_of(comparison.experiment) or {}
    in_scenes = comparison.queries["query_id"].isin(scenes.keys()).any()
    together = ", queries of one scene drawn together" if in_scenes else ""
    test = f"; p by {front['method']}" if front["method"] else ""
    return (
        "95 % intervals of the mean difference over the queries scored in both versions, "
        f"by bootstrap (BCa{together}){test}, corrected by Holm over {front['tests']} metrics"
    )


def _warnings(comparison: Comparison) -> list[str]:
    """What of the versions' results is not counted as a reader expects, version by version."""
    beyond = outside(comparison.runs, comparison.collection.items["item_id"])
    warnings = [
        outside_said(beyond, condensed=comparison.experiment.rules.condensed),
        not_run_said(comparison.runs, comparison.queries["query_id"].tolist()),
    ]
    return [f"warning: {name}: {why}" for each in warnings for name, why in each.items()]


def _notes(comparison: Comparison) -> list[str]:
    """What the protocol says, and what of the collection's files was refused or left out."""
    findings = comparison.collection.findings
    serious = findings[findings["level"].isin(["error", "warning"])]
    return [
        *comparison.judgement.notes,
        *(
            f"{row['level']}: {row['file']}: found {row['found']}; wanted {row['wanted']}"
            for row in serious.to_dict("records")
        ),
    ]


def _fingerprints(comparison: Comparison) -> dict[str, str]:
    digests = comparison.collection.digests
    files = (f"runs/{version}" for version in comparison.versions)
    versions = [file if file in digests else file.replace("runs", "models", 1) for file in files]
    return {name: digests[name] for name in (*FINGERPRINTS, *versions) if name in digests}


def _charts(comparison: Comparison) -> dict[str, Markup]:
    """The drawings by name, the same as on the screens; none where there is nothing to draw."""
    title, versions = comparison.title, comparison.versions
    rows = comparison.rows.assign(
        label=[each.partition(" (")[0] for each in comparison.rows["label"]]
    )
    drawings = {}
    if rows["delta"].notna().any():
        about = "Mean difference of each metric with its 95 % interval"
        drawings["metrics"] = as_svg(charts.forest(rows), about, WIDE)
    if comparison.deltas["delta"].notna().any():
        about = f"Queries by difference in {title}"
        histogram = charts.differences(bins(comparison.deltas), title)
        drawings["differences"] = as_svg(histogram, about, HALF)
        about = f"{title} of each query in {versions[0]} and in {versions[1]}"
        drawings["pairs"] = as_svg(charts.pairs(comparison.deltas, *versions), about, HALF)
    if comparison.slices["delta"].notna().any():
        about = f"Mean difference in {title} on each slice with its 95 % interval"
        drawings["slices"] = as_svg(charts.slice_intervals(comparison.slices), about, WIDE)
    return {name: Markup(drawing) for name, drawing in drawings.items()}
