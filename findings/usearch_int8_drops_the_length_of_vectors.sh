#!/bin/sh
# Found: an index of dtype "i8" scales each vector to length 127 before it is stored, also where the
# metric is the inner product. Lengths that a model means (popularity, a bias, vectors that were never
# normalised) are lost, and the order of results becomes that of the cosine: the first result of the
# same vectors is another one than with "f32".
# Version: usearch 2.26.6, numpy 2.4.6 (2026-11-29). Fails if one of the orders changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q usearch==2.26.6 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import numpy as np
from usearch.index import Index

names = ["long", "aligned", "other"]
vectors = np.array([[3, 3, 0], [1, 0, 0], [0, 1, 0]], np.float32)
query = np.array([1, 0, 0], np.float32)
print("inner products:", dict(zip(names, (vectors @ query).tolist())))
found = {}
for dtype in ("f32", "i8"):
    index = Index(ndim=3, metric="ip", dtype=dtype)
    index.add(np.arange(3), vectors)
    found[dtype] = [names[key] for key in index.search(query, 3).keys.tolist()]
    print(dtype, found[dtype], "stored:", index.get(0).tolist(), index.get(1).tolist())
assert found == {"f32": ["long", "aligned", "other"], "i8": ["aligned", "long", "other"]}, found
PY
"$folder/venv/bin/python" "$folder/show.py"
