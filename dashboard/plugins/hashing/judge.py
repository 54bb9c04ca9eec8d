"""Types of pairs from judged pairs or from labels; codes, packed or by their signs; P(H<=2)."""

from dataclasses import replace
from functools import partial

import numpy as np

from dashboard.errors import DataError, Findings, add_finding, list_names
from dashboard.evaluation.block import Block, Cut
from dashboard.evaluation.judgement import (
    Judgement,
    JudgingRules,
    LabelJudgement,
    Labels,
    judge_labels,
    judge_table,
    report_labels,
    split_labels,
)
from dashboard.evaluation.measurement import Described, measure_run
from dashboard.evaluation.metrics import Measure, metric, parse
from dashboard.storage.collection import Collection
from dashboard.storage.new_versions import convert, hold_only
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Broken, Version, Versions, try_to_read
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import FloatArray, Rows, Table

NAME = "hashing"
GRADES = (0.0, 1.0, 2.0)
"""Grades of type 3, 2 and 1."""
COLUMNS = ("labels", "label")
BITS = "0 and 1"
SIGNED = "numbers on both sides of 0"
POSITIVE = "numbers not below 0"

BYTE = 8
RADIUS = 2
"""The radius that the literature reports."""
NEAR = f"P(H<={RADIUS})"


def read_types(collection: Collection, findings: Findings) -> str | None:
    """Return "pairs" or "labels", by which the types of pairs are told; None without either.

    A collection whose settings name other protocols is not judged so.

    Raises:
        DataError: If the collection asks for the protocol and there are neither pairs nor labels, a
            grade is no type's, or an item is both query and gallery.
    """
    named = collection.protocols
    if named and NAME not in named:
        return None
    try:
        _check_pairs(collection)
    except DataError:
        if named:
            raise
        return None
    if collection.qrels is not None:
        return "pairs"
    items, queries = _split_labels(collection)
    if named and len(set(items) - {Labels()}) == 1:
        wanted = "two classes; every version finds nothing but relevant items"
        add_finding(findings, "items.csv", "labels of one class only", wanted)
    for table in (collection.items, collection.queries):
        findings += report_labels(table, _find_column(table))
    if not frozenset().union(*items) & frozenset().union(*queries):
        told = ("no label that a query and an item have in common", "labels separated by , ; or |")
        add_finding(findings, "queries.csv", *told)
    return "labels"


def _find_column(table: Table) -> str:
    return next((name for name in COLUMNS if any(table[name])), "")


def _check_pairs(collection: Collection) -> None:
    """Raise a DataError unless types of pairs are told, and no item is both query and gallery."""
    if collection.qrels is not None:
        strange = ~np.isin(collection.qrels.values, GRADES)
        if strange.any():
            raise DataError(
                "qrels",
                f"grade {collection.qrels.values[strange][0]:g}",
                "2 (type 1), 1 (type 2) or 0 (type 3)",
            )
    else:
        tables = (collection.queries, collection.items)
        if lacking := [table.file for table in tables if not _find_column(table)]:
            raise DataError(
                " and ".join(lacking),
                "no labels and no qrels",
                f"a column {' or '.join(COLUMNS)}, or types of pairs in qrels.txt or qrels.csv",
            )
    both = np.unique(collection.own_items[collection.own_items >= 0])
    if len(both):
        names = list_names(collection.items.ids[item] for item in both.tolist())
        raise DataError(
            "queries.csv",
            f"{len(both):,} items of the gallery among the queries ({names})",
            "a query set and a gallery without a common item",
            do="Remove them from one of the two; an item would find itself.",
        )


def judge(collection: Collection, choices: Choices) -> Judgement:
    """Judge by type: 1 has grade 2, 2 grade 1; a pair that is not named is of type 3."""
    if collection.tables[NAME] != "labels":
        return judge_table(collection)
    items, queries = _split_labels(collection)  # the same ones make type 1, some in common type 2
    return judge_labels(items, queries, collection.own_items, same=GRADES[-1])


def _split_labels(collection: Collection) -> list[list[Labels]]:
    """Return the labels of items, then those of queries."""
    tables = (collection.items, collection.queries)
    return split_labels(*(table[_find_column(table)] for table in tables))


