"""Small files that ask for much memory or time: how each is made, what a command takes of it."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from tests.storage.tiny import ITEMS

ROOT = Path(__file__).parents[1]
HEADER = "slice_id,pv_object_type,pv_actor_behavior\n"


def annotation(folder: Path, rows: str) -> None:
    (folder / "unified_annotation.csv").write_text(HEADER + rows)


def parquet(folder: Path, table: pa.Table, stem: str = "unified_annotation", **how: object) -> None:
    for path in folder.glob(f"{stem}.*"):
        path.unlink()
    pq.write_table(table, folder / f"{stem}.parquet", **how)


def one_value(rows: int, value: object = "car", kind: pa.DataType | None = None) -> pa.Array:
    """A column of one value in a dictionary: a few bytes in a file, however long."""
    indices = pa.array(np.zeros(rows, np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], kind)).cast(
        pa.dictionary(pa.int32(), kind or pa.string())
    )


def make_all(folder: Path, *names: str) -> dict[str, Path]:
    """A collection with each bomb, made by a process of its own, whose memory is nobody else's."""
    places = {name: folder / str(number) for number, name in enumerate(BOMBS) if name in names}
    told = [part for name, place in places.items() for part in (name, str(place))]
    script = (
        "import sys; from pathlib import Path; from tests.bombs import BOMBS\n"
        "from tests.storage.tiny import make_collection\n"
        "for name, place in zip(sys.argv[1::2], sys.argv[2::2]):\n"
        "    BOMBS[name](make_collection(Path(place)))"
    )
    subprocess.run([sys.executable, "-c", script, *told], cwd=ROOT, check=True)
    return places


def _cell_of_keywords(folder: Path) -> None:
    annotation(folder, 'v00,"' + ", ".join(f"word {n}" for n in range(10_000)) + '",\n')


def _long_keyword(folder: Path) -> None:
    annotation(folder, f"v00,{'x' * 100_000},\n")


def _keywords_of_words(folder: Path) -> None:
    annotation(folder, f"v00,{'long word ' * 10_000},\n")


def _many_keywords(folder: Path) -> None:
    rows = "".join(f"i{n},word {n},\n" for n in range(20_000))
    annotation(folder, rows)
    (folder / "items.csv").write_text("item_id\n" + "".join(f"i{n}\n" for n in range(20_000)))


def _vocabulary(folder: Path) -> None:
    entry = '[[keyword]]\nkeyword = "word {}"\ngroup = "pv_object_type"\n'
    (folder / "vocabulary.toml").write_text("".join(entry.format(n) for n in range(100_000)))


def _other_words(folder: Path) -> None:
    words = json.dumps([f"word {n}" for n in range(80_000)])
    entry = f'[[keyword]]\nkeyword = "car"\ngroup = "pv_object_type"\nother_words = {words}\n'
    (folder / "vocabulary.toml").write_text(entry)


