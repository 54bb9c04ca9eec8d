"""`reviews create`, `list`, `show`, `close`: reviews made for others; `sample`, `estimate`: what
one drew, and what that estimates of a metric; `decide`: what a curator says where reviewers differ;
`correct`: keywords of an item or a query."""

from __future__ import annotations

import getpass
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

from dashboard.commands.collections.embedding import add_service_limits, client_of, progress_bar
from dashboard.commands.console import (
    FINDING,
    FINE,
    Answer,
    at_least_one,
    complain,
    opened,
    resumed_later,
    seed,
)
from dashboard.commands.experiments import experiment_of
from dashboard.experiment.reviews import (
    assigned_reviews,
    keyword_changes,
    machine_reviews,
    sampled_reviews,
)
from dashboard.experiment.reviews.assigned_reviews import CHOSEN, Assignment

NUMBER = 20


def add_assigned(parser: ArgumentParser) -> None:
    """Add the options of reviews that are made for others, and of decisions."""
    parser.add_argument("--title", default="", help="create")
    text = f"machine: FILE.toml with the service; default: what {machine_reviews.VARIABLE} names"
    parser.add_argument("--rater", default="", metavar="FILE", help=text)
    parser.add_argument("--most", type=at_least_one, metavar="N", help="machine: so many at most")
    text = "machine: requests at the same time (4)"
    parser.add_argument("--at-once", type=at_least_one, default=4, metavar="N", help=text)
    add_service_limits(parser)
    parser.add_argument("--instruction", default="", help="create: what reviewers have to know")
    parser.add_argument("--choose", choices=tuple(CHOSEN), default="worst", help="create: queries")
    parser.add_argument(
        "--number", type=at_least_one, default=NUMBER, help="create: at most so many"
    )
    text = "create: of queries and results at random"
    parser.add_argument("--seed", type=seed, default=1, help=text)
    text = "create: about so many results of these queries, drawn at random, to estimate --metrics"
    parser.add_argument("--sample", type=at_least_one, metavar="N", help=text)
    text = "create: of a slice BY=NAME, of words what queries hold"
    parser.add_argument("--wanted", default="", metavar="TEXT", help=text)
    text = "create: who is wanted; default: whoever has the link"
    parser.add_argument("--people", nargs="+", default=[], metavar="NAME", help=text)
    text = "create: versions are named while they are judged"
    parser.add_argument("--named", action="store_true", help=text)
    text = "create, close, decide, correct: default: your login; audit, next: only of such a name"
    parser.add_argument("--author", default="", help=text)
    parser.add_argument("--query", default="", metavar="ID", help="decide, correct")
    parser.add_argument("--item", default="", metavar="ID", help="decide, correct")
    for flag, text in (
        ("--add", "that the item has, or words of the query mean"),
        ("--remove", "that the item lacks, or no words of the query mean"),
        ("--take-back", "of which you said something"),
    ):
        text = f"correct: a keyword {text}"
        parser.add_argument(flag, default="", metavar="GROUP=KEYWORD", help=text)
    text = "correct: the words of the query that mean the added keyword"
    parser.add_argument("--words", default="", metavar="TEXT", help=text)
    text = "decide: relevant, not, unsure (the label stays) or a grade"
    parser.add_argument("--value", default="", help=text)
    parser.add_argument("--note", default="", help="decide")


def _create(call: Namespace) -> pd.DataFrame:
    """A new review, and the link to it."""
    pair = (call.baseline or "", call.candidate or "")
    if not all(pair):
        raise ValueError("reviews create needs --baseline VERSION --candidate VERSION")
    experiment = experiment_of(call, opened(call))
    unknown = [name for name in pair if name not in experiment.collection.versions]
    if unknown:
        there = ", ".join(experiment.collection.versions)
        raise ValueError(f"no version {unknown[0]!r}; there are {there}")
    queries, chosen = assigned_reviews.choose(
        experiment,
        pair,
        call.choose,
        call.number,
        metric=(call.metrics or "").split(" ")[0],
        seed=call.seed,
        wanted=call.wanted,
    )
    sample = None
    if call.sample:
        metric = _one_metric(call)
        sample = sampled_reviews.draw(experiment, pair, queries, metric, call.sample, call.seed)
    made = assigned_reviews.create(
        experiment,
        pair,
        queries,
        chosen,
        _author(call),
        title=call.title,
        instruction=call.instruction,
        people=tuple(call.people),
        blind=not call.named,
        sample=sample,
    )
    return _listed([made])


def _one_metric(call: Namespace) -> str:
    names = (call.metrics or "P@10").split()
    if len(names) != 1:
        raise ValueError("a sample estimates one metric: --metrics P@10")
    return str(names[0])


def _list(call: Namespace) -> pd.DataFrame:
    return _listed(assigned_reviews.all_reviews_of(opened(call)))


def _show(call: Namespace) -> pd.DataFrame:
    """How far each person is; what came of it is a note."""
    assignment = _named(call)
    given = assigned_reviews.answers(assignment)
    for sentence in assigned_reviews.findings(assignment, given):
        complain(f"note: {sentence}")
    return assigned_reviews.progress(assignment, given)


