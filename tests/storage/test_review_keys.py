"""Reviews stay with their collection: through renames and edits, and never with a namesake."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.reviews import review_file, review_keys, store
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import VERDICT, Review, append, latest
from dashboard.tables import DataError
from tests.storage.tiny import make_collection

pytestmark = pytest.mark.usefixtures("review_store")


@pytest.fixture
def kept_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of reviews, for what only a file has been through."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "file"))
    return tmp_path / "file" / "reviews.sqlite"


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def say(folder: Path, author: str) -> None:
    key = key_of(opened(folder), saying=True)
    append(Review(VERDICT, key, "relevant", author, query_id="q1", item_id="v00"))


def authors(folder: Path) -> list[str]:
    return latest(key_of(opened(folder)), VERDICT)["author"].tolist()


def drop_what_came_later(file: sqlite3.Connection) -> None:
    """Makes a file of reviews one of the first version."""
    for column in ("cause", "against", "assignment"):
        file.execute(f"ALTER TABLE review DROP COLUMN {column}")
    for table in ("known", "assignment", "audit", "share_link", "visit"):
        file.execute(f"DROP TABLE {table}")


def another(tiny: Path, root: str) -> Path:
    """A collection of the same name and the same ids elsewhere, with one item more."""
    copied = tiny.parent / root / tiny.name
    shutil.copytree(tiny, copied)
    return with_one_more(copied)


def with_other_items(folder: Path) -> Path:
    """The same queries of items that nobody has seen."""
    return of_items(folder, range(500, 504))


def of_items(folder: Path, numbers: range) -> Path:
    rows = [f"i{number},i{number}.mp4,video" for number in numbers]
    (folder / "items.csv").write_text("\n".join(["item_id,file,kind", *rows]) + "\n")
    return folder


def of_words(folder: Path, words: str) -> Path:
    table = folder / "queries.csv"
    ids = [line.split(",")[0] for line in table.read_text().splitlines()[1:]]
    rows = [f"{query},{words.format(query)}" for query in ids]
    table.write_text("\n".join(["query_id,text", *rows]) + "\n")
    return folder


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


@pytest.mark.parametrize("renamed_first", [True, False])
def test_reviews_follow_a_folder_that_is_renamed_and_not_what_takes_its_place(
    tiny: Path, renamed_first: bool
) -> None:
    say(tiny, "Ada")
    renamed = tiny.rename(tiny.with_name("renamed"))
    namesake = with_other_items(Path(shutil.copytree(renamed, tiny)))
    first, second = (renamed, namesake) if renamed_first else (namesake, renamed)
    found = {first: authors(first), second: authors(second)}
    assert found == {renamed: ["Ada"], namesake: []}
    say(namesake, "Bob")
    assert authors(renamed) == ["Ada"] and authors(namesake) == ["Bob"]


def test_a_copy_beside_the_original_starts_anew_under_any_name(tiny: Path) -> None:
    say(tiny, "Ada")
    copied = Path(shutil.copytree(tiny, tiny.with_name("copied")))
    assert authors(copied) == [] and authors(tiny) == ["Ada"]


def test_a_folder_made_again_with_other_content_has_no_reviews(tiny: Path) -> None:
    """Whatever inode it has: file systems hand those of what was removed out again."""
    say(tiny, "Ada")
    shutil.rmtree(tiny)
    with_other_items(make_collection(tiny))
    assert authors(tiny) == [] and key_of(opened(tiny)) == "tiny (2)"
    shutil.rmtree(tiny)
    make_collection(tiny)
    assert authors(tiny) == ["Ada"]  # what it was is what it is again


def test_other_words_under_the_same_ids_are_another_collection(tiny: Path) -> None:
    say(tiny, "Ada")
    shutil.rmtree(tiny)
    of_words(with_one_more(make_collection(tiny)), "somewhere else {}")
    assert authors(tiny) == []


def test_a_release_with_one_edited_row_in_a_new_folder_keeps_its_reviews(tiny: Path) -> None:
    say(tiny, "Ada")
    tiny.rename(tiny.with_name("before"))  # which is kept, and has the old inode
    with_one_more(make_collection(tiny))
    assert authors(tiny) == ["Ada"] and key_of(opened(tiny)) == "tiny"
    assert authors(tiny.with_name("before")) == []


def test_a_release_behind_a_link_keeps_its_reviews(tiny: Path) -> None:
    link = tiny.with_name("current")
    link.symlink_to(tiny)
    say(link, "Ada")
    released = with_one_more(make_collection(tiny.with_name("released")))
    link.unlink()
    link.symlink_to(released)
    assert authors(link) == ["Ada"]


@pytest.mark.parametrize(("replaced", "expected"), [(300, ["Ada"]), (700, [])])
def test_half_of_the_items_decide(tiny: Path, replaced: int, expected: list[str]) -> None:
    of_items(tiny, range(1_000))
    say(tiny, "Ada")
    shutil.rmtree(tiny)
    of_items(make_collection(tiny), range(replaced, 1_000 + replaced))
    assert authors(tiny) == expected


def test_a_collection_that_grew_tenfold_keeps_its_reviews(tiny: Path) -> None:
    of_items(tiny, range(1_000))
    say(tiny, "Ada")
    of_items(tiny, range(10_000))
    assert authors(tiny) == ["Ada"]


def test_a_release_at_a_new_place_keeps_its_reviews_when_the_old_place_is_gone(tiny: Path) -> None:
    say(tiny, "Ada")
    moved = another(tiny, "elsewhere")
    shutil.rmtree(tiny)
    assert authors(moved) == ["Ada"]


def test_two_roots_with_one_name_and_different_content_never_mix(tiny: Path) -> None:
    other = with_other_items(another(tiny, "elsewhere"))
    say(tiny, "Ada")
    say(other, "Bob")
    shutil.rmtree(tiny)
    assert authors(other) == ["Bob"]
    make_collection(tiny)
    assert authors(tiny) == ["Ada"] and authors(other) == ["Bob"]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("same", [True, False])
def test_a_file_of_before_keeps_its_reviews_for_what_was_reviewed(
    tiny: Path, kept_in: Path, version: int, same: bool
) -> None:
    append(Review(VERDICT, "tiny", "not", "Eve", query_id="q1", item_id="v00"))
    with sqlite3.connect(kept_in) as file:  # as if it had been said before
        drop_what_came_later(file)
        for statement in review_file._SIGNS if version == 2 else ("PRAGMA user_version = 1",):
            file.execute(statement)
        if version == 2:
            signs = ("tiny", str(tiny), "1:2", "of before")
            file.execute("INSERT INTO known VALUES (1, ?, ?, ?, ?)", signs)
    file.close()
    if not same:
        with_other_items(tiny)
    assert authors(tiny) == (["Eve"] if same else [])
    assert len(latest("tiny", VERDICT)) == 1


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
        drop_what_came_later(file)
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


@pytest.mark.slow
def test_two_processes_that_come_first_agree(tiny: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from dashboard.storage.collection.collection import open_collection\n"
        "from dashboard.storage.reviews.review_keys import key_of\n"
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


def test_a_namesake_that_is_recorded_meanwhile_has_the_name_and_this_one_a_number(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, looked = another(tiny, "other"), review_keys._recognised

    def slowly(known: dict[str, review_keys.Known], collection: Collection) -> str | None:
        monkeypatch.setattr(review_keys, "_recognised", looked)
        assert key_of(opened(other), saying=True) == "tiny"
        return looked(known, collection)

    monkeypatch.setattr(review_keys, "_recognised", slowly)
    assert key_of(opened(tiny), saying=True) == "tiny (2)"
    assert key_of(opened(other)) == "tiny"


def test_a_folder_that_is_gone_is_said(tiny: Path) -> None:
    known = opened(tiny)
    shutil.rmtree(tiny)
    with pytest.raises(DataError, match="a folder that is gone"):
        key_of(known, saying=True)
    assert not store.exists()
