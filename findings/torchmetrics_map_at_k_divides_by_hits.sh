#!/bin/sh
# Found: RetrievalMAP(top_k=k) divides by the relevant items found in the first k, neither by all of
# them (map_cut of trec_eval) nor by as many as k places can hold. With two relevant items at ranks 1
# and 4, MAP is 1.0 at k = 1 and 2 and falls to 0.75 at 4: a model gains by finding less. RetrievalRecall
# of the same lists divides by all relevant items.
# Version: torchmetrics 1.9.0, torch 2.13.0 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torch==2.13.0 torchmetrics==1.9.0
cat > "$folder/show.py" <<'PY'
import torch
from torchmetrics.retrieval import RetrievalMAP, RetrievalRecall

scores, relevant = torch.tensor([0.9, 0.8, 0.7, 0.6]), torch.tensor([1, 0, 0, 1])
one_query = torch.zeros(4, dtype=torch.long)
found = {}
for k in (1, 2, 4):
    values = [make(top_k=k)(scores, relevant, indexes=one_query) for make in (RetrievalMAP, RetrievalRecall)]
    found[k] = tuple(round(float(value), 6) for value in values)
    print(f"k {k}: MAP {found[k][0]}, recall {found[k][1]}")
assert found == {1: (1.0, 0.5), 2: (1.0, 0.5), 4: (0.75, 1.0)}, found
PY
"$folder/venv/bin/python" "$folder/show.py"
