"""Time of saving a verdict, beside SQLite's own insert and commit, and savers that are killed.

`python -m tests.benchmarks.save_verdicts [--saves N] [--kills N] [--folder F]` prints the
median of a save in milliseconds for both, and of the killed processes how many verdicts were
acknowledged, are not stored, or are stored twice; it ends with 1 if one is.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from dashboard.plugins.reviews import store, verdicts
from dashboard.storage.collection import open_collection
from tests.plugins.worlds import write_world

ROOT = Path(__file__).parents[2]
SAVER = """
import sys
from pathlib import Path
from dashboard.plugins.reviews.verdicts import Verdict, save_verdict
from dashboard.storage.collection import open_collection

opened = open_collection(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    once = f"{sys.argv[2]}-{number}"
    made = Verdict(author=sys.argv[2], query_id="q1", item_id="a", value="not", note=once)
    save_verdict(opened, made, once)
    print(once, flush=True)
"""


WORLD = ("", "item_id\na\n", "query_id,text\nq1,words\n", {}, {}, "q1 0 a 1\n")
"""A collection of one query and one item."""


def time_saves(folder: Path, saves: int) -> dict[str, float]:
    """Return the medians in milliseconds of our save and of SQLite's own."""
    os.environ[store.VARIABLE] = str(folder / "said")
    opened = open_collection(write_world(folder / "saved", *WORLD))
    ours, own = [], []
    plain = sqlite3.connect(folder / "plain.sqlite", isolation_level=None)
    plain.execute("PRAGMA journal_mode = WAL")
    plain.execute("PRAGMA synchronous = FULL")
    texts = ", ".join(f"c{number} TEXT" for number in range(15))
    plain.execute(f"CREATE TABLE review (number INTEGER PRIMARY KEY AUTOINCREMENT, {texts})")
    insert = f"INSERT INTO review VALUES (NULL{', ?' * 15})"
    for number in range(saves + 1):  # alternately; the first of each makes what is there
        note = str(number)
        made = verdicts.Verdict(author="eva", query_id="q1", item_id="a", value="not", note=note)
        start = time.perf_counter()
        verdicts.save_verdict(opened, made)
        middle = time.perf_counter()
        plain.execute("BEGIN IMMEDIATE")
        plain.execute(insert, [str(number)] * 15)
        plain.execute("COMMIT")
        ours.append(middle - start)
        own.append(time.perf_counter() - middle)
    plain.close()
    medians = (1_000 * statistics.median(each[1:]) for each in (ours, own))
    return dict(zip(("save", "insert and commit"), medians, strict=True))


def kill_savers(folder: Path, kills: int) -> dict[str, int]:
    """Kill processes that save, and count what they acknowledged and what is stored."""
    place, collection = folder / "killed", write_world(folder / "shot", *WORLD)
    given = os.environ | {store.VARIABLE: str(place)}
    chance, acknowledged = random.Random(0), []
    for number in range(kills):
        words = [sys.executable, "-c", SAVER, str(collection), f"p{number}", "1000"]
        with subprocess.Popen(words, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True) as one:
            assert one.stdout is not None
            saves = chance.randrange(1, 40)
            acknowledged += [one.stdout.readline().strip() for _ in range(saves)]
            one.kill()
            whole = one.stdout.read().rpartition("\n")[0]
            acknowledged += whole.splitlines()
    with sqlite3.connect(place / "reviews.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        stored = Counter(note for (note,) in file.execute("SELECT note FROM review"))
    file.close()
    return {
        "acknowledged": len(acknowledged),
        "stored": stored.total(),
        "lost": len(set(acknowledged) - set(stored)),
        "twice": sum(number > 1 for number in stored.values()),
    }


def main() -> int:
    """Print both figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--folder", type=Path, help="where to save (default: a temporary folder)")
    call = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=call.folder) as folder:
        for name, median in time_saves(Path(folder), call.saves).items():
            print(f"{name}: {median:.2f} ms (median of {call.saves:,})")
        told = kill_savers(Path(folder), call.kills) if call.kills else {"lost": 0, "twice": 0}
    print(f"{call.kills} kills: " + ", ".join(f"{value:,} {name}" for name, value in told.items()))
    return int(bool(told["lost"] or told["twice"]))


if __name__ == "__main__":
    sys.exit(main())
