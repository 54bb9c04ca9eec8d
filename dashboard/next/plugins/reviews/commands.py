"""`reviews`: lists to judge, what people said, how far they agree, and decisions."""

from __future__ import annotations

import getpass
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.next.commands.options import (
    FINE,
    add_choices,
    add_collection,
    open_call,
    open_study_of,
)
from dashboard.next.commands.output import FORMATS, protect_cell, replace_file
from dashboard.next.errors import DataError
from dashboard.next.storage.folders import find_folder

if TYPE_CHECKING:
    from dashboard.next.plugins.reviews.judging_lists import JudgingList
    from dashboard.next.plugins.reviews.verdicts import Verdict
    from dashboard.next.study.study import Study

HELP = "what people say of results: lists to judge, agreement, decisions, corrected labels"
EXPORT = (
    "query_id", "item_id", "list_id", "run", "kind", "value", "cause", "note", "author", "time",
)  # fmt: skip
LIST = (
    "list_id", "title", "chosen", "baseline", "candidate", "pairs", "judged", "people", "state",
    "author", "time",
)  # fmt: skip
SHOWN = ("query_id", "item_id", "people", "values")
NEXT = ("list_id", "query_id", "item_id", "judged", "pairs")
DECIDED = ("query_id", "item_id", "value", "note", "author", "number")
WAYS = ("worst", "slice", "doubtful", "random")
Rows = list[dict[str, Any]]
Answer = tuple[Rows, tuple[str, ...], int]
Action = Callable[[Namespace], tuple[Rows, tuple[str, ...]]]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of each action."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {name: actions.add_parser(name, help=text) for name, (text, _) in ACTIONS.items()}
    for name, each in made.items():
        each.add_argument("--format", choices=FORMATS, default=SUPPRESS, help="(default: table)")
        if name == "backup":
            each.add_argument("file", type=Path, metavar="FILE", help="new file for the copy")
        else:
            add_collection(each)
        if name in ("create", "close", "next", "decide"):
            text = "your name, which is not verified (default: the user of this system)"
            each.add_argument("--author", "--owner", default="", metavar="NAME", help=text)
        if name in ("show", "close", "next"):
            text = "list (default: the newest that is open)"
            each.add_argument("--list", required=name == "close", default="", help=text)
    _add_create(made["create"])
    _add_decide(made["decide"])
    _add_export(made["export"])


def _add_create(parser: ArgumentParser) -> None:
    parser.add_argument("--title", required=True, help="name of the list")
    text = "pairs of the worst regressions, of --slice, that the versions rank most differently, or"
    parser.add_argument("--choose", choices=WAYS, default="worst", help=f"{text} random (worst)")
    text = "number of pairs at most (default 50)"
    parser.add_argument("--number", type=int, default=50, metavar="N", help=text)
    parser.add_argument("--seed", type=int, default=0, help="of random pairs (default 0)")
    add_choices(parser, "baseline", "candidate", "metric")


def _add_decide(parser: ArgumentParser) -> None:
    parser.add_argument("--query", required=True, metavar="ID")
    parser.add_argument("--item", required=True, metavar="ID")
    text = "relevant, not, unsure (the label stays), or a grade"
    parser.add_argument("--value", required=True, help=text)
    parser.add_argument("--note", default="", help="why, at most 2,000 characters")


def _add_export(parser: ArgumentParser) -> None:
    parser.add_argument("--history", action="store_true", help="rows that were replaced, too")
    text = "write all labels with corrections to a new file: TREC lines, or CSV if it ends so"
    parser.add_argument("--qrels", dest="labels_file", type=Path, metavar="FILE", help=text)
    add_choices(parser)


def answer(call: Namespace) -> Answer:
    """Return the rows of an action; in CSV no cell is a formula for a spreadsheet."""
    rows, columns = ACTIONS[call.action][1](call)
    if call.format == "csv":
        rows = [{key: protect_cell(cell) for key, cell in row.items()} for row in rows]
    return rows, columns, FINE


def _read_rows(call: Namespace) -> list[Verdict]:
    """Return all rows of a collection, which need not be there any more."""
    from dashboard.next.plugins.reviews.verdicts import find_key, list_history

    folder = find_folder(call.collection)
    key = find_key(folder)
    rows = list_history(key)
    if not rows and not folder.is_dir():
        raise DataError(str(folder), "no such folder", "a collection, or one with reviews")
    return rows


