"""Corrected labels: obeyed by every way to a number, new with each verdict, and by ids."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard import api
from dashboard.errors import ChoiceError
from dashboard.plugins.reviews.corrections import list_changes, settle
from dashboard.plugins.reviews.verdicts import Verdict, list_history, save_verdict
from dashboard.storage.collection import Collection, open_collection
from dashboard.study.choices import resolve
from dashboard.study.query_result import QueryResult
from dashboard.study.study import Study
from dashboard.views.address import find_problems
from tests.plugins.worlds import call, open_world, write_world

DATA = Path(__file__).parents[3] / "data"
CORRECTED = {"labels": "corrected"}
Say = Callable[..., int]


def open_labels(folder: Path, labels: str = "corrected", **given: str) -> Study:
    return open_world(folder, labels=labels, **given)


def list_grades(study: Study, query: str) -> dict[str, float]:
    """Return the grades that a query's items have."""
    collection = study.collection
    grades = study.judgement.grades(collection.queries.index[query])
    named = zip(collection.items.ids, grades.tolist(), strict=True)
    return {name: grade for name, grade in named if grade == grade}


def measure(folder: Path, metric: str = "P@2", **given: str) -> list[float | None]:
    (found,) = open_labels(folder, **given).measure(["v1"], metric)
    return [row["value"] for row in found.list_values()]


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ([("eva", "2")], 2.0),
        ([("eva", "relevant"), ("kim", "not")], 0.0),
        ([("eva", "relevant"), ("kim", "relevant"), ("lea", "not")], 1.0),
        ([("eva", "relevant"), ("kim", "2"), ("lea", "not")], 0.0),
        ([("eva", "relevant"), ("kim", "unsure")], 1.0),
    ],
)
def test_majority_of_who_is_sure(
    graded: Path, say: Say, said: list[tuple[str, str]], grade: float
) -> None:
    """The file gives b grade 0, which stays where nobody has more than half."""
    for author, value in said:
        say(author, "q1", "b", value)
    assert list_grades(open_labels(graded), "q1") == {"a": 2.0, "b": grade}


@pytest.mark.parametrize(
    ("value", "grade"), [("not", 0.0), ("2", 2.0), ("unsure", 0.0), ("keep", 0.0)]
)
def test_last_decision_counts_before_a_majority(
    graded: Path, say: Say, value: str, grade: float
) -> None:
    say("eva", "q1", "b", "relevant")
    say("lea", "q1", "b", "not" if value == "2" else "2", kind="decision")
    say("kim", "q1", "b", value, kind="decision")
    assert list_grades(open_labels(graded), "q1")["b"] == grade


def test_changes(graded: Path, say: Say) -> None:
    """`relevant` leaves the 2 of a, `not` makes it 0; what is not judged becomes judged."""
    for query, item, value in (("q1", "a", "relevant"), ("q2", "a", "not"), ("q2", "d", "2")):
        say("eva", query, item, value)
    given = open_labels(graded, "given")
    changes = list_changes(given.collection, given.judgement, settle(list_history("graded")))
    told = {"query_id": "q2", "people": 1, "by": "one person"}
    assert changes == [
        told | {"item_id": "a", "value": "not", "given": 1.0, "corrected": 0.0},
        told | {"item_id": "d", "value": "2", "given": None, "corrected": 2.0},
    ]


def test_every_way_obeys(graded: Path, say: Say) -> None:
    """v1 finds a, b for q1 and d, a for q2. With b and d relevant P@2 is 1 for both."""
    assert measure(graded) == measure(graded, labels="given") == [0.5, 0.5]
    say("eva", "q1", "b", "relevant")
    say("eva", "q2", "d", "relevant")
    assert measure(graded) == [1.0, 1.0]
    assert measure(graded, labels="given") == [0.5, 0.5]
    words = ("measure", graded, "--metrics", "P@2", "--runs", "v1", "--labels")
    assert [call(*words, labels)[1][0]["mean"] for labels in ("given", "corrected")] == [0.5, 1]
    assert api.open(graded).measure("P@2", "v1", **CORRECTED)["mean"].tolist() == [1.0]
    told = api.open(graded).verdict("v1", "v2", "P@2", **CORRECTED).sentence
    assert "Labels: corrected." in told
    found: QueryResult = open_labels(graded).query("q1", ["v1"])
    assert [row["hit"] for row in found.rows] == [True, True, None]
    assert found.relevant == 2


