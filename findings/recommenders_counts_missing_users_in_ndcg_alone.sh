#!/bin/sh
# Found: of a user (or query) without any prediction, ndcg_at_k counts 0, while precision_at_k,
# recall_at_k and map_at_k leave it out of the mean. One table of results then mixes two means: with
# one of two users answered perfectly, nDCG@1 is 0.5 beside P@1 and recall@1 of 1.0.
# Version: recommenders 1.2.1 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q recommenders==1.2.1
cat > "$folder/show.py" <<'PY'
import pandas as pd
from recommenders.evaluation import python_evaluation as measures

truth = pd.DataFrame({"userID": [1, 2], "itemID": [10, 20], "rating": [1, 1]})
predicted = pd.DataFrame({"userID": [1, 1], "itemID": [10, 11], "prediction": [0.9, 0.8]})
names = ("ndcg_at_k", "precision_at_k", "recall_at_k", "map_at_k")
values = {name: float(getattr(measures, name)(truth, predicted, k=1)) for name in names}
print(values)
assert values == {"ndcg_at_k": 0.5, "precision_at_k": 1.0, "recall_at_k": 1.0, "map_at_k": 1.0}, values
PY
"$folder/venv/bin/python" -W ignore "$folder/show.py"
