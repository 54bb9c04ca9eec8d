"""Corrected labels: the word of people who judged takes the place of its grade.

A decision counts; without one, what more than half of those say who are sure, each person once;
otherwise the label stays as it is. Pairs are known by their ids, so that corrections stay when a
version is added or a table is written anew. No file is changed.
"""

from collections import Counter, defaultdict

from dashboard.commands.output import write_rows
from dashboard.errors import DataError
from dashboard.evaluation.differences import replace_nan
from dashboard.evaluation.judgement import Judgement, amend, list_judged
from dashboard.plugins.reviews import verdicts
from dashboard.plugins.reviews.verdicts import DECISION, KEEP, UNSURE, VERDICT, Verdicts
from dashboard.storage.collection import Collection
from dashboard.study.study import Study
from dashboard.tables import Rows


def settle(rows: Verdicts) -> Rows:
    """Return query_id, item_id, value, people (who are sure), by of each pair with a settled value.

    `by` is decision, which one person takes, majority, or one person where nobody else is sure.

    Args:
        rows: All rows of a collection, in their order.
    """
    found = {}
    for pair, people in verdicts.keep_last_of_pairs(rows, VERDICT).items():
        votes = Counter(row.answer for row in people.values() if row.value != UNSURE)
        ((answer, number),) = votes.most_common(1) or [("", 0)]
        if 2 * number > votes.total():
            said = Counter(row.value for row in people.values() if row.answer == answer)
            value = max(said, key=lambda each: (said[each], each))  # a word before a grade
            by = "majority" if votes.total() > 1 else "one person"
            found[pair] = {"value": value, "people": votes.total(), "by": by}
    for row in verdicts.keep_last(rows, DECISION):
        found[row.pair] = {"value": row.value, "people": 1, "by": "decision"}
    return [
        {"query_id": query, "item_id": item} | row
        for (query, item), row in found.items()
        if row["value"] not in (UNSURE, KEEP)
    ]


def list_changes(collection: Collection, judgement: Judgement, corrections: Rows) -> Rows:
    """Return the rows of `settle` that change a grade, with given (None: not judged), corrected.

    `relevant` gives a pair that is not relevant the least relevant grade, `not` a relevant or
    unjudged one 0; a label that says so already stays. A query's own item is never changed.
    """
    rows = []
    queries = collection.queries.find(row["query_id"] for row in corrections).tolist()
    items = collection.items.find(row["item_id"] for row in corrections).tolist()
    for row, query, item in zip(corrections, queries, items, strict=True):
        if min(query, item) < 0 or collection.own_items[query] == item:
            continue
        grade = float(judgement.grades(query)[item])
        least = judgement.relevant_from
        if row["value"] == "relevant":
            new = max(least, grade)  # least where nobody judged
        elif row["value"] == "not":
            new = grade if grade < least else 0.0
        else:
            new = float(row["value"])
        if new != grade:
            rows.append(row | {"given": replace_nan(grade), "corrected": new})
    return rows


def correct(collection: Collection, judgement: Judgement, rows: Verdicts) -> Judgement:
    """Return a judgement in which the word of people counts, by all rows of a collection."""
    grades: defaultdict[int, dict[int, float]] = defaultdict(dict)
    queries = collection.queries.index
    items = collection.items.index
    for row in list_changes(collection, judgement, settle(rows)):
        grades[queries[row["query_id"]]][items[row["item_id"]]] = row["corrected"]
    return amend(judgement, grades)


def format_labels(study: Study, is_csv: bool) -> bytes:
    """Return every judged pair of a study with its grade, as CSV or as lines of TREC.

    Raises:
        DataError: If an id cannot stand in lines of TREC.
    """
    queries = study.collection.queries.ids
    items = study.collection.items.ids
    rows = [
        {"query_id": queries[query], "item_id": items[item], "grade": f"{grade:g}"}
        for query in study.queries.tolist()
        for item, grade in zip(*list_judged(study.judgement, query), strict=True)
    ]
    if is_csv:
        return write_rows(rows, ("query_id", "item_id", "grade"), "csv").encode()
    if odd := [name for row in rows for name in row.values() if name.split() != [name]]:
        found, do = f"the id {odd[0][:80]!r}", "Name a file that ends with .csv."
        raise DataError("--qrels", found, "ids without blanks", do=do)
    return "".join("{query_id} 0 {item_id} {grade}\n".format_map(row) for row in rows).encode()
