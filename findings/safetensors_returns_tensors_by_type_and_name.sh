#!/bin/sh
# Found: a file keeps tensors by the size of their type and then by their names as text, not in the
# order in which they were saved. Who saves one vector for each clip and stacks the values again beside
# a list of the clips gives them the vectors of others: clip_10 stands before clip_9, and a float64
# before all float32. The keys of the loaded dict are right; their order is that of the file.
# Version: safetensors 0.8.0 (2026-11-29). Fails if the order changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q safetensors==0.8.0 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

saved = {f"clip_{number}": np.full(2, number, dtype=np.float32) for number in (8, 9, 10, 11)}
saved["clip_12"] = np.full(2, 12, dtype=np.float64)
save_file(saved, f"{sys.argv[1]}/vectors.safetensors")
loaded = load_file(f"{sys.argv[1]}/vectors.safetensors")
stacked = np.stack(list(loaded.values()))[:, 0].astype(int).tolist()
print("saved", list(saved), "loaded", list(loaded), "stacked", stacked)
assert stacked == [12, 10, 11, 8, 9], stacked
assert all(loaded[name][0] == saved[name][0] for name in saved)
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
