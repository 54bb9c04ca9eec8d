"""`add`: a new version from a file of vectors or of results."""

from argparse import Namespace

from dashboard.commands.options import FINE, WRONG, Answer, complain, print_ways
from dashboard.commands.output import say_where
from dashboard.errors import Findings, Unsure
from dashboard.storage.settings import find_folder

HELP = "add a version: vectors of items and queries, or results; whole or not at all"
OPTIONS = """
VERSION/--version  name of the new version
--items FILE  vectors of the items: .npy, .npz, .safetensors, .parquet, .hdf5 or .faiss
--ids FILE  their ids, one a line (default: in the file itself, or FILE.txt beside it)
--queries FILE  vectors of the text queries, or of all queries (default: those beside the items in
    one file); without --items they are added to a version that is there
--query-ids FILE  their ids, as --ids
--by-position  vectors without ids are in the order of the collection's tables
--run FILE  results in place of vectors: TREC lines, or CSV with query_id, item_id and score; or a
    matrix, X.npy, with the ids of its rows and columns in X.rows.txt and X.columns.txt
--note TEXT  a sentence on what is new
--codes |packed|none  arrays of bytes are packed codes of eight bits each; or bytes, and 0 and 1,
    are vectors
"""
KEPT = ("items", "ids", "queries", "query_ids", "note", "by_position")
"""Options that are typed again with the answer to a question."""
COLUMNS = ("file", "rows", "digest")


def read_version_name(call: Namespace) -> str:
    """Return the name of the version of a call.

    Raises:
        ValueError: If it is not given, or given twice.
    """
    if (call.version is None) == (call.named is None):
        raise ValueError("Name the version once, for example --version v4.")
    return str(call.version or call.named or "")


def answer(call: Namespace) -> Answer:
    """Add the version, and return a row a file.

    Raises:
        ValueError: If the options do not go together.
        DataError: If the version cannot be used; nothing is written then.
    """
    from dashboard.storage.array_files import name_sides, name_vectors
    from dashboard.storage.collection import open_collection
    from dashboard.storage.new_versions import Stated, add_run, add_vectors, replace_queries

    if (call.items is None) == (call.run is None) and (call.items or not call.queries):
        raise ValueError("Give --items FILE (vectors) or --run FILE (results), one of them.")
    if call.run and any(map(vars(call).get, KEPT)):
        raise ValueError("--ids, --queries, --query-ids, --by-position, --note need --items.")
    name = read_version_name(call)
    collection = open_collection(find_folder(call.collection))
    findings: Findings = []
    if call.run:
        rows = add_run(collection, name, call.run, findings)
    else:
        asked = (call.queries, call.query_ids)
        stated = Stated(call.note or "", call.by_position, call.codes)
        try:
            if not call.items:
                texts = name_vectors(*asked, "queries", findings)
                version = collection.find_version(name)
                rows = [replace_queries(collection, version, texts, findings, call.by_position)]
            else:
                sides = name_sides(call.items, call.ids, *asked, findings)
                rows = add_vectors(collection, name, *sides, stated, findings)
        except Unsure as error:
            print_ways(error, call, ["add", call.collection, name], KEPT)
            return [], COLUMNS, WRONG
    complain(findings)
    say_where(collection, name)
    return rows, COLUMNS, FINE