def test_new_verdict_makes_a_new_study(graded: Path, say: Say) -> None:
    """One that arrives before the judgement is computed belongs to the next study."""
    first = open_labels(graded)
    assert open_labels(graded) is first
    say("eva", "q1", "b", "relevant")
    second = open_labels(graded)
    assert second is not first and open_labels(graded) is second
    say("eva", "q1", "b", "2")
    assert list_grades(first, "q1")["b"] == 0.0 and list_grades(second, "q1")["b"] == 1.0
    assert open_labels(graded, "given") is open_labels(graded, "given")


def test_stays_with_a_new_version_and_a_changed_table(graded: Path, say: Say) -> None:
    """Pairs are known by ids: rows in another order, a run more, and an item that is gone."""
    say("eva", "q1", "b", "relevant")
    say("eva", "q1", "x", "relevant")
    (graded / "runs" / "v3.trec").write_text("q1 Q0 b 1 3 t\n")
    (graded / "items.csv").write_text("item_id,colour\nd,red\nc,red\nb,blue\na,blue\n")
    (graded / "queries.csv").write_text("query_id,text\nq2,second\nq1,first\n")
    study = open_labels(graded)
    assert list_grades(study, "q1") == {"a": 2.0, "b": 1.0}
    assert study.value("v3", study.collection.queries.index["q1"], "P@1") == 1.0


def test_query_without_relevant_items_is_scored_then(world: Path, store: Path) -> None:
    """Under alfa q4 asks for nothing; q2 for car and bus, which only a has. All ticks stay."""
    collection = open_collection(world)

    def say_of(query: str, item: str, value: str) -> None:
        made = Verdict(author="eva", query_id=query, item_id=item, value=value)
        save_verdict(collection, made)

    given = open_labels(world, "given")
    say_of("q2", "c", "relevant")
    say_of("q2", "a", "0")
    say_of("q4", "b", "1")
    say_of("q3", "a", "relevant")  # its own item
    assert {row.value for row in list_history(world.name)} == {"relevant", "not"}
    study = open_labels(world, queries="all")
    grades = study.judgement.grades(1)
    credits = study.judgement.credits(1)
    assert (grades[0], grades[2], credits[0], credits[2]) == (0.0, 1.0, 0.0, 1.0)
    assert credits[1] == given.judgement.credits(1)[1] == 0.5
    assert 3 in given.judgement.unscorable and 3 not in study.judgement.unscorable
    assert not (study.judgement.grades(2)[0] >= 1)
    found = study.query("q2", ["v1"])
    assert found.asked["required"] == ["car", "bus"]
    assert all("ticks" in row for row in found.rows)
    given = open_labels(world, "given", queries="all")
    assert list(study.list_slices()) == list(given.list_slices())


def test_class_labels_keep_their_class(tmp_path: Path, store: Path) -> None:
    folder = write_world(
        tmp_path / "data" / "classes",
        'title = "C"\nclass_label = "kind"\n',
        "item_id,kind\na,cat\nb,cat\nc,dog\n",
        "query_id,text,item_id\nq,,a\n",
        {"a": [1, 0], "b": [0, 1], "c": [1, 1]},
        {},
    )
    collection: Collection = open_collection(folder)
    made = Verdict(author="eva", query_id="q", item_id="c", value="relevant")
    save_verdict(collection, made)
    study = open_labels(folder)
    assert study.rules.name == "class_labels"
    assert list_grades(study, "q") == {"b": 1.0, "c": 1.0}
    assert study.query("q", ["v1"]).asked == {"class": "kind: cat"}


@pytest.mark.parametrize(
    ("name", "protocol"),
    [("openmoji_captions", "crossmodal"), ("openmoji_hashes", "hashing"), ("driving", "context")],
)
def test_protocols_with_labels_as_given(store: Path, name: str, protocol: str) -> None:
    collection = open_collection(DATA / name)
    with pytest.raises(ChoiceError, match=f"the protocol {protocol} takes labels as given"):
        resolve(collection, CORRECTED | {"protocol": protocol})
    told = find_problems(collection, CORRECTED | {"protocol": protocol})
    assert list(told) == ["labels"]


def test_nobody_pays_for_the_store(graded: Path) -> None:
    """With labels as given, the library of the store is not even imported."""
    script = (
        "import sys; from dashboard.__main__ import main; "
        f"main(['measure', {str(graded)!r}]); sys.exit('sqlalchemy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=DATA.parent, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_store_that_cannot_be_read(graded: Path, store: Path) -> None:
    """The link says it, and the collection is shown without corrections as ever."""
    store.parent.mkdir()
    store.write_bytes(b"")
    told = find_problems(open_collection(graded), CORRECTED)
    assert "reviews.sqlite: found an empty file" in told["labels"]
    assert measure(graded, labels="given") == [0.5, 0.5]
