"""Tables of items, labels, captions, queries, judgements, results, and vectors in cells."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, compress, groupby
from pathlib import Path
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.importers.blocks import ENDINGS, Block, read_blocks
from dashboard.plugins.importers.column_roles import (
    FILE,
    ITEM,
    RUN,
    SPANS,
    Roles,
    find_roles,
    rows_are_texts,
    split_columns,
)
from dashboard.plugins.importers.json_rows import is_header
from dashboard.plugins.importers.naming import (
    COLUMN,
    GALLERY,
    HIVE,
    PARTS,
    QUERY,
    are_parts,
    divides,
    name_version,
)
from dashboard.plugins.importers.pieces import (
    Captions,
    ClassNames,
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    RunLines,
    Vectors,
    read_each,
)
from dashboard.plugins.importers.source import (
    NUMBER,
    SHIFTED,
    Columns,
    Source,
    clean_name,
    cut_added,
    find_folder_of,
    find_stem,
    is_shifted,
    list_tails,
)
from dashboard.storage.media import EXTENSION, cut_address, recognise_type, strip_name
from dashboard.storage.runs import Pair
from dashboard.storage.vector_ids import TABLES, list_beside
from dashboard.tables import Names, Texts
from dashboard.texts import parse_number, split_cells

OF_DATASETS = ("dataset_info.json", "dataset_dict.json", "state.json")
"""Files that `datasets` writes beside Arrow files."""
HEADER = re.compile(
    r"\s*(image(_name|_id)?|file(_?name)?)\s*[,\t|](.*[,\t|])?\s*(caption|comment|sentence)\s*$",
    re.I | re.M,
)
"""The first line of a table of pictures and captions in a text, as of Flickr8k and Flickr30k."""
SAMPLE = re.compile("sample_?submission", re.I)
"""Words in the name of a table of Kaggle that holds no labels, but the form of an answer."""
MAX_PICTURE_BYTES = 1 << 28
CLIPS = re.compile(
    r"(^|[\W_])(videos?|clips?|youtube|yt|duration|timestamps|segment)(id)?($|[\W_])", re.I
)
"""Words in names of columns of clips."""


def recognise(source: Source) -> Names:
    """Return tables by their endings, and text files whose header names a picture and a caption."""
    tables = [e for e in source.list_left(*ENDINGS) if not SAMPLE.search(find_stem(e))]
    return [*tables, *source.list_headed(HEADER.match, ".txt")]


def read_table(source: Source, name: str) -> Pieces:
    """Yield the pieces of a table, block by block."""
    return list_pieces(source, read_blocks(source, name))


def list_pieces(source: Source, blocks: Iterable[Block]) -> Pieces:
    """Yield the pieces of the blocks of a table."""
    parts = (part for block in blocks for part in _part_versions(block))
    for _, group in groupby(parts, lambda block: [*block.columns, *block.vectors]):
        first = next(group)
        try:
            roles = find_roles(first, source)
        except DataError as error:  # a sheet of remarks beside others
            source.leave_out(first.file, error)
            continue
        for block in chain([first], group):
            yield from KINDS[roles.kind](source, block, roles)


def _part_versions(block: Block) -> Iterator[Block]:
    """Yield the rows of each version, where a column says which one made the vectors of items."""
    roles = Roles(block)
    columns = [name for each in (RUN, f"{ITEM} {FILE}") for name in roles.find(each)[:1]]
    pairs = list(zip(*map(block.columns.__getitem__, columns), strict=True))
    if not block.vectors or len(columns) < 2 or len({e[1] for e in pairs}) == len({*pairs}):
        yield block
        return
    path = Path(block.file)
    rest = {name: own for name, own in block.columns.items() if name != columns[0]}
    for run in dict.fromkeys(run for run, _ in pairs):
        rows = [own == run for own, _ in pairs]
        yield block._replace(
            file=f"{path.with_suffix('')}/{clean_name(run)}{path.suffix}",
            lines=list(compress(block.lines, rows)),
            columns={name: list(compress(own, rows)) for name, own in rest.items()},
            vectors={name: own[rows] for name, own in block.vectors.items()},
            contents={name: list(compress(own, rows)) for name, own in block.contents.items()},
        )


def _list_queries(_: Source, block: Block, roles: Roles) -> Pieces:
    ids = roles.read(block, "query_id")
    of = roles.of
    taken = {of["query_id"], of.get("text"), of.get("image")}
    columns = {name: cells for name, cells in block.columns.items() if name not in taken}
    columns["text"] = roles.read(block, "text" if "text" in of else "query_id")
    columns |= {"image": roles.read(block, "image")} if "image" in of else {}
    yield Queries(block.file, ids, columns)
    for column, rows in block.vectors.items():
        yield Vectors(block.file, name_version(block.file, column)[0], "texts", rows, ids)


NUMBERED_CAPTION = re.compile(r"(caption|sentence|comment)[_ ]?\d+|caption_(?!id)[a-z]{2}", re.I)
COMMA = re.compile(r"[-+]?\d+,(?!\d{3}$)\d+")


def read_numbers(cells: Names) -> list[float | None]:
    """Return the numbers of some cells; NaN for one that is none, None for an empty one.

    A comma is that of a fraction where no cell has a point, and one not three digits after it.

    >>> read_numbers(["1,5", "2,250", ""]), read_numbers(["1,234"])
    ([1.5, 2.25, None], [nan])
    """
    is_fraction = any(map(COMMA.fullmatch, cells)) and "." not in "".join(cells)
    plain = [cell.replace(",", ".") for cell in cells] if is_fraction else cells
    return [parse_number(cell) if cell else None for cell in plain]


def _list_pairs(source: Source, block: Block, roles: Roles) -> Pieces:
    """Yield judgements and results; empty grades are unjudged, other texts are left out.

    Judgements of each part of the data, where a column has it, are those of a file FILE/PART.
    """
    table = block.file
    splits = (own for name, own in block.columns.items() if COLUMN.fullmatch(name))
    parts = map(str.lower, next(filter(are_parts, splits), [""] * len(block.lines)))
    queries, items, texts, runs = (
        roles.read(block, each) for each in ("query_id", "item_id", "text", "run")
    )
    files = [f"{table}/{part}".rstrip("/") for part in parts]
    of = roles.of
    told = [each for each in ("grade", "score", "rank") if each in of]
    if not told:
        wanted = "a column of grades; the pairs are relevant"
        source.say(table, "queries and items alone", wanted, "note")
    for role, column in [
        (e, name) for e in told or ["grade"] for name in split_columns(block, of.get(e, ""))
    ]:
        cells = block.columns.get(column) or ["1"] * len(block.lines)
        plain = [cell.strip('[]"').lower() for cell in cells]
        words = {cell for cell in plain if parse_number(cell) != parse_number(cell)}
        grades = next((each for each in source.options.scales if words <= {*each, ""}), Texts())
        numbers = read_numbers([grades.get(cell, cell) for cell in plain])
        odd = [at for at, number in zip(block.lines, numbers, strict=True) if number != number]
        source.count(table, odd, f"cells of {column} that are no number", "numbers; rows left out")
        wanted = "a number; these pairs are unjudged"
        source.count(table, numbers.count(None), f"rows without a {column}", wanted, "note")
        if "text" in of:
            asked = [each == each for each in numbers]
            own = [list(compress(each, asked)) for each in (queries, texts)]
            yield Queries(table, own[0], {"text": own[1]})
        groups: dict[str, list[Any]] = {}
        sign = -1 if role == "rank" else 1
        owners = files if role == "grade" else runs
        for query, item, owner, number in zip(queries, items, owners, numbers, strict=True):
            if number == number and (number is not None or role == "grade"):
                row = query, cut_added(item), number and sign * number
                groups.setdefault(owner, []).append(row)
        for owner, rows in groups.items():
            name = clean_name(owner).strip("_") or find_stem(table)
            yield Judgements(owner, rows) if role == "grade" else RunLines(table, name, rows)


def _list_items(source: Source, block: Block, roles: Roles) -> Pieces:
    """Yield items with labels, captions and vectors; a table of vectors alone names no items."""
    of, table, folder = roles.of, block.file, find_folder_of(block.file)
    cells, given, captions, names = (
        roles.read(block, role) for role in ("file", "item_id", "caption", "caption_id")
    )
    for name in roles.find(FILE)[:1] if not any(cells) else ():  # pictures inside without a path
        cells = block.columns[name]
    files = [source.find_media(e or own, folder, own) for e, own in zip(cells, given, strict=True)]
    contents = block.contents.get(of.get("file", ""), [None] * len(cells))
    if not any((*files, *contents)):
        contents = list(map(read_outside, cells))
    if not any(cells) and is_shifted(given, source.media):
        raise DataError(table, *SHIFTED)
    ids, lost, near = [], [], []
    parts = count_parts(cells, source.options.items)
    spans = _list_spans(block, roles, files)
    for own, cell, file, content, span, line in zip(
        given, cells, files, contents, spans[SPANS[0]], block.lines, strict=True
    ):
        lost += [cell] if cell and not (file or content or cell in source.named) else []
        if file and not cell and NUMBER.fullmatch(own) and own != strip_name(file):
            near.append(own)
        key = file or (content and hashlib.sha256(content).digest()) or cell or line
        ids.append(own or name_row(source, cell, (key, span), table, line, parts))
    wanted = "files of the source; kept as items without a picture"
    source.count(table, lost, "files that are not there", wanted, "note")
    wanted = "names of files; matched by the number where only one fits"
    source.count(table, list(dict.fromkeys(near)), "numbers that are no names", wanted, "note")
    numbers: Names | None = None
    are_texts = rows_are_texts(block, roles)
    if block.vectors and block.columns and not (are_texts or any((*given, *cells, *contents))):
        numbers = number_rows(source, table, len(ids), block.columns)
        ids[:] = numbers or ids
    told = [e for e, own in block.columns.items() if e not in roles.find(RUN) or len({*own}) > 1]
    is_alone = block.vectors and len(told) == 1 and not any((*files, *contents))
    if block.columns and not (are_texts or is_alone and numbers is None):
        columns = {
            key: [cell] * len(ids)
            for key, cell in [*HIVE.findall(folder), *_find_part(source, table)]
        } | {name: own for name, own in block.columns.items() if name not in of.values()}
        if "poster" in of:
            columns["poster"] = [source.find_media(e, folder) for e in roles.read(block, "poster")]
        if lost and any(given) and cells != given:  # other names of the items
            columns["source_file" if of["file"] == "file" else of["file"]] = cells
        if not any(files) and any(map(CLIPS.search, block.columns)):
            columns.setdefault("kind", ["video"] * len(ids))
        labels = [name for name in block.classes if name in columns]
        yield from (ClassNames(table, {e: e for e in own}) for own in block.classes.values())
        columns |= {"file": files} | {role: own for role, own in spans.items() if any(own)}
        rows = zip(ids, cells, contents, strict=True)
        named = [own if content else cell or own for own, cell, content in rows]
        yield Items(table, ids, columns, labels, contents, cells=named)
        more = [columns[name] for name in filter(NUMBERED_CAPTION.fullmatch, columns)]
        yield _list_captions(table, ids, names, [captions, *more])
    texts = [name or text or own for name, text, own in zip(names, captions, given, strict=True)]
    for column, vectors in block.vectors.items():
        version, side = name_version(table, column if len(column) > 1 else "")
        named_by = ids if side == "items" else texts
        yield Vectors(table, version, side, vectors, named_by if block.columns else None)


def _find_part(source: Source, file: str) -> list[Pair]:
    """Return the column and cell of a table of one part, where tables ask and are searched."""
    tables = [each for each in source.files if each.endswith(Path(file).suffix or "/")]
    parts = {
        each: {PARTS[e] for e in re.findall("[a-z]+", find_stem(each).lower()) if e in PARTS}
        for each in (file, *tables)
    }
    own = parts[file] & {QUERY, GALLERY} or parts[file]  # as of test_query.csv
    return [("part", part) for part in own if divides(chain(*parts.values())) and len(own) == 1]


def number_rows(source: Source, name: str, count: int, columns: Columns) -> Names | None:
    """Return the numbers of vectors without ids, which all versions have in one order.

    Other versions have files of the same columns; none are numbered where a file of the same
    version has further rows, and None is returned where other files may hold the items.

    Raises:
        DataError: If the rows of a version before had other cells.
    """
    ending, version = Path(name).suffix, name_version(name)[0]
    others = [e for e in source.files if e.endswith((*TABLES, ending or "/"))]
    others = [e for e in others if e != name and not is_header([find_stem(e)])]
    heads = {each: source.read_head(each).split("\n")[0] for each in (name, *others)}
    kinds = {
        (Path(e).suffix, name_version(e)[1], str(re.findall(r'"\w+"\s*:', head) or head))
        for e, head in heads.items()
    }
    if source.media or len(kinds) > 1 or list_beside(source.files).lists:
        return None
    if any(name_version(e)[0] == version for e in others) or not others and ending in TABLES:
        return []
    columns = {name: own for name, own in columns.items() if len({*own}) > 1}
    first = source.counted[name]
    source.counted[name] += count
    known = source.numbered.setdefault(first, columns)
    if len({*map(len, (*known.values(), *columns.values()))}) > 1:
        return None
    if any(known[each] != columns[each] for each in known.keys() & columns.keys()):
        found = "vectors and labels without ids, the labels in another order than before"
        raise DataError(name, found, "one order", do="Save the id of each vector beside it.")
    source.say(name, "vectors and labels without ids", "ids; rows count from 0", "note")
    return list(map(str, range(first, first + count)))


def count_parts(cells: Iterable[str], known: Collection[str] = ()) -> int:
    """Return how many parts of paths, from the last on, tell all of them apart; at most 4.

    So many as most ids of before have, if some are among `known`, which an update keeps.

    >>> count_parts(["x/a/1.png", "x/b/1.png"]), count_parts(["x/1.png", "x/2.png", "x/2.png"])
    (2, 1)
    """
    tails = list(filter(None, map(_list_ends, {*cells})))
    times = [sum(own[:n][-1] in known for own in tails) for n in range(1, 5)]
    if any(times):
        return 1 + times.index(max(times))
    return next((n for n in range(1, 4) if len({own[:n][-1] for own in tails}) == len(tails)), 4)


def _list_ends(cell: str) -> list[str]:
    """Return the ends of a path, the shortest first, up to four parts long."""
    return list_tails(cut_added(cut_address(cell).replace("\\", "/")))[-4:][::-1]


def name_row(source: Source, cell: str, key: object, file: str, line: int, parts: int) -> str:
    """Return the id of a row by the path in it: base name, its folder, or the row's number.

    Rows that mean different things, which `key` tells, by one name stay apart; the names have so
    many parts, if the path has them.
    """
    names = _list_ends(cell)
    names = names[parts - 1 :] or names[-1:]
    names += [f"{name}#{line}" for name in names[:1]]
    names += [f"{find_stem(file)}-{line}", f"{file}-{line}"]
    return next((name for name in names if source.named.setdefault(name, key) == key), names[-1])


def _list_spans(block: Block, roles: Roles, files: Names) -> Columns:
    """Return the times of each row; none of a clip whose name has them, as Kinetics cuts them."""
    starts, ends = (list(map(read_seconds, roles.read(block, role))) for role in SPANS)
    for at, file in enumerate(files):
        span = rf"_0*{re.escape(starts[at])}_0*{re.escape(ends[at])}[.]"
        if starts[at] and re.search(span, file):
            starts[at] = ends[at] = ""
    return dict(zip(SPANS, (starts, ends), strict=True))


def _list_captions(file: str, ids: Names, names: Names, columns: Sequence[Names]) -> Captions:
    """Return captions row by row; a list in a cell is several, each perhaps with its id."""
    parts = split_cells({cell for cell in chain(names, *columns) if cell.startswith("[")})
    rows = []
    for item, name, *cells in zip(ids, names, *columns, strict=True):
        texts = [text for cell in cells for text in parts.get(cell, [cell]) if text]
        own = parts.get(name, [name])
        own = own if len(own) == len(texts) else [""] * len(texts)
        rows += [(item, *each) for each in zip(texts, own, strict=True)]
    return Captions(file, rows)


def read_seconds(cell: str) -> str:
    """Return a time in seconds.

    >>> read_seconds("1:02.5"), read_seconds("7"), read_seconds("")
    ('62.5', '7', '')
    """
    parts = enumerate(reversed(cell.split(":")))
    return f"{sum(60**at * parse_number(part) for at, part in parts):g}" if ":" in cell else cell


KINDS = {"items": _list_items, "queries": _list_queries, "pairs": _list_pairs}


def read_outside(cell: str) -> bytes | None:
    """Return the picture or clip at an absolute path, where it is there; else None."""
    if not EXTENSION.search(cell):
        return None
    path = Path(cell.removeprefix("file://"))
    is_picture = path.is_absolute() and recognise_type(path)
    return path.read_bytes() if is_picture and path.stat().st_size <= MAX_PICTURE_BYTES else None


FORMAT = Format(
    "tables",
    recognise,
    lambda source, files: read_each(
        read_table, source, [name for name in files if Path(name).name not in OF_DATASETS]
    ),
)
