"""Folders of pictures and clips; a folder a class; lines beside a picture are its captions."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, zip_longest
from posixpath import commonpath

from dashboard.plugins.importers.naming import GALLERY, PARTS, QUERY, SPLITS, TEST, TRAIN, name_part
from dashboard.plugins.importers.pieces import Format, Items, Pieces, list_lines, read_each
from dashboard.plugins.importers.source import Columns, Source, find_folder_of, find_stem
from dashboard.storage.media import EXTENSION, is_video
from dashboard.tables import Names, Texts

GENERAL = re.compile(
    r"(image|img|video|reference)s?|pictures|photos|clips|media|data|files|jpe?g|png|posters|gifs|"
    r"raw|all|dataset|quer(y|ies)|gallery|database|(train|test)(ing)?|val(id(ation)?)?|dev"
)
"""Words in names of folders that are no classes."""
SURE = re.compile(
    "^(?!(query|gallery)_(?!(image|img|picture|crop|set|bounding|box))).*(quer|gallery|database)",
    re.I,
)
"""Words in names of folders that are no classes beside each other."""
BESIDE = frozenset({"set", "bounding", "box", ""})
"""Words that may stand beside these; alone they are classes."""
SHARDED = re.compile(r"(^|/)(\d\d+)/\2\d")
"""A file whose number begins with that of its folder, which only parts many files."""
CAPTIONS = re.compile(r"(^|/)(captions?|texts?|descriptions?)/[^/]+$", re.I)
"""A file in a folder of captions, each called as a picture in another one."""
IDENTITY = re.compile(r"(?:.*/)?(-?\d+)_c(\d+).*")
"""The name of a picture of Market-1501 and others like it: who it shows, and a camera."""


def recognise_beside(source: Source) -> Names:
    """Return texts, and JSON with a caption, that are named as a picture but for the ending."""
    beside = _name_shown(source, source.list_left(".txt", ".caption", ".json"))
    return [n for n in beside if n[-5:] != ".json" or '"caption"' in source.read_head(n)]


def _name_shown(source: Source, texts: Names) -> Texts:
    """Return the picture, or the clip, of each text beside one, or in a folder of captions."""
    shown = {EXTENSION.sub("", name): name for name in sorted(source.media, key=is_video)}
    times = Counter(map(find_stem, shown.values()))
    alone = {find_stem(name): name for name in shown.values() if times[find_stem(name)] == 1}
    return {
        name: file
        for name in texts
        if (file := shown.get(name.rpartition(".")[0]))
        or CAPTIONS.search(name)
        and (file := alone.get(find_stem(name)))
    }


def read_beside(source: Source, files: Names) -> Pieces:
    """Yield the captions of each picture, or of the clip of that name."""
    return read_each(partial(_read_captions, named=_name_shown(source, files)), source, files)


def _read_captions(source: Source, name: str, named: Texts) -> Pieces:
    """Yield the captions that a file beside a picture holds; img2dataset writes JSON, too."""
    read = source.read_json if name.endswith(".json") else source.read_text
    found = read(name)
    text = found.get("caption") if isinstance(found, dict) else found
    if isinstance(text, str):
        yield list_lines(name, named[name], text)


def read(source: Source, files: Names) -> Pieces:
    """Yield an item a file, with its folders as classes."""
    stills = {EXTENSION.sub("", name): name for name in files if not is_video(name)}
    posters = {name: stills.get(EXTENSION.sub("", name), "") for name in filter(is_video, files)}
    hidden = {*posters.values()}
    shown = [name for name in files if name not in hidden]
    folders = [name.split("/")[:-1] for name in shown]
    parts, told = _find_folders(folders)
    columns: Columns = {"file": shown, "poster": [posters.get(name, "") for name in shown]}
    if not all(map(SHARDED.search, shown)):
        columns |= list_class_folders([[e for e in own if e not in parts] for own in folders])
    if len({*told}) > 1:
        columns["part"] = told
    named = [match.groups() for match in map(IDENTITY.fullmatch, shown) if match]
    label = f"{commonpath(map(find_folder_of, shown)) or source.root.name}/"
    if len(named) == len(shown):
        columns["identity_id"], columns["camera_id"] = map(list, zip(*named, strict=True))
    yield Items(label, shown, columns, list(columns.keys() & {"class"}))


def _find_folders(folders: Sequence[Names]) -> tuple[Texts, list[str]]:
    """Return the parts that folders are, and the part of each file.

    Folders as index or probe, which may be classes, divide the files only if each has such a part,
    and so do one called such as query_street and one as gallery_shop, with classes in them.

    >>> _find_folders([["query_street", "1"], ["gallery_shop", "1"]])[1]
    ['query', 'gallery']
    >>> _find_folders([["query_street"], ["gallery_shop"]])[1]
    ['', '']
    """
    named = {folder: name_part(folder) for folder in {*chain(*folders)}}
    pair = {e: e.partition("_")[0] for e in named if re.match("(query|gallery)(_|$)", e)}
    is_below = any(own[-1] not in pair for own in folders if own)
    if sorted(pair.values()) == [GALLERY, QUERY] and is_below:
        named |= pair
    ranks = (TRAIN, QUERY, GALLERY, *SPLITS)
    searched = GALLERY if GALLERY in named.values() else TEST
    for kinds in (ranks, SPLITS):
        parts = {folder: part for folder, part in named.items() if part in kinds}
        told = [
            min(filter(None, map(parts.get, own)), key=ranks.index, default="") for own in folders
        ]
        is_whole = {*told} <= {QUERY, TRAIN, searched}
        is_sure = all(SURE.search(e) for e, part in parts.items() if part in (QUERY, GALLERY))
        if {QUERY, searched} <= {*parts.values()} and (is_whole or is_sure):
            break
    return parts, told


def list_class_folders(folders: Iterable[Names]) -> Columns:
    """Return the classes that folders name: `class`, or `folder_1` and on where they are nested."""
    columns = map(list, zip_longest(*(filter(_is_class, e) for e in folders), fillvalue=""))
    several = [column for column in columns if len(set(column)) > 1 and not _is_split(column)]
    if len(several) == 1:
        return {"class": several[0]}
    return {f"folder_{at}": column for at, column in enumerate(several, start=1)}


def _is_split(folders: Names) -> bool:
    """Return whether folders differ by the part of the data alone, as WIDER_train and WIDER_val."""
    words = [{*re.split(r"[\W_]+", folder.lower())} for folder in {*folders}]
    shared = set.intersection(*words)
    return all(each - shared <= PARTS.keys() for each in words)


def _is_class(folder: str) -> bool:
    """Return whether the name of a folder may be a class; img2dataset's shards are numbers."""
    words = {*re.split(r"[\d_ -]+", folder.lower())} - BESIDE
    is_part = bool(words) and all(map(GENERAL.fullmatch, words))
    return not (is_part or re.fullmatch(r"\d{5,}", folder))


BESIDE_MEDIA = Format("captions beside pictures", recognise_beside, read_beside)
FORMAT = Format(
    "pictures and clips",
    lambda source: [name for name in source.left if EXTENSION.search(name)],
    read,
)
