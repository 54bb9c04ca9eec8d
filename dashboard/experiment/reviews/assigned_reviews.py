"""Reviews that somebody makes for others: their queries, their answers, and what came of them."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.reviewing import raters
from dashboard.evaluation.reviewing.preferences import SCORES, Preference, preference
from dashboard.experiment import judging, measuring
from dashboard.experiment.collection.collections import (
    Collection,
    collection,
    collection_names,
    query_names,
)
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.reviews import machine_reviews, review_queue, sampled_reviews
from dashboard.storage.reviews import assignments, reviews
from dashboard.storage.reviews.assignments import Assignment as Assignment
from dashboard.storage.reviews.assignments import Sample
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.rights import ASSIGN as ASSIGN
from dashboard.storage.reviews.rights import DECIDE as DECIDE
from dashboard.storage.reviews.rights import KEEP as KEEP
from dashboard.storage.reviews.rights import REVIEW as REVIEW
from dashboard.storage.reviews.rights import Actor as Actor
from dashboard.storage.reviews.rights import actor as actor
from dashboard.tables import REVIEWS, counted

CHOSEN = {
    "worst": "worst regressions",
    "random": "at random",
    "slice": "a slice",
    "disagreements": "disagreements of reviewers",
    "words": "search by words",
}
"""The ways to choose queries."""
SIDES = ("A", "B")
JUDGED = reviews.VALUES[reviews.VERDICT]
"""What a reviewer can say of a result that was drawn."""
ANSWERS = {
    "A much better": 2,
    "A better": 1,
    "Same": 0,
    "B better": -1,
    "B much better": -2,
    "Cannot judge": None,
}
"""What a reviewer can answer of two sides, and how far that is for the first."""
_VALUES = {score: value for value, score in SCORES.items()}


def choose(
    experiment: Experiment,
    pair: tuple[str, str],
    way: str,
    number: int,
    *,
    metric: str = "",
    seed: int = 1,
    wanted: str = "",
) -> tuple[tuple[str, ...], str]:
    """At most `number` queries, and in words how they were chosen.

    way: one of CHOSEN. metric: of `worst`, else the protocol's first. wanted: `by=name` of a slice,
    or the words that a query has to hold. Raises ValueError for what cannot be chosen.
    """
    if pair[0] == pair[1]:
        raise ValueError(f"a review compares two versions, and both are {pair[0]}")
    queries = judging.queries(experiment)["query_id"].astype(str).tolist()
    if way == "worst":
        front = parse(metric)[0] if metric else experiment.rules.front
        table = measuring.measurements(experiment, pair, str(front))
        values = table.pivot(index="query_id", columns="run", values="value")
        change = (values[pair[1]] - values[pair[0]]).dropna().sort_values(kind="stable")
        chosen = [str(query) for query in change[change < 0].index]
        return tuple(chosen[:number]), f"{CHOSEN[way]} by {front}"
    if way == "random":
        drawn = np.random.default_rng(seed).permutation(len(queries))[:number]
        return tuple(queries[place] for place in drawn), f"{CHOSEN[way]}, seed {seed}"
    if way == "slice":
        by, _, name = wanted.partition("=")
        known = measuring.slices_of(experiment.collection)
        if name not in known.get(by, ()):
            there = [f"{each}={one}" for each, of in known.items() for one in of]
            raise ValueError(f"no slice {wanted[:80]!r}; there are {', '.join(there[:12])}")
        every = measuring.slices(experiment)
        inside = set(every.loc[(every["by"] == by) & (every["slice"] == name), "query_id"])
        return tuple(q for q in queries if q in inside)[:number], f"slice {wanted}"
    if way == "disagreements":
        found = review_queue.undecided(experiment.collection)["query_id"]
        return tuple(dict.fromkeys(map(str, found)))[:number], CHOSEN[way]
    if way == "words":
        names = query_names(experiment.collection)
        words = wanted.casefold().split()
        chosen = [q for q in queries if all(word in names[q].casefold() for word in words)]
        return tuple(chosen[:number]), f"{CHOSEN[way]} “{wanted.strip()}”"
    raise ValueError(f"{way[:40]!r} chooses no queries: {', '.join(CHOSEN)} do")


def create(
    experiment: Experiment,
    pair: tuple[str, str],
    queries: tuple[str, ...],
    chosen: str,
    author: str,
    *,
    title: str,
    instruction: str = "",
    people: tuple[str, ...] = (),
    blind: bool = True,
    sample: Sample | None = None,
) -> Assignment:
    """Save a review of two versions; raises ValueError for what cannot be reviewed, DataError where
    it cannot be saved or may not be made.

    sample: from `sampled_reviews.draw`; its results are judged one by one, in place of the queries.
    """
    assignment = Assignment(
        collection=key_of(experiment.collection, saying=True),
        title=title.strip(),
        instruction=instruction.strip(),
        baseline=pair[0],
        candidate=pair[1],
        protocol=experiment.protocol,
        queries=queries,
        chosen=chosen,
        people=tuple(dict.fromkeys(name.strip() for name in people if name.strip())),
        blind=blind,
        content=experiment.digest,
        sample=sample,
    )
    return assignments.create(assignment, author)


def all_reviews_of(collection: Collection) -> list[Assignment]:
    """The reviews of a collection, the newest first."""
    return assignments.of_collection(key_of(collection))


def review_named(id: str) -> Assignment | None:
    """The review of an id; None where there is none."""
    return assignments.named(id)


def collection_of(assignment: Assignment) -> Collection | None:
    """The collection of a review; None where it is not among those that can be opened."""
    for name in sorted(collection_names(), key=lambda name: name != assignment.collection):
        there, _ = collection(name)
        if there is not None and key_of(there) == assignment.collection:
            return there
    return None


def close(assignment: Assignment, author: str) -> Assignment:
    """End a review: it takes no more answers, and everybody sees what came of it."""
    return assignments.close(assignment, author)


def sides(assignment: Assignment, query_id: str, author: str) -> tuple[str, str]:
    """The versions on the sides A and B: of a blind review shuffled by query, and for one person
    always the same; else baseline and candidate."""
    pair = (assignment.baseline, assignment.candidate)
    named = "\n".join((assignment.seed, assignment.id, query_id, author))
    turned = hashlib.sha256(named.encode()).digest()[0] % 2 == 1
    return pair[::-1] if assignment.blind and turned else pair


def experiment_of(assignment: Assignment, collection: Collection) -> Experiment:
    """The experiment whose results a review shows: all queries, judged by its protocol."""
    return Experiment.of(
        collection,
        protocol=assignment.protocol,
        groups=collection.default_groups,
        mapping_threshold=collection.mapping_threshold,
        queries="all",
    )


def save_answer(
    assignment: Assignment, query_id: str, author: str, answer: str, note: str, once: str
) -> str:
    """Save what a reviewer says of two sides, one of ANSWERS; returns it as a preference for the
    candidate. It is on the disk when this returns.

    Raises ValueError for what cannot be saved, DataError where it may not or cannot be.
    """
    score = ANSWERS[answer]
    if score is not None and sides(assignment, query_id, author)[0] != assignment.candidate:
        score = -score
    value = "cannot judge" if score is None else _VALUES[score]
    _save(assignment, query_id, author, value, note, once)
    return value


def save_judgement(
    assignment: Assignment,
    query_id: str,
    item_id: str,
    author: str,
    value: str,
    note: str,
    once: str | None,
) -> None:
    """Save what a reviewer says of a result that the review's sample has drawn: relevant, not,
    unsure, or nothing to take it back. Raises as `save_answer`."""
    if assignment.sample is None or (query_id, item_id) not in assignment.sample.drawn:
        raise ValueError("this result is not in the review's sample. Reload the page.")
    if value not in (*JUDGED, reviews.TAKEN_BACK):
        raise ValueError(f"{value[:40]!r} is no judgement: {', '.join(JUDGED)} are.")
    _save(assignment, query_id, author, value, note, once, item_id)


def take_back(assignment: Assignment, query_id: str, author: str) -> None:
    """Take back a reviewer's answer on a query; raises as `save_answer`."""
    _save(assignment, query_id, author, reviews.TAKEN_BACK, "", None)


