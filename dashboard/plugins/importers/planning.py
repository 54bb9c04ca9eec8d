"""Tables of the new collection: items, queries and judged pairs, by what decides relevance."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection
from itertools import chain, compress, count

import numpy as np

from dashboard.errors import Unsure, list_names
from dashboard.plugins.importers.deciding import (
    KEYWORDS,
    choose_basis,
    clean_classes,
    count_unnamed,
    join_marks,
    list_parts,
    name_classes,
    settle_classes,
)
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.judged_pairs import (
    choose_judged,
    list_judged,
    merge_judgements,
    pick_files,
    split_judged,
)
from dashboard.plugins.importers.naming import BOTH, GALLERY, PARTS, QUERY, TEST, divides
from dashboard.plugins.importers.pieces import list_options
from dashboard.plugins.importers.source import find_kind
from dashboard.storage.runs import Pair
from dashboard.tables import Names, Texts
from dashboard.texts import split_cells

CAMERA = re.compile("cam(era)?_?(ids?)?", re.I)
PERSON = re.compile("(person_?)?id|pid|identity(_id)?", re.I)
"""Names of columns of cameras, and of persons, as in CUHK-PEDES."""
MAX_ITEM_QUERIES = 5_000
"""Items that are asked for where nobody wrote queries; more are taken evenly from all."""


def make_plan(found: Gathered) -> None:
    """Make the tables of a collection, with the ids that any table has for items.

    Raises:
        Unsure: If what decides relevance is not certain.
        DataError: If there is nothing to search.
    """
    items = found.items
    index = items.index
    times = Counter([*found.renamed.values(), *index])
    new = {name: own for name, own in found.renamed.items() if times[own] == 1}
    items.index = {new.get(name, name): at for name, at in index.items()}
    found.known = {key: new.get(name, name) for key, name in found.known.items()} | new
    split_judged(found)
    _name_items(found)
    about = found.queries.get("item_id")
    names = found.match_items(filter(None, about), list_names(found.taken["queries.csv"]))
    found.queries.columns["item_id"] = [names.get(item, item) for item in about]
    names = found.match_items((item for _, item, _, _ in found.captions), "captions")
    found.captions = [(e[0], names[e[1]], *e[2:]) for e in found.captions if e[1] in names]
    _rename_columns(found)
    join_marks(found)
    name_classes(found)
    others = choose_basis(found)
    found.whole = list(items.index)
    if found.basis in ("labels", "judgements"):
        _divide_items(found)
    if found.basis in ("labels", "captions"):
        _drop_unseen(found)
    found.pictures = list(items.index)
    if found.basis:
        PLANS[found.basis](found)
    if found.basis != "captions":
        texts = [text for _, _, text, _ in found.captions]
        items.add([item for _, item, _, _ in found.captions], {"caption": texts})
        items.add(list(items.index), {"kind": list(map(find_kind, items.get("file")))})
        asked = found.asked
        if not len(found.queries):
            if asked and not found.match_items(asked, "results"):
                found.queries.add(asked, {"text": asked})
            else:
                _add_item_queries(found, found.pictures)
    if others:
        found.notes.append(f"instead: --relevance {' or '.join(others[:4])}")


def _name_items(found: Gathered) -> None:
    """Take the items from judgements, runs or vectors where nothing else names them."""
    others = {*found.taken["items.csv"]} - {file for file, *_ in found.judged}
    if others or any(found.items.get("file")):
        return
    if judged := {*list_judged(found)}:  # files that do not count name no items
        left = judged - {*choose_judged(found)}
        found.judged = [row for row in found.judged if row[0] not in left]
    named = {item: file for file, _, item, _ in found.judged}
    lists = [(file, [item for _, item, _ in rows]) for (_, file), rows in found.results.items()]
    asked = found.queries.index.keys()
    lists += [
        (own.file, list(own.columns if own.columns and asked & own.ids.keys() else own.ids))
        for (_, side), own in found.vectors.items()
        if side == "items"
    ]
    found.items.add(list(named), {})
    for file, items in lists:
        known = found.match_items(items, file)
        named |= {known.get(item, item): file for item in items}
        found.items.add(list(named), {})
    found.taken["items.csv"] |= dict.fromkeys(named.values())


def _rename_columns(found: Gathered) -> None:
    """Keep columns whose names mean something else here under other names, and say so."""
    of_items = ["side", "query_id", "image"]
    of_items += ["kind"] if {*found.items.get("kind")} - {"", "image", "video", "text"} else []
    for rows, names in ((found.items, of_items), (found.queries, ["scene", "among"])):
        for name in filter(rows.columns.__contains__, names):
            kept = f"source_{name}"
            rows.columns[kept], rows.filled[kept] = rows.columns.pop(name), rows.filled[name]
            told = f"a column {name!r}, a name with a meaning of its own here"
            found.source.say(rows.filled[name], told, f"a label; kept as {kept!r}", "note")


def _list_bare(found: Gathered) -> Names:
    """Return the queries of which nothing but judgements is known."""
    return [
        query for query, *own in found.queries.list_rows("text", "item_id", "image") if not any(own)
    ]


def _ask_by_ids(found: Gathered) -> None:
    """Let queries ask for items like the one of their id, or image, if most have one.

    Numbers are no such ids, nor names of texts: those that have vectors, or find themselves.
    """
    own = {}
    for query, text, given, image in found.queries.list_rows("text", "item_id", "image"):
        name = image or query
        item = found.known.get(found.source.find_media(name), name)
        if text in ("", query) and not (given or name.isdecimal()) and item in found.items.index:
            own[query] = item
    finds_itself = any((query, item) in own.items() for query, item, grade in found.qrels if grade)
    sides = {side for _, side in found.vectors}
    is_text = "texts" in sides or finds_itself and not sides
    if 2 * len(own) > len(found.queries) and not is_text:
        found.queries.add(list(own), {"item_id": list(own.values())})
        found.notes.append(f"{len(own):,} queries ask for items like the one of their id")


def _plan_judgements(found: Gathered) -> None:
    merge_judgements(found)
    file = list_names(found.files)
    found.settings["protocols"] = ["trec"]
    _ask_by_ids(found)
    bare = _list_bare(found)
    texts = {name: text for _, _, text, name in found.captions if name}
    found.queries.add(bare, {"text": [texts.get(query, query) for query in bare]})
    found.of_queries = "text: each id" if {*bare} - texts.keys() else ""
    judged = {query for query, _, _ in found.qrels}
    wanted = "judgements; kept, without a value"
    unjudged = len(found.queries) - len(judged)
    found.source.count(file, unjudged, "queries that nothing is judged for", wanted, "note")
    if found.runs and not found.vectors:
        silent = sorted(
            judged - {*found.match_items(found.asked, "", found.queries.index).values()}
        )
        wanted = "results; each counts as 0. Other judgements: --judgements FILE"
        found.source.count(file, silent, "queries that no version has results for", wanted)


def _plan_labels(found: Gathered) -> None:
    items = found.items
    column, options = found.column, found.source.options
    others = items.disputed.get(column)
    if others and not (options.judgements or options.disagreements):
        files = [items.filled[column], *others]
        told = f"another {column} for {list_names(others.values(), 2)} than in {files[0]}"
        ways = [*list_options("--judgements", files), "--disagreements majority"]
        raise Unsure(files[1], told, "the same, or what counts", ways)
    if options.disagreements == "majority":
        settle_classes(items, column)
    for camera in filter(CAMERA.fullmatch, items.columns):
        wanted = "a rule of their own: pictures of the same camera, and junk, count as all others"
        found.source.say(
            items.filled[camera], f"cameras ({camera}), as of Market-1501", wanted, "note"
        )
    _clean_columns(found, [column])
    cells = items.get(column)
    classes = _order_classes(found)
    words = {*" ".join(classes).split()}
    if len(words) < len(classes):
        told = f"{len(classes):,} classes of {len(words):,} words with blanks between them"
        wanted = "marks between classes, as in cat;dog, if these are several"
        found.source.say(items.filled[column], told, wanted, "note")
    found.settings |= {"protocols": ["class_labels"], "class_label": column}
    found.files = [items.filled[column]]
    if options.queries_from == "keywords":
        found.queries.add(classes, {"text": classes, column: classes})
        found.of_queries = "each class as a text"
    elif any(found.queries.get(column)):
        found.of_queries = f"their own {column}"
    else:
        _add_item_queries(found, list(compress(items.index, cells)))


def _order_classes(found: Gathered) -> Names:
    """Return the classes as a file lists them, else by numbers that stand beside them, or by name.

    Vectors of classes without ids have this order.
    """
    cells = found.items.get(found.column)
    places: dict[str, int] = {}
    for numbers in map(found.items.get, found.items.columns):
        pairs = {*zip(cells, numbers, strict=True)} - {("", "")}
        own = {number for _, number in pairs}
        if all(map(str.isdecimal, own)) and len(own) == len(pairs) == len(dict(pairs)):
            places |= {name: int(number) for name, number in pairs}
    for names in found.names:
        places |= {name: place for place, name in enumerate(names.values())}
    classes = chain(*split_cells(cells).values())
    return sorted({*classes}, key=lambda name: (places.get(name, len(places)), name))


def _clean_columns(found: Gathered, columns: Names) -> None:
    """Take the words for no class out of some columns, and note how many cells had each."""
    missing = Counter[str]()
    for rows in (found.items, found.queries):
        for column in filter(rows.columns.__contains__, columns):
            missing += count_unnamed(rows.columns[column])
            rows.columns[column] = clean_classes(rows.columns[column])
    words = list_names(f"{word} ({times:,})" for word, times in missing.most_common())
    found.notes += [f"no class: {words}"] if words else []


def _add_item_queries(found: Gathered, items: Names) -> None:
    """Ask for items, where there are no queries."""
    few = np.linspace(0, len(items) - 1, min(len(items), MAX_ITEM_QUERIES)).astype(int)
    asked = [items[place] for place in few]
    found.queries.add(asked, {"item_id": asked})
    some = f"{len(few):,} of {len(items):,} items" if len(few) < len(items) else "each item"
    found.of_queries = f"{some}, for nobody wrote queries" if len(items) else ""


def _plan_keywords(found: Gathered) -> None:
    _clean_columns(found, [name for name in found.items.columns if name.startswith(KEYWORDS)])
    found.settings["protocols"] = ["alfa"]
    found.files = list(found.taken["items.csv"])
    found.source.count(
        "queries.csv",
        sum(map(bool, found.queries.get("text"))),
        "texts without keywords",
        "them; python -m dashboard keywords NAME --write maps their words",
    )


def _plan_tables(found: Gathered) -> None:
    for table in found.copied.values():
        found.settings |= table.settings
    found.files = [each.file for each in found.copied.values()]


def _keep_parts(found: Gathered, parts: Texts, kept: Collection[str]) -> None:
    """Keep the items of some parts of the data, if there are any, and say which others go."""
    away = {item: part for item, part in parts.items() if part not in kept}
    if len(away) < len(found.items):
        what = f"items of other parts ({list_names(sorted({*away.values()}))})"
        wanted = f"those of {list_names(sorted({*parts.values()} & {*kept} - {''}))}; left out"
        found.source.count(list_names(found.taken["items.csv"]), len(away), what, wanted, "note")
        _drop_items(found, away)


def _drop_items(found: Gathered, away: Collection[str]) -> None:
    found.captions = [row for row in found.captions if row[1] not in away]
    found.items.drop({*away})


def _divide_items(found: Gathered) -> None:
    """Let the part query ask the gallery; else keep the parts of classes that have results.

    An item of both asks, and is no result of its own.
    """
    parts = list_parts(found)
    kinds = {*parts.values()}
    if {QUERY, TEST} <= kinds and GALLERY not in kinds:  # as of VeRi
        parts |= {item: GALLERY for item, part in parts.items() if part == TEST}
    if divides(parts.values()):
        both = {item for item, part in parts.items() if part == BOTH}
        _keep_parts(found, parts, ("", BOTH, QUERY, GALLERY))
        asked = {item for item, part in parts.items() if part in (BOTH, QUERY)}
        judged = found.match_items(_list_bare(found), "judgements", asked)
        asked_by = {item: query for query, item in judged.items()}
        shown = {image: query for query, image in found.queries.list_rows("image")}
        columns = [name for name in found.items.columns if name != "file"]
        for item, file, *own in found.items.list_rows("file", *columns):
            if item not in asked:
                continue
            file = found.written.get(item, file)
            name = file and shown.get(file) or asked_by.get(item, item)
            image, again = ("", item) if item in both else (file, "")
            is_text = not image and (found.basis == "judgements" or not again)  # one kind of each
            cells = dict(zip(columns, own, strict=True))
            cells |= {"image": image, "item_id": again, "text": name * is_text}
            found.queries.add([name], {column: [cell] for column, cell in cells.items()})
        found.taken["queries.csv"] |= found.taken["items.csv"]
        _drop_items(found, asked - both)
    elif parts and found.basis == "labels":
        named = (name for rows in found.results.values() for row in rows for name in row[:2])
        if covered := {*map(parts.__getitem__, found.match_items(named).values())}:
            _keep_parts(found, parts, {*covered, ""})
        left = {*map(parts.__getitem__, found.items.index)} - {""}
        told = f"items of several parts ({list_names(sorted(left))}) count alike"
        found.notes += [told] if len(left) > 1 and left <= {*PARTS.values()} else []


def _drop_unseen(found: Gathered) -> None:
    """Leave out the items that no version has a vector of, where vectors tell which they have."""
    owns = [own for (_, side), own in found.vectors.items() if side == "items"]
    if not owns or found.results or not all(own.has_ids for own in found.vectors.values()):
        return
    seen = {*chain(*(found.match_items([*own.ids, *own.odd]).values() for own in owns))}
    kept = found.source.options.items | {*found.queries.get("item_id")}
    seen |= kept & found.items.index.keys()  # versions that stay may have them
    unseen = [item for item in found.items.index if item not in seen]
    told = zip(found.items.index, found.items.get(found.column), strict=True)
    if seen & ({item for item, cell in told if cell} | {row[1] for row in found.captions}):
        file, wanted = list_names(found.taken["items.csv"]), "one; left out"
        found.source.count(file, unseen, "items that no version has a vector of", wanted)
        _drop_items(found, unseen)


def _plan_captions(found: Gathered) -> None:
    """Make texts items and queries, and ask for texts by pictures and the other way round.

    Raises:
        Unsure: If a file has a part of the texts of another one, as a list for tests has.
    """
    items = found.items
    files = pick_files(found, list(dict.fromkeys(file for file, *_ in found.captions)))
    found.captions = [row for row in found.captions if row[0] in files]
    pairs = defaultdict[str, set[Pair]](set)
    for file, item, text, _ in found.captions:
        pairs[file].add((item, text))
    lists = {file: own for file, own in pairs.items() if len({item for item, _ in own}) > 1}
    for file, own in lists.items():
        if any(own < other for other in lists.values()):
            lines = list_options("--judgements", lists)
            raise Unsure(file, "a part of the texts of another file", "which one counts", lines)
    _keep_parts(found, list_parts(found), (TEST,))
    if found.source.options.judgements:
        others = items.index.keys() - {item for _, item, _, _ in found.captions}
        wanted = "those that it has texts of; left out"
        found.source.count(files[0], len(others), "items without a text in it", wanted, "note")
        items.drop(others)
    found.pictures = list(items.index)
    for person in filter(PERSON.fullmatch, items.columns):
        times = Counter(filter(None, items.get(person)))
        if len(times) < times.total():
            found.notes.append(f"a text finds no other {found.noun} of its {person}")
    found.settings["protocols"] = ["crossmodal"]
    found.queries = Rows()
    times = Counter[str]()
    owners = Counter(name for name, *_ in {(name, *own) for _, *own, name in found.captions})
    used = {*items.index, *owners}
    first: dict[Pair, str] = {}
    kept = {}
    for file, item, text, told in found.captions:
        if text and first.setdefault((item, text), file) == file:
            numbered = (f"{item}#{number}" for number in count(times[item]))
            name = next(each for each in numbered if each not in used)
            if told and owners[told] == 1:
                found.text_ids[told] = name = name if told in items.index else told
            used.add(name)
            kept[name] = (item, text)
            times[item] += 1
    items.columns["kind"] = [
        find_kind(file) or kind or find_kind(name) or "image"
        for name, file, kind in items.list_rows("file", "kind")
    ]
    asked = [item for item in found.pictures if times[item]]
    found.queries.add(asked, {"item_id": asked})
    found.texts = list(kept)
    for name, (item, _) in kept.items():
        found.qrels += [(item, name, 1.0), (name, item, 1.0)]
    texts = [text for _, text in kept.values()]
    items.add(found.texts, {"kind": ["text"] * len(texts), "caption": texts})
    found.queries.add(found.texts, {"text": texts})
    found.files = list(dict.fromkeys(first.values()))
    found.of_queries = f"a {found.noun} asks for its texts, a text for its {found.noun}"
    bare, wanted = [item for item in found.pictures if not times[item]], "texts; they are searched"
    found.source.count("captions", bare, f"{found.noun}s without a text", wanted, "note")


PLANS = {
    "labels": _plan_labels,
    "judgements": _plan_judgements,
    "keywords": _plan_keywords,
    "captions": _plan_captions,
    "tables": _plan_tables,
}