def read_packed(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the versions whose arrays are packed bits, unpacked to codes of -1 and 1.

    The key `bits` of a version's model.toml states that they are. Bytes that could be packed bits
    or vectors are not guessed: such a version is put into `broken`.
    """
    every = collection.versions.items()
    read = {name: partial(_read_version, each, findings) for name, each in every}
    return try_to_read(broken, read)


def _read_version(version: Version, findings: Findings) -> Version | None:
    """Return a version of packed codes unpacked; None for any other version.

    Raises:
        DataError: If its bytes may be packed bits, and nothing states how many.
    """
    arrays = version.list_arrays()
    if not any(each.stored.dtype.itemsize == 1 for each in arrays):
        return None
    name = f"{version.file}/model.toml"
    bits = version.settings.get("bits", 0)
    if type(bits) is not int or bits < 0:
        raise DataError(name, f"bits = {str(bits)[:80]!r}", "the number of bits of a code")
    columns = arrays[0].dimension
    if not bits or bits == columns:
        for stored in (each.stored for each in arrays):
            kind = stored.dtype
            is_said = kind == np.int8 and version.settings.get("dimension") == columns
            if kind.itemsize > 1 or is_said or hold_only([stored], (-1, 0, 1)):
                continue
            do = (
                f"If they are, write bits = {columns * BYTE} into model.toml, or unpack them: "
                "numpy.unpackbits(codes, axis=1)."
            )
            wanted = "codes of -1 and 1 or of 0 and 1, or packed bits whose number is stated"
            if kind == np.int8:
                do += f" If they are vectors, write dimension = {columns}."
                wanted += ", or vectors that are said to be some"
            found = f"{kind} in {columns} columns, which may be packed bits"
            raise DataError(version.file, found, wanted, do=do)
        return None
    size = -(-bits // BYTE)
    if size != columns or any(each.stored.dtype.itemsize > 1 for each in arrays):
        kinds = " and ".join(sorted({str(each.stored.dtype) for each in arrays}))
        raise DataError(
            version.file,
            f"arrays of {columns} columns of {kinds}, and bits = {bits}",
            f"packed codes of {size} bytes for items and queries, or {bits} columns",
        )
    items, queries = [*(_unpack(each, bits, version.file) for each in arrays), None][:2]
    told = (f"codes of {bits} bits, packed into bytes", "-1 and 1; unpacked")
    add_finding(findings, version.file, *told, "note")
    return replace(version, items=items, queries=queries)


def _unpack(vectors: Vectors, bits: int, name: str) -> Vectors:
    packed = vectors.stored[:]
    if packed.dtype == np.int8:  # sentence-transformers subtracts 128
        packed = (packed.astype(np.int16) + 128).astype(np.uint8)
    unpacked = np.unpackbits(packed, axis=1)
    if unpacked[:, bits:].any():
        raise DataError(
            name,
            f"packed codes with bits beyond the first {bits}",
            "0 there. State their number in model.toml as bits",
        )
    signs = convert(unpacked[:, :bits], "bits")
    return replace(vectors, stored=signs, lengths=np.full(len(vectors.ids), np.sqrt(bits)))


def take_signs(version: Version) -> Version:
    """Return a version whose vectors are the signs of its own; results stay as they are.

    A 0 counts as +1, or as -1 where nothing but 0 and 1 is stored.

    Raises:
        DataError: If items and queries are codes of different kinds, or all codes would be equal.
    """
    if version.items is None:
        return version
    stored = version.list_arrays()
    kinds = [_find_kind(each) for each in stored]
    if BITS in kinds and set(kinds) & {SIGNED, POSITIVE}:
        raise DataError(
            version.file,
            f"items stored as {kinds[0]}, queries as {kinds[1]}",
            "both as codes of -1 and 1, or both as 0 and 1",
        )
    if kinds[0] == POSITIVE:
        raise DataError(
            version.file,
            f"items stored as {POSITIVE}",
            f"{SIGNED}, or codes",
            do="Subtract 0.5 from outputs of a sigmoid.",
        )
    signed = []
    for each in stored:
        count = len(each.ids)
        unit = each.scale(0, count)
        signs = np.where(unit > 0 if BITS in kinds else unit >= 0, np.int8(1), np.int8(-1))
        lengths = np.full(count, np.sqrt(each.dimension))
        signed.append(replace(each, stored=signs, rows=np.arange(count), lengths=lengths))
    items, queries = [*signed, None][:2]
    return replace(version, items=items, queries=queries)


def _find_kind(vectors: Vectors) -> str:
    """Return BITS, SIGNED, POSITIVE, or "1" for nothing but 1."""
    stored = vectors.stored
    if hold_only([stored], (0, 1)):
        return "1" if hold_only([stored], (1,)) else BITS
    return SIGNED if (stored[:] < 0).any() else POSITIVE


def describe_types(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Note each result's distance to the query, its type, and the labels that both have."""
    judged = study.judgement
    grades = judged.grades(query)
    graded = np.append(np.nan_to_num(grades), 0.0)
    notes = []
    for row, item in zip(rows, study.find_items(rows).tolist(), strict=True):
        bits = find_bits(study, row["run"]) if "run" in row else None
        # equation 1: the cosine of two codes is 1 - 2 distance ÷ bits
        told = [f"distance {(1 - row['score']) * bits / 2:.0f} of {bits}"] if bits else []
        if not np.isnan(grades).all():
            type_ = f"type {3 - graded[item]:g}"
            if graded[item] and isinstance(judged, LabelJudgement):
                shared = judged.asked[query] & judged.sets[judged.place[item]]
                type_ += f": {', '.join(sorted(shared))}"
            told.append(type_)
        notes.append({"notes": told})
    return {}, notes


@metric(
    NEAR,
    formula=f"hits within Hamming distance {RADIUS} ÷ results within it, 0 if there are none",
    source="Liu et al., Supervised Hashing with Kernels, CVPR 2012",
    cutoff="never",
    protocol=NAME,
    other_names=(f"P(H≤{RADIUS})",),
)
def refuse_results(block: Block, k: Cut) -> FloatArray:
    """Compute the share of hits among the items within Hamming distance 2.

    Raises:
        ValueError: Always: labelled results hold no distances. `measure_radius` has them.
    """
    raise ValueError(f"{NEAR} is for hash codes, as the protocol {NAME} judges them.")


def measure_radius(study: Study, version: str, measure: Measure) -> FloatArray | None:
    """Return P(H<=2) of each query of a version; null for a file of results; None: not asked.

    A query without an item so near counts 0. The order of equal distances does not matter.
    """
    if measure.name != NEAR:
        return None
    bits = find_bits(study, version)
    if bits is None:
        return np.full(len(study.queries), np.nan)
    run = study.run(version)
    least = 1 - (2 * RADIUS + 1) / bits  # between this distance and the next
    near = replace(run, min_similarity=max(run.min_similarity, least))
    counts = parse("num_rel_ret num_ret")
    hits, found = measure_run(near, study.queries, study.judgement, study.rules, counts)
    return np.asarray(hits / np.maximum(found, 1))


def find_bits(study: Study, version: str) -> int | None:
    """Return the length of a version's codes; None for a file of results."""
    items = study.collection.find_version(version).items
    return None if items is None else items.dimension


HASHING = JudgingRules(
    name=NAME,
    title="Hash codes, graded by type",
    judge=judge,
    metrics="AP(retrieved)@50 nDCG(exp)@50 P@50",
    nothing_relevant="null",
    definition="A pair of query and item is of type 1 (grade 2), 2 (grade 1) or 3 (grade 0): as "
    "written down, or by labels (the same ones; some in common; none). Types 1 and 2 are hits. "
    "Items are ranked by ascending Hamming distance; of real-valued outputs the signs are the "
    "codes. Queries and gallery share no item. A query without an item of type 1 or 2 is not "
    "scored.",
    source="mAP@p and nDCG@p of hashing for image retrieval",
    blind="Codes of 16 bits have 17 distances, so most items are tied. AP(retrieved) rewards a "
    "list that is cut early. P(H<=2) of a query without a result so near is 0: long codes look "
    "bad there however well they rank.",
    queries="all",
    is_complete=True,
    transform=take_signs,
    measure=measure_radius,
)