def _list(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.judging_lists import read_lists

    rows = _read_rows(call)
    return [_describe(each, rows) for each in read_lists(find_folder(call.collection))], LIST


def _describe(made: JudgingList, rows: list[Verdict]) -> dict[str, Any]:
    from dashboard.next.plugins.reviews.judging_lists import list_judged

    judged = list_judged(made, rows)
    row = asdict(made) | {"list_id": made.id, "pairs": len(made.pairs), "people": len(judged)}
    done = len(set().union(*judged.values()))
    return row | {"judged": done, "state": "closed" if made.closed else "open"}


def _create(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.judging_lists import JudgingList, choose_pairs, create_list

    study, choices = open_study_of(call)
    versions = list(dict.fromkeys((choices["baseline"], choices["candidate"])))
    pairs, chosen = choose_pairs(
        study, call.choose, versions, choices["metric"], call.number, call.seed
    )
    made = JudgingList(
        collection="",
        title=call.title.strip(),
        baseline=versions[0],
        candidate="".join(versions[1:]),
        protocol=choices["protocol"],
        pairs=tuple(pairs),
        chosen=chosen,
        seed=str(call.seed),
        author=_name_author(call),
    )
    made = create_list(study.collection.folder, made)
    return [_describe(made, _read_rows(call))], LIST


def _show(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.judging_lists import count_values, find_list, list_judged

    rows, made = _read_rows(call), find_list(find_folder(call.collection), call.list)
    for name, pairs in sorted(list_judged(made, rows).items()):
        _note(f"{name} judged {len(pairs):,} of {len(made.pairs):,} pairs")
    return count_values(made, rows), SHOWN


def _close(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.judging_lists import close_list, find_list

    made = close_list(find_list(find_folder(call.collection), call.list), _name_author(call))
    return [_describe(made, _read_rows(call))], LIST


def _next(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.judging_lists import find_list, find_next, list_judged

    rows, author = _read_rows(call), _name_author(call)
    made = find_list(find_folder(call.collection), call.list)
    pair = None if made.closed else find_next(made, rows, author)
    if pair is None:
        why = "it is closed" if made.closed else f"{author} has judged all {len(made.pairs):,}"
        _note(f"nothing is left to judge of {made.id}: {why}")
        return [], NEXT
    done = len(list_judged(made, rows).get(author, ()))
    cells = (made.id, pair[0], pair[1] or None, done, len(made.pairs))
    return [dict(zip(NEXT, cells, strict=True))], NEXT


def _export(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.verdicts import keep_last

    rows = _read_rows(call)
    if call.labels_file:
        _write_labels(call)
    kept = rows if call.history else sorted(keep_last(rows), key=lambda row: row.number)
    return [asdict(row) for row in kept], EXPORT


def _write_labels(call: Namespace) -> None:
    """Write every judged pair of a study with its corrected grade."""
    from dashboard.next.plugins.reviews.choices import CORRECTED

    if call.labels_file.exists():
        do = "Name another one, or move it away."
        raise DataError(call.labels_file.name, "a file", "a new one", do=do)
    if call.labels not in (None, CORRECTED):
        raise ValueError(f"--labels {call.labels}: the file holds corrected ones; leave it out.")
    call.labels = CORRECTED
    study, _ = open_study_of(call)
    in_csv = call.labels_file.suffix == ".csv"
    lines = (["query_id", "item_id", "grade"],) if in_csv else ()
    text = _write_lines((*lines, *_list_labels(study, in_csv)), in_csv)
    replace_file(call.labels_file, text.encode())


def _list_labels(study: Study, in_csv: bool) -> Iterable[list[str]]:
    from dashboard.next.evaluation.judgement import list_judged

    for query in study.queries.tolist():
        name = study.collection.queries.ids[query]
        for item, grade in zip(*list_judged(study.judgement, query), strict=True):
            pair = [name, study.collection.items.ids[item], f"{grade:g}"]
            yield pair if in_csv else [pair[0], "0", *pair[1:]]


def _write_lines(rows: Iterable[list[str]], in_csv: bool) -> str:
    import csv
    import io

    out = io.StringIO()
    if in_csv:
        csv.writer(out, lineterminator="\n").writerows(rows)
    for row in () if in_csv else rows:
        odd = [cell for cell in row if cell.split() != [cell]]
        if odd:
            do = "Name a file that ends with .csv."
            raise DataError("--qrels", f"the id {odd[0][:80]!r}", "ids without blanks", do=do)
        out.write(" ".join(row) + "\n")
    return out.getvalue()


def _agreement(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.agreement import COLUMNS, FEW_PAIRS, measure_agreement

    found = measure_agreement(_read_rows(call))
    if not found:
        _note("no pair was judged by two people")
    elif found[0]["few"]:
        _note(f"{found[0]['pairs']:,} pairs; fewer than {FEW_PAIRS} say little")
    return found, COLUMNS


def _disagreements(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.agreement import DIFFERING, list_disagreements
    from dashboard.next.plugins.reviews.verdicts import DECISION, keep_last

    rows = _read_rows(call)
    decided = {row.pair for row in keep_last(rows) if row.kind == DECISION}
    found = list_disagreements(rows)
    left = [row for row in found if (row["query_id"], row["item_id"]) not in decided]
    if len(left) < len(found):
        _note(f"{len(found) - len(left):,} left out, which are decided")
    return left, DIFFERING


def _decide(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.verdicts import DECISION, Verdict, save_verdict

    made = Verdict(
        kind=DECISION,
        collection="",
        query_id=call.query,
        item_id=call.item,
        value=call.value,
        note=call.note,
        author=_name_author(call),
    )
    number = save_verdict(open_call(call), made)
    return [asdict(made) | {"number": number}], DECIDED


def _backup(call: Namespace) -> tuple[Rows, tuple[str, ...]]:
    from dashboard.next.plugins.reviews.store import back_up

    return [{"file": str(call.file), "reviews": back_up(call.file)}], ("file", "reviews")


def _name_author(call: Namespace) -> str:
    return str(call.author.strip() or getpass.getuser())


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


ACTIONS: dict[str, tuple[str, Action]] = {
    "list": ("lists to judge, the newest first", _list),
    "create": ("make a list to judge", _create),
    "show": ("pairs of a list and what people said", _show),
    "close": ("end a list; only who made it can", _close),
    "next": ("the next pair of a list for a person", _next),
    "export": ("what people said, the last word of each; --qrels: corrected labels", _export),
    "agreement": ("how far people agree on pairs that several judged", _agreement),
    "disagreements": ("pairs on which people differ and nobody has decided", _disagreements),
    "decide": ("decide on a pair; the decision corrects its label", _decide),
    "backup": ("copy the whole store to a new file, also while people judge", _backup),
}
