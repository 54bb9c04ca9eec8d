"""Addresses and names that a request may hold: a sentence each, and a way on."""

from pathlib import Path

import pytest

from dashboard.errors import ChoiceError
from dashboard.storage.collection import open_collection
from dashboard.study.choices import list_choices, resolve
from dashboard.texts import split_names
from dashboard.views.address import find_problems
from tests.core.bad_world import write_world
from tests.core.test_screens import draw

SAID = [
    ("overview", "shown", "abc", "There is no value of shown 'abc'. There are: 5, 10, 20."),
    ("query", "shown", ["5", "10"], "There is no value of shown '5 10'"),
    ("query", "query", "\0", "There is no query '\\x00'"),
    ("query", "query", "%2e%2e", "There is no query '%2e%2e'. There are: q1"),
    ("query", "query", ["q1", "q2"], "There is no query 'q1 q2'"),
    ("search", "item", "x" * 100_000, "There is no item 'xxx"),
    ("search", "item", "<b>a</b>", "There is no item '<b>a</b>'. There are: a, b"),
    ("search", "text", "a " * 501, "The text has 1,001 characters. Search with at most 1,000."),
    ("overview", "metric", "__class__", "There is no metric '__class__'"),
    ("overview", "metric", ["P@5", "AP"], "as in P@5"),
    ("overview", "metric", "P@99999", "P@99999 looks at 99,999 ranks, but world has 4 items."),
    ("overview", "labels", "x", "There is no kind of labels 'x'. There are: given, corrected."),
    ("overview", "metrics", "(" * 5_000, "There is no metric '((("),
    ("compare", "outcome", "\0", "There are: all, worse"),
    ("compare", "baseline", "v1\0", "There are: v1, v2."),
    ("compare", "min_similarity", ["0.1", "0.2"], "'0.1 0.2' is no number"),
    ("slices", "slice", " & & &", "There is no slice '&'"),
    ("slices", "picked_slice", "a=b", "There is no picked slice 'a=b'"),
    ("overview", "collection", "../../etc/passwd", "There are: world."),
    ("overview", "collection", ["world", "none"], "There is no collection 'none'"),
    ("collections", "collection", "a\0b", "There is no collection 'a\\x00b'"),
    ("overview", "collection", "x" * 5_000, "There are: world."),
    ("query", "runs", "v9", "There is no run 'v9'"),
    ("query", "item", "constructor", "There is no item 'constructor'"),
    ("query", "protocol", "constructor", "There is no protocol 'constructor'"),
]
"""Screen, key, value or values, and the sentence."""


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


@pytest.mark.parametrize(
    "params",
    [
        {"clip": "zz"},
        {"clip": "\0"},
        {"shown": ""},
        {"sort": "id;DROP"},
        {"k": "-1"},
        {"runs": " "},
    ],
)
def test_address_that_draws_as_usual(
    world: Path, monkeypatch: pytest.MonkeyPatch, params: dict[str, str]
) -> None:
    drawn = draw(world, monkeypatch, "query", **params)
    assert not drawn.error and not drawn.exception


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_world(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("min_similarity", "abc"), ("min_similarity", "0_1"), ("min_similarity", "NaN"),
        ("min_similarity", "2"), ("protocol", "__class__"), ("queries", "x"), ("query", "q9"),
        ("runs", "<script>alert(1)</script>"), ("item", "../../etc/passwd"), ("shown", "1.5"),
        ("shown", "300000000"), ("baseline", "id;DROP"), ("candidate", "a\0b"),
    ],
)  # fmt: skip
def test_choices_are_refused(folder: Path, key: str, value: str) -> None:
    """REQ-01, 02, 09, 13: a link with a value that there is not."""
    with pytest.raises(ChoiceError, match=key.removesuffix("s")):
        resolve(open_collection(folder), {key: value})


class CountedNames(list[str]):
    """Known names that count how often they are asked."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_many_names_are_split_in_one_pass() -> None:
    """REQ-12: an address may repeat a value thousands of times."""
    known = CountedNames(["a=R & B", "a"])
    found = split_names(" & ".join(["a=R & B", "a", "x"] * 500), " & ", known)
    assert found == ["a=R & B", "a", "x"]
    assert known.asked <= 3000


@pytest.mark.parametrize("key", ["item", "baseline", "metrics", "groups", "min_similarity"])
def test_long_values_are_not_repeated(world: Path, key: str) -> None:
    """REQ-12."""
    (sentence,) = find_problems(open_collection(world), {key: "9" * 100_000}).values()
    assert len(sentence) < 1_000 and "9" * 80 in sentence


def test_every_choice_has_a_noun(world: Path) -> None:
    """A sentence says "There is no NOUN 'x'": no key that is an adjective or a plural."""
    collection, usual = open_collection(world), resolve(open_collection(world), {})
    nouns = {}
    for choice in (each for each in list_choices() if each.allowed):
        with pytest.raises(ChoiceError) as error:
            choice.read("?", collection, dict(usual.values))
        nouns[choice.key] = str(error.value).partition(" '?'. There are")[0].split("is no ")[1]
    others = {
        "queries": "kind of queries", "groups": "group", "labels": "kind of labels",
        "judge": "value of judge", "runs": "run", "picked_slice": "picked slice",
        "shown": "value of shown", "copies": "value of copies",
    }  # fmt: skip
    assert nouns == {key: others.get(key, key) for key in nouns}
