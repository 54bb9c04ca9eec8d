"""The fingerprint of a long table is that of its rows as JSON, however it is made."""

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from dashboard.storage.collection import digests

COLUMNS = ["query_id", "item_id", "grade", "line"]
IDS = ["a", "a b", "a'", 'b"', "b\\", "ä", "a0", "a!", "(", "1.0", "", "a\n", "10", "a, b"]


def expected(frame: pd.DataFrame, columns: list[str], ordered: bool) -> str:
    rows = list(zip(*(frame[column].tolist() for column in columns), strict=True))
    rows = rows if ordered else sorted(rows, key=str)
    return sha256(json.dumps([columns, rows], ensure_ascii=True).encode()).hexdigest()


@pytest.mark.parametrize("ids", [IDS, IDS[:2] + IDS[6:9], ["only"]])
@pytest.mark.parametrize(
    "grades", [[0.0, 1.0, 1.05, 1e-5, 1.0000001e22, -0.0], [1, 2, -3, 10], [np.inf, 1]]
)
@pytest.mark.parametrize("ordered", [False, True])
def test_a_long_table_has_the_fingerprint_of_its_rows_as_json(monkeypatch, ids, grades, ordered):
    random = np.random.default_rng(len(ids))
    monkeypatch.setattr(digests, "BLOCK", 64)
    for rows in (1, 64, 500):
        frame = pd.DataFrame(
            {
                "query_id": pd.Categorical(random.choice(ids, rows), categories=ids),
                "item_id": pd.Series(random.choice(ids, rows), dtype="str"),
                "grade": random.choice(grades, rows),
                "line": np.arange(rows),
            }
        ).sample(frac=1, random_state=1)
        for columns in (COLUMNS, COLUMNS[1:], ["item_id"], ["grade"]):
            found = []
            for many in (1, 10_000):
                monkeypatch.setattr(digests, "MANY", many)
                found.append(digests.of_table(frame, columns, ordered=ordered))
            assert found == [expected(frame, columns, ordered)] * 2


@pytest.mark.parametrize(
    "names", [(), ("",), ("a", "b c"), ("a", '", "'), *[(each,) for each in IDS]]
)
def test_ids_have_the_fingerprint_of_their_json(names):
    assert digests.of_ids(names) == digests.of_values(names)
    assert digests.of_ids(("a", *names)) == digests.of_values(("a", *names))