def _sample(call: Namespace) -> pd.DataFrame:
    """Each result that was drawn, with the probability of that and its judgement."""
    assignment = _named(call)
    if assignment.sample is None:
        raise ValueError("this review draws no sample: reviews create COLLECTION --sample 60 does")
    return sampled_reviews.judgements(assignment.sample, assigned_reviews.answers(assignment))


def _estimate(call: Namespace) -> pd.DataFrame:
    """What the sample estimates of the metric by people, and with each machine that was asked all;
    what that is about is a note."""
    assignment = _named(call)
    given = assigned_reviews.answers(assignment)
    tables = [sampled_reviews.estimates(assignment, given).assign(by="people")]
    if assignment.sample:
        complain(f"note: {sampled_reviews.meaning(assignment.sample)}")
    for machine in assignment.machines:
        try:
            table = machine_reviews.estimates(assignment, machine, given)
        except ValueError as reason:
            complain(f"note: no estimate with {machine.model}: {reason}")
            continue
        tables.append(table.assign(by=f"people and {machine.model}"))
    return pd.concat(tables, ignore_index=True)


def _machine(call: Namespace) -> Answer:
    """What a machine answered to now; what failed is listed, and asked again by the next call."""
    file = call.rater or os.environ.get(machine_reviews.VARIABLE, "")
    if not file:
        variable = machine_reviews.VARIABLE
        raise ValueError(f"reviews machine needs --rater FILE.toml, or {variable} that names it")
    assignment = _named(call)
    collection = assigned_reviews.collection_of(assignment)
    if collection is None:
        raise ValueError(f"the collection {assignment.collection} is not below the data folder")
    rater = machine_reviews.rater_of(Path(file), lambda headers: client_of(call, headers))
    with resumed_later(), progress_bar("results"):
        table = machine_reviews.ask(
            assignment, collection, rater, _author(call), at_once=call.at_once, most=call.most
        )
    failed = int(table["value"].isna().sum())
    answered = f"{len(table) - failed:,} answered and {failed:,} failed now"
    complain(f"note: {rater.model} (prompt and settings {rater.fingerprint[:12]}): {answered}")
    return table, FINDING if failed else FINE


def _close(call: Namespace) -> pd.DataFrame:
    return _listed([assigned_reviews.close(_named(call), _author(call))])


def _decide(call: Namespace) -> pd.DataFrame:
    if call.add or call.remove or call.take_back:
        return _correct(call, deciding=True)
    if not (call.query and call.item and call.value):
        raise ValueError("reviews decide needs --query ID --item ID --value relevant|not|unsure")
    author = _author(call)
    assigned_reviews.decide(opened(call), call.query, call.item, call.value, author, call.note)
    row = {"query_id": call.query, "item_id": call.item, "value": call.value, "author": author}
    return pd.DataFrame([row])


def _correct(call: Namespace, deciding: bool = False) -> pd.DataFrame:
    """Save what a reviewer says of one keyword, or what a curator decides."""
    given = {"add": call.add, "remove": call.remove, "": call.take_back}
    (value, named), *more = [(each, text) for each, text in given.items() if text] or [("", "")]
    group, _, keyword = named.partition("=")
    if more or not keyword or bool(call.query) == bool(call.item):
        raise ValueError(
            f"reviews {call.action} needs --item ID or --query ID and one of --add, --remove or "
            "--take-back GROUP=KEYWORD"
        )
    collection, author, subject = opened(call), _author(call), call.query or call.item
    kind = keyword_changes.MAPPING if call.query else keyword_changes.KEYWORD
    kind = keyword_changes.DECISIONS[kind] if deciding else kind
    words = f"{value} {call.words}".strip() if call.query and value == "add" else value
    spelled = keyword_changes.save(collection, kind, subject, group, keyword, words, author)
    row = {"query_id": call.query, "item_id": call.item, "group": group, "keyword": spelled}
    return pd.DataFrame([{**row, "value": value or "taken back", "author": author}])


def _author(call: Namespace) -> str:
    return str(call.author or getpass.getuser())


def _named(call: Namespace) -> Assignment:
    found = assigned_reviews.review_named(call.subject)
    if found is None:
        raise ValueError(f"no review {call.subject[:80]!r}: reviews list COLLECTION has their ids")
    return found


def _listed(reviews: list[Assignment]) -> pd.DataFrame:
    rows = [
        {
            "id": each.id,
            "title": each.title,
            "baseline": each.baseline,
            "candidate": each.candidate,
            "queries": len(each.queries),
            "chosen": each.chosen,
            "drawn": len(each.sample.drawn) if each.sample else None,
            "people": ", ".join(each.people),
            "blind": "yes" if each.blind else "no",
            "state": "closed" if each.closed else "open",
            "author": each.author,
            "time": each.time,
            "link": f"reviews?review={each.id}",
        }
        for each in reviews
    ]
    columns = ["id", "title", "baseline", "candidate", "queries", "chosen"]
    more = ["drawn", "people", "blind", "state", "author", "time", "link"]
    return pd.DataFrame(rows, columns=[*columns, *more]).astype({"drawn": "Int64"})


ASSIGNED = {
    "create": _create, "list": _list, "show": _show, "close": _close, "decide": _decide,
    "correct": _correct, "sample": _sample, "estimate": _estimate, "machine": _machine,
}  # fmt: skip
"""What answers each action: a table, with an exit code where it may be a finding."""
