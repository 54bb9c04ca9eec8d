"""Why a result is wrong: the first of four causes that the numbers support.

doubtful label  It lacks one thing that the query asks for, yet MOST of its nearest neighbours have
                it, which RARE others that lack it can say. Without keywords that thing is to be
                relevant.
near miss       It lacks one keyword of two or more, or has half the credit of a relevant item.
look-alike      It is as similar to a relevant item, or to the query's own item, as one pair of
                items in a hundred is.
model error     None of these.

Neighbours and similarity are those of the version whose result it is, by its own vectors; a version
without vectors has near misses and model errors only. Causes of many results are counted, and told
in a sentence.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.judgement import find_relevant
from dashboard.evaluation.measurement import Described
from dashboard.retrieval.gallery import Gallery
from dashboard.retrieval.sources import VectorSource
from dashboard.study.changes import find_cutoff, list_ranks, list_worse
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Float32Array, IntArray, Row, Rows
from dashboard.texts import count_things

LABEL, NEAR, ALIKE, MODEL = CAUSES = ("doubtful label", "near miss", "look-alike", "model error")
MOST = 0.7
RARE = 0.05
COMMON = 10
"""Share of other items that may have such neighbours, and how many others must tell."""
HALF = 0.5
NEAREST = 10
"""Neighbours of an item that are looked at."""
MAX_SAMPLE = 20_000
MAX_NUMBERS = 8_000_000
"""Items among which neighbours are searched, at most, and numbers of their vectors."""
STRETCH = 256
"""Items beside each other in a large gallery, which are read from a file at once."""
PROBES = 500
"""Items that tell what is usual."""
USUAL = 0.99
"""Share of pairs of items that are less similar than those that stand out."""

MAX_CAPTION = 40
"""Letters of a caption that names an item in a note; an item with a longer one has its id."""
NAMED = 3
"""Keywords that a sentence names, at most."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Items from all over a gallery, more than NEAREST; of a large one a stretch every so many.

    Attributes:
        gallery: Vectors of all items.
        items: Position of each item of the sample. [sample].
        vectors: Their unit vectors. [sample, dimension].
    """

    gallery: Gallery
    items: IntArray
    vectors: Float32Array

    def read(self, items: IntArray) -> Float32Array:
        """Return the unit vectors of items that have one. [items, dimension]."""
        return self.gallery.vectors.read(self.gallery.rows[items])

    def find(self, items: IntArray) -> IntArray:
        """Return the nearest items of the sample of each item, without itself. [items, nearest]."""
        cosines = self.read(items) @ self.vectors.T
        cosines[items[:, None] == self.items] = -np.inf
        return self.items[np.argpartition(-cosines, NEAREST - 1, axis=1)[:, :NEAREST]]

    @cached_property
    def probes(self) -> IntArray:
        """Items of the sample that tell what is usual."""
        return self.items[:: -(-len(self.items) // PROBES)]

    @cached_property
    def near_probes(self) -> IntArray:
        """The nearest items of each of them. [probes, nearest]."""
        return self.find(self.probes)

    @cached_property
    def usual(self) -> float:
        """The cosine that USUAL of all pairs of items stay below."""
        vectors = self.read(self.probes)
        return float(np.quantile((vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)], USUAL))


@lru_cache(maxsize=8)
def survey(gallery: Gallery) -> Neighbourhood | None:
    """Return the neighbourhood of a gallery; None if it has too few items to compare."""
    count = len(gallery.items)
    if count <= NEAREST:
        return None
    most = min(MAX_SAMPLE, MAX_NUMBERS // gallery.vectors.dimension)
    sample = np.flatnonzero(np.arange(count) % (STRETCH * -(-count // most)) < STRETCH)
    return Neighbourhood(gallery, gallery.items[sample], gallery.vectors.read(sample))


class Cause(NamedTuple):
    """A suspected cause: its name, the keyword that lacks, and a note for the card; "": none."""

    name: str
    detail: str
    note: str


Mark = Callable[[str, str], str]
"""`(text, cause) -> text` of a part of a sentence, and the cause that it counts."""


def find_causes(study: Study, version: str, query: int, items: IntArray) -> list[Cause]:
    """Return the suspected cause of each wrong result of a version.

    Args:
        study: Whose judgement counts.
        version: Version that found them.
        query: Position of the query.
        items: Positions of wrong results; -1 for one that the collection does not have.
    """
    judged = study.judgement
    grades = judged.grades(query)
    parts = study.rules.list_parts(study.given_judgement, query) or {
        "": grades >= judged.relevant_from
    }
    is_judged = ~np.isnan(grades) | study.rules.is_complete
    lacking = {
        item: [name for name, has in parts.items() if not has[item]]
        for item in items[items >= 0].tolist()
    }
    credits = judged.credits(query)
    causes = {}
    for item, names in lacking.items():
        if len(parts) > 1 and len(names) == 1:
            causes[item] = Cause(NEAR, names[0], NEAR)
        elif "" in names and HALF <= credits[item] < 1:
            causes[item] = Cause(NEAR, "", f"{NEAR}: {credits[item]:.2f} of a relevant one")
    source = study.run(version).source
    if isinstance(source, VectorSource) and (around := survey(source.gallery)):
        known = items[(items >= 0) & (around.gallery.rows[items] >= 0)]
        causes = _find_alike(study, around, query, known) | causes
        near = {item: lacking[item][0] for item in known.tolist() if len(lacking[item]) == 1}
        nearest = around.find(np.array([*near], int))
        for (item, name), others in zip(near.items(), nearest, strict=True):
            has = parts[name]
            number = int(has[others].sum())
            if number < MOST * NEAREST:
                continue
            lacks = (is_judged & ~has)[around.probes]
            shares = has[around.near_probes[lacks]].mean(axis=1)  # of neighbours that have it
            if len(shares) >= COMMON and (shares >= MOST).mean() <= RARE:
                what = f"have {name}" if name else "are relevant"
                causes[item] = Cause(
                    LABEL, name, f"{LABEL}? {number} of {NEAREST} neighbours {what}"
                )
    return [causes.get(item, Cause(MODEL, "", "")) for item in items.tolist()]


def _find_alike(
    study: Study, around: Neighbourhood, query: int, items: IntArray
) -> dict[int, Cause]:
    """Return the items that resemble a relevant item, or the query's own, unusually."""
    own, table = int(study.collection.own_items[query]), study.collection.items
    to = np.array([own]) if own >= 0 else find_relevant(study.judgement, query)
    to = to[around.gallery.rows[to] >= 0]
    found = {}
    cosines = around.read(items) @ around.read(to).T
    for item, row in zip(items.tolist(), cosines if len(to) else (), strict=False):
        if float(row.max()) >= around.usual:
            best = to[row.argmax()]
            caption = table["caption"][best]
            name = caption if 0 < len(caption) <= MAX_CAPTION else table.ids[best]
            other = "the query" if own >= 0 else name
            found[item] = Cause(ALIKE, "", f"{ALIKE} of {other} ({row.max():.2f})")
    return found


