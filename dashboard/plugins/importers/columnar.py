"""Parquet and Arrow in blocks: class names from the schema, pictures inside, lists as vectors."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.importers.blocks import Block, is_vector, make_block
from dashboard.plugins.importers.pieces import write_list
from dashboard.plugins.importers.source import BROKEN, Columns, Source
from dashboard.storage.array_files import ROWS, count_lists, holds_numbers, open_parquet, read_lists
from dashboard.storage.media import recognise_bytes
from dashboard.storage.vector_ids import Arrays
from dashboard.tables import Names, Row

AVERAGE = (
    "Average them: frame['{0}'] = [numpy.mean(list(rows), 0) for rows in frame['{0}']], between "
    "pandas.read_parquet and frame.to_parquet"
)
"""The line that makes one vector of those of frames."""


def read_columnar(source: Source, name: str) -> Iterator[Block]:
    """Yield the rows of a Parquet file, or of an Arrow stream or file, in blocks.

    Raises:
        DataError: If the file is damaged, or its values are many more than its bytes hold.
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    first = 1
    try:
        path = source.find_path(name)
        with path.open("rb") as file:
            head = file.read(8)
        if head.startswith(b"PAR1"):
            opened = open_parquet(path)
            schema, batches = opened.schema_arrow, opened.iter_batches(batch_size=ROWS)
        elif head.startswith(b"ARROW1"):
            opened = pa.ipc.open_file(path)
            schema = opened.schema
            batches = map(opened.get_batch, range(opened.num_record_batches))
        else:
            batches = pa.ipc.open_stream(path)
            schema = batches.schema
        classes: Columns = {}  # of columns of whole numbers, as `datasets` writes them
        with suppress(*BROKEN):  # written by another program
            told = (schema.metadata or {}).get(b"huggingface", b"{}")
            for column, each in json.loads(told)["info"]["features"].items():
                match each:
                    case [kind] | {"feature": kind} | kind:
                        pass
                match kind:
                    case {"_type": "ClassLabel", "names": names}:
                        classes[column] = list(map(str, names))
        for batch in batches:
            batch.validate(full=True)
            yield _make_block(source, name, first, batch, classes)
            first += len(batch)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError(
            name,
            f"a damaged {name.rpartition('.')[2]} file from row {first:,} on ({str(error)[:80]})",
            "a whole file",
            do="Write it again.",
        ) from error


def _make_block(source: Source, file: str, first: int, batch: Any, classes: Columns) -> Block:
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    cells: Row = {}
    vectors: Arrays = {}
    contents: Row = {}
    for column, values in zip(batch.schema.names, batch.columns, strict=True):
        values = getattr(values, "storage", values)  # of an extension of Arrow
        kind = values.type
        column = re.sub("^__.*__$", "", column)  # an index of pandas without a name
        if pa.types.is_struct(kind) and {"bytes", "path"} <= {each.name for each in kind}:
            cells[column] = values.field("path").to_pylist()
            contents[column] = values.field("bytes").to_pylist()
        elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raw = values.to_pylist()
            if any(map(recognise_bytes, filter(None, raw))):
                cells[column], contents[column] = [""] * len(values), raw
            else:
                wanted = "lists of numbers, as numpy.frombuffer(cell, 'float32').tolist(); left out"
                source.say(file, f"a column {column} of bytes that are no pictures", wanted)
        elif is_vector(column, _measure_lists(values), "int" not in str(kind)):
            if count_lists(kind) > 1 and pc.max(pc.list_value_length(values)).as_py() > 1:
                several = f"several vectors a row in the column {column}"
                source.say(file, several, f"one; left out. {AVERAGE.format(column)}")
            else:
                vectors[column] = read_lists(values)[0]
        elif column in classes:
            cells[column] = [_name_class(each, classes[column]) for each in values.to_pylist()]
        else:  # times by Arrow, for years that Python has not
            is_time = pa.types.is_temporal(kind)
            cells[column] = (values.cast(pa.string()) if is_time else values).to_pylist()
    rows = [{name: own[at] for name, own in cells.items()} for at in range(len(batch))]
    made = make_block(source, file, list(enumerate(rows, first)))
    return made._replace(vectors={**vectors, **made.vectors}, contents=contents, classes=classes)


def _measure_lists(values: Any) -> int:
    """Return how many numbers the first list of a column holds, nested or not; 0 for no lists."""
    if not count_lists(values.type) or not holds_numbers(values.type):
        return 0
    lists = values.drop_null()
    at = next((at for at, each in enumerate(lists) if len(each)), 0)
    return len(lists[at : at + 1].flatten(recursive=True))


def _name_class(value: Any, names: Names) -> str:
    """Return the name of a class, or a list of some; a number outside of them, as -1, is none."""
    if isinstance(value, list):
        return write_list(_name_class(each, names) for each in value)
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else ""
