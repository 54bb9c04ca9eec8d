"""DeepHash's lists: a picture and its labels as zeros and ones a line; queries, and a gallery."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from dashboard.errors import Finding
from dashboard.plugins.importers.pieces import Format, Items, Piece, Queries, match_lines, read_each
from dashboard.plugins.importers.source import Source, find_stem

FORM = r"(\S+\.\w{2,4})((?:\s+[01])%s)"
LINE = re.compile(FORM % "+")
QUERIES = re.compile("test|query|queries")


def recognise(source: Source) -> list[str]:
    """Return text files of paths and zeros and ones."""
    return [
        name
        for name in source.list_left(".txt")
        if LINE.fullmatch(source.read_head(name).split("\n")[0].strip())
    ]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the gallery of the file of the database, and the queries of the test file."""
    gallery = [n for n in files if re.search("database|gallery|base", find_stem(n).lower())]
    queries = [n for n in files if QUERIES.search(find_stem(n).lower()) and n not in gallery]
    gallery = gallery or [n for n in files if n not in queries]
    for name in (n for n in files if n not in {*gallery, *queries}):
        yield Finding("note", name, None, "a list beside database and test", "those; left out")
    yield from read_each(partial(_read_list, queries=queries), source, [*gallery, *queries])


def _read_list(source: Source, name: str, queries: Sequence[str]) -> Iterator[Piece]:
    text = source.read_text(name)
    widths = Counter(
        len(line.split()) - 1 for line in text.split("\n") if LINE.fullmatch(line.strip())
    )
    width = widths.most_common(1)[0][0]
    form = re.compile(FORM % f"{{{width}}}")
    good, odd = match_lines(text, form, name, f"a path and {width} labels")
    yield from odd
    ids = [match[1] for match in good.values()]
    cells = [_name_labels(match[2].split()) for match in good.values()]
    files = [source.find_media(each) for each in ids]
    if name in queries:
        image = [file or each for file, each in zip(files, ids, strict=True)]
        yield Queries(name, ids, {"image": image, "labels": cells})
    else:
        yield Items(name, ids, {"file": files, "labels": cells}, ["labels"], is_whole=True)


def _name_labels(flags: Sequence[str]) -> str:
    """Return the labels of a row as a list: the numbers of its ones."""
    return json.dumps([f"label {at}" for at, flag in enumerate(flags) if flag == "1"])


FORMAT = Format("hashing lists", "DeepHash's database.txt and test.txt", recognise, read)
