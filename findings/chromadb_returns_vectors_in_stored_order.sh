#!/bin/sh
# Found: collection.get(ids=[...]) answers in the order in which records were added, not in that of
# the ids asked for. Who asks for the vectors of a table's ids and saves them by position, beside that
# table, gives most items the vector of another one: no length differs, and nothing is missing. A record
# that was deleted and added again comes last. The ids in the answer are in the order of its vectors.
# Version: chromadb 1.5.9 (2026-11-29). Fails if the order changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q chromadb==1.5.9
cat > "$folder/show.py" <<'PY'
import sys

import chromadb

settings = chromadb.Settings(anonymized_telemetry=False)
items = chromadb.PersistentClient(f"{sys.argv[1]}/store", settings=settings).create_collection("items")
items.add(ids=["c3", "c1", "c5", "c4"], embeddings=[[3.0, 0.0], [1.0, 0.0], [5.0, 0.0], [4.0, 0.0]])
asked, found = ["c5", "c4", "c3"], []
for _ in range(2):
    answer = items.get(ids=asked, include=["embeddings"])
    found.append([int(vector[0]) for vector in answer["embeddings"]])
    print("asked", asked, "got", answer["ids"], "vectors", found[-1])
    assert answer["ids"] == [f"c{number}" for number in found[-1]]
    items.delete(ids=["c3"])
    items.add(ids=["c3"], embeddings=[[3.0, 0.0]])
assert found == [[3, 5, 4], [5, 4, 3]], found
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
