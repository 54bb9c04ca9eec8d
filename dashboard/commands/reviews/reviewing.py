"""`python -m dashboard reviews`: copies of the store of reviews, whether it is whole, what
reviewers said of a collection, what their corrections change, and reviews made for others."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from dashboard.commands.console import (
    FINDING,
    FINE,
    Answer,
    Command,
    complain,
    complain_about,
    opened,
)
from dashboard.commands.experiments import add_keywords, add_rules, experiment_of
from dashboard.commands.reviews.assigned_reviews import ASSIGNED, add_assigned
from dashboard.experiment.reviews import assigned_reviews, label_changes, review_queue, reviewing
from dashboard.experiment.reviews.corrections import CORRECTED, GIVEN
from dashboard.tables import DataError, counted

ABOUT = (
    "backup, restore or verify the store of reviews, and its audit log; of a collection: export, "
    "next (to judge), suspects, causes (of verdicts, by slice), agreement, disagreements, decide, "
    "correct (keywords); create, list, show or close a review for others, sample or estimate (what "
    "it drew at random, and what that estimates of a metric); machine (asks one to judge that, too)"
)
_NEEDS = {"backup": "the new file", "restore": "a copy"}
_OF_PAIR = ("next", "suspects")
_JUDGED = ("causes", "agreement", "disagreements")
_OF_COLLECTION = ("export", *_OF_PAIR, *_JUDGED, "create", "list", "decide", "correct")
_OF_ONE = ("show", "close", "sample", "estimate", "machine")
_OF_EXPORT = ("history", "patch", "qrels")


def add_reviews(command: Command) -> None:
    """Enter the command `reviews`."""
    parser = command("reviews", _reviews, ABOUT)
    parser.add_argument(
        "action", choices=("backup", "restore", "verify", "audit", *_OF_COLLECTION, *_OF_ONE)
    )
    parser.add_argument("subject", nargs="?", metavar="FILE | COLLECTION | ID", default="")
    text = "export: replaced and withdrawn reviews, too"
    parser.add_argument("--history", action="store_true", help=text)
    text = "export: write a patch of the collection's file of judgements; prints what it changes"
    parser.add_argument("--patch", type=Path, metavar="FILE", help=text)
    text = "export: write all labels with corrections, CSV or (.txt, .trec) TREC lines; likewise"
    parser.add_argument("--qrels", type=Path, metavar="FILE", help=text)
    text = "audit: from a day or moment on, such as 2026-11-23 or 2026-11-23T08:00 (UTC)"
    parser.add_argument("--since", default="", metavar="MOMENT", help=text)
    for version in ("--baseline", "--candidate"):
        parser.add_argument(version, metavar="VERSION", help="next, suspects, create")
    add_assigned(parser)
    add_rules(parser)
    add_keywords(parser)


def _reviews(call: Namespace) -> Answer:
    action, subject = call.action, call.subject
    stray = [name for name in _OF_EXPORT if getattr(call, name) and action != "export"]
    if stray:
        name = stray[0]
        raise ValueError(f"--{name} is of export: reviews export COLLECTION --{name}")
    if call.since and action != "audit":
        raise ValueError("--since is of audit: reviews audit --since MOMENT")
    needed = "a collection" if action in _OF_COLLECTION else _NEEDS.get(action)
    needed = "the id of a review" if action in _OF_ONE else needed
    if needed and not subject:
        raise ValueError(f"reviews {action} needs {needed}: reviews {action} NAME")
    call.collection, call.submission, call.dimension = subject, None, None
    if action == "export":
        return _export(call), FINE
    if action == "causes":
        counts = reviewing.verdicts_by_cause(experiment_of(call, opened(call)))
        for words in filter(None, (counts.sentence, counts.machines)):
            complain(f"note: {words}")
        return counts.table, FINE
    if action in _OF_PAIR:
        return _pair(call), FINE
    if action in ASSIGNED:
        found = ASSIGNED[action](call)
        return found if isinstance(found, tuple) else (found, FINE)
    if action == "agreement":
        return review_queue.agreement(opened(call)), FINE
    if action == "disagreements":
        table, decided = review_queue.all_disagreements(opened(call))
        if decided:
            complain(f"note: {counted(decided, 'result')} left out: a curator has decided")
        return table, FINE
    if action == "audit":
        return reviewing.audit(call.since, person=call.author), FINE
    if action == "verify":
        rows = pd.DataFrame(reviewing.verify(Path(subject) if subject else None))
        return rows, FINE if (rows["state"] == "ok").all() else FINDING
    work = {"backup": reviewing.backup, "restore": reviewing.restore}[action]
    return pd.DataFrame({"file": [subject], "reviews": [work(Path(subject))]}), FINE


def _export(call: Namespace) -> pd.DataFrame:
    """The reviews; with a patch or labels to write, the change of every metric."""
    collection = opened(call)
    if not (call.patch or call.qrels):
        return reviewing.all_reviews(collection, history=call.history)
    if call.labels == GIVEN:
        raise ValueError("--labels given: a patch has the corrections; leave --labels out")
    call.labels = CORRECTED
    experiment = experiment_of(call, collection)
    labels = label_changes.changed_labels(experiment)
    keywords = label_changes.number_of_keywords(experiment)
    people = " and ".join(
        [counted(len(labels), "label"), *([counted(keywords, "keyword")] if keywords else [])]
    )
    complain(f"note: reviewers change {people} of {collection.name}; its files stay as they are")
    if call.qrels:
        _write(call.qrels, _written(label_changes.corrected_qrels(experiment), call.qrels))
    metrics = call.metrics or experiment.rules.metrics
    if call.patch is None:
        return label_changes.changed_metrics(experiment, collection.versions, metrics)
    return _write_patch(call.patch, label_changes.patched(experiment, collection.versions, metrics))


def _write_patch(path: Path, patched: label_changes.Patched) -> pd.DataFrame:
    """Writes a patch, and beside it the files that no patch of lines can change; what each metric
    becomes by them."""
    if patched.text or not patched.beside:
        _write(path, patched.text.encode())
    for name, content in patched.beside.items():
        beside = path.with_name(f"{path.stem}-{name}")
        _write(beside, content)
        complain(
            f"note: {name} is no plain text, which a patch could change: {beside.name} is the "
            "corrected file; put it in its place"
        )
    if patched.left_out:
        complain(
            f"note: {counted(patched.left_out, 'label')} in no file, as labels follow from "
            "keywords here; the patch and these metrics are without them"
        )
    complain_about(patched.findings)
    return patched.changed


def _pair(call: Namespace) -> pd.DataFrame:
    """What to judge next, or which labels are suspect, between two versions."""
    pair = (call.baseline, call.candidate)
    if not all(pair):
        raise ValueError(f"reviews {call.action} needs --baseline VERSION --candidate VERSION")
    if pair[0] == pair[1]:
        raise ValueError(f"reviews {call.action} is about two versions, and both are {pair[0]}")
    experiment = experiment_of(call, opened(call))
    if call.action == "suspects":
        return review_queue.suspects(experiment, *pair)
    sampled = assigned_reviews.left_of_sample(experiment.collection, pair, call.author)
    if sampled is not None:
        review, left = sampled
        complain(
            f"note: {counted(len(left), 'result')} that the sample “{review.title}” drew are left "
            f"to judge, at reviews?review={review.id}"
        )
        return pd.DataFrame(left, columns=["query_id", "item_id"]).assign(review=review.id)
    names = (call.metrics or "P@10").split()
    if len(names) != 1:
        raise ValueError("reviews next is about one metric: --metrics P@10")
    table, certain = review_queue.next_to_judge(experiment, *pair, names[0])
    complain(f"note: {names[0]}: {certain}")
    return table


def _written(parts: Iterable[pd.DataFrame], path: Path) -> Iterator[str]:
    """The lines of labels, part by part."""
    lines = path.suffix in (".txt", ".trec")
    for number, qrels in enumerate(parts):
        grades = [f"{grade:g}" for grade in qrels["grade"]]
        if lines:
            rows = zip(qrels["query_id"], qrels["item_id"], grades, strict=True)
            yield "".join(f"{query} 0 {item} {grade}\n" for query, item, grade in rows)
        else:
            table = qrels.assign(grade=grades)
            yield str(table.to_csv(index=False, header=number == 0, lineterminator="\n"))


def _write(path: Path, content: bytes | Iterable[str]) -> None:
    """Writes a new file; raises DataError where there is one."""
    try:
        file = path.open("xb")
    except FileExistsError:
        cure = "Name another, or move it away."
        raise DataError(path.name, "a file", "a new one", cure=cure) from None
    try:
        with file:
            for part in [content] if isinstance(content, bytes) else content:
                file.write(part if isinstance(part, bytes) else part.encode())
    except BaseException:  # half of a file would look like a whole one
        path.unlink()
        raise
