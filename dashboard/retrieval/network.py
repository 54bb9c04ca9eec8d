"""Run ONNX networks one after the other, in a process that `encoders` starts for each picture.

Their authors may be strangers: memory is limited here, time by the parent. Standard input and
output are arrays in the .npy format; the arguments are the files of the networks.
"""

import resource
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

MAX_MEMORY_BYTES = 3_000_000_000


def open_network(path: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that gives the first output of a network for its one input."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # weights in other files are not read: a file is no folder
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", path)
    content = Path(path).read_bytes()
    session = onnxruntime.InferenceSession(content, options, ["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda values: session.run(None, {name: values})[0]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    values = np.load(BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
    for path in sys.argv[1:]:  # each gets the output of the one before
        values = open_network(path)(values)
    found = BytesIO()
    np.save(found, np.asarray(values, np.float32), allow_pickle=False)
    sys.stdout.buffer.write(found.getvalue())
