"""The stamp of a collection's folder: new with every file that enters numbers, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.storage.collection.digests import stamp

ENTERING = ("items.csv", "runs/v1.trec", "models/v1/items.npy", "models/v1/text_model/a/b.json")
OTHERS = ("media/a.mp4", "posters/a.webp", "runs/old/v0.trec")


@pytest.mark.parametrize("name", ENTERING)
def test_a_file_that_enters_numbers_changes_the_stamp(tiny: Path, name: str) -> None:
    stamps = [stamp(tiny)]
    path = tiny / name
    path.parent.mkdir(parents=True, exist_ok=True)
    for content in (b"1", b"22"):
        path.write_bytes(content)
        stamps.append(stamp(tiny))
    path.rename(path.with_name("another.csv"))
    stamps.append(stamp(tiny))
    assert len(set(stamps)) == 4


@pytest.mark.parametrize("name", OTHERS)
def test_any_other_file_leaves_the_stamp_as_it_is(tiny: Path, name: str) -> None:
    before = stamp(tiny)
    (tiny / name).parent.mkdir(parents=True, exist_ok=True)
    (tiny / name).write_bytes(b"1")
    assert stamp(tiny) == before
