"""The tests of 1,000 pictures, here of two: the gallery of each query, and means of folds."""

from pathlib import Path

import pytest

from dashboard.errors import ChoiceError, DataError
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.views.address import find_problems
from tests.plugins.worlds import measure_values, open_world, write_world

PICTURES = "abcdefghijk"
TEXTS = {"a": 1, "b": 3}
"""Texts of a picture; one of each other."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("choices", "judge"):
        monkeypatch.setattr(f"dashboard.plugins.crossmodal.{module}.FOLD", 2)


def write(folder: Path, more: str = "") -> Path:
    """Write eleven pictures, and texts with the vector of the picture before their own."""
    texts = {f"{p}{n}": p for p in PICTURES for n in range(TEXTS.get(p, 1))}
    items = "item_id,kind\n" + "".join(f"{p},image\n" for p in PICTURES)
    items += "".join(f"{text},text\n" for text in texts)
    queries = "query_id,text,item_id\n" + "".join(f"i_{p},,{p}\n" for p in PICTURES)
    queries += "".join(f"t_{text},{text},\n" for text in texts)
    qrels = "".join(f"i_{p} 0 {text} 1\nt_{text} 0 {p} 1\n" for text, p in texts.items())
    unit = {p: [float(p == each) for each in PICTURES] for p in PICTURES}
    before = dict(zip(PICTURES, PICTURES[-1] + PICTURES[:-1], strict=True))
    asked = {text: unit[before[p]] for text, p in texts.items()}
    vectors = unit | asked
    named = {f"t_{text}": vector for text, vector in asked.items()}
    settings = 'protocols = ["crossmodal"]\n'
    return write_world(folder, settings, items, queries, vectors, named, qrels + more)


def test_a_fold_is_the_gallery_of_its_queries(tmp_path: Path) -> None:
    """In a fold of c and d, c0 is like b, outside: both cosines are 0 and c is first; d0 is c."""
    study = open_world(write(tmp_path / "w"), test="five-fold 1K")
    asked = study.collection.queries.index
    found = {q: [r["item_id"] for r in study.query(q, ["v1"], 9).rows] for q in ("t_c0", "i_d")}
    assert found == {"t_c0": ["c", "d"], "i_d": ["c0", "d0"]}
    assert study.value("v1", asked["t_c0"], "t2i_R@1") is not None
    assert study.judgement.unscorable[asked["i_k"]] == "outside the test"


def test_the_mean_is_that_of_the_folds(tmp_path: Path) -> None:
    """Of each fold the first picture's text finds it, the other's does not: 1/4, then 1/2."""
    values = measure_values(write(tmp_path / "w"), "t2i_R@1 i2t_R@1 Rsum", test="five-fold 1K")
    of_texts = [value for value in values["t2i_R@1"] if value is not None]
    assert len(of_texts) == 12
    assert sum(of_texts) / 12 == pytest.approx((1 / 4 + 4 * 1 / 2) / 5)
    rsum = [value for value in values["Rsum"] if value is not None]
    assert sum(rsum) / 10 == pytest.approx(
        sum(v for v in values["i2t_R@1"] if v is not None) / 10 + (1 / 4 + 2) / 5 + 4
    )


def test_a_median_is_the_mean_of_those_of_the_folds(tmp_path: Path) -> None:
    """Ranks of texts: 1, 2, 2, 2 in the first fold, 1 and 2 in the others; all together 2."""
    study = open_world(write(tmp_path / "w"), test="five-fold 1K")
    (row,) = study.measure(["v1"], "t2i_MdR")[0].list_means()
    assert (row["mean"], row["scored"]) == ((2 + 4 * 1.5) / 5, 12)
    assert study.compare("v1", "v1", "t2i_MdR")[0]["candidate"] == row["mean"]


def test_the_first_fold_alone_and_the_whole_gallery(tmp_path: Path) -> None:
    folder = write(tmp_path / "w")
    values = measure_values(folder, "t2i_R@1", test="1K")["t2i_R@1"]
    assert values == [None] * 11 + [1, 0, 0, 0] + [None] * 9
    assert measure_values(folder, "Rsum") == measure_values(folder, "Rsum", test="whole")
    folder = write(tmp_path / "v", "t_c0 0 e 1\n")
    with pytest.raises(DataError, match="the text 't_c0' of several pictures"):
        measure_values(folder, "t2i_R@1", test="1K")


def test_what_a_link_asks_for_in_vain_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = open_collection(write(tmp_path / "w"))
    assert find_problems(collection, {"test": "five-fold 1K"}) == {}
    assert "There is no test 'x'" in find_problems(collection, {"test": "x"})["test"]
    other = find_problems(collection, {"test": "1K", "protocol": "trec"})["test"]
    assert other == "test = '1K': it belongs to the protocol crossmodal."
    monkeypatch.setattr("dashboard.plugins.crossmodal.choices.FOLD", 3)
    with pytest.raises(ChoiceError, match="needs 15 picture queries; w has 11"):
        resolve(collection, {"test": "five-fold 1K"})
