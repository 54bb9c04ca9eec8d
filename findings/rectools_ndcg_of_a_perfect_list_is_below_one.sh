#!/bin/sh
# Found: NDCG(k) divides by the gain of k relevant results, however few a user has. The best list that
# there can be, for one relevant item, gets 0.613147 at k = 2 and 0.220092 at k = 10, so the number
# falls with k, and users of few relevant items weigh less in a mean. MAP and recall of the same list
# are 1.0. What others print, 1.0, comes with divide_by_achievable=True.
# Version: RecTools 0.19.0, pandas 2.3.3, numpy 1.26.4 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q RecTools==0.19.0 pandas==2.3.3 numpy==1.26.4
cat > "$folder/show.py" <<'PY'
import pandas as pd
from rectools.metrics import MAP, NDCG, Recall

found = pd.DataFrame({"user_id": 1, "item_id": list("abcdefghij"), "rank": range(1, 11)})
wanted = pd.DataFrame({"user_id": [1], "item_id": ["a"]})
values = {}
for k in (2, 10):
    metrics = NDCG(k), NDCG(k, divide_by_achievable=True), MAP(k), Recall(k)
    values[k] = [round(float(each.calc(found, wanted)), 6) for each in metrics]
    print(f"k {k}: NDCG, NDCG of the achievable, MAP, recall {values[k]}")
assert values == {2: [0.613147, 1.0, 1.0, 1.0], 10: [0.220092, 1.0, 1.0, 1.0]}, values
PY
"$folder/venv/bin/python" -W ignore "$folder/show.py"
