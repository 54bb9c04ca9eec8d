"""`index`: an approximate index of a version's vectors, or a copy of them on a Milvus server.

Rows of an index say what search through it costs against exact search; the row of a copy says how
many vectors were sent and read back.
"""

import re
from argparse import Namespace

from dashboard.commands.options import FINE, Answer, open_call
from dashboard.commands.output import draw_bar, say, say_where
from dashboard.errors import DataError

HELP = "build an approximate index of a version, or copy its vectors to a Milvus server"
OPTIONS = """
--version VERSION!  one with vectors
--to URI  the Milvus server to copy the vectors to, such as http://127.0.0.1:19530
--factory TEXT  the index to build, as faiss.index_factory takes it, such as "IVF64,Flat" or
    "HNSW32"; with --to Milvus' name of it, such as HNSW (default FLAT, which is exact)
--parameters TEXT  how it is searched, such as nprobe=8 or efSearch=64
--depth COUNT  results of a query that the index is asked for (default 100)
--evaluate  only measure the index that is there: recall, time and bytes, and those of exact search
-k COUNT  results from the first on that recall looks at (default 10)
"""
PARAMETERS = re.compile(r"(?!verbose)\w+=[1-9]\d{0,8}(,(?!verbose)\w+=[1-9]\d{0,8})*")
COPIED = ("rows", "copied", "checked")
COLUMNS = ("index", "k", "recall", "low", "high", "p50_ms", "p95_ms", "bytes", "build_s")


def answer(call: Namespace) -> Answer:
    """Build the index, or copy the vectors, as is asked for; return rows on what there is then.

    Raises:
        ValueError: If nothing is asked for.
        DataError: If the version or the index cannot be used.
    """
    import faiss

    from dashboard.plugins.indexes.faiss_file import measure_costs, read_index_file, write_index
    from dashboard.plugins.indexes.index_versions import KINDS
    from dashboard.plugins.indexes.milvus_copy import SERVERS, copy_vectors, make_line

    if not (call.factory or call.to or call.evaluate):
        raise ValueError("Give --factory TEXT, --to URI or --evaluate.")
    if call.parameters and not (call.factory or call.to):
        raise ValueError("--parameters need --factory: they are kept with the index.")
    parameters = call.parameters or ""
    if parameters and not PARAMETERS.fullmatch(parameters):
        raise DataError(
            "--parameters", repr(parameters[:80]), "numbers from 1, such as nprobe=8,efSearch=64"
        )
    collection = open_call(call)
    version = collection.find_version(call.version)
    if call.to:
        line = make_line(call.to, call.factory or "FLAT", parameters, call.depth)
        with draw_bar("vectors") as show:
            row = copy_vectors(collection, version, line, show)
        say_where(collection, f"{version.name} (milvus)", version.name)
        say(f'Start the dashboard with {SERVERS}="{line.uri}".')
        return [row], COPIED, FINE
    faiss.omp_set_num_threads(1)  # several would build another graph each time
    if call.factory:
        write_index(collection, version, call.factory, parameters, call.depth)
        say_where(collection, f"{version.name} (index)", version.name)
    place = collection.folder / version.file
    there = [read for file, read, _ in KINDS.values() if (place / file).is_file()]
    is_built = call.factory or not there
    files = [read(collection, version) for read in ([read_index_file] if is_built else there)]
    return measure_costs(collection, version, files, call.k), COLUMNS, FINE
