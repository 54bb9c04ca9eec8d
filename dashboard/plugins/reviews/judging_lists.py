"""Lists to judge: pairs of a query and an item, how they were chosen, and how far people are."""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from secrets import token_hex

import numpy as np
from sqlalchemy import Connection, insert, select

from dashboard.errors import ChoiceError, DataError, explain_errors, list_names
from dashboard.evaluation.metrics import find_metric, parse_one
from dashboard.plugins.reviews import verdicts
from dashboard.plugins.reviews.schema import ASSIGNMENT
from dashboard.plugins.reviews.store import has_store, open_store
from dashboard.plugins.reviews.verdicts import Verdict, check_text
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pair
from dashboard.study.changes import find_cutoff, list_changes, list_shown_ranks, list_worse
from dashboard.study.choices import Choices
from dashboard.study.judging import list_rules
from dashboard.study.study import Study, open_study
from dashboard.tables import Names, Row

COMPARED = {
    "worst": "worst regressions",
    "slice": "a slice",
    "doubtful": "lists that differ most",
    "random": "at random",
}
"""Ways to choose queries whose lists are compared."""
WAYS = COMPARED | {
    "doubtful": "items that the versions rank most differently",
    "change": "labels that, if wrong, help the version that is behind most; unjudged first",
}
"""Ways to choose results that are judged."""
DEPTH = 10
"""Results of each version that a list is chosen from, unless the metric looks at fewer."""
MAX_PAIRS = 10_000
MAX_QUERIES = 200
"""Pairs of a list at most, and queries of one that compares lists."""
SIDE = 6
"""Results of each version that are compared."""
MAX_RANKS = 100
"""Ranks of a metric without a cutoff that a list is chosen from."""
LINEAR = ("P", "CG", "DCG", "DCG(credit)", "RBP")
"""Metrics that are sums of the results' worth, each times the weight of its rank."""
_READ = select(*(ASSIGNMENT.c[name] for name in ("id", "definition", "author", "time")))


@dataclass(frozen=True, kw_only=True)
class JudgingList:
    """A list of pairs that people are asked to judge.

    Attributes:
        candidate: The other version, "" if there is one version only.
        pairs: Query and item, in the order in which they are judged; a review of the first
            edition that compares lists has queries with the item "".
        chosen: How they were chosen, in words.
        seed: Of what was drawn at random.
        author: Who made it, and who alone closes it.
        collection: The collection's key in the store; it is set when the list is saved.
        gone: Pairs that the collection does not have any more, which nobody is asked to judge.
    """

    title: str
    baseline: str
    candidate: str
    protocol: str
    pairs: tuple[Pair, ...]
    author: str
    chosen: str = ""
    seed: str = ""
    collection: str = ""
    closed: bool = False
    id: str = ""
    time: str = ""
    gone: frozenset[Pair] = frozenset()

    @property
    def asked(self) -> list[Pair]:
        """Pairs that the collection still has."""
        return [pair for pair in self.pairs if pair not in self.gone]

    @property
    def is_comparison(self) -> bool:
        """True if lists are compared, query by query, in place of results that are judged."""
        return not any(item for _, item in self.pairs)


def choose_pairs(
    study: Study, choices: Choices, way: str, number: int, seed: int = 0, compares: bool = False
) -> tuple[list[Pair], str]:
    """Return at most `number` pairs to judge, and in words how they were chosen.

    Pairs are among the first results of the versions, as deep as the metric looks, at most DEPTH.
    To compare lists, pairs are queries whose first SIDE results differ, without an item.

    Args:
        study: Its queries are chosen from; a slice is one of its choices.
        choices: One version or two, and the metric by which queries lost, and how deep.
        way: One of WAYS, or of COMPARED. worst: of the queries that lost most, those first that
            moved most; doubtful: those that moved most of all queries; slice: query by query, the
            best rank first; random: drawn from all; change: see `weigh_labels`.
        number: Pairs at most.
        seed: Of random pairs.
        compares: Whether lists are compared.

    Raises:
        ChoiceError: If the way does not fit, or finds no pair.
    """
    versions, metric = choices.compared, choices["metric"]
    if compares and (way not in COMPARED or len(versions) < 2):
        raise ChoiceError(f"Lists of two versions are compared. There are: {', '.join(COMPARED)}.")
    queries, told = _choose_queries(study, choices, way, number, compares)
    depth = SIDE if compares else find_cutoff(metric, DEPTH)
    rows = []
    if way == "change":
        rows = weigh_labels(study, versions, queries, metric)
    else:
        for place, item, ranks in list_shown_ranks(study, versions, queries, depth):
            weights = 1 / np.log2(1 + np.array(ranks))  # of nDCG
            rows.append((place, item, np.ptp(weights), weights.max()))
    if compares:
        moves: defaultdict[int, float] = defaultdict(float)
        for place, _, moved, _ in rows:
            moves[place] += moved
        rows = [(place, -1, moved, 0.0) for place, moved in moves.items() if moved > 0]
    if way == "random":
        drawn = np.random.default_rng(seed).permutation(len(rows))
        of = f" of {len(rows):,} whose lists differ" if compares else ""
        rows = [rows[place] for place in drawn.tolist()]
        told = f"{told}{of}, seed {seed}"
    elif way == "slice":
        rows.sort(key=lambda row: (row[0], -row[3]))
    elif way != "change":
        rows = [row for row in rows if row[2] > 0]
        rows.sort(key=lambda row: (row[0] if way == "worst" else 0, -row[2]))
    items = (*study.collection.items.ids, "")
    pairs = [(queries[place], items[item]) for place, item, *_ in rows[:number]]
    if not pairs:
        raise ChoiceError(f"Nothing to {'compare' if compares else 'judge'} is found ({told}).")
    return pairs, told + ", all there are" * (len(pairs) < number)


