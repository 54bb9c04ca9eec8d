#!/bin/sh
# Found: hit_rate and reciprocal_rank count how many items have a higher score than the relevant one, so
# an item with the same score takes no place from it. A model that has collapsed, and gives every item
# one score, has a hit rate and a reciprocal rank of 1 for all queries, the best there is; one wrong item
# with the score of the relevant one costs nothing either.
# Version: torcheval 0.0.7 with torch 2.13.0 (2026-11-29). Fails if the values change.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torcheval==0.0.7 torch==2.13.0 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import torch
from torcheval.metrics.functional import hit_rate, reciprocal_rank

relevant = torch.tensor([1, 3, 4])
worlds = {
    "all equal": torch.zeros(3, 5),
    "one wrong item as good": torch.tensor(
        [[0.9, 0.9, 0.1, 0.0, 0.0], [0.9, 0.1, 0.0, 0.9, 0.0], [0.9, 0.1, 0.0, 0.0, 0.9]]
    ),
    "one wrong item better": torch.tensor(
        [[0.9, 0.8, 0.1, 0.0, 0.0], [0.9, 0.1, 0.0, 0.8, 0.0], [0.9, 0.1, 0.0, 0.0, 0.8]]
    ),
}
found = {}
for name, scores in worlds.items():
    hits, ranks = hit_rate(scores, relevant, k=1), reciprocal_rank(scores, relevant)
    found[name] = (hits.mean().item(), ranks.mean().item())
    print(f"{name}: hit rate@1 {found[name][0]}, reciprocal rank {found[name][1]}")
assert found["all equal"] == found["one wrong item as good"] == (1.0, 1.0), found
assert found["one wrong item better"] == (0.0, 0.5), found
PY
"$folder/venv/bin/python" "$folder/show.py"
