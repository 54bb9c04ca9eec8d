#!/bin/sh
# Found: of items with one score IndexFlatIP keeps the first k of the gallery and lists them backwards:
# of ten equal ones a search for 1, 3 and 5 begins with item 0, 2 and 4. So the first result depends on
# how many were asked for, and R@1 of a gallery with duplicates, or of a model that gives all items one
# vector, is another one when the search is made deeper. IndexFlatL2 lists the same items from 0 on.
# Who compares versions should order equal scores by a rule of their own after the search.
# Version: faiss-cpu 1.15.1 (2026-11-29). Fails if the order changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q faiss-cpu==1.15.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import faiss
import numpy as np

items = np.zeros((10, 8), dtype=np.float32)
items[:, 0] = 1
found = {}
for name, index in (("IP", faiss.IndexFlatIP(8)), ("L2", faiss.IndexFlatL2(8))):
    index.add(items)
    found[name] = {k: index.search(items[:1], k)[1][0].tolist() for k in (1, 3, 5, 10)}
    for k, ids in found[name].items():
        print(name, "first", k, "of ten items with one score:", ids)
assert found["IP"] == {k: list(range(k))[::-1] for k in (1, 3, 5, 10)}, found["IP"]
assert found["L2"] == {k: list(range(k)) for k in (1, 3, 5, 10)}, found["L2"]
PY
"$folder/venv/bin/python" "$folder/show.py"