def _choose_queries(
    study: Study, choices: Choices, way: str, number: int, compares: bool
) -> tuple[Names, str]:
    """Return the queries that a way looks at, in its order, and the way in words."""
    named, most = ("queries", MAX_QUERIES) if compares else ("pairs", MAX_PAIRS)
    if not 1 <= number <= most:
        raise ChoiceError(f"number = {number}: 1 to {most:,} {named} can be chosen.")
    if way in ("worst", "doubtful", "change") and len(choices.compared) < 2:
        raise ChoiceError(f"{WAYS[way].capitalize()}: name two versions.")
    if way == "slice" and not study.choices["slice"]:
        raise ChoiceError("Name the slice, such as --slice A=x.")
    told = (COMPARED if compares else WAYS)[way]
    by_metric = f"{told} by {choices['metric']}"
    if way == "worst":
        return [row["query_id"] for row in list_worse(study, choices)], by_metric
    if way == "slice":
        return study.query_ids, " & ".join(study.choices["slice"])
    return study.query_ids, by_metric if way == "change" else told


def weigh_labels(
    study: Study, versions: Names, queries: Names, metric: str
) -> list[tuple[int, int, float, float]]:
    """Return the results whose other label would help the version that is behind, by how much.

    The difference of a linear metric is the sum of each item's worth times its weight, which is
    that of its rank in the second version less that in the first (Carterette et al., SIGIR 2006).
    A relevant result that is none takes its weight away; any other one, if it is relevant, adds it.
    What moves the difference away from the version that leads is returned; without one, all.
    Queries without a value are left out.

    Returns:
        Place of the query, item, how far the difference moves, and 1 where nobody judged, else 0:
        those first that nobody judged, of them those first that move it most.

    Raises:
        ChoiceError: If the metric is no such sum.
    """
    measure = parse_one(metric)
    entry, settings = find_metric(measure.name)
    if entry.name not in LINEAR or settings.get("per", "list") != "list":
        raise ChoiceError(
            f"{WAYS['change'].capitalize()}: {metric} is no sum of the results' worth. Choose "
            f"one of {', '.join(LINEAR)}."
        )

    def weigh(rank: float) -> float:
        """Return the weight of a rank, but for a factor."""
        if entry.name == "RBP":
            return float(float(settings["p"]) ** (rank - 1))
        return float(1 / np.log2(1 + rank) if entry.name.startswith("DCG") else rank < np.inf)

    shown = list_shown_ranks(study, versions, queries, measure.cutoff or MAX_RANKS)
    changed = list_changes(study, versions[0], versions[1], metric)
    deltas = {row["query_id"]: row["delta"] for row in changed if row["delta"] is not None}
    lead = float(np.sign(round(sum(deltas.values()), 9)))
    rows = []
    for place, pairs in groupby(shown, key=itemgetter(0)):
        if queries[place] not in deltas:
            continue
        grades = study.judgement.grades(study.collection.queries.index[queries[place]])
        for _, item, (before, after) in pairs:
            weight = weigh(after) - weigh(before)
            change = -weight if grades[item] >= study.judgement.relevant_from else weight
            change = -lead * change if lead else abs(change)
            if change > 0:
                rows.append((place, item, change, float(np.isnan(grades[item]))))
    return sorted(rows, key=lambda row: (-row[3], -row[2]))


def open_whole(collection: Collection, made: JudgingList, choices: Choices) -> Study:
    """Return the study of all queries of a collection by the protocol of a list, if it is there."""
    whole = choices.replace(queries="all", slice=())
    if made.protocol in (rules.name for rules in list_rules(collection)):
        whole = whole.replace(protocol=made.protocol)
    return open_study(collection, whole)


def make_list(
    study: Study,
    choices: Choices,
    title: str,
    author: str,
    way: str,
    number: int,
    seed: int = 0,
    compares: bool = False,
) -> JudgingList:
    """Choose pairs by `choose_pairs` for the versions and the metric of choices; save the list."""
    versions = choices.compared
    pairs, chosen = choose_pairs(study, choices, way, number, seed, compares)
    made = JudgingList(
        title=title.strip(), baseline=versions[0], candidate="".join(versions[1:]), author=author,
        protocol=choices["protocol"], pairs=tuple(pairs), chosen=chosen, seed=str(seed),
    )  # fmt: skip
    return create_list(study.collection.folder, made)


