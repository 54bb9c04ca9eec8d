"""The steps of `init`: list, recognise, gather, decide, write, check, move into place."""

import json
import re
import shlex
import shutil
from argparse import Namespace
from contextlib import suppress
from filecmp import cmpfiles
from pathlib import Path

from dashboard.errors import DataError, Findings, list_names
from dashboard.evaluation.judgement import split_labels
from dashboard.plugins import load_all
from dashboard.plugins.importers.column_roles import OURS
from dashboard.plugins.importers.gathering import Gathered
from dashboard.plugins.importers.naming import divides
from dashboard.plugins.importers.placing import choose_hashing, join_files, write_versions
from dashboard.plugins.importers.planning import make_plan
from dashboard.plugins.importers.source import BROKEN, Source, list_source
from dashboard.plugins.importers.writing import (
    RECORD,
    TABLES,
    drop_versions,
    keep_files,
    keep_rows,
    link_media,
    list_files,
    list_tables,
    open_draft,
    read_record,
    write_files,
)
from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.media import list_missing
from dashboard.storage.new_versions import refuse_unknown, write_settings
from dashboard.storage.settings import find_data, is_collection, read_toml
from dashboard.storage.versions import list_stale, record_version
from dashboard.tables import Names, Row, Texts

CHOICES = ("map", "judgements", "relevance", "rows", "disagreements", "queries_from",
           "by_position", "codes")  # fmt: skip
"""Options of a call that the next update has, too, where it states no others."""
DECIDING = ("protocols", "class_label")
"""Settings that decide numbers, and that --relevance states."""
FORM = ("bits", "by_position")
"""Settings of a version that follow from its vectors; all others of model.toml stay."""
INDEXES = ("/index.faiss", "/milvus.json")
"""Files of kept versions that fit one set of ids, and can be built again."""
CONTENTS = re.compile(r"(media|posters|runs)/|.*[.]npy$")
"""Files that a new call may write with other contents: pictures, results and vectors."""
SCALES = [
    dict(pair.split("=") for pair in scale.split(","))
    for scale in (
        "e=3,exact=3,s=2,substitute=2,c=1,complement=1,i=0,irrelevant=0",
        "exact=3,partial=1.5,irrelevant=0",
        "perfect=4,excellent=3,good=2,fair=1,bad=0",
        "relevant=1,not relevant=0,irrelevant=0",
        "yes=1,no=0,y=1,n=0",
        "true=1,false=0",
    )
]
"""Grades of words: the labels of ESCI and WANDS, and those of judges."""
ADDRESS = "http://localhost:8501/{}?collection={}"


def make_collection(call: Namespace) -> tuple[list[Row], Findings, Names]:
    """Make a collection of a source; without an error it is there, and `check` accepts it.

    Returns:
        A row a file that was written, findings, and the lines of the answer, its address the last.

    Raises:
        Unsure: If a choice that decides numbers is open.
        DataError: If the source cannot be used, or the place is taken.
    """
    place = _find_place(call.new, call.source, call.update)
    record = read_record(place)
    typed = {key: each for key, each in vars(call).items() if each is not None}
    if call.judgements:
        record["choices"]["relevance"] = ""
    options = Namespace(**(vars(call) | record["choices"] | typed))
    options.before = record["settings"].get("class_label")
    options.items = {row[0] for row in record["tables"].get("items.csv", ())}
    record["choices"] = {key: getattr(options, key) for key in CHOICES}
    options.columns, options.scales = _split_map(options.map or "")
    source = list_source(call.source, options)
    with open_draft(place, keep=not call.dry_run) as draft:
        found = gather_pieces(source, draft)
        make_plan(found)
        join_files(found)
        drop_versions(place, found, record)
        write_versions(found)
        choose_hashing(found)
        found.settings["title"] = place.name
        link_media(found)
        list_tables(found)
        rows, kept = _write_all(place, found, record, bool(call.relevance))
        opened = _open_draft(found)
        versions = [n for n, e in opened.versions.items() if e.file.removesuffix(".npy") in kept]
        block = describe(found, opened, versions)
        number = len(found.placed) + len(found.runs) + len(versions)
        mapped = [f"--map {options.map}"] if options.map else []
        found.settings["source"] = [*block[: 3 if number else 2], *mapped]
        write_settings(draft / "collection.toml", found.settings)
        findings = [*source.findings, *check_draft(opened, found)]
    page = "compare" if number > 1 else ""
    lines: Names = ()
    if not number:
        model = "clip-ViT-B-32" if any(found.items.get("file")) else "all-MiniLM-L6-v2"
        start, name = "  python -m dashboard", shlex.quote(call.new)
        lines = [
            f"{start} embed {name} --version v1 --encoder {model}",
            f"{start} add {name} v1 --items vectors.npz",
        ]
    made = ADDRESS.format(page, place.name)
    if place.resolve().parent != find_data().resolve():
        made = f"DASHBOARD_DATA={shlex.quote(str(place.parent))} streamlit run app.py"
    made = "Nothing was made: --dry-run." if call.dry_run else made
    return rows, findings, [*block, *lines, made]


