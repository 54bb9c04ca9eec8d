#!/bin/sh
# Found: Qrels keeps the whole part of a grade, without a word: 0.5 becomes 0 and 2.7 becomes 2. Partial
# relevance from 0 to 1, as overlaps and satisfaction have it, is lost: a list that has the items in the
# wrong order gets nDCG 1.0, and recall counts an item of grade 0.9 as not relevant.
# Version: ranx 0.3.21, numpy 1.26.4 (2026-11-29). Fails if fractions are kept or refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ranx==0.3.21 numpy==1.26.4
cat > "$folder/show.py" <<'PY'
from ranx import Qrels, Run, evaluate

judged = Qrels({"q": {"a": 2.9, "b": 2.1, "c": 0.9}})
run = Run({"q": {"b": 0.9, "a": 0.8, "c": 0.7}})
kept = {item: float(grade) for item, grade in judged.to_dict()["q"].items()}
values = {name: round(float(value), 6) for name, value in evaluate(judged, run, ["ndcg", "recall@2"]).items()}
print("kept", kept, "values", values)
assert kept == {"a": 2.0, "b": 2.0, "c": 0.0} and values == {"ndcg": 1.0, "recall@2": 1.0}, (kept, values)
PY
"$folder/venv/bin/python" -W ignore "$folder/show.py"
