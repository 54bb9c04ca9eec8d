#!/bin/sh
# Found: EvaluateRetrieval.evaluate leaves out every document whose id is that of the query, unless
# ignore_identical_ids=False is passed. Where queries and documents are numbered from 1 each, as
# exports of tables are, the right answer of query 1 may be document 1: a perfect run of two queries
# gets nDCG@1 0.5. The results that were passed are changed, too, so that a second call with
# ignore_identical_ids=False still gives 0.5.
# Version: beir 2.2.0, torch 2.13.0 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q beir==2.2.0 torch==2.13.0
cat > "$folder/show.py" <<'PY'
from beir.retrieval.evaluation import EvaluateRetrieval

judged = {"1": {"1": 1}, "2": {"3": 1}}
results = {"1": {"1": 0.9, "2": 0.5}, "2": {"3": 0.9, "4": 0.5}}
copy = {query: dict(found) for query, found in results.items()}
values = []
for run, ignored in ((copy, False), (results, True), (results, False)):
    values.append(EvaluateRetrieval.evaluate(judged, run, [1], ignore_identical_ids=ignored)[0]["NDCG@1"])
    print(f"ignore_identical_ids={ignored}: nDCG@1 {values[-1]}, query 1 has {sorted(run['1'])}")
assert values == [1.0, 0.5, 0.5] and sorted(results["1"]) == ["2"], (values, results)
PY
"$folder/venv/bin/python" "$folder/show.py"
