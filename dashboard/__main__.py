"""`python -m dashboard COMMAND …`: every number and table that a screen shows, without a screen.

Tables go to stdout, complaints to stderr, one line each. Exit code 0: fine; 1: a finding (a failed
check, a regression); 2: a wrong call or something unreadable.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pandas as pd

from dashboard.commands import answers, digests, gate, measured, report, satisfaction
from dashboard.commands.asked import (
    Asked,
    add_keywords,
    add_rules,
    asked_of,
    groups_of,
    refuse_for_files,
    scaled,
    threshold_of,
)
from dashboard.commands.numbers import OneLine, at_least_one
from dashboard.commands.output import one_line, printed
from dashboard.evaluation.measure import summarise
from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.findings import Findings
from dashboard.tables import DataError

FINE, FINDING, WRONG = 0, 1, 2
DEEPEST = 1_000
Answer = tuple[pd.DataFrame, int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one call; returns the exit code."""
    call = _parser().parse_args(arguments)
    try:
        if getattr(call, "metrics", None) == "":
            raise ValueError("--metrics names no metric; write for example P@5 AP nDCG@10")
        if "metrics" in call:
            call.metrics = call.metrics or ""
        table, code = call.answer(call)
    except (DataError, ValueError, OSError) as problem:
        _complain(problem)
        return WRONG
    try:
        print(printed(table, call.format), flush=True)
    except BrokenPipeError:
        # The reader has seen enough (`| head`); nothing is left to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _check(call: argparse.Namespace) -> Answer:
    table = answers.check(call.collection)
    return table, FINDING if (table["level"] == "error").any() else FINE


def _measure(call: argparse.Namespace) -> Answer:
    measurements, _ = _measurements(call, call.runs)
    if call.by_query:
        return measurements[["run", "query_id", "metric", "cutoff", "value"]], FINE
    return summarise(measurements), FINE


def _compare(call: argparse.Namespace) -> Answer:
    pair, barrier = (call.baseline, call.candidate), gate.Gate.of(call)
    if barrier is None:
        measurements, asked = _measurements(call, pair)
        ways = asked.unlike(*pair) if asked else []
        if ways and not call.anyway:
            raise ValueError(f"{'; '.join(ways)}. To compare them all the same, add --anyway")
        table = answers.compare(measurements, *pair, asked.collection.queries if asked else None)
        for row in table[table["scored"] == 0].itertuples():
            _complain(f"{row.metric}: none of {row.total} queries is scored in both versions")
        return table, FINDING if answers.regressed(table) else FINE
    call.metrics = barrier.metrics
    table, broken = barrier.answer(*_measurements(call, pair), *pair)
    for each in broken:
        _complain(f"{each.outcome}: {each.name}: {each.said}")
    return table, FINDING if broken else FINE


def _report(call: argparse.Namespace) -> Answer:
    made = report.report_of(
        _asked(call), call.baseline, call.candidate, call.metrics, f"{date.today()}", call.anyway
    )
    return report.write(made, call.output, call.tables), FINE


def _measurements(
    call: argparse.Namespace, versions: Sequence[str] | None
) -> tuple[pd.DataFrame, Asked | None]:
    """The measurements of either form of a call, and what is asked where it is of a collection."""
    submitted = call.submission or []
    files = bool(call.run or (call.qrels and submitted))
    if (call.collection is None) == (call.qrels is None) or bool(call.qrels) != files:
        raise ValueError("give either a COLLECTION, or --qrels FILE with --run FILE")
    noted, extras = Findings(), measured.Extras(submitted, call.dimension)
    if call.qrels:
        refuse_for_files(call)
        protocol = scaled(answers.protocol_named(call.protocol), call.scale)
        metrics = call.metrics or protocol.metrics
        table = measured.measure_files(call.qrels, call.run or [], protocol, metrics, noted, extras)
        _complain_about(noted.frame(), ("error", "warning", "note"))
        return table, None
    asked = _asked(call)
    if versions is None:
        versions = () if submitted else asked.collection.versions
    table = measured.measure_collection(
        asked,
        list(dict.fromkeys(versions)),
        call.metrics or asked.protocol.metrics,
        extras,
        noted,
    )
    _complain_about(noted.frame(), ("error", "warning", "note"))
    return table, asked


def _asked(call: argparse.Namespace) -> Asked:
    return asked_of(call, _opened(call))