def _split_map(told: str) -> tuple[Texts, list[Texts]]:
    """Return the columns of the source by names of ours, and scales: numbers by words of grades."""
    columns, grades = Texts(), Texts()
    for pair in filter(str.strip, told.split(",")):
        ours, _, theirs = map(str.strip, pair.partition("="))
        if not ours or not theirs:
            raise ValueError(f"--map {pair!r}; expected OURS=THEIRS, such as item_id=sku.")
        if ours.isdecimal():
            grades[theirs.lower()] = ours
        else:
            columns[ours] = theirs
    return columns, [scale | grades for scale in SCALES]


def _open_draft(found: Gathered) -> Collection:
    """Open what was written; indexes of other vectors than now are left out, and said."""
    write_settings(found.folder / "collection.toml", found.settings)
    opened = open_collection(found.folder)
    stale = {name: e for name, e in opened.broken.items() if e.file.endswith(INDEXES)}
    for name, error in stale.items():
        (found.folder / error.file).unlink()
        found.source.leave_out(name, error)
        found.settings = {key: cell for key, cell in found.settings.items() if cell != name}
    return _open_draft(found) if stale else opened


def _write_all(
    place: Path, found: Gathered, record: Row, is_stated: bool
) -> tuple[list[Row], Names]:
    """Write the collection, and take over what people put into the one that is there.

    Settings that people changed stay; a note says where the source says otherwise.

    Returns:
        A row a file that was written, and the names of files and versions that were kept.
    """
    draft = found.folder
    now = record | {
        "settings": dict(found.settings),
        "tables": {name: found.tables[name] for name in TABLES},
    }
    for name in TABLES:
        keep_rows(place, name, found, record)
    rows = write_files(found)
    written: Names = [*list_files(draft), "collection.toml", RECORD]
    kept = keep_files(place, draft, [*record["files"], "collection.toml", RECORD])
    for name in written:
        if name.endswith("/model.toml") and name in record["files"]:
            theirs, new = (read_toml(folder / name, name) for folder in (place, draft))
            told = {key: cell for key, cell in theirs.items() if key not in FORM}
            shutil.copyfile(place / name, draft / name)
            write_settings(draft / name, new | told)
    old = read_toml(place / "collection.toml", "collection.toml") | {"source": None}
    stated = DECIDING if is_stated else ()
    wrote = record["settings"]
    own = {k: cell for k, cell in old.items() if cell != wrote.get(k) and k not in stated}
    odd = [k for k in sorted({*own} - {"title"}) if found.settings.get(k, own[k]) != own[k]]
    if said := ", ".join(f"{key} = {own[key]!r}" for key in odd):
        found.notes.append(f"but collection.toml says {said}, which counts")
    other = [key for key in DECIDING if wrote.get(key) not in (None, found.settings.get(key))]
    found.notes += [f"before: {key} = {wrote[key]!r}" for key in other[-1:] if not is_stated]
    found.settings |= own
    with suppress(OSError):  # its comments are those of people
        shutil.copyfile(place / "collection.toml", draft / "collection.toml")
    _, changed, _ = cmpfiles(place, draft, [*filter(CONTENTS.match, written)])
    wanted = "the same as before; those of the source are taken in"
    found.source.count(place.name, changed, "files with other contents", wanted, "note")
    more = sorted(kept, key=lambda name: name.startswith("media/"))
    wanted = "files of the source; kept"
    found.source.count(place.name, more, "further files and versions", wanted, "note")
    now["files"] = sorted(
        {*written, *(name for name in record["files"] if (draft / name).exists())}
    )
    (draft / RECORD).write_text(json.dumps(now, ensure_ascii=False), encoding="utf-8")
    return rows, kept


def _find_place(new: str, path: Path, update: bool) -> Path:
    """Return the folder of the new collection."""
    place = Path(new) if len(Path(new).parts) > 1 else find_data() / new
    if place.name[:1] in ("", ".") or not place.name.isprintable():
        raise DataError(repr(new), "no name for a folder", "a name, or the path of a folder")
    there, inside = place.resolve(), path.resolve()
    if there.is_relative_to(inside) or inside.is_relative_to(there):
        raise DataError(place.name, "a place inside the source, or around it", "one apart from it")
    if place.is_file() or place.exists() and any(place.iterdir()):
        if not is_collection(place):
            raise DataError(place.name, "something that is no collection", "a new name")
        if not update:
            do = "Type --update to make it anew, or another name."
            raise DataError(place.name, "a collection that is there", "a new name", do=do)
    return place


