"""Addresses and names that a request may hold: a sentence each, and a way on."""

from pathlib import Path

import pytest

from dashboard.errors import ChoiceError
from dashboard.storage.collection import open_collection
from dashboard.study.choices import list_choices, resolve
from tests.core.test_screens import draw

SAID = [
    ("overview", "shown", "abc", "There is no value of shown 'abc'. There are: 5, 10, 20."),
    ("query", "query", "\0", "There is no query '\\x00'"),
    ("query", "query", ["q1", "q2"], "There is no query 'q1 q2'"),
    ("search", "item", "x" * 100_000, "There is no item 'xxx"),
    ("search", "text", "a " * 501, "The text has 1,001 characters. Search with at most 1,000."),
    ("overview", "metric", "__class__", "There is no metric '__class__'"),
    ("overview", "metric", "P(H<=2)", "P(H<=2) needs the protocol hashing, not alfa."),
    ("overview", "metric", ["P@5", "AP"], "P@5 AP' names several metrics; give one"),
    ("overview", "metric", "P@99999", "P@99999 looks at 99,999 ranks, but world has 4 items."),
    ("overview", "metrics", "(" * 5_000, "There is no metric '((("),
    ("compare", "outcome", "\0", "There are: all, worse"),
    ("compare", "cause", "near misses", "There is no cause 'near misses'. There are: doubtful"),
    ("compare", "baseline", "9" * 100_000, "There are: v1, v2."),
    ("compare", "min_similarity", ["0.1", "0.2"], "'0.1 0.2' is no number"),
    ("slices", "slice", " & & &", "There is no slice '&'"),
    ("slices", "picked_slice", "a=b", "There is no picked slice 'a=b'"),
    ("overview", "collection", "../../etc/passwd", "There are: world."),
    ("overview", "collection", ["world", "none"], "There is no collection 'none'"),
    ("collections", "collection", "a\0b", "There is no collection 'a\\x00b'"),
    ("query", "runs", "v9", "There is no run 'v9'"),
    ("query", "protocol", "constructor", "There is no protocol 'constructor'"),
]
"""Screen, key, value or values, and the sentence."""


def test_address_that_draws_as_usual(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = {"clip": "\0", "shown": "", "sort": "id;DROP", "k": "-1", "runs": " ", "v": "1"}
    drawn = draw(world, monkeypatch, "query", **odd)
    assert not drawn.error and not drawn.exception and "sort" not in drawn.query_params


@pytest.mark.parametrize(("screen", "key", "value", "sentence"), SAID)
def test_address_has_a_sentence_and_a_way_on(
    world: Path, monkeypatch: pytest.MonkeyPatch, screen: str, key: str, value: str, sentence: str
) -> None:
    drawn = draw(world, monkeypatch, screen, **{key: value})
    (error,) = drawn.error
    said = error.value.replace("\\\\", "\N{BULLET}").replace("\\", "").replace("\N{BULLET}", "\\")
    assert sentence in said and len(error.value) < 1_500 and not drawn.exception
    (way,) = [each for each in drawn.button if each.label.startswith("Open ")]
    assert not way.click().run().error


def test_every_choice_has_a_noun(world: Path) -> None:
    """A sentence says "There is no NOUN 'x'": no key that is an adjective or a plural."""
    collection, usual = open_collection(world), resolve(open_collection(world), {})
    nouns = {}
    for choice in (each for each in list_choices() if each.allowed(collection, usual)):
        with pytest.raises(ChoiceError) as error:
            choice.read("?", collection, usual)
        nouns[choice.key] = str(error.value).partition(" '?'. There are")[0].split("is no ")[1]
    others = {
        "queries": "kind of queries", "groups": "group", "labels": "kind of labels",
        "judge": "value of judge", "runs": "run", "picked_slice": "picked slice",
        "shown": "value of shown", "copies": "value of copies",
    }  # fmt: skip
    assert nouns == {key: others.get(key, key) for key in nouns}
