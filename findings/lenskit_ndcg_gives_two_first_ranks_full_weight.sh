#!/bin/sh
# Found: NDCG discounts by log2 of the rank, at least 1, so the first and the second place count the
# same; most programs divide by log2(rank + 1). A result list that has its hits at ranks 1 and 4 of three
# relevant items has 0.570, elsewhere 0.671. Recall(k) divides by no more than k, and Precision(k) by the
# results where there are fewer than k. So none of the three can be set beside another program's.
# Version: lenskit 2025.8.1 (2026-11-29). Fails if the values change.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q lenskit==2025.8.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
from math import log2

from lenskit.data import ItemList
from lenskit.metrics import NDCG, Precision, Recall, call_metric

relevant, results = ItemList([1, 2, 3]), ItemList([2, 9, 8, 1], ordered=True)
swapped = ItemList([9, 2, 8, 1], ordered=True)
ndcg = float(call_metric(NDCG(4), results, relevant))
second = float(call_metric(NDCG(4), swapped, relevant))
usual = (1 + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(4))
precision = float(call_metric(Precision(10), results, relevant))
recall = float(call_metric(Recall(2), results, relevant))
print(f"NDCG@4 {ndcg:.6f}, with the first hit at rank 2 {second:.6f}, by log2(rank + 1) {usual:.6f}")
print(f"Precision@10 of 2 hits in 4 results {precision}, Recall@2 of 1 hit of 3 relevant {recall}")
assert abs(ndcg - 1.5 / (2 + 1 / log2(3))) < 1e-6 and second == ndcg and usual - ndcg > 0.1
assert (precision, recall) == (0.5, 0.5)
PY
"$folder/venv/bin/python" "$folder/show.py"
