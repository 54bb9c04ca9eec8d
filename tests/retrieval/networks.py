"""Small ONNX networks whose answers a reader can compute, and a version that has one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = [helper.make_opsetid("", 17)]


def mean_colours(path: Path, width: int) -> Path:
    """Pixels [1, c, h, w] → the mean of each colour, the first `width` of them: [1, width]."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["pixels"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"]),
        helper.make_node("MatMul", ["flat", "chosen"], ["vector"]),
    ]
    chosen = np.eye(3, width, dtype=np.float32)
    return _write(path, nodes, {"chosen": chosen}, ["pixels", ["n", 3, "h", "w"]])


def weighted(path: Path, weights: np.ndarray) -> Path:
    """A row [1, a] → row @ weights [1, b]."""
    nodes = [helper.make_node("MatMul", ["row", "weights"], ["vector"])]
    return _write(path, nodes, {"weights": weights.astype(np.float32)}, ["row", ["n", "a"]])


def of_tokens(path: Path, table: np.ndarray, *, masked: bool = True) -> Path:
    """Tokens [n, t] → the row of each in a table [n, t, d]; and a tokenizer of three words beside:
    pad, a, car, bike are 0 to 3. masked: whether it takes attention_mask, too."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    takes = ["input_ids", "attention_mask"] if masked else ["input_ids"]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    inputs = [helper.make_tensor_value_info(t, TensorProto.INT64, ["n", "t"]) for t in takes]
    outputs = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, None)]
    constants = [numpy_helper.from_array(table.astype(np.float32), "table")]
    graph = helper.make_graph(nodes, "tokens", inputs, outputs, constants)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=OPSET, ir_version=8), path)
    words = {"pad": 0, "a": 1, "car": 2, "bike": 3}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="pad"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(path.with_name("tokenizer.json")))
    return path


def _write(path: Path, nodes: list, constants: dict[str, np.ndarray], given: list) -> Path:
    name, shape = given
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, key) for key, array in constants.items()],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=OPSET, ir_version=8), path)
    return path


def see(folder: Path, version: str, lines: str) -> None:
    """Give a version a table `picture`."""
    file = folder / "models" / version / "model.toml"
    file.write_text(f"{file.read_text()}\n[picture]\n{lines}")
