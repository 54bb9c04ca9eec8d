"""Whatever stands in a collection's files, opening it gives a collection or one plain DataError."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.runs.runs import read_qrels, read_run
from dashboard.tables import DataError

ODD = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\r", b"\n", b"\n\n", b" ",
    b"=", b"nan", b"inf", b"-1", b"1e999", b"\xe2\x80\xae", b"[", b"]", b"#", b"../..", b"99999999",
]  # fmt: skip


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one to four places replaced, removed, doubled or followed by something odd."""
    for _ in range(chance.randint(1, 4)):
        place, length = chance.randrange(len(data) + 1), chance.randint(0, 12)
        piece = chance.choice([*ODD, data[place : place + length] * 2, b""])
        data = data[:place] + piece + data[place + length :]
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data


SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_collection_opens_or_is_refused_in_a_sentence(tiny: Path, seed: int) -> None:
    chance = random.Random(seed)
    (tiny / "qrels.txt").write_text("q1 0 v00 1\nq2 0 v01 2\n")
    names = [path for path in sorted(tiny.rglob("*")) if path.is_file()]
    for _ in range(12):
        path = chance.choice(names)
        kept = path.read_bytes()
        path.write_bytes(damaged(kept, chance))
        try:
            collection = open_collection(tiny, allow_path=True)
        except DataError as problem:
            assert str(tiny) not in str(problem)
        else:
            assert len(collection.items)
            assert not collection.findings["found"].str.contains(str(tiny), regex=False).any()
        path.write_bytes(kept)


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_runs_and_judgements_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    run = b"".join(b"q%d Q0 d%d %d %f x\n" % (q, d, d, 1 / d) for q in (1, 2) for d in (1, 2, 3))
    table = b"query_id,item_id,score,grade\nq1,d1,0.5,1\nq1,d2,0.4,0\n"
    for name, data in (("a.trec", run), ("a.csv", table), ("a.jsonl", b'{"query_id": "q"}\n')):
        for _ in range(12):
            path = tmp_path / name
            path.write_bytes(damaged(data, chance))
            for read in (read_run, read_qrels):
                try:
                    frame = read(path)
                except DataError as problem:
                    assert problem.file == name
                else:
                    assert frame["query_id"].notna().all()
                    assert len(frame)
    shutil.rmtree(tmp_path)
