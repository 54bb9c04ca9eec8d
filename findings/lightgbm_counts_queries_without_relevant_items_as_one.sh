#!/bin/sh
# Found: a query to which nothing is relevant counts as 1 in the means of NDCG and MAP, without a word.
# One query whose relevant item stands third and one without any have a mean NDCG@3 of 0.75 and a mean
# MAP@3 of 0.666667; the first alone has 0.5 and 0.333333. The more queries are hopeless, the better the
# number, and a better model moves it less.
# Version: LightGBM 4.7.0, numpy 2.4.6 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q lightgbm==4.7.0 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import lightgbm as lgb
import numpy as np

options = {"metric": "ndcg,map", "eval_at": [3], "objective": "lambdarank", "verbose": -1}
options |= {"min_data_in_leaf": 1, "min_data_in_bin": 1}


def measure(grades):
    """Return the mean NDCG@3 and MAP@3 of lists of three whose third item is scored lowest."""
    features = np.tile([[3.0], [2.0], [1.0]], (len(grades) // 3, 1))
    learnt = lgb.Dataset(features[:3], [2, 1, 0], group=[3], params=options)
    tried = lgb.Dataset(features, grades, group=[3] * (len(grades) // 3), reference=learnt)
    found = {}
    lgb.train(options, learnt, 1, valid_sets=[tried], valid_names=["tried"],
              callbacks=[lgb.record_evaluation(found)])
    return tuple(round(float(found["tried"][name][-1]), 6) for name in ("ndcg@3", "map@3"))


alone, with_hopeless = measure([0, 0, 1]), measure([0, 0, 1, 0, 0, 0])
print("one query", alone, "and one to which nothing is relevant", with_hopeless)
assert (alone, with_hopeless) == ((0.5, 0.333333), (0.75, 0.666667)), (alone, with_hopeless)
PY
"$folder/venv/bin/python" "$folder/show.py"
