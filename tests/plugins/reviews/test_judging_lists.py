"""Lists to judge: how pairs are chosen, who has judged what, and who closes one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert

from dashboard.errors import ChoiceError
from dashboard.plugins.reviews.figures import count_values, find_judged
from dashboard.plugins.reviews.judging_lists import create_list, find_list, read_lists
from dashboard.plugins.reviews.schema import ASSIGNMENT
from dashboard.plugins.reviews.store import open_store
from dashboard.plugins.reviews.verdicts import list_history, undo_last
from dashboard.storage.collection import open_collection
from tests.plugins.reviews.conftest import MADE, pick
from tests.plugins.worlds import open_world

BOTH = ("v1", "v2")
Say = Callable[..., int]


def choose(
    folder: Path, way: str, metric: str = "P@2", number: int = 9, seed: int = 0
) -> list[str]:
    study = open_world(folder, slice="scene=s2" if way == "slice" else "")
    return ["".join(pair) for pair in pick(study, way, BOTH, metric, number, seed)]


def test_a_list_that_cannot_be_read_is_left_out_and_said(graded: Path, say: Say) -> None:
    """Another list is read and judged; neither an earlier row of the bad one counts."""
    good, bad = create_list(graded, MADE), create_list(graded, replace(MADE, title="Bad"))
    with open_store(writing=True) as connection:
        row = {"id": bad.id, "definition": "{", "author": "eva", "time": ""}
        connection.execute(insert(ASSIGNMENT).values(row))
    said: list[str] = []
    assert read_lists(open_collection(graded), said) == [good]
    assert len(said) == 1 and f"a list {bad.id!r} that cannot be read" in said[0]
    assert say("eva", "q1", "a", "not", list_id=good.id)
    with pytest.raises(ChoiceError, match="cannot be read"):
        say("eva", "q1", "a", "not", list_id=bad.id)


def test_doubtful(graded: Path) -> None:
    """Weights 1, 0.63, 0.5 of ranks 1 to 3: q1 a moves by 1; q2 a and b by 0.63; q1 c, d by 0.5."""
    assert choose(graded, "doubtful", "AP") == ["q1a", "q2a", "q2b", "q1c", "q1d"]
    assert choose(graded, "doubtful", "AP", 2) == ["q1a", "q2a"]


def test_worst(graded: Path) -> None:
    """By AP q1 loses its 1, q2 its 1/2. By Success@1 only q1 loses; rank 1 alone counts."""
    assert choose(graded, "worst", "AP") == ["q1a", "q1c", "q1d", "q2a", "q2b"]
    assert choose(graded, "worst", "Success@1") == ["q1a", "q1c"]
    study = open_world(graded)
    with pytest.raises(ChoiceError, match="Nothing to judge is found .worst regressions by AP"):
        pick(study, "worst", BOTH[::-1], "AP", 9)
    with pytest.raises(ChoiceError, match="Worst regressions: name two versions."):
        pick(study, "worst", ("v1",), "AP", 5)
    with pytest.raises(ChoiceError, match="number = 0: 1 to 10,000 pairs can be chosen."):
        pick(study, "worst", BOTH, "AP", 0)


def test_slice_and_random(graded: Path) -> None:
    """All results of q2, the best rank first; all results in an order that a seed gives."""
    assert choose(graded, "slice") == ["q2d", "q2a", "q2b"]
    with pytest.raises(ChoiceError, match="Name the slice"):
        pick(open_world(graded), "slice", BOTH, "AP", 9)
    every = choose(graded, "random", "AP")
    assert sorted(every) == ["q1a", "q1b", "q1c", "q1d", "q2a", "q2b", "q2d"]
    assert choose(graded, "random", "AP") == every != choose(graded, "random", "AP", seed=1)
    assert choose(graded, "random", "AP", 3) == every[:3]


def test_created_and_read(graded: Path) -> None:
    assert read_lists(opened := open_collection(graded)) == []
    with pytest.raises(ChoiceError, match="No list is open. There are none."):
        find_list(opened)
    made, second = create_list(graded, MADE), create_list(graded, replace(MADE, title="Second"))
    assert read_lists(opened) == [second, made]
    assert (find_list(opened), find_list(opened, made.id)) == (second, made)
    with pytest.raises(ChoiceError, match="There is no list 'x'"):
        find_list(opened, "x")


def test_next_of_a_person(graded: Path, say: Say) -> None:
    """Each works through the list alone; what is undone comes again."""
    made = create_list(graded, MADE)

    def find(author: str) -> str | None:
        done = find_judged([made], list_history("graded"))[made.id].get(author, ())
        return next(("".join(pair) for pair in made.asked if pair not in done), None)

    assert find("eva") == find("kim") == "q1a"
    say("eva", "q1", "a", "not", list_id=made.id)
    say("eva", "q1", "c", "unsure")
    say("kim", "q2", "b", "relevant")
    say("kim", "q1", "b", "relevant")  # not on the list
    assert (find("eva"), find("kim")) == ("q2b", "q1a")
    judged = find_judged([made], list_history("graded"))[made.id]
    assert judged == {"eva": {("q1", "a"), ("q1", "c")}, "kim": {("q2", "b")}}
    say("eva", "q2", "b", "not")
    assert find("eva") is None
    undo_last(graded, "eva")
    assert find("eva") == "q2b"
    say("eva", "q1", "a", "keep", kind="decision")
    counted = [(row["people"], row["values"]) for row in count_values(made, list_history("graded"))]
    assert counted == [(1, "not 1"), (1, "unsure 1"), (1, "relevant 1")]
    blind = [create_list(graded, replace(MADE, pairs=(("q1", ""),))) for _ in range(2)]
    within = {"kind": "preference", "list_id": blind[0].id, "run": "v2", "against": "v1"}
    say("eva", "q1", "", "better", **within)
    found = [*find_judged(blind, list_history("graded")).values()]
    assert found == [{"eva": {("q1", "")}}, {}]
