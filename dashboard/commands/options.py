"""Options of the commands, made from the table of choices, and what they open."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.commands.output import say, say_each
from dashboard.errors import DataError, Finding, Unsure, list_names
from dashboard.storage.settings import find_folder
from dashboard.study.choices import list_choices, resolve

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.study.choices import Choices
    from dashboard.study.study import Study
    from dashboard.tables import Names

FINE, FOUND, WRONG = 0, 1, 2
Answer = tuple[list[dict[str, Any]], Sequence[str], int]
"""Rows, their columns in order, and the exit code."""


def print_ways(error: Unsure, call: Namespace, words: Names, options: Names) -> None:
    """Print what is open, and the line to type for each way out of it.

    Args:
        error: What is open.
        call: The call that left it open.
        words: The command and its arguments, as they are typed again.
        options: Names of the options of the call that are typed again, too.
    """
    typed = ["python", "-m", "dashboard", *words]
    for name in filter(vars(call).get, options):
        value = getattr(call, name)
        typed += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    say(f"error: {DataError(error.file, error.found, error.expected, do='Type one of these:')}")
    for line in error.lines:
        say(f"  {shlex.join(typed)} {line}" if line.startswith("--") else f"  {line}")


def add_options(parser: ArgumentParser, told: str) -> None:
    """Add options that a text tells, one a line: flag, what it holds, two blanks or more, and help.

    FILE is a path, COUNT a whole number from 1, NUMBER any other one, SECONDS and SCORE are
    numbers, other words texts; of values A|B the first is usual; an option that holds nothing is a
    switch, and one with ! has to be given. Help that ends in (default X) gives another usual value.
    Help goes on in lines that begin with blanks. A word in place of a flag, such as TEXT, may be
    given or not; two names of one option have a slash between them, as a word has from its option,
    whose value is `named`.
    """
    for flag, holds, must, text in _OPTION.findall(re.sub(r"\n +", " ", told)):
        if not flag.startswith("-"):
            word, *same = flag.split("/")
            parser.add_argument(word.lower(), nargs="?", metavar=word, help=text)
            for each in same:
                parser.add_argument(each, dest="named", metavar=word, help="the same")
            continue
        values, kind = holds.split("|"), _KINDS.get(holds, str)
        usual = re.search(r"\(default (\S+)\)$", text)
        how = {"metavar": holds, "type": kind, "required": bool(must)}
        if values[1:]:
            how = {"choices": list(filter(None, values))}
        how["default"] = kind(usual[1]) if usual else values[0] if values[1:] else None
        parser.add_argument(
            *flag.split("/"), help=text, **(how if holds else {"action": "store_true"})
        )


_OPTION = re.compile(r"^(\S+)(?: ([^\s!]+)(!?))?  +(.*)", re.MULTILINE)


def read_count(text: str) -> int:
    """Return the whole number from 1 that a text is; raise ArgumentTypeError if it is none."""
    if not re.fullmatch(r"0*[1-9]\d{0,8}", text):
        raise ArgumentTypeError(f"{text[:80]!r} is no whole number from 1")
    return int(text)


_KINDS: dict[str, Callable[[str], Any]] = {
    "FILE": Path, "FILE.html": Path, "COUNT": read_count, "NUMBER": int, "SECONDS": float,
    "SCORE": float,
}  # fmt: skip


def add_collection(parser: ArgumentParser, files: bool = False) -> None:
    """Add COLLECTION, and with `files` also judgements and runs in its place."""
    text = "folder of a collection, or its name below data/"
    parser.add_argument("collection", nargs="?" if files else None, metavar="COLLECTION", help=text)
    if files:
        add_options(parser, "--qrels FILE  judgements: TREC, BEIR, CSV")
        text = "results of a version, TREC or CSV; again for more"
        parser.add_argument("--run", type=Path, action="append", metavar="FILE", help=text)


def add_choices(parser: ArgumentParser, *keys: str, idle: Names = ("margins",)) -> None:
    """Add an option for every choice that changes numbers, but `idle`, and for others by keys."""
    for each in list_choices():
        if each.key in keys or each.changes_numbers and each.key not in idle:
            several: Any = {"nargs": "+", "action": "extend"}
            parser.add_argument(
                each.flag,
                dest=each.key,
                **(several if each.kind == "names" else {}),
                metavar=each.key.upper(),
                help=each.meaning,
            )


def open_call(call: Namespace) -> Collection:
    """Open what a call names.

    Raises:
        ValueError: If it names neither or both of a collection and files.
        DataError: If that cannot be used.
    """
    from dashboard.storage.collection import open_collection, open_files

    qrels, runs = getattr(call, "qrels", None), getattr(call, "run", None)
    if bool(call.collection) == bool(qrels) or bool(qrels) != bool(runs):
        raise ValueError("Name a COLLECTION, or give --qrels FILE with --run FILE.")
    if qrels and runs:
        return open_files(qrels, runs)
    return open_collection(find_folder(call.collection))


def open_study_of(call: Namespace) -> tuple[Study, Choices]:
    """Return the study of a call and all its choices.

    Raises:
        ValueError: If there is no such choice, or plain files have no such choice.
        DataError: If what the call names cannot be used.
    """
    from dashboard.study.judging import require_protocol
    from dashboard.study.study import open_study

    collection = open_call(call)
    if {"baseline", "runs"} & vars(call).keys() and not collection.versions:
        do = f"python -m dashboard add {collection.name} v1 --items FILE, or --run FILE"
        none = ValueError(f"{collection.name} has no version yet. Type: {do}")
        *others, last = collection.broken.values() or [none]
        say_each("error", others)
        raise last
    given = {}
    for each in list_choices():
        value = getattr(call, each.key, None)
        if value is None:
            continue
        if call.collection is None and not each.of_files:
            raise ValueError(f"{each.flag}: only a COLLECTION has that; leave it out with --qrels.")
        given[each.key] = each.write_given(value)
    require_protocol(collection, given)
    choices = resolve(collection, given)
    study = open_study(collection, choices)
    metrics = " ".join(choices[key] for key in ("metrics", "metric") if hasattr(call, key))
    if doubt := metrics and study.find_doubt(metrics):
        say(f"note: {doubt}")
    return study, choices


def open_pair(call: Namespace) -> tuple[Study, Choices]:
    """Return what `open_study_of` does, of a call that compares two versions.

    Raises:
        ValueError: If they are one.
    """
    study, choices = open_study_of(call)
    if len(choices.compared) < 2:
        do = "Give a second --run FILE."
        if len(there := study.collection.versions) > 1:
            do = f"Name two of {list_names(there)} with --baseline and --candidate."
        elif call.collection:
            do = f"Type: python -m dashboard add {call.collection} NAME --run FILE"
        raise ValueError(f"A comparison needs another version than {choices['candidate']}. {do}")
    return study, choices


def complain(findings: Iterable[Finding]) -> None:
    """Print what was left out or repaired, and what else was found."""
    for each in findings:
        say(f"{each.level}: {each}")


def complain_about_broken(call: Namespace, collection: Collection) -> int:
    """Print why versions cannot be used, unless the call names its own; return the exit code."""
    broken = collection.problems if call.runs is None else []
    say_each("error", broken)
    return WRONG if broken else FINE


def complain_about_gaps(study: Study, versions: Names) -> int:
    """Print why queries have no value or count as 0; return WRONG where a version ran none."""
    from dashboard.study.changes import describe_gaps

    for level, sentences in describe_gaps(study, versions).items():
        say_each(level, sentences)
    run = (len(study.run(each).source.not_run) for each in versions)
    return WRONG if len(study.collection.queries) in run else FINE
