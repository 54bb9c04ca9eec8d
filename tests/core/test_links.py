"""Links: every problem is a sentence, and nothing is computed for it."""

from pathlib import Path

import pytest

from tests.core.test_screens import draw, read_payload


def read_errors(drawn) -> list[str]:
    return [each.value.replace("\\", "") for each in drawn.error]


def test_each_problem_is_a_sentence(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"baseline": "v9", "metric": "Q@", "min_similarity": "7", "candidat": "v2"}
    drawn = draw(world, monkeypatch, "query", **wrong)
    said = read_errors(drawn)
    assert len(said) == 4 and not drawn.exception
    assert "There is no baseline 'v9'. There are: v1, v2." in said
    assert "The link has the key 'candidat'. Did you mean 'candidate'?" in said
    assert not [each for each in drawn.get("bidi_component") if each.key == "cards"]
    drawn.button[0].click()
    again = drawn.run()
    assert not again.error and dict(again.query_params)["baseline"] == "v1"


@pytest.mark.parametrize("screen", ["overview", "compare", "query", "search"])
def test_choice_of_another_protocol_is_said(world: Path, monkeypatch, screen: str) -> None:
    (world / "unified_annotation.csv").unlink()
    (world / "qrels.csv").write_text("query_id,item_id,grade\nq1,a,1\n")
    (world / "collection.toml").write_text('title = "World"\n')
    for key, value in {"mapping_threshold": "0.5", "test": "x", "groups": "pv_x"}.items():
        drawn = draw(world, monkeypatch, screen, **{key: value})
        assert not drawn.exception and len(drawn.error) == 1, key
        assert value in read_errors(drawn)[0]


@pytest.mark.parametrize("screen", ["overview", "compare", "query", "search"])
def test_collection_without_queries(world: Path, monkeypatch, screen: str) -> None:
    (world / "queries.csv").write_text("query_id,text,image\nq1,,\nq2,,\n")
    (world / "models" / "v1" / "queries.npy").unlink()
    (world / "models" / "v2" / "queries.npy").unlink()
    drawn = draw(world, monkeypatch, screen)
    said = [*read_errors(drawn), *(each.value.replace("\\", "") for each in drawn.info)]
    assert not drawn.exception
    assert said == [
        "world has no query to search with: 2 rows of queries.csv have neither a text nor an "
        "image nor the item_id of a known item. To list them, type: python -m dashboard check "
        "world"
    ]


def test_links_keep_the_choices(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "compare", metric="AP", min_similarity="0.5")
    data = read_payload(drawn, "links")
    assert data["current"] == "compare"
    (link,) = (each["href"] for each in data["links"] if each["name"] == "query")
    path, _, keys = link.partition("?")
    named = "collection=world baseline=v1 candidate=v2 min_similarity=0.5 metric=AP"
    assert path == "./query" and {*keys.split("&")} == {*named.split()}