def describe_causes(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Return why each wrong result of a version is one, and a sentence a version on all of them."""
    fields = [Row() for _ in rows]
    told = {}
    for version in dict.fromkeys(row["run"] for row in rows if "run" in row):
        wrong = [p for p, row in enumerate(rows) if row["run"] == version and row["hit"] is False]
        items = study.find_items(rows[place] for place in wrong)
        causes = dict(zip(wrong, find_causes(study, version, query, items), strict=True))
        for place, (name, detail, note) in causes.items():
            fields[place] = {"cause": name, "detail": detail, "notes": [note] if note else []}
        cutoff = find_cutoff(metric, len(rows)) if metric else len(rows)
        if within := [cause for place, cause in causes.items() if rows[place]["rank"] <= cutoff]:
            told[version] = f"{len(within)} wrong in {version}: {tell(within)}"
    return {"why": told} if told else {}, fields


def count_causes(causes: Sequence[Cause]) -> Rows:
    """Return cause, detail, results and share of all, the most frequent cause first."""
    totals = Counter(each.name for each in causes)
    counts = Counter((each.name, each.detail) for each in causes).most_common()
    rows = [
        {"cause": name, "detail": detail, "results": number, "share": number / len(causes)}
        for (name, detail), number in counts
    ]
    return sorted(rows, key=lambda row: (-totals[row["cause"]], CAUSES.index(row["cause"])))


def tell(causes: Sequence[Cause], mark: Mark = lambda text, cause: text) -> str:
    """Return counts in words: "12 near misses (9 lack car, 2 bus, 1 other), 1 look-alike".

    Args:
        causes: What is counted.
        mark: `(text, cause) -> text` of a count and the cause that it counts, or "near miss: car".
    """
    told = []
    for cause, group in groupby(count_causes(causes), key=itemgetter("cause")):
        rows = list(group)
        number = sum(row["results"] for row in rows)
        named = [row for row in rows if row["detail"]][:NAMED] if cause == NEAR else []
        parts: list[str] = []
        for row in named:
            verb = "" if parts else "lacks " if row["results"] == 1 else "lack "
            lacking = row["detail"]
            parts.append(mark(f"{row['results']:,} {verb}{lacking}", f"{cause}: {lacking}"))
        if parts and (others := number - sum(row["results"] for row in named)):
            parts.append(count_things(others, "other"))
        inside = f" ({', '.join(parts)})" if parts else ""
        told.append(mark(count_things(number, cause), cause) + inside)
    return ", ".join(told)


def find_wrong(
    study: Study, choices: Choices, mark: Mark = lambda text, cause: text
) -> tuple[dict[str, list[Cause]], str]:
    """Return the causes of the candidate's wrong results, and a sentence on all.

    They are by query that got worse, the worst first, and of its first ranks, down to the cutoff;
    the sentence is empty without any. `mark` is as in `tell`; what counts no cause has "".
    """
    cutoff = find_cutoff(choices["metric"], int(choices["shown"]))
    candidate = choices["candidate"]
    ids = [row["query_id"] for row in list_worse(study, choices)]
    queries = study.collection.queries.find(ids).tolist()
    found = {}
    for id, query, row in zip(ids, queries, list_ranks(study, candidate, ids, cutoff), strict=True):
        items, is_wrong = np.array(row["items"], int), [hit is False for hit in row["marks"]]
        found[id] = find_causes(study, candidate, query, items[is_wrong])
    causes = [cause for each in found.values() for cause in each]
    if not causes:
        return found, ""
    many = "one worse query" if len(found) == 1 else f"{len(found):,} worse queries"
    ranks = f"first {cutoff} results" if cutoff > 1 else "first result"
    results = count_things(len(causes), "wrong result")
    start = mark(f"Of {results} in the {ranks} of {candidate}, in the {many}: ", "")
    return found, f"{start}{tell(causes, mark)}."
