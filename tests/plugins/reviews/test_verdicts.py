"""Verdicts: what can be said, what counts, undone and said twice; keys of collections."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.errors import ChoiceError
from dashboard.plugins.reviews import verdicts
from dashboard.plugins.reviews.judging_lists import close_list, create_list
from dashboard.plugins.reviews.store import open_store
from dashboard.plugins.reviews.verdicts import keep_last, list_history, undo_last
from tests.plugins.reviews.conftest import MADE

Say = Callable[..., int]


def list_said() -> list[tuple[str, str, str]]:
    return [(row.author, row.item_id, row.value) for row in keep_last(list_history("graded"))]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"query": "q9"}, "There is no query 'q9' in graded."),
        ({"item": "z"}, "There is no item 'z' in graded."),
        ({"value": "3"}, "no verdict. There are: relevant, not, unsure, or a grade from 0 to 2."),
        ({"author": " "}, "Enter the author."),
        ({"author": "a" * 81}, "The author has 81 characters; at most 80 are kept."),
        ({"author": "eva\x1b[2J"}, "The author has characters that cannot be kept"),
        ({"note": "x" * 2_001}, "The note has 2,001 characters; at most 2,000 are kept."),
        ({"note": "a\0b"}, "The note has characters that cannot be kept"),
        ({"cause": "luck"}, "'luck' is no cause."),
        ({"run": "v\n1"}, "The run has characters that cannot be kept"),
        ({"once": "x" * 2_001}, "The id of the press has 2,001 characters"),
    ],
)
def test_refused(store: Path, say: Say, given: dict[str, str], sentence: str) -> None:
    usual = {"author": "eva", "query": "q1", "item": "a", "value": "not"}
    with pytest.raises(ChoiceError) as refused:
        say(**usual | given)
    assert sentence in str(refused.value) and not store.exists()


@pytest.mark.usefixtures("each_store")
def test_undo(graded: Path, say: Say) -> None:
    """Each step takes back one more row of the person; what was before it counts again."""
    assert undo_last(graded, "eva") is None
    # its id cannot pass for that of an undone row
    say("eva", "q1", "a", "not", note="line\nbreak 🐦", once="undo x")
    say("kim", "q1", "a", "relevant")
    say("eva", "q1", "a", "2")
    say("eva", "q1", "b", "relevant")
    undone = undo_last(graded, "eva", "step-1")
    assert undone and (undone.item_id, undone.value) == ("b", "relevant")
    assert undo_last(graded, "eva", "step-1") == undone  # sent twice
    assert undo_last(graded, "eva").value == "2"  # type: ignore[union-attr]
    assert list_said() == [("eva", "a", "not"), ("kim", "a", "relevant")]
    assert keep_last(list_history("graded", author="eva"))[0].note == "line\nbreak 🐦"
    say("eva", "q1", "c", "not")
    for left in ("c", "a", None):
        undone = undo_last(graded, "eva")
        assert (undone and undone.item_id) == left
    assert list_said() == [("kim", "a", "relevant")]
    assert len(list_history("graded")) == 9


@pytest.mark.usefixtures("each_store")
def test_undo_leaves_other_versions(graded: Path, say: Say) -> None:
    """What was said of v2 came after what undo brings back of v1, and counts."""
    for run, value in (("v1", "relevant"), ("v2", "not"), ("v1", "unsure")):
        say("eva", "q1", "a", value, run=run)
    assert undo_last(graded, "eva").value == "unsure"  # type: ignore[union-attr]
    assert verdicts.keep_last_of_pairs(list_history("graded"))["q1", "a"]["eva"].value == "not"


def test_undo_in_a_view(graded: Path, say: Say) -> None:
    """Of three kinds only that of the view, and only those of its list, are taken back."""
    say("eva", "q1", "a", "not")
    made = create_list(graded, MADE)
    say("eva", "q2", "b", "2", list_id=made.id)
    say("eva", "q1", "", "better", kind="preference", run="v2", against="v1")
    say("eva", "q1", "c", "not", kind="decision")
    assert [each and each.item_id for each in (undo_last(graded, "eva"),
            undo_last(graded, "eva"))] == ["a", None]  # fmt: skip
    close_list(made, "eva")
    with pytest.raises(ChoiceError, match="is closed"):
        undo_last(graded, "eva", list_id=made.id)
    assert undo_last(graded, "eva", kind="decision").item_id == "c"  # type: ignore[union-attr]
    assert list_said() == [("eva", "b", "2"), ("eva", "", "better")]


@pytest.mark.usefixtures("each_store")
def test_one_person_in_any_spelling(graded: Path, say: Say) -> None:
    """Blanks around a name and combined letters make no other person, also in older rows."""
    say("Zoe\u0308", "q1", "a", "not")
    say(" Zo\u00eb ", "q1", "a", "relevant")
    with open_store(writing=True) as connection:
        connection.exec_driver_sql(
            "INSERT INTO review (kind, collection, query_id, list_id, item_id, run, value, note,"
            " author, time, cause, against, assignment) VALUES ('verdict', 'graded', 'q1', '',"
            " 'b', '', 'not', '', 'Zo\u00eb ', '', '', '', '')"
        )
    assert list_said() == [("Zo\u00eb", "a", "relevant"), ("Zo\u00eb", "b", "not")]
    assert [row.item_id for row in list_history("graded", author="Zo\u00eb")] == list("aab")
    assert undo_last(graded, "Zo\u00eb").item_id == "b"  # type: ignore[union-attr]
    assert list_said() == [("Zo\u00eb", "a", "relevant")]


@pytest.mark.usefixtures("each_store")
def test_keys(graded: Path, say: Say) -> None:
    """A copy beside the collection is another one; a collection that was moved is the same."""
    say("eva", "q1", "a", "not")
    copy = Path(shutil.copytree(graded, graded.parent / "more" / "graded"))
    read = verdicts.read_state
    assert (read(graded)[0], read(copy)[0]) == ("graded", "graded (2)")
    moved = graded.rename(graded.parent / "moved")
    assert (read(copy)[0], read(moved)[0]) == ("graded", "moved")
