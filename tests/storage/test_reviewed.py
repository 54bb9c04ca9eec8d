"""Reviews stay with their collection: through renames and edits, and never with a namesake."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.storage import reviews
from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.reviewed import key_of
from dashboard.storage.reviews import VERDICT, Review, append, latest
from dashboard.tables import DataError


@pytest.fixture(autouse=True)
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    return tmp_path / "said" / "reviews.sqlite"


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def say(folder: Path, author: str) -> None:
    key = key_of(opened(folder), saying=True)
    append(Review(VERDICT, key, "relevant", author, query_id="q1", item_id="v00"))


def authors(folder: Path) -> list[str]:
    return latest(key_of(opened(folder)), VERDICT)["author"].tolist()


def another(tiny: Path, root: str) -> Path:
    """A collection of the same name and the same ids elsewhere, with one item more."""
    copied = tiny.parent / root / tiny.name
    shutil.copytree(tiny, copied)
    return with_one_more(copied)


def with_one_more(folder: Path) -> Path:
    table = folder / "items.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([*lines, lines[-1].replace("v03", "v99")]) + "\n")
    return folder


def test_the_first_of_a_name_is_kept_under_it(tiny: Path) -> None:
    say(tiny, "Ada")
    assert key_of(opened(tiny)) == tiny.name and authors(tiny) == ["Ada"]


@pytest.mark.parametrize("same_content", [True, False])
def test_two_of_one_name_in_different_places_never_mix(tiny: Path, same_content: bool) -> None:
    other = another(tiny, "elsewhere")
    if same_content:
        shutil.copytree(tiny, other, dirs_exist_ok=True)
    say(tiny, "Ada")
    say(other, "Bob")
    assert authors(tiny) == ["Ada"] and authors(other) == ["Bob"]
    assert key_of(opened(other)) == f"{tiny.name} (2)"


def test_before_anything_is_said_of_it_a_namesake_has_no_reviews(tiny: Path) -> None:
    say(tiny, "Ada")
    assert authors(another(tiny, "elsewhere")) == []


def test_reviews_follow_a_folder_that_is_renamed_and_not_what_takes_its_place(tiny: Path) -> None:
    say(tiny, "Ada")
    renamed = tiny.rename(tiny.with_name("renamed"))
    namesake = with_one_more(Path(shutil.copytree(renamed, tiny)))
    assert authors(namesake) == []
    assert authors(renamed) == ["Ada"]
    say(namesake, "Bob")
    assert authors(renamed) == ["Ada"] and authors(namesake) == ["Bob"]


def test_reviews_stay_when_items_are_added_even_before_a_rename(tiny: Path) -> None:
    say(tiny, "Ada")
    with_one_more(tiny)
    assert authors(tiny) == ["Ada"]
    assert authors(tiny.rename(tiny.with_name("renamed"))) == ["Ada"]


def test_reviews_stay_with_a_folder_that_was_written_again(tiny: Path) -> None:
    say(tiny, "Ada")
    draft = tiny.with_name("draft")
    shutil.copytree(tiny, draft)
    shutil.rmtree(tiny)
    draft.rename(tiny)
    assert authors(tiny) == ["Ada"]


def test_a_link_to_a_folder_is_the_folder(tiny: Path) -> None:
    say(tiny, "Ada")
    link = tiny.with_name("link")
    link.symlink_to(tiny)
    assert authors(link) == ["Ada"]


def test_what_was_said_before_folders_were_noted_is_taken_over_once(
    tiny: Path, kept_in: Path
) -> None:
    append(Review(VERDICT, tiny.name, "not", "Eve", query_id="q1", item_id="v00"))
    with sqlite3.connect(kept_in) as file:
        file.execute("DROP TABLE known")
        file.execute("PRAGMA user_version = 1")
    file.close()
    assert authors(tiny) == ["Eve"]
    assert authors(another(tiny, "elsewhere")) == []
    assert authors(tiny.rename(tiny.with_name("renamed"))) == ["Eve"]


def test_looking_makes_no_file_and_notes_only_what_is_new(tiny: Path, kept_in: Path) -> None:
    assert authors(tiny) == [] and not kept_in.exists()
    for _ in range(3):
        say(tiny, "Ada")
    authors(tiny)
    with sqlite3.connect(kept_in) as file:
        assert file.execute("SELECT count(*) FROM known").fetchone() == (1,)
    file.close()


def test_two_processes_that_come_first_agree(tiny: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from dashboard.storage.collection import open_collection\n"
        "from dashboard.storage.reviewed import key_of\n"
        "found = open_collection(Path(sys.argv[1]), allow_path=True)\n"
        "print(key_of(found, saying=True))"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tiny)], env=os.environ, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    assert [each.communicate(timeout=120)[0].decode().strip() for each in both] == [tiny.name] * 2


def test_a_folder_that_is_gone_is_said(tiny: Path) -> None:
    known = opened(tiny)
    shutil.rmtree(tiny)
    with pytest.raises(DataError, match="a folder that is gone"):
        key_of(known, saying=True)
    assert not reviews.exists()
