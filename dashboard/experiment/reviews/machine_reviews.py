"""Machines that judge what a review's sample was drawn from, apart from people: their answers, how
far they agree with people, and the estimates that their measured errors correct."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

import pandas as pd

from dashboard.evaluation.digits import number
from dashboard.evaluation.reviewing import machine as machine_answers
from dashboard.evaluation.reviewing import sampled_results
from dashboard.evaluation.reviewing.raters import Agreement
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.reviews import sampled_reviews
from dashboard.progress import report
from dashboard.retrieval.machine_raters import LONGEST_REASON, Answer, Rater, Shown
from dashboard.retrieval.machine_raters import VARIABLE as VARIABLE
from dashboard.retrieval.machine_raters import rater_of as rater_of
from dashboard.retrieval.services import Unanswered
from dashboard.storage.media.frames import pictures_of
from dashboard.storage.media.item_media import rows_of_items
from dashboard.storage.media.lookup import rows_of
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.reviews import assignments, reviews
from dashboard.storage.reviews.assignments import Assignment, Machine
from dashboard.tables import DataError, counted

COLUMNS = ["query_id", "item_id", "value", "problem", "milliseconds"]
_PAIR = ["query_id", "item_id"]


def ask(
    assignment: Assignment,
    collection: Collection,
    rater: Rater,
    author: str,
    *,
    at_once: int = 4,
    most: int | None = None,
) -> pd.DataFrame:
    """Ask a machine what it has not answered yet of the results that a review's sample was drawn
    from, those that people judge first: columns COLUMNS, a row for each that was asked now; value
    is null where it failed, and problem says why.

    Each answer is on the disk before the next is waited for, so a call that was ended goes on.
    most: so many at most. Raises ValueError for a review without a sample, DataError where answers
    cannot be saved.
    """
    sample = assignment.sample
    if sample is None:
        raise ValueError("a machine judges a sample: reviews create COLLECTION --sample 60")
    if assignment.closed:
        raise ValueError("this review is closed; it takes no more answers.")
    definition = Machine(
        fingerprint=rater.fingerprint,
        model=rater.model,
        prompt=rater.prompt,
        settings=json.dumps(dict(rater.settings), ensure_ascii=False, sort_keys=True, default=str),
        place=rater.place,
        frames=rater.frames,
    )
    assignment = assignments.add_machine(assignment, definition, author)
    there = answers(assignment, definition)
    done = set(
        there.loc[there["value"] != reviews.FAILED, _PAIR].itertuples(index=False, name=None)
    )
    ordered = sorted(sample.results, key=lambda row: -row[3])  # drawn ones first
    missing = [(row[0], row[1]) for row in ordered if (row[0], row[1]) not in done][:most]
    rows: list[tuple[str, str, str | None, str, int | None]] = []
    work = f"results of {collection.name}"
    report(work, 0, len(missing))
    for (query, item), answer in _answered(
        missing, _asking(collection, missing, rater), rater, at_once
    ):
        _save(assignment, definition, query, item, answer)
        if isinstance(answer, str):
            rows.append((query, item, None, answer, None))
        else:
            rows.append((query, item, answer.value, "", round(answer.milliseconds)))
        report(work, len(rows), len(missing))
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"milliseconds": "Int64"})
    return table.sort_values(_PAIR, kind="stable", ignore_index=True)


def _asking(
    collection: Collection, pairs: list[tuple[str, str]], rater: Rater
) -> Callable[[tuple[str, str]], Answer | str]:
    """What answers a query and an item, one of these pairs: an answer, or why there is none."""
    queries = rows_of(collection.queries, "query_id", {query for query, _ in pairs})
    like = {str(row["item_id"]) for row in queries.values()}
    items = rows_of_items(collection, sorted(like.union(item for _, item in pairs)))

    def shown(item: str) -> Shown:
        row = items[item]
        text = row["kind"] == "text" or not row["file"]
        pictures = () if text else pictures_of(collection, row, rater.frames)
        return Shown(str(row["caption"] or ""), pictures)

    def answer(pair: tuple[str, str]) -> Answer | str:
        query, item = queries.get(pair[0]), items.get(pair[1])
        if query is None or item is None:
            return "no longer in the collection"
        like = str(query["item_id"] or "")
        try:
            of_item = shown(like) if like in items else Shown("")
            words = ". ".join(part for part in (str(query["text"] or ""), of_item.words) if part)
            return rater.ask(Shown(words, of_item.pictures), shown(pair[1]))
        except (Unusable, DataError) as problem:
            return f"no picture: {problem}"
        except Unanswered as reason:
            return str(reason)

    return answer


def _answered(
    pairs: list[tuple[str, str]],
    answer: Callable[[tuple[str, str]], Answer | str],
    rater: Rater,
    at_once: int,
) -> Iterator[tuple[tuple[str, str], Answer | str]]:
    """Answers as they come; at most `at_once` requests wait, so that few pictures are in memory."""
    left = iter(pairs)
    with ThreadPoolExecutor(at_once) as pool:
        waiting: dict[Future[Answer | str], tuple[str, str]] = {}
        try:
            while True:
                for pair in islice(left, at_once - len(waiting)):
                    waiting[pool.submit(answer, pair)] = pair
                if not waiting:
                    return
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(done), done.result()
        finally:
            rater.stop()
            pool.shutdown(wait=False, cancel_futures=True)


def _save(
    assignment: Assignment, machine: Machine, query: str, item: str, answer: Answer | str
) -> None:
    if isinstance(answer, str):
        value, model, note = reviews.FAILED, "", answer[:LONGEST_REASON]
    else:
        value, model, note = answer.value, answer.model, answer.reason
    reviews.append(
        reviews.Review(
            reviews.MACHINE,
            assignment.collection,
            value,
            _name(machine),
            query_id=query,
            item_id=item,
            run=machine.fingerprint,
            against=model,
            note=note,
            assignment=assignment.id,
        )
    )


def _name(machine: Machine) -> str:
    return f"machine {machine.model}"[: reviews.LONGEST_NAME]


def answers(assignment: Assignment, machine: Machine) -> pd.DataFrame:
    """The last answer of a machine to each result of a review: the table REVIEWS; value `failed`
    where there is none."""
    every = reviews.latest(
        assignment.collection,
        reviews.MACHINE,
        assignment=assignment.id,
        run=machine.fingerprint,
    )
    return every.drop_duplicates(_PAIR, keep="last").reset_index(drop=True)


def agreement(assignment: Assignment, machine: Machine, given: pd.DataFrame) -> list[Agreement]:
    """Alpha and kappa of a machine and people, on what both judged; empty without such results."""
    people = sampled_results.worth_of(given)
    return machine_answers.agreement_with_people(
        people, answers(assignment, machine), _name(machine)
    )


def estimates(assignment: Assignment, machine: Machine, given: pd.DataFrame) -> pd.DataFrame:
    """What a machine's answers estimate, corrected by its errors: as `sampled_reviews.estimates`.

    Raises ValueError while people have not judged all that was drawn, or the machine was not asked
    all that was drawn from.
    """
    judged = answers(assignment, machine)
    total = len(assignment.sample.results) if assignment.sample else 0
    if len(judged) < total:
        raise ValueError(f"the machine was asked {len(judged):,} of {total:,} results")
    return sampled_reviews.corrected(assignment, given, judged)


def sentences(assignment: Assignment, given: pd.DataFrame) -> list[str]:
    """What each machine did: how much it answered, how far it agrees with people, and what its
    answers estimate once its errors are corrected."""
    found = []
    for machine in assignment.machines:
        judged = answers(assignment, machine)
        failed = int((judged["value"] == reviews.FAILED).sum())
        total = len(assignment.sample.results) if assignment.sample else 0
        digest = machine.fingerprint[:12]
        found.append(
            f"Machine {machine.model} (prompt and settings {digest}): answered "
            f"{len(judged) - failed:,} of {total:,} results, {failed:,} without an answer. "
            f"{_agreement_in_words(agreement(assignment, machine, given))}"
        )
        try:
            *_, row = estimates(assignment, machine, given).to_dict("records")
        except ValueError as reason:
            found.append(f"No estimate with {machine.model}: {reason}.")
            continue
        found.append(
            f"{row['metric']}, estimated with {machine.model} and corrected by its errors on "
            f"{counted(int(row['judged']), 'result')} that people judged, too: difference "
            f"{row['estimate']:+.4f} (95 % {row['low']:+.4f} to {row['high']:+.4f})."
        )
    return found


def _agreement_in_words(figures: list[Agreement]) -> str:
    if not figures:
        return "No result was judged by it and by people, so nobody knows how far it agrees."
    words = []
    for each in figures:
        interval = (
            f" (95 % {number(each.low)} to {number(each.high)})" if each.low == each.low else ""
        )
        value = number(each.value) if each.value == each.value else "not defined"
        words.append(f"{each.name} {value}{interval}")
    few = " (few)" if figures[0].few else ""
    return (
        f"Agreement with people: {', '.join(words)} on {counted(figures[0].pairs, 'result')}{few}."
    )