def create_list(folder: Path, made: JudgingList) -> JudgingList:
    """Save a new list of the collection in a folder, under an id of its own.

    Raises:
        ChoiceError: If a text cannot be kept.
        DataError: If the store cannot be written.
    """
    check_text("title", made.title, is_needed=True)
    check_text("author", made.author, is_needed=True)
    with open_store(writing=True) as connection:
        key = verdicts.record_key(connection, folder)
        made = replace(made, collection=key, id=token_hex(6), time=verdicts.write_time())
        _save(connection, made)
    return made


def close_list(made: JudgingList, author: str) -> JudgingList:
    """Close a list that the author made: nobody is given a pair of it any more."""
    if made.author != author:
        raise ChoiceError(f"{made.id} was made by {made.author}, who alone can close it.")
    closed = replace(made, closed=True, time=verdicts.write_time())
    with open_store(writing=True) as connection:
        _save(connection, closed)
    return closed


def read_lists(collection: Collection, left_out: list[str] | None = None) -> list[JudgingList]:
    """Return the lists of a collection, the newest first, with the pairs that are gone.

    Args:
        collection: What they are of.
        left_out: Gains a sentence for each list, of any collection, that cannot be read.
    """
    if not has_store():
        return []
    key = verdicts.read_state(collection.folder)[0]
    with open_store() as connection:
        rows = connection.execute(_READ.order_by(ASSIGNMENT.c.number)).all()
    found: dict[str, JudgingList] = {}
    for row in rows:
        try:
            made = _read(*row)
        except DataError as error:
            found.pop(row.id, None)  # it may have been closed
            if left_out is not None:
                left_out.append(str(error))
            continue
        found[made.id] = replace(made, author=found[made.id].author) if made.id in found else made
    own = [made for made in found.values() if made.collection == key]
    pairs = {pair for made in own for pair in made.pairs}
    gone = frozenset(pair for pair in pairs if not verdicts.has_pair(collection, *pair))
    return [replace(made, gone=gone.intersection(made.pairs)) for made in reversed(own)]


def find_list(collection: Collection, id: str = "") -> JudgingList:
    """Return the list of an id, or the newest that is open; raise ChoiceError if there is none."""
    lists = read_lists(collection)
    fitting = [each for each in lists if each.id == id or not (id or each.closed)]
    if not fitting:
        known = f"There are: {list_names([each.id for each in lists], 20)}."
        wanted = f"There is no list {id[:80]!r}" if id else "No list is open"
        raise ChoiceError(f"{wanted}. {known if lists else 'There are none.'}")
    return fitting[0]


def describe_gone(made: JudgingList) -> str:
    """Return how many pairs of a list are gone, in words; "" if none is."""
    told = f"gone from the collection: {len(made.gone):,} of {len(made.pairs):,} pairs"
    return told if made.gone else ""


def check_open(connection: Connection, row: Verdict) -> None:
    """Check that the list of a row takes it: it is open and has the pair.

    Raises:
        ChoiceError: If it does not, or cannot be read.
    """
    asked = _READ.where(ASSIGNMENT.c.id == row.list_id).order_by(ASSIGNMENT.c.number.desc())
    found = connection.execute(asked.limit(1)).first()
    try:
        made = _read(*found) if found else None
    except DataError as error:
        raise ChoiceError(str(error)) from error
    if not made or made.collection != row.collection:
        raise ChoiceError(f"There is no list {row.list_id[:80]!r}.")
    if made.closed:
        raise ChoiceError(f"The list {made.title!r} is closed; it takes no more verdicts.")
    if row.pair not in made.pairs:
        raise ChoiceError(
            f"The list {made.title!r} does not have query {row.query_id} and item {row.item_id!r}."
        )


def _save(connection: Connection, made: JudgingList) -> None:
    values = asdict(made)
    del values["gone"]
    row = {name: values.pop(name) for name in ("id", "author", "time")}
    row["definition"] = json.dumps(values, ensure_ascii=False)
    connection.execute(insert(ASSIGNMENT).values(row))


def _read(id: str, definition: str, author: str, time: str) -> JudgingList:
    found, wanted = f"a list {id[:40]!r} that cannot be read", "one that this program wrote"
    with explain_errors("reviews", found, wanted):
        values = json.loads(definition)
        drawn = (values.get("sample") or {}).get("results") or ()
        pairs = values.get("pairs") or [row[:2] for row in drawn if row[3]]
        pairs = pairs or [(query, "") for query in values["queries"]]
        names = ("collection", "title", "baseline", "candidate", "protocol", "chosen", "seed")
        texts: Row = {name: str(values.get(name, "")) for name in names}
        named = tuple(dict.fromkeys((str(query), str(item)) for query, item in pairs))
        texts["author"] = verdicts.clean_name(author)
        closed = bool(values.get("closed"))
        return JudgingList(**texts, pairs=named, closed=closed, id=id, time=time)
