"""The committed collections of drawings agree with themselves; their stated figures are right.

Figures are computed again here, in plain Python and scikit-learn, without the builder.
"""

from __future__ import annotations

import csv
import math
import tomllib
import zlib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score

from dashboard.storage.collection.collection import open_collection

DATA = Path(__file__).resolve().parents[2] / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")
FIGURES = (DATA / "openmoji_build" / "README.md").read_text(encoding="utf-8")
OPENMOJI = ("openmoji_composed", "openmoji_captions", "openmoji_hashes", "openmoji_context")
ALL = (*OPENMOJI, "digits_hashes")
HASHES = ("openmoji_hashes", "digits_hashes")
LEARNED = ("openmoji_composed", "openmoji_captions", "openmoji_context")
WORKERS = {"name", "cldr", "tags", "codes", "group"}


@cache
def rows(collection: str, name: str) -> list[dict[str, str]]:
    """The rows of one of a collection's tables."""
    with (DATA / collection / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def grades(collection: str) -> dict[str, dict[str, float]]:
    """query → item → grade."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    if collection == "openmoji_context":
        return {q: {i: _mean(five) for i, five in of.items()} for q, of in answers().items()}
    for row in rows(collection, "qrels"):
        assert row["item_id"] not in found[row["query_id"]]
        found[row["query_id"]][row["item_id"]] = float(row["grade"])
    return found


def settings(path: Path) -> dict:
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def versions(collection: str) -> list[Path]:
    """The folders of a collection's versions."""
    return sorted((DATA / collection / "models").iterdir())


@cache
def vectors(version: Path, stem: str) -> tuple[list[str], np.ndarray]:
    """Ids and rows as stored."""
    ids = (version / f"{stem}.txt").read_text(encoding="utf-8").splitlines()
    return ids, np.load(version / f"{stem}.npy", allow_pickle=False)


def unit(version: Path, stem: str) -> np.ndarray:
    """Rows scaled to length 1 in double precision."""
    wide = vectors(version, stem)[1].astype(float)
    return wide / np.linalg.norm(wide, axis=1, keepdims=True)


def ids(collection: str, name: str = "items", column: str = "item_id") -> list[str]:
    """The ids in a table."""
    return [row[column] for row in rows(collection, name)]


def stated(collection: str, version: str) -> list[float]:
    """The numbers of a version's row in the builder's table of that collection."""
    start = FIGURES.index(f"`{collection}`, measured")
    line = FIGURES[start:].split(f"\n| {version} |", 1)[1].split("\n", 1)[0]
    return [float(cell) for cell in line.strip(" |").split("|")]


@pytest.mark.parametrize("collection", ALL)
def test_every_picture_is_there_and_none_is_left_over(collection: str) -> None:
    named = {row["file"] for row in rows(collection, "items") if row["file"]}
    if collection in HASHES:
        named |= {row["image"] for row in rows(collection, "queries")}
    media = DATA / collection / "media"
    assert {path.name for path in media.iterdir()} == named
    side = 48 if collection == "digits_hashes" else 128
    for name in sorted(named)[::40]:
        with Image.open(media / name) as picture:
            assert picture.size == (side, side)
            assert picture.convert("L").getextrema()[0] < 128 < picture.convert("L").getextrema()[1]


@pytest.mark.parametrize("collection", OPENMOJI)
def test_the_drawings_carry_their_licence_and_their_authors(collection: str) -> None:
    folder = DATA / collection
    assert "ShareAlike 4.0" in (folder / "LICENSE.txt").read_text(encoding="utf-8")
    assert "OpenMoji" in (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    notices = (folder / "NOTICES.txt").read_text(encoding="utf-8")
    assert "Miles Johnson" in notices and "UNICODE LICENSE V3" in notices
    assert all(row["author"] for row in rows(collection, "items") if row["file"])
    assert settings(folder / "collection.toml")["licence"] == "CC BY-SA 4.0"


def test_the_same_drawing_is_the_same_file_everywhere() -> None:
    first: dict[str, bytes] = {}
    for collection in OPENMOJI:
        for path in (DATA / collection / "media").iterdir():
            assert first.setdefault(path.name, path.read_bytes()) == path.read_bytes()


@pytest.mark.slow
def test_all_five_together_are_small_enough_for_git() -> None:
    files = [path for name in ALL for path in (DATA / name).rglob("*") if path.is_file()]
    # Git stores each content once, packed.
    packed = {content: len(zlib.compress(content)) for content in map(Path.read_bytes, files)}
    assert sum(packed.values()) < 18e6
    assert sum(path.stat().st_size for path in files) < 42e6


@pytest.mark.parametrize("collection", ALL)
def test_ids_are_unique_and_tables_name_known_ones(collection: str) -> None:
    items, queries = ids(collection), ids(collection, "queries", "query_id")
    assert len(set(items)) == len(items) and len(set(queries)) == len(queries)
    assert set(grades(collection)) == set(queries)
    assert {item for judged in grades(collection).values() for item in judged} <= set(items)
    about = settings(DATA / collection / "collection.toml")
    assert about["groups"] == [] and about["title"] and about["about"] and about["attribution"]
    names = {version.name for version in versions(collection)}
    assert {about["default_baseline"], about["default_candidate"]} <= names and len(names) >= 3


@pytest.mark.parametrize("collection", ALL)
def test_every_version_has_a_vector_for_each_id(collection: str) -> None:
    queries = [row["query_id"] for row in rows(collection, "queries") if not row.get("item_id")]
    for version in versions(collection):
        about = settings(version / "model.toml")
        assert about["name"] == version.name
        for stem, wanted in (("items", ids(collection)), ("queries", queries)):
            found, matrix = vectors(version, stem)
            assert found == wanted
            assert matrix.shape == (len(wanted), about["dimension"])


@pytest.mark.parametrize("collection", LEARNED)
def test_learned_vectors_have_length_one(collection: str) -> None:
    for version in versions(collection):
        for stem in ("items", "queries"):
            lengths = np.linalg.norm(vectors(version, stem)[1].astype(float), axis=1)
            np.testing.assert_allclose(lengths, 1, atol=1e-3)


@pytest.mark.parametrize("collection", HASHES)
def test_codes_are_of_minus_one_and_one_and_as_long_as_their_name_says(collection: str) -> None:
    names = [version.name for version in versions(collection)]
    assert sorted(names) == sorted(
        f"{method}-{bits}" for method in ("lsh", "itq", "supervised") for bits in (16, 32, 64)
    )
    for version in versions(collection):
        for stem in ("items", "queries"):
            codes = vectors(version, stem)[1]
            assert codes.dtype == np.int8 and set(np.unique(codes)) == {-1, 1}
            assert codes.shape[1] == int(version.name.split("-")[1])


@pytest.mark.parametrize("collection", HASHES)
def test_queries_and_gallery_share_nothing(collection: str) -> None:
    asked = {Path(row["image"]).stem for row in rows(collection, "queries")}
    assert asked.isdisjoint(ids(collection))
    assert len(asked) == len(rows(collection, "queries"))
    assert all(row["text"] == "" for row in rows(collection, "queries"))
    assert {row["part"] for row in rows(collection, "items")} == {"train", "rest"}
    media = DATA / collection / "media"
    asked_bytes = {(media / row["image"]).read_bytes() for row in rows(collection, "queries")}
    same = [r for r in rows(collection, "items") if (media / r["file"]).read_bytes() in asked_bytes]
    assert not same


@pytest.mark.parametrize(
    ("collection", "fine", "coarse"),
    [("openmoji_hashes", "subgroup", "group"), ("digits_hashes", "digit", None)],
)
def test_grades_follow_from_the_classes(collection: str, fine: str, coarse: str | None) -> None:
    items = rows(collection, "items")
    for query in rows(collection, "queries"):
        wanted = {}
        for item in items:
            if item[fine] == query[fine]:
                wanted[item["item_id"]] = 2
            elif coarse and item[coarse] == query[coarse]:
                wanted[item["item_id"]] = 1
        assert grades(collection)[query["query_id"]] == wanted
        assert 2 in wanted.values()


def test_composed_queries_have_three_feedbacks_and_fifty_labels() -> None:
    queries, items = rows("openmoji_composed", "queries"), set(ids("openmoji_composed"))
    for row in queries:
        three = [row[f"feedback_{number}"] for number in (1, 2, 3)]
        assert all(three) and row["text"] == "; ".join(three)
        assert row["image"] in items
    pictures = Counter(row["image"] for row in queries)
    assert set(pictures.values()) == {2}
    assert len({(row["image"], row["text"]) for row in queries}) == len(queries)
    for query, judged in grades("openmoji_composed").items():
        assert 45 <= len(judged) <= 55 and set(judged.values()) == {0, 1}, query


def test_no_role_of_a_labelled_picture_was_trained_on() -> None:
    about = {row["item_id"]: row for row in rows("openmoji_composed", "items")}
    used = {item for judged in grades("openmoji_composed").values() for item in judged}
    used |= {row["image"] for row in rows("openmoji_composed", "queries")}
    assert {about[item]["part"] for item in used} == {"queries"}
    roles = defaultdict(set)
    for row in about.values():
        roles[row["part"]].add(row["role"])
    assert roles["queries"].isdisjoint(roles["training"])
    for version in versions("openmoji_composed"):
        assert settings(version / "model.toml")["dimension"] == 128


@pytest.mark.parametrize("version", ["v0.1", "v0.2", "v0.3"])
def test_composed_map_is_what_scikit_learn_says(version: str) -> None:
    folder = DATA / "openmoji_composed" / "models" / version
    items, gallery = vectors(folder, "items")
    place = {item: row for row, item in enumerate(items)}
    found = []
    for query, vector in zip(*vectors(folder, "queries"), strict=True):
        judged = grades("openmoji_composed")[query]
        scores = gallery[[place[item] for item in judged]].astype(float) @ vector.astype(float)
        found.append(average_precision_score(list(judged.values()), scores))
    assert stated("openmoji_composed", version) == [pytest.approx(np.mean(found), abs=6e-4)]


def test_every_picture_has_five_texts_of_its_own() -> None:
    items = rows("openmoji_captions", "items")
    pictures = [row["item_id"] for row in items if row["side"] == "pictures"]
    captions = [row for row in items if row["side"] == "captions"]
    assert len(pictures) == 400 and len(captions) == 2000
    owners = Counter(row["item_id"].rsplit("_", 1)[0] for row in captions)
    assert owners == dict.fromkeys(pictures, 5)
    assert all(row["kind"] == "text" and not row["file"] for row in captions)
    assert len({row["caption"] for row in captions}) == 2000


def test_every_picture_and_every_text_is_a_query() -> None:
    items = {row["item_id"]: row for row in rows("openmoji_captions", "items")}
    for row in rows("openmoji_captions", "queries"):
        kind, name = row["query_id"].split("_", 1)
        wanted = grades("openmoji_captions")[row["query_id"]]
        if kind == "i":
            assert row["item_id"] == name and row["text"] == "" and row["among"] == "captions"
            assert wanted == {f"{name}_{number}": 1 for number in range(1, 6)}
        else:
            assert row["text"] == items[name]["caption"] and row["among"] == "pictures"
            assert wanted == {name.rsplit("_", 1)[0]: 1}
    assert len(rows("openmoji_captions", "queries")) == 2400


@pytest.mark.parametrize("version", ["v0.1", "v0.2", "v0.3"])
def test_recalls_are_what_counting_says(version: str) -> None:
    folder = DATA / "openmoji_captions" / "models" / version
    matrix = unit(folder, "items")
    scores = np.round(matrix[:400] @ matrix[400:].T, 6)
    ranks: dict[str, list[int]] = {"i2t": [], "t2i": []}
    for picture, row in enumerate(scores):
        own = range(5 * picture, 5 * picture + 5)
        ranks["i2t"].append(min(_rank(row, caption) for caption in own))
    for caption, column in enumerate(scores.T):
        ranks["t2i"].append(_rank(column, caption // 5))
    six = [100 * np.mean([r <= k for r in ranks[w]]) for w in ("i2t", "t2i") for k in (1, 5, 10)]
    assert stated("openmoji_captions", version) == pytest.approx(
        [*six, sum(six), sum(six) / 6], abs=0.051
    )
    assert np.array_equal(matrix[400:], unit(folder, "queries"))


def _rank(scores: np.ndarray, place: int) -> int:
    """1 + how many score higher + how many score the same and stand earlier."""
    mine = scores[place]
    return int(1 + (scores > mine).sum() + (scores[:place] == mine).sum())


@pytest.mark.parametrize("collection", HASHES)
@pytest.mark.parametrize("version", ["lsh-16", "itq-64", "supervised-32"])
def test_map_and_ndcg_of_codes_are_what_plain_python_says(collection: str, version: str) -> None:
    folder = DATA / collection / "models" / version
    items, codes = vectors(folder, "items")
    codes = codes.astype(int)
    precisions, gains = [], []
    for query, code in zip(*vectors(folder, "queries"), strict=True):
        judged = grades(collection)[query]
        distances = ((codes.shape[1] - codes @ code.astype(int)) // 2).tolist()
        nearest = sorted(range(len(items)), key=lambda place: (distances[place], place))[:50]
        graded = [judged.get(items[place], 0) for place in nearest]
        hits = [rank for rank, grade in enumerate(graded, start=1) if grade]
        each = [number / rank for number, rank in enumerate(hits, start=1)]
        precisions.append(sum(each) / len(each) if each else 0)
        gains.append(_dcg(graded) / _dcg(sorted(judged.values(), reverse=True)[:50]))
    found = [sum(precisions) / len(precisions), sum(gains) / len(gains)]
    assert stated(collection, version) == pytest.approx(found, abs=6e-4)


def _dcg(graded: list[float]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(graded, start=1))


def answers() -> dict[str, dict[str, dict[str, int]]]:
    """query → item → worker → answer, of the context collection."""
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows("openmoji_context", "relevance"):
        found[row["query_id"]][row["item_id"]][row["worker"]] = int(row["relevance"])
    return found


def _mean(five: dict[str, int]) -> float:
    valid = [answer for answer in five.values() if answer >= 0]
    return sum(valid) / len(valid) if valid else -1.0


def test_relevance_is_what_five_sources_said_and_stands_nowhere_else() -> None:
    every = [five for of in answers().values() for five in of.values()]
    assert {answer for five in every for answer in five.values()} <= {-2, -1, 0, 50, 70, 100}
    assert all(set(five) == WORKERS for five in every)
    assert not list((DATA / "openmoji_context").glob("qrels*")), "a copy would be rounded"
    judged = open_collection("openmoji_context").qrels
    wanted = grades("openmoji_context")
    assert len(judged) == sum(map(len, wanted.values()))
    for row in judged.itertuples():
        assert row.grade == wanted[row.query_id][row.item_id], "in full, not rounded"


def test_grids_have_rows_of_five_and_are_what_the_version_found() -> None:
    grids: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows("openmoji_context", "lists"):
        grids[row["list_id"]].append(row)
    found = {}
    for version in versions("openmoji_context"):
        items, gallery = vectors(version, "items")[0], unit(version, "items")
        asked = vectors(version, "queries")[0]
        for query, vector in zip(asked, unit(version, "queries"), strict=True):
            scores = np.round(gallery @ vector, 6)
            order = np.argsort(-scores, kind="stable")
            found[query, version.name] = [items[place] for place in order]
    for cells in grids.values():
        places = [(int(cell["row"]), int(cell["column"])) for cell in cells]
        assert places == [(1 + n // 5, 1 + n % 5) for n in range(len(cells))]
        assert 40 <= len(cells) <= 75
        shown = [cell["item_id"] for cell in cells]
        assert shown == found[cells[0]["query_id"], cells[0]["version"]][: len(cells)]
    assert set(grids) == set(ids("openmoji_context", "satisfaction", "list_id"))


def test_there_is_something_to_clean() -> None:
    said = rows("openmoji_context", "satisfaction")
    lists = Counter(row["participant"] for row in said)
    assert len(lists) >= 20 and min(lists.values()) < 3
    assert len(set(ids("openmoji_context", "satisfaction", "list_id"))) == len(said)
    scales = defaultdict(set)
    for row in said:
        scales[row["participant"]].add(int(row["satisfaction_simulated"]))
    assert {min(s) for s in scales.values()} > {1, 2} and any(len(s) == 1 for s in scales.values())
    invalid = [np.mean([g < 0 for g in judged.values()]) for judged in _context().values()]
    assert sum(share > 0.9 for share in invalid) == 2


def test_the_reader_is_told_that_satisfaction_is_simulated() -> None:
    about = settings(DATA / "openmoji_context" / "collection.toml")
    assert "simulated" in about["title"] and "supports no conclusion" in about["about"]
    assert "supports no conclusion" in README


def _context() -> dict[str, dict[str, float]]:
    return grades("openmoji_context")


@pytest.mark.parametrize("depth", [5, 10, 15])
def test_the_correlation_with_simulated_satisfaction_is_what_scipy_says(depth: int) -> None:
    bad = {q for q, of in _context().items() if np.mean([g < 0 for g in of.values()]) > 0.9}
    said = [r for r in rows("openmoji_context", "satisfaction") if r["query_id"] not in bad]
    lists = Counter(row["participant"] for row in said)
    answers = defaultdict(list)
    for row in said:
        answers[row["participant"]].append(int(row["satisfaction_simulated"]))
    shown = defaultdict(list)
    for row in rows("openmoji_context", "lists"):
        shown[row["list_id"]].append(_context()[row["query_id"]][row["item_id"]])
    gains, satisfied = [], []
    for row in said:
        low, high = min(answers[row["participant"]]), max(answers[row["participant"]])
        graded = shown[row["list_id"]]
        if lists[row["participant"]] < 3 or low == high or len(graded) < 5 * depth:
            continue
        valid = [grade / 100 for grade in graded if grade >= 0][: 5 * depth]
        discounted = [grade / math.log2(rank + 2) for rank, grade in enumerate(valid)]
        gains.append(round(sum(discounted) / len(valid), 12))
        satisfied.append((int(row["satisfaction_simulated"]) - low) / (high - low))
    assert stated("openmoji_context", f"first {depth} rows") == [
        len(gains), pytest.approx(spearmanr(gains, satisfied).statistic, abs=6e-4),
    ]  # fmt: skip