def _search(call: argparse.Namespace) -> Answer:
    asked = [call.text is not None, call.item is not None, call.file is not None]
    if sum(asked) != 1:
        raise ValueError("give one of TEXT, --item ID and --file PATH")
    collection, noted = _opened(call), Findings()
    item_id = answers.item_of_clip(collection, call.file) if call.file else call.item
    table = answers.search(
        collection,
        call.model or collection.versions,
        min(call.k, DEEPEST),
        groups_of(call, collection),
        threshold_of(call, collection),
        noted,
        text=call.text or "",
        item_id=item_id or "",
    )
    _complain_about(noted.frame(), ("error",))
    return table, FINE


def _keywords(call: argparse.Namespace) -> Answer:
    collection = _opened(call)
    threshold = threshold_of(call, collection)
    if call.write:
        return answers.write_keywords(collection, threshold), FINE
    mapped = answers.mapped_text(collection, call.text or "", threshold)
    return mapped[["ngram", "keyword", "group", "score", "kept"]], FINE


def _metrics(call: argparse.Namespace) -> Answer:
    return answers.metrics(), FINE


def _opened(call: argparse.Namespace) -> Collection:
    collection = open_collection(call.collection, allow_path=True)
    _complain_about(collection.findings, ("error", "warning"))
    return collection


def _complain_about(findings: pd.DataFrame, levels: Sequence[str]) -> None:
    for row in findings[findings["level"].isin(levels)].itertuples():
        line = "" if pd.isna(row.line) else f", line {row.line}"
        said = f"found {row.found}; wanted {row.wanted}" if row.wanted else row.found
        _complain(f"{row.level}: {row.file}{line}: {said}")


def _complain(problem: object) -> None:
    print(one_line(problem), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = OneLine(prog="python -m dashboard", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(
        name: str, answer: Callable[[argparse.Namespace], Answer], about: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--format", choices=("table", "csv", "json"), default="table")
        added.set_defaults(answer=answer)
        return added

    place = {"metavar": "COLLECTION", "help": "a folder's path, or the name of one under data/"}
    check = command("check", _check, "what is missing, repaired or unusable in a collection")
    check.add_argument("collection", **place)
    measure = command("measure", _measure, "metrics of versions, or of plain files of runs")
    measure.add_argument("collection", nargs="?", **place)
    measure.add_argument("--runs", nargs="+", metavar="VERSION", help="default: all versions")
    measure.add_argument("--by-query", action="store_true", help="each query's value")
    measured.add_arguments(measure)
    compare = command("compare", _compare, "a candidate against a baseline; exit 1 if it is worse")
    compare.add_argument("collection", nargs="?", **place)
    compare.set_defaults(submission=None, dimension=None)
    gate.add_arguments(compare)
    reported = command("report", _report, "a candidate against a baseline as one offline HTML file")
    reported.add_argument("collection", **place)
    report.add_arguments(reported)
    for each in (compare, reported):
        each.add_argument("--baseline", required=True, metavar="VERSION")
        each.add_argument("--candidate", required=True, metavar="VERSION")
        each.add_argument("--anyway", action="store_true", help="even if they are not comparable")
    for each in (measure, compare):
        each.add_argument("--qrels", type=Path, metavar="FILE", help="judgements, TREC or CSV")
        each.add_argument(
            "--run", type=Path, action="append", metavar="FILE", help="a run; again for more"
        )
    for each in (measure, compare, reported):
        add_rules(each)
    search = command("search", _search, "the results of a text, an item or an item's clip")
    search.add_argument("collection", **place)
    search.add_argument("text", nargs="?", metavar="TEXT")
    search.add_argument("--item", metavar="ID")
    search.add_argument("--file", type=Path, metavar="PATH", help="the clip of an item")
    search.add_argument("--model", nargs="+", metavar="VERSION", help="default: all versions")
    search.add_argument("-k", type=at_least_one, default=5, help="how many results (5)")
    satisfaction.add_to(command, place, _opened, _complain_about)
    digests.add_to(command, place, _opened)
    keywords = command("keywords", _keywords, "which keywords a text is mapped to")
    keywords.add_argument("collection", **place)
    keywords.add_argument("text", nargs="?", metavar="TEXT")
    keywords.add_argument("--write", action="store_true", help="map and store all text queries")
    for each in (measure, compare, reported, search, keywords):
        add_keywords(each, groups=each is not keywords)
    command("metrics", _metrics, "every metric with its formula and source")
    return parser


if __name__ == "__main__":
    sys.exit(main())
