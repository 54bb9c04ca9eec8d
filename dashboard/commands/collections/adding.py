"""`python -m dashboard add`: a new version of a collection from files of vectors or of lists."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from urllib.parse import urlencode

from dashboard.commands.console import (
    FINE,
    Answer,
    Command,
    add_collection,
    complain,
    complain_about,
    opened,
)
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.versions import adding
from dashboard.tables import Findings

ABOUT = "add a version: vectors of items and queries, or a ranked run; whole or not at all"
SERVED = "http://localhost:8501"
"""Where Streamlit serves unless told otherwise."""


def add_add(command: Command) -> None:
    """Enter the command `add`."""
    added = command("add", _add, ABOUT)
    add_collection(added)
    add_version_name(added)
    text = "vectors of the items: .npy, .npz, .parquet, .safetensors, or a FAISS index"
    added.add_argument("--items", "--vectors", type=Path, metavar="FILE", help=text)
    text = "their ids, one a line; default: FILE.txt beside them, else the order of the items"
    added.add_argument("--ids", type=Path, metavar="FILE", help=text)
    added.add_argument("--queries", type=Path, metavar="FILE", help="vectors of the text queries")
    added.add_argument("--query-ids", type=Path, metavar="FILE", help="their ids, as --ids")
    text = "ranked lists in place of vectors: TREC, CSV, JSON lines or Parquet"
    added.add_argument("--run", type=Path, metavar="FILE", help=text)
    added.add_argument("--note", default="", metavar="TEXT", help="a sentence on what is new")


def add_version_name(parser: ArgumentParser) -> None:
    """Add the name of a new version, as an argument or as `--version`."""
    parser.add_argument("name", nargs="?", metavar="VERSION", help="the new version's name")
    parser.add_argument("--version", metavar="VERSION", help="the same")


def version_name(call: Namespace) -> str:
    """The name of the new version of a call. Raises ValueError without one, or with two."""
    names = {name for name in (call.name, call.version) if name is not None}
    if len(names) != 1:
        raise ValueError("name the new version once, for example --version v4")
    return str(names.pop())


def where_to_look(collection: Collection, name: str) -> str:
    """The sentence behind a new version: its address in the dashboard, beside the usual baseline
    of the versions that were there before, or alone."""
    values = {"v": "1", "collection": collection.name}
    others = [version for version in collection.versions if version != name]
    if others:
        usual = collection.default_baseline
        values |= {"baseline": usual if usual in others else others[0], "candidate": name}
    page = "compare" if others else ""
    return f"{name} is a version of {collection.name} now: {SERVED}/{page}?{urlencode(values)}"


def _add(call: Namespace) -> Answer:
    name, findings = version_name(call), Findings()
    if (call.items is None) == (call.run is None):
        raise ValueError("give --items FILE (vectors) or --run FILE (ranked lists), one of them")
    if call.run is not None and (call.queries or call.ids or call.query_ids or call.note):
        raise ValueError("--ids, --queries, --query-ids and --note belong to --items")
    collection = opened(call)
    if call.run is not None:
        table = adding.add_run(collection, name, call.run, findings=findings)
    else:
        items = adding.read_given(call.items, call.ids, findings)
        queries = call.queries and adding.read_given(call.queries, call.query_ids, findings)
        settings = {"note": call.note} if call.note else {}
        table = adding.add_vectors(
            collection, name, items, queries, settings=settings, findings=findings
        )
    complain_about(findings.frame())
    complain(where_to_look(collection, name))
    return table, FINE