def gather_pieces(source: Source, folder: Path) -> Gathered:
    """Return all that the formats yield; say where rows of one id have different cells.

    Raises:
        DataError: If there is nothing that one of them reads.
    """
    found, mapped = Gathered(folder, source), source.options.columns
    formats = [each for own in reversed(load_all("formats")) for each in own]  # a team's first
    for each in formats:
        files = dict.fromkeys(each.recognise(source))
        source.left = [name for name in source.left if name not in files]
        try:
            for piece in each.read(source, list(files)) if files else ():
                found.add(piece)
        except BROKEN as error:
            source.leave_out(next(iter(files)), error)
    source.report_unread()
    for ours in mapped.keys() - source.mapped.intersection(OURS):
        wanted = f"one of {', '.join(OURS)}, and a column of a table"
        do = 'Type --map "" if an update needs none any more.'
        raise DataError("--map", f"{ours}={mapped[ours]}", wanted, do=do)
    wanted = "one of each; the first counts, of classes with --disagreements majority those of most"
    for rows in (found.items, found.queries):
        for column, again in rows.again.items():
            many = sum(len({*cells}) > 1 and not divides(cells) for cells in again.values())
            source.count(rows.filled[column], many, f"ids with a second {column}", wanted)
    found.vectors = {key: own for key, own in found.vectors.items() if len(own)}
    if not (found.items or found.judged or found.runs or found.vectors):
        said = " ".join(map(str, source.findings[:3]))
        known = ", ".join(each.name for each in formats)
        seen = f"{len(source.files):,} files ({said or 'nothing to search'})"
        raise DataError(source.root.name, seen, f"one of: {known}")
    return found


def describe(found: Gathered, opened: Collection, kept: Names) -> Names:
    """Return the answer: what decides relevance, which items it names, which versions there are.

    All is counted in what was written, with what people changed in it.

    Raises:
        DataError: If the collection has no query or no item of some results.
    """
    labels = list(filter(None, split_labels(opened.items[found.column])[0]))
    ids, pairs = {row[0] for row in found.tables["items.csv"][1:]}, found.tables["qrels.csv"][1:]
    texts = ids.intersection(found.texts)
    queries = len({row[0] for row in pairs})
    told = {
        "": "nothing decides it",
        "tables": "tables of a protocol",
        "judgements": f"judgements, {len(pairs):,} pairs of {queries:,} queries",
        "captions": f"each {found.noun} and its texts, {len(texts):,} texts",
        "keywords": "keywords",
        "labels": f"same {found.column}, {len(set[str]().union(*labels)):,} classes",
    }[found.basis]
    keywords = len(found.tables["unified_annotation.csv"]) - 1
    number = len(labels) or keywords or len({row[1] for row in pairs} & ids - texts)
    counted = "" if found.basis == "tables" else f"; judged: {number:,}"
    files, tables = list_names(found.files), list_names(found.taken["items.csv"])
    notes = (
        f"{each.found}; expected {each.wanted}"
        for each in opened.findings
        if each.file == "qrels" and each.level == "note"
    )
    relevant = "; ".join([f"{told} ({files})" if files else told, *found.notes, *notes])
    versions = [f"{each.name} ({', '.join(each.said)})" for each in found.placed]
    for name, run in found.runs.items():
        rows = found.tables[f"runs/{name}.csv"][1:]
        for at, table in enumerate((opened.queries, opened.items)):
            refuse_unknown(table, dict.fromkeys(row[at] for row in rows), run.file)
        asked = {row[0] for row in rows}
        unknown = len(opened.queries.list_unknown(asked))
        rest = f"; {unknown:,} of its {len(asked):,} queries are unknown" if unknown else ""
        versions.append(f"{name} ({len(rows):,} results of {run.file}{rest})")
    versions += [f"{name} (kept)" for name in kept]
    return (
        f"Relevant: {relevant}",
        f"Items: {len(ids - texts):,} of {tables}{counted}",
        f"Versions: {'; '.join(versions) or 'none yet'}",
    )


def check_draft(opened: Collection, found: Gathered) -> Findings:
    """Return what `check` finds, and record which rows new vectors were made for.

    Raises:
        DataError: If it finds an error.
    """
    for each in opened.findings:
        if each.level == "error":
            raise DataError(each.file, each.found, each.wanted, line=each.line)
    findings = [*opened.findings, *list_missing(opened), *list_stale(opened)]
    for name in {*(each.name for each in found.placed)} & opened.versions.keys():
        record_version(opened.versions[name], opened, opened.folder / "models" / name)
    return findings