def _save(
    assignment: Assignment,
    query_id: str,
    author: str,
    value: str,
    note: str,
    once: str | None,
    item_id: str = "",
) -> None:
    now = assignments.named(assignment.id)
    if now is None or now.closed:
        raise ValueError("this review is closed; it takes no more answers.")
    if query_id not in assignment.queries or bool(item_id) != bool(assignment.sample):
        raise ValueError("this query is not in the review. Reload the page.")
    invited = actor().review == assignment.id  # by a share link to it
    if assignment.people and author not in assignment.people and not invited:
        raise ValueError(f"this review is for {', '.join(assignment.people)}.")
    versions = {"run": assignment.candidate, "against": assignment.baseline}
    review = reviews.Review(
        _kind(assignment),
        assignment.collection,
        value,
        author,
        query_id=query_id,
        item_id=item_id,
        note=note,
        assignment=assignment.id,
        **({} if assignment.sample else versions),
    )
    reviews.append(review, once)


def _kind(assignment: Assignment) -> str:
    return reviews.VERDICT if assignment.sample else reviews.PREFERENCE


def answers(assignment: Assignment) -> pd.DataFrame:
    """The last answer of each reviewer on each query of a review, or on each result of its sample:
    the table REVIEWS."""
    return reviews.latest(assignment.collection, _kind(assignment), assignment=assignment.id)


