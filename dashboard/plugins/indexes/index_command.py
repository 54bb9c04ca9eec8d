"""`index`: an approximate index of a version's vectors, and what it costs against exact search."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.commands.options import FINE, add_collection
from dashboard.storage.folders import find_folder

HELP = "build an approximate index of a version (faiss); what it costs against exact search"
COLUMNS = ("index", "k", "recall", "low", "high", "p50_ms", "p95_ms", "bytes", "build_s")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.add_argument("--version", required=True, metavar="VERSION", help="one with vectors")
    text = 'the index to build, as faiss.index_factory takes it, such as "IVF64,Flat" or "HNSW32"'
    parser.add_argument("--factory", metavar="TEXT", help=text)
    text = "how it is searched, such as nprobe=8 or efSearch=64"
    parser.add_argument("--parameters", default="", metavar="TEXT", help=text)
    text = "results of a query that the index is asked for (default 100)"
    parser.add_argument("--depth", type=int, default=100, metavar="NUMBER", help=text)
    text = "only measure the index that is there: recall, time and bytes, and those of exact search"
    parser.add_argument("--evaluate", action="store_true", help=text)
    text = "results from the first on that recall looks at (default 10)"
    parser.add_argument("-k", type=int, default=10, metavar="NUMBER", help=text)


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Build the index if it is asked for, and return a row for it and one for exact search.

    Raises:
        ValueError: If nothing is asked for, or a number is below 1.
        DataError: If the version or the index cannot be used.
    """
    import faiss

    from dashboard.plugins.indexes.faiss_file import read_index_file
    from dashboard.plugins.indexes.index_building import measure_costs, write_index
    from dashboard.storage.collection import open_collection

    if call.depth < 1 or call.k < 1 or not (call.factory or call.evaluate):
        raise ValueError("Give --factory TEXT or --evaluate, and --depth and -k from 1.")
    if call.parameters and not call.factory:
        raise ValueError("--parameters need --factory: they are kept with the index.")
    collection = open_collection(find_folder(call.collection))
    version = collection.find_version(call.version)
    faiss.omp_set_num_threads(1)  # several would build another graph each time
    if call.factory:
        write_index(collection, version, call.factory, call.parameters, call.depth)
        print(f"{version.name} (index) is a version of {collection.name} now.", file=sys.stderr)
    file = read_index_file(collection, version)
    return measure_costs(collection, version, file, call.k), COLUMNS, FINE
