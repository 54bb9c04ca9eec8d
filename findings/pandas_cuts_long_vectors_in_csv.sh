#!/bin/sh
# Found: a pandas column of NumPy arrays goes to CSV as the arrays are printed, and NumPy prints more
# than 1,000 numbers as `[0. 1. 2. ... 1149. 1150. 1151.]`. Neither library says a word. Vectors of 768
# dimensions survive, with eight digits; of SigLIP's 1,152 six numbers are left, in every row. As lists
# (`[v.tolist() for v in vectors]`) or in Parquet all of them are there.
# Version: pandas 3.1.1, numpy 2.4.6 (2026-11-28). Fails if long arrays are written whole, or refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pandas==3.1.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import io
import warnings

import numpy as np
import pandas as pd

warnings.simplefilter("error")
left = {}
for width in (768, 1152):
    vectors = np.arange(2 * width, dtype=np.float32).reshape(2, width)
    for kind, cells in (("arrays", list(vectors)), ("lists", vectors.tolist())):
        text = pd.DataFrame({"id": ["a", "b"], "vector": cells}).to_csv(index=False)
        cell = pd.read_csv(io.StringIO(text))["vector"][0]
        words = cell.strip("[]").replace(",", " ").split()
        left[kind, width] = sum(word != "..." for word in words)
        print(width, kind, left[kind, width], cell[:12], cell[-12:].replace("\n", " "))
assert left == {("arrays", 768): 768, ("lists", 768): 768, ("arrays", 1152): 6, ("lists", 1152): 1152}
PY
"$folder/venv/bin/python" "$folder/show.py"
echo "as found"