def left_of_sample(
    collection: Collection, pair: tuple[str, str], author: str = ""
) -> tuple[Assignment, list[tuple[str, str]]] | None:
    """The newest open review of two versions whose sample is not judged whole, with query and item
    of each drawn result that is left, in order; None where there is none.

    author: who has to judge them, if it is for that person; nobody: what nobody has judged.
    """
    for review in all_reviews_of(collection):
        of_pair = {review.baseline, review.candidate} == set(pair)
        if review.sample is None or review.closed or not of_pair:
            continue
        if author and review.people and author not in review.people:
            continue
        given = answers(review)
        given = given[given["author"] == author] if author else given
        done = set(zip(given["query_id"], given["item_id"], strict=True))
        if left := [each for each in review.sample.drawn if each not in done]:
            return review, left
    return None


def answers_by_review(collection: Collection) -> dict[str, pd.DataFrame]:
    """The same of all reviews of a collection that have answers, by their ids, in one reading."""
    key = key_of(collection)
    kinds = {_kind(each) for each in all_reviews_of(collection)}
    given = pd.concat([REVIEWS.empty(), *(reviews.latest(key, kind) for kind in sorted(kinds))])
    return {str(id): mine for id, mine in given.groupby("assignment") if id}


def progress(assignment: Assignment, given: pd.DataFrame) -> pd.DataFrame:
    """How far each person is who is wanted or has answered: reviewer, answered, queries (of a
    sample: results), last."""
    drawn = assignment.sample.drawn if assignment.sample else ()
    of, total = ("results", len(drawn)) if drawn else ("queries", len(assignment.queries))
    names = dict.fromkeys([*assignment.people, *given["author"]])
    rows = [
        {
            "reviewer": name,
            "answered": len(mine),
            of: total,
            "last": str(mine["time"].max()) if len(mine) else "",
        }
        for name in names
        for mine in [given[given["author"] == name]]
    ]
    return pd.DataFrame(rows, columns=["reviewer", "answered", of, "last"])


def outcome(given: pd.DataFrame) -> Preference:
    """What the answers say of the candidate, query by query."""
    return preference(given[["query_id", "author", "value"]])


def agreement(given: pd.DataFrame) -> str:
    """How far reviewers agree on the queries that two or more of them judged, in a sentence; empty
    where there is none. Answers are ordered, from much worse to much better."""
    places = {
        value: str(place) for place, value in enumerate(sorted(SCORES, key=lambda of: SCORES[of]))
    }
    graded = given.assign(value=given["value"].map(places).fillna(""))
    return raters.in_words(raters.ratings(graded), "queries", ordinal=True)


def conclusion(assignment: Assignment, found: Preference) -> str:
    """What came of a review in a sentence."""
    if not found.queries:
        return "Nobody has judged a query yet."
    pair = f"{assignment.candidate} better on {found.better}, {assignment.baseline} on"
    queries = counted(found.queries, "query", "queries")
    sentence = f"{pair} {found.worse}, {found.same} the same, of {queries}"
    if np.isnan(found.p):
        return f"{sentence}."
    return (
        f"{sentence}. Of those that differ {found.share:.0%} are better "
        f"[{found.low:.0%}, {found.high:.0%}], p = {found.p:.3g} (sign test)."
    )


def findings(assignment: Assignment, given: pd.DataFrame) -> list[str]:
    """What came of a review, how far its reviewers agree, and what machines did, in sentences."""
    if assignment.sample:
        first = sampled_reviews.conclusion(assignment, given)
        agreed = raters.in_words(raters.ratings(given), "results")
        machines = machine_reviews.sentences(assignment, given)
    else:
        first, agreed = conclusion(assignment, outcome(given)), agreement(given)
        machines = []
    return [sentence for sentence in (first, agreed, *machines) if sentence]


def decide(
    collection: Collection, query_id: str, item_id: str, value: str, author: str, note: str = ""
) -> None:
    """Save a curator's decision on a pair: relevant, not, unsure (the label stays) or a grade.

    Raises ValueError for what cannot be saved, DataError where it may not or cannot be.
    """
    if not (collection.queries["query_id"] == query_id).any():
        raise ValueError(f"no query {query_id[:80]!r} in {collection.name}")
    if not (collection.items["item_id"] == item_id).any():
        raise ValueError(f"no item {item_id[:80]!r} in {collection.name}")
    key = key_of(collection, saying=True)
    reviews.append(
        reviews.Review(
            reviews.DECISION, key, value, author, query_id=query_id, item_id=item_id, note=note
        )
    )