def _cells(folder: Path) -> None:
    column = one_value(49_000_000 // 3)
    parquet(folder, pa.table(dict.fromkeys(("slice_id", "pv_object_type", "pv_x"), column)))


def _cells_of_nothing(folder: Path) -> None:
    parquet(folder, pa.table({f"pv_{n}": pa.nulls(24_000_000, pa.string()) for n in range(2)}))


def _lists(folder: Path) -> None:
    rows = pa.ListArray.from_arrays(pa.array([0, 40_000_000], pa.int32()), one_value(40_000_000))
    parquet(
        folder, pa.table({"slice_id": ["v00"], "pv_object_type": rows.cast(pa.list_(pa.string()))})
    )


@cache
def _long_text() -> bytes:
    file = io.BytesIO()
    cells = {"slice_id": ["v00"], "pv_object_type": ["x" * 300_000_000]}
    pq.write_table(pa.table(cells), file, compression="zstd", use_dictionary=False)
    return file.getvalue()


def _zipped_texts(folder: Path) -> None:
    for path in folder.glob("unified_annotation.*"):
        path.unlink()
    (folder / "unified_annotation.parquet").write_bytes(_long_text())


def lying(path: Path, numbers: tuple[int, ...]) -> None:
    """Let the end of a Parquet file say 1 wherever it says one of some large numbers."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:]
    for number in numbers:
        true = _varint(2 * number)
        assert true in footer
        footer = footer.replace(true, bytes([0x82, *[0x80] * (len(true) - 2), 0]))
    path.write_bytes(content[:start] + footer)


def _varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def _lying_texts(folder: Path) -> None:
    _zipped_texts(folder)
    path = folder / "unified_annotation.parquet"
    metadata = pq.ParquetFile(path).metadata.row_group(0)
    sizes = (metadata.column(1).total_uncompressed_size, metadata.total_byte_size)
    lying(path, sizes)


def _lying_lists(folder: Path) -> None:
    rows = pa.ListArray.from_arrays(pa.array([0, 100_000_000], pa.int32()), one_value(100_000_000))
    table = pa.table({"slice_id": ["v00"], "pv_object_type": rows})
    parquet(folder, table, row_group_size=1, data_page_version="1.0")
    path = folder / "unified_annotation.parquet"
    lying(path, (pq.ParquetFile(path).metadata.row_group(0).column(1).num_values,))


def _shared_beginnings(folder: Path) -> None:
    cells = pa.array([f"{'x' * 100_000}{n}" for n in range(10_000)])
    how = {"use_dictionary": False, "column_encoding": {"pv_object_type": "DELTA_BYTE_ARRAY"}}
    ids = [f"v{n}" for n in range(10_000)]
    parquet(folder, pa.table({"slice_id": ids, "pv_object_type": cells}), **how)
    path = folder / "unified_annotation.parquet"
    metadata = pq.ParquetFile(path).metadata.row_group(0)
    assert path.stat().st_size < 1_000_000 and metadata.total_byte_size < 50_000_000


def _columns_of_parquet(folder: Path) -> None:
    parquet(folder, pa.table({f"pv_{n}": ["x"] for n in range(30_000)}))


def _columns(folder: Path) -> None:
    names = ",".join(f"pv_{n}" for n in range(100_000))
    (folder / "unified_annotation.csv").write_text(f"slice_id,{names}\nv00{',x' * 100_000}\n")


def _objects(folder: Path) -> None:
    for path in folder.glob("items.*"):
        path.unlink()
    rows = [json.dumps({"item_id": f"i{n}", f"own {n}": 1}) for n in range(20_000)]
    (folder / "items.jsonl").write_text("\n".join(rows))


def _deep_object(folder: Path) -> None:
    for path in folder.glob("items.*"):
        path.unlink()
    (folder / "items.jsonl").write_text('{"item_id": "v00", "x": ' + "[" * 500_000 + "]" * 500_000)


def _deep_settings(folder: Path) -> None:
    with (folder / "collection.toml").open("a") as file:
        file.write("deep = " + "[" * 200_000 + "]" * 200_000 + "\n")


def _dotted_settings(folder: Path) -> None:
    with (folder / "collection.toml").open("a") as file:
        file.write(".".join(["a"] * 100_000) + " = 1\n")


def _packed_text(folder: Path) -> None:
    (folder / "items.csv").unlink()
    with gzip.open(folder / "items.csv.gz", "wb", 9) as file:
        file.write(b"item_id,file,kind,caption\n")
        for _ in range(300):
            file.write(b"v00,v00.mp4,video,car\n" * 50_000)


def _packed_rows(folder: Path) -> None:
    (folder / "items.csv").unlink()
    with gzip.open(folder / "items.csv.gz", "wb", 9) as file:
        file.write(b"item_id,file\n")
        for _ in range(40):
            file.write(b'"",\n' * 100_000)


def _packed_objects(folder: Path) -> None:
    for path in folder.glob("items.*"):
        path.unlink()
    with gzip.open(folder / "items.jsonl.gz", "wb", 9) as file:
        for _ in range(40):
            file.write(b"{}\n" * 100_000)


def _long_ids(folder: Path) -> None:
    rows = "".join(f"{letter * 3_000_000},a.mp4,video,\n" for letter in "abcdefghij")
    (folder / "items.csv").write_text("item_id,file,kind,caption\n" + rows)


def _long_ids_of_vectors(folder: Path) -> None:
    ids = "\n".join([*ITEMS[:3], "x" * 50_000_000])
    (folder / "models" / "v0.1" / "items.txt").write_text(ids)


def _array(folder: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 8), }"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    (folder / "models" / "v0.1" / "items.npy").write_bytes(start + bytes(64))


def _zipped_array(folder: Path) -> None:
    place = folder / "models" / "v0.1"
    (place / "items.npy").unlink()
    with zipfile.ZipFile(place / "items.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr("items.npy", np.lib.format.MAGIC_PREFIX + bytes(300_000_000))


def _vectors_of_parquet(folder: Path) -> None:
    place = folder / "models" / "v0.1"
    (place / "items.npy").unlink()
    numbers = one_value(100_000_000, 1.0, pa.float32()).cast(pa.float32())
    rows = pa.FixedSizeListArray.from_arrays(numbers, 25_000_000)
    pq.write_table(pa.table({"vector": rows}), place / "items.parquet")


def _giant_network(folder: Path) -> None:
    from onnx import TensorProto, helper, numpy_helper, save

    from tests.retrieval.networks import OPSET, see

    pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, 3, 8, 8])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, None)
    many = numpy_helper.from_array(np.array([1_600_000_000], np.int64), "many")
    node = helper.make_node("ConstantOfShape", ["many"], ["vector"])
    graph = helper.make_graph([node], "giant", [pixels], [vector], [many])
    network = helper.make_model(graph, opset_imports=OPSET, ir_version=8)
    save(network, folder / "models" / "v0.1" / "picture.onnx")
    see(folder, "v0.1", "size = [8, 8]\n")


BOMBS: dict[str, Callable[[Path], None]] = {
    "a cell of 10,000 keywords": _cell_of_keywords,
    "a keyword of 100 kB": _long_keyword,
    "a keyword of 20,000 words": _keywords_of_words,
    "20,000 keywords": _many_keywords,
    "a vocabulary of 100,000 keywords": _vocabulary,
    "a keyword with 80,000 other words": _other_words,
    "Parquet: 49,000,000 cells of one word": _cells,
    "Parquet: 48,000,000 cells of nothing": _cells_of_nothing,
    "Parquet: a list of 40,000,000 words": _lists,
    "Parquet: a text of 300 MB, packed": _zipped_texts,
    "Parquet: a text of 300 MB that says it has 1": _lying_texts,
    "Parquet: a list of 100,000,000 words that says it has 1": _lying_lists,
    "Parquet: 10,000 texts of 100 kB that begin alike": _shared_beginnings,
    "Parquet: 30,000 columns": _columns_of_parquet,
    "CSV: 100,000 columns": _columns,
    "JSON lines: 20,000 columns of a cell": _objects,
    "JSON: 500,000 lists in each other": _deep_object,
    "TOML: 200,000 lists in each other": _deep_settings,
    "TOML: a key of 100,000 parts": _dotted_settings,
    "CSV: 330 MB, packed to 1 MB": _packed_text,
    "CSV: 4,000,000 rows, packed to 16 kB": _packed_rows,
    "JSON: 4,000,000 objects, packed": _packed_objects,
    "ids of 3 MB": _long_ids,
    "an id of 50 MB beside vectors": _long_ids_of_vectors,
    "npy: a header of 32 GB": _array,
    "npz: 300 MB, packed": _zipped_array,
    "Parquet: 100,000,000 numbers, packed": _vectors_of_parquet,
    "a network of 6.4 GB": _giant_network,
}
"""Each makes something of a sound collection that `check` has to refuse."""


def turned_picture(kind: str, side: int, mode: str = "RGB") -> bytes:
    """A square picture of one colour that Exif says is to be turned."""
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    how = {"compress_level": 9} if kind == "PNG" else {}
    Image.new(mode, (side, side)).save(file, kind, exif=exif.tobytes(), **how)
    return file.getvalue()


def claiming_png(width: int, height: int) -> bytes:
    """A PNG whose header says how large it is, with nothing in it."""

    def part(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    start, end = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head), part(b"IEND", b"")
    return start + part(b"IDAT", zlib.compress(bytes(1_000))) + end


def measured(
    command: list[str], seconds: float = 100, most: int = 12 << 30
) -> tuple[float, float, str]:
    """What a command takes: seconds, the largest memory of its process or of one that it started in
    MB, and what it prints."""
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
    )
    resource.prlimit(process.pid, resource.RLIMIT_AS, (most, most))
    late = threading.Timer(seconds, process.kill)
    late.start()
    assert process.stdout is not None
    said = process.stdout.read().decode("utf-8", "replace")
    _, _, used = os.wait4(process.pid, 0)
    late.cancel()
    process.returncode = 0
    process.stdout.close()
    return time.monotonic() - began, used.ru_maxrss / 1_024, said
