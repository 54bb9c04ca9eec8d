"""Lists compared blind: sides, counts, test and interval worked by hand, and the metric's word."""

from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.errors import ChoiceError
from dashboard.plugins.reviews import figures
from dashboard.plugins.reviews.preference_view import count_answers, make_payload
from dashboard.plugins.reviews.verdicts import Verdict
from tests.plugins.reviews.conftest import BLIND, pick
from tests.plugins.worlds import open_world

MADE = replace(BLIND, id="f0", pairs=tuple((f"q{number}", "") for number in range(1, 15)))


def say(author: str, query: str, value: str, **more: str) -> Verdict:
    about = {"kind": "preference", "list_id": "f0", "run": "v2", "against": "v1"}
    return Verdict(query_id=query, item_id="", value=value, author=author, **(about | more))


def test_sides_are_those_of_the_first_edition() -> None:
    """By the first byte of SHA-256 of seed, list, query and person; both sides occur."""
    sides = [figures.shuffle_sides(MADE, query, "eva") for query, _ in MADE.pairs]
    assert sides != [figures.shuffle_sides(MADE, query, "kim") for query, _ in MADE.pairs]
    left = "".join(side[0][1] for side in sides)
    assert left == "12122111111221"  # as the first edition puts them


def test_nine_of_twelve() -> None:
    """Sign test: 2 (1 + 12 + 66 + 220) ÷ 4096 = 0.146; Clopper and Pearson: 42.8 to 94.5 %."""
    rows = [say("eva", f"q{at}", "better" if at <= 9 else "worse") for at in range(1, 13)]
    rows += [say("eva", "q13", "same"), say("eva", "q14", "cannot judge")]
    assert figures.describe_preference(figures.score_queries(rows), "v1", "v2") == (
        "", "v2 won 9 of 12 queries with a winner (95 % interval 43–95 %), p = 0.146. "
        "In 1 query neither version won. For 1 query nobody could say which is better.",
    )  # fmt: skip
    assert figures.describe_preference({str(at): -1 for at in range(6)}, "v1", "v2") == (
        "v1", "v1 won 6 of 6 queries with a winner (95 % interval 54–100 %), p = 0.031.",
    )  # fmt: skip


def test_a_query_counts_once_and_the_last_word_of_a_person() -> None:
    """Much better and worse: better by the mean. Better and worse: the same. Others' lists not."""
    rows = [
        say("eva", "q1", "much better"), say("kim", "q1", "worse"),
        say("eva", "q2", "better"), say("kim", "q2", "worse"),
        say("eva", "q3", "better"), say("eva", "q3", "worse"),
        say("eva", "q4", "better"), say("eva", "q4", ""),
        say("eva", "q5", "better", list_id="other"),
    ]  # fmt: skip
    answers = figures.list_preferences(MADE, rows)
    assert figures.score_queries(answers) == {"q1": 1, "q2": 0, "q3": -1}
    counted = {row["person"]: row for row in count_answers(answers)}
    assert counted["eva"]["better"] == 2 and counted["kim"]["worse"] == 2
    assert figures.describe_preference({"q1": None}, "v1", "v2") == (
        "", "No version won a query. For 1 query nobody could say which is better.",
    )  # fmt: skip


def test_people_and_metric() -> None:
    """They agree on q1, differ on q2; q3 is no change, q4 has no value, q5 nobody decided."""
    scores = {"q1": 1, "q2": 1, "q3": 1, "q4": -1, "q5": 0}
    deltas = {"q1": 0.5, "q2": -0.5, "q3": 0.0, "q4": None, "q5": 1.0}
    rows = [{"query_id": query, "delta": delta} for query, delta in deltas.items()]
    assert figures.compare_with_metric(scores, rows, "AP") == (1, 2)


def test_payload_names_no_version(graded: Path) -> None:
    """Sides hold v1's a, b, c and v2's c, b, d; only the values tell which is which."""
    study = open_world(graded)
    pairs = (("q1", ""), ("gone", ""), ("q2", ""))
    made = replace(MADE, pairs=pairs, gone=frozenset(pairs[1:2]))
    first, second = make_payload(study, made, "eva", {"q2"})
    assert [each["done"] for each in (first, second)] == [False, True]
    sides = {side: [each["item"] for each in first["sides"][at]]
             for at, side in enumerate(figures.shuffle_sides(made, "q1", "eva"))}  # fmt: skip
    assert sides == {"v1": ["a", "b", "c"], "v2": ["c", "b", "d"]}
    assert first["values"] == ["worse", "same", "better", "cannot judge"]
    assert "v1" not in repr((first, second)) and "v2" not in repr((first, second))


def test_queries_that_differ_are_chosen(graded: Path) -> None:
    """q1 moves a by 1, c and d by 1/2 each; q2 a and b by 0.63; alike lists are left out."""
    study, both = open_world(graded), ("v1", "v2")
    assert pick(study, "doubtful", both, "AP", 9, compares=True) == [("q1", ""), ("q2", "")]
    assert pick(study, "worst", both, "Success@1", 9, compares=True) == [("q1", "")]
    (graded / "runs" / "v3.trec").write_text((graded / "runs" / "v1.trec").read_text())
    with pytest.raises(ChoiceError, match="found .at random of 0 whose lists differ, seed 0"):
        pick(open_world(graded), "random", ("v1", "v3"), "AP", 9, compares=True)
    with pytest.raises(ChoiceError, match="201: 1 to 200 queries can be chosen"):
        pick(study, "random", both, "AP", 201, compares=True)


def test_what_would_change_the_comparison_most(graded: Path) -> None:
    """v1 leads. Of unjudged ones c, d and b of q1, q1 and q2 help v2 by 1/2, 1/2 and 0.63 by DCG.

    Then come v1's relevant ones: a of q1 takes away 1, of q2 0.63. By P@1 only rank 1 counts, and
    q2 d stays there. By RBP(0.5) c moves by 3/4.
    """

    def choose(metric: str) -> list[str]:
        pairs = pick(open_world(graded), "change", ("v1", "v2"), metric, 9)
        return ["".join(pair) for pair in pairs]

    assert choose("DCG") == ["q2b", "q1c", "q1d", "q1a", "q2a"]
    assert choose("P@1") == ["q1c", "q1a"]
    assert choose("RBP(0.5)") == ["q1c", "q2b", "q1d", "q1a", "q2a"]
    (graded / "qrels.txt").write_text("q1 0 b 1\n")  # nobody leads, and q2 has no value
    assert choose("P@1") == ["q1a", "q1c"]
    with pytest.raises(ChoiceError, match="AP is no sum of the results' worth"):
        choose("AP")
