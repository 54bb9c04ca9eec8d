"""Answers of the command `reviews`, one function an action."""

import getpass
from argparse import Namespace
from dataclasses import asdict

from dashboard.commands.options import open_call, open_study_of
from dashboard.commands.output import replace_file, say, say_each
from dashboard.errors import DataError
from dashboard.plugins.reviews import figures, judging_lists, verdicts
from dashboard.plugins.reviews.choices import CORRECTED
from dashboard.plugins.reviews.corrections import format_labels
from dashboard.plugins.reviews.store import back_up
from dashboard.plugins.reviews.verdicts import DECISION, Verdict, Verdicts, keep_last
from dashboard.storage.settings import find_folder
from dashboard.tables import Names, Row, Rows
from dashboard.texts import count_things

EXPORT = (
    "query_id", "item_id", "list_id", "run", "kind", "value", "cause", "note", "author", "time",
)  # fmt: skip
LIST = (
    "list_id", "title", "chosen", "baseline", "candidate", "pairs", "judged", "people", "state",
    "author", "time",
)  # fmt: skip
NEXT = ("list_id", "query_id", "item_id", "judged", "pairs")
Answer = tuple[Rows, Names]


def _list(call: Namespace) -> Answer:
    rows = _read_rows(call)
    left_out = list[str]()
    lists = judging_lists.read_lists(open_call(call), left_out)
    say_each("note: left out", left_out)
    return [_describe(_tell_gone(each), rows) for each in lists], LIST


def _create(call: Namespace) -> Answer:
    study, choices = open_study_of(call)
    how = (call.choose, call.number, call.seed, call.compare)
    made = judging_lists.make_list(study, choices, call.title, _name_author(call), *how)
    return [_describe(made, _read_rows(call))], LIST


def _show(call: Namespace) -> Answer:
    rows = _read_rows(call)
    made = _find_list(call)
    for name, pairs in sorted(figures.find_judged([made], rows)[made.id].items()):
        say(f"note: {name} judged {len(pairs):,} of {len(made.asked):,} pairs")
    return figures.count_values(made, rows), ("query_id", "item_id", "people", "values")


def _close(call: Namespace) -> Answer:
    return [
        _describe(judging_lists.close_list(_find_list(call), _name_author(call)), _read_rows(call))
    ], LIST


def _next(call: Namespace) -> Answer:
    rows = _read_rows(call)
    author = _name_author(call)
    made = _find_list(call)
    done = figures.find_judged([made], rows)[made.id].get(author, set())
    left = [pair for pair in made.asked if not (made.closed or pair in done)]
    if not left:
        why = f"{author} has judged all {len(made.asked):,}" if made.asked else "all are gone"
        if made.closed:
            why = "it is closed"
        say(f"note: nothing is left to judge of {made.id}: {why}")
        return [], NEXT
    query, item = left[0]
    return [{
        "list_id": made.id, "query_id": query, "item_id": item or None, "judged": len(done),
        "pairs": len(made.asked),
    }], NEXT  # fmt: skip


def _export(call: Namespace) -> Answer:
    rows = _read_rows(call)
    if file := call.labels_file:
        if file.exists():
            raise DataError(
                file.name, "a file", "a new one", do="Name another one, or move it away."
            )
        if call.labels not in (None, CORRECTED):
            raise ValueError(
                f"--labels {call.labels}: the file holds corrected ones; leave it out."
            )
        call.labels = CORRECTED
        replace_file(file, format_labels(open_study_of(call)[0], file.suffix == ".csv"))
    return [asdict(row) for row in (rows if call.history else keep_last(rows))], EXPORT


def _agreement(call: Namespace) -> Answer:
    found = figures.measure_agreement(_read_rows(call))
    if not found:
        say("note: no pair was judged by two people")
    elif found[0]["few"]:
        pairs = count_things(found[0]["pairs"], "pair")
        say(f"note: {pairs}; fewer than {figures.FEW_PAIRS} say little")
    return found, figures.COLUMNS


def _disagreements(call: Namespace) -> Answer:
    rows = _read_rows(call)
    found = figures.list_disagreements(rows)
    left = figures.list_undecided(rows)
    if len(left) < len(found):
        say(f"note: {len(found) - len(left):,} left out, which are decided")
    there = figures.keep_there(left, open_call(call)) if left else []
    if len(there) < len(left):
        say(f"note: {len(left) - len(there):,} left out, which are gone from the collection")
    return there, figures.DIFFERING


def _decide(call: Namespace) -> Answer:
    made = Verdict(
        kind=DECISION, query_id=call.query, item_id=call.item, value=call.value,
        note=call.note or "", author=_name_author(call),
    )  # fmt: skip
    row = asdict(made) | {"number": verdicts.save_verdict(open_call(call), made)}
    return [row], ("query_id", "item_id", "value", "note", "author", "number")


def _back_up(call: Namespace) -> Answer:
    return [{"file": str(call.file), "reviews": back_up(call.file)}], ("file", "reviews")


ANSWERS = {
    "list": _list, "create": _create, "show": _show, "close": _close, "next": _next,
    "export": _export, "agreement": _agreement, "disagreements": _disagreements,
    "decide": _decide, "backup": _back_up,
}  # fmt: skip


def _read_rows(call: Namespace) -> Verdicts:
    """Return all rows of a collection, which need not be there any more."""
    folder = find_folder(call.collection)
    rows = verdicts.list_history(verdicts.read_state(folder)[0])
    if not rows and not folder.is_dir():
        raise DataError(str(folder), "no such folder", "a collection, or one with reviews")
    return rows


def _find_list(call: Namespace) -> judging_lists.JudgingList:
    return _tell_gone(judging_lists.find_list(open_call(call), call.list or ""))


def _tell_gone(made: judging_lists.JudgingList) -> judging_lists.JudgingList:
    """Return a list, and say how many of its pairs are gone."""
    if told := judging_lists.describe_gone(made):
        say(f"note: {made.id}: {told}")
    return made


def _describe(made: judging_lists.JudgingList, rows: Verdicts) -> Row:
    judged = figures.find_judged([made], rows)[made.id]
    return asdict(made) | {
        "list_id": made.id,
        "pairs": len(made.asked),
        "people": len(judged),
        "judged": len(set().union(*judged.values())),
        "state": "closed" if made.closed else "open",
    }


def _name_author(call: Namespace) -> str:
    return verdicts.clean_name(call.author or "") or getpass.getuser()
