#!/bin/sh
# Found: the cosine similarity of a vector of zeros is NaN, and NaN is the largest number when rows are
# sorted. ORDER BY array_cosine_similarity(...) DESC so begins with each clip whose embedding failed and
# was stored as zeros, for every query, before the true matches. By array_cosine_distance, ascending,
# the same rows come last. Nothing is said in either case.
# Version: duckdb 2.0.1 (2026-11-29). Fails if the order changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q duckdb==2.0.1
cat > "$folder/show.py" <<'PY'
import duckdb

base = duckdb.connect()
base.execute("CREATE TABLE clips (id VARCHAR, vector FLOAT[3])")
base.execute("INSERT INTO clips VALUES ('match', [1, 0.1, 0]), ('other', [0, 1, 0]), ('failed', [0, 0, 0])")
found = {}
for measure, order in (("similarity", "DESC"), ("distance", "ASC")):
    value = f"array_cosine_{measure}(vector, [1, 0, 0]::FLOAT[3])"
    rows = base.execute(f"SELECT id, {value} AS value FROM clips ORDER BY value {order}").fetchall()
    found[measure] = [name for name, _ in rows]
    print(measure, order, [(name, round(value, 3)) for name, value in rows])
assert found["similarity"] == ["failed", "match", "other"], found
assert found["distance"] == ["match", "other", "failed"], found
PY
"$folder/venv/bin/python" "$folder/show.py"
