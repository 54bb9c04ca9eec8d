"""Free text → keywords, with the real language model; it is loaded once for all of these tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.retrieval import keywords
from dashboard.retrieval.encoders import encoders, language_models
from dashboard.storage.collection.collection import COLLECTIONS, open_collection
from dashboard.storage.collection.vocabulary import read_vocabulary, spelled_words
from dashboard.storage.versions.versions import read_model
from dashboard.tables import DataError, Findings
from tests.retrieval.phrasings import PHRASINGS
from tests.storage.tiny import unit

DRIVING = COLLECTIONS / "driving" / "vocabulary.toml"
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def vocabulary() -> pd.DataFrame:
    return read_vocabulary(DRIVING, Findings())


def kept(text: str, vocabulary: pd.DataFrame, threshold: float = 0.6) -> list[str]:
    table = keywords.keep(keywords.candidates({"q": text}, vocabulary), threshold)
    return table.loc[table["kept"], "keyword"].tolist()


def mistakes(vocabulary: pd.DataFrame) -> dict[str, set[str]]:
    """Phrasing → the keywords that it is mapped to and should not be, or the other way round."""
    table = keywords.keep(keywords.candidates({t: t for t, _ in PHRASINGS}, vocabulary), 0.6)
    mapped = table[table["kept"]].groupby("query_id")["keyword"].agg(set)
    return {text: mapped.get(text, set()) ^ set(truth) for text, truth in PHRASINGS}


def test_the_example_of_alfa(vocabulary: pd.DataFrame) -> None:
    assert kept("cyclist entering ego lane", vocabulary) == ["bicyclist", "entering ego path"]


def test_the_example_of_alfa_needs_no_vocabulary_of_its_own(vocabulary: pd.DataFrame) -> None:
    """An annotation in ALFA's words alone: no phrasing maps worse than with the vocabulary."""
    alone = spelled_words(None, vocabulary[["group", "keyword"]], Findings())
    assert kept("cyclist entering ego lane", alone) == ["bicyclist", "entering ego path"]
    ours, theirs = mistakes(alone), mistakes(vocabulary)
    assert all(ours[text] <= theirs[text] for text, _ in PHRASINGS)
    assert not ours["truck parked at the kerb"]
    bare = alone.assign(words=[()] * len(alone))
    assert "ego lane change" in kept("cyclist entering ego lane", bare), "what it was before"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a pedestrian and a cyclist", ["pedestrian", "bicyclist"]),
        ("LORRIES", ["large vehicle"]),
        ("Trucks, stationary!", ["large vehicle", "stationary"]),
        ("pedestrian pedestrian", ["pedestrian"]),
        ("the of and", []),
        ("", []),
        ("(((", []),
        ("\U0001f6b4", []),
    ],
)
def test_texts_and_what_they_name(text: str, expected: list[str], vocabulary: pd.DataFrame) -> None:
    assert kept(text, vocabulary) == expected


def test_what_occurs_word_for_word_has_score_one_and_wins(vocabulary: pd.DataFrame) -> None:
    table = keywords.candidates({"q": "bicyclist near the bus"}, vocabulary).set_index("ngram")
    assert table.loc["bicyclist", "score"] == 1
    assert (
        table.loc[table.index != "bicyclist"].query("keyword == 'bicyclist'")["score"] < 1
    ).all()


def test_candidates_are_checked_sorted_and_over_the_floor(vocabulary: pd.DataFrame) -> None:
    table = keywords.candidates({"b": "cyclist in the rain", "a": "truck"}, vocabulary)
    assert table["query_id"].drop_duplicates().tolist() == ["b", "a"]
    assert (table["score"] >= keywords.FLOOR).all()
    assert not table["kept"].any()
    assert (table.groupby("query_id", sort=False)["score"].diff().dropna() <= 0).all()


def test_a_text_alone_maps_as_it_maps_among_others(vocabulary: pd.DataFrame) -> None:
    texts = {str(i): text for i, (text, _) in enumerate(PHRASINGS)}
    together = keywords.keep(keywords.candidates(texts, vocabulary), 0.6)
    for query in ("0", "7", "20"):
        alone = keywords.keep(keywords.candidates({query: texts[query]}, vocabulary), 0.6)
        same = together[together["query_id"] == query]
        columns = ["ngram", "keyword", "kept"]
        assert alone[columns].to_numpy().tolist() == same[columns].to_numpy().tolist()


def test_texts_longer_than_a_thousand_characters_are_refused(vocabulary: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="at most 1,000"):
        keywords.candidates({"q": "x" * 1_001}, vocabulary)


def test_no_vocabulary_maps_nothing() -> None:
    empty = pd.DataFrame({"group": [], "keyword": [], "words": []})
    assert keywords.candidates({"q": "car"}, empty).empty


def test_another_language_model_embeds_the_vocabulary_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """“taxi” lies where the first model puts “car”, and where the second puts “road”."""
    vocabulary = pd.DataFrame({"group": "g", "keyword": ["car", "road"], "words": [(), ()]})
    for state, places in (
        ("first", {"car": 0, "road": 1, "taxi": 0}),
        ("second", {"car": 1, "road": 0, "taxi": 0}),
    ):
        monkeypatch.setattr(language_models, "state", lambda state=state: state)
        monkeypatch.setattr(
            keywords,
            "sentence_vectors",
            lambda texts, places=places: np.eye(2)[[places[text] for text in texts]],
        )
        expected = ["car"] if state == "first" else ["road"]
        assert kept("taxi", vocabulary) == expected


def rows(*found: tuple[str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(
        [("q", ngram, keyword[0], keyword, score, False) for ngram, keyword, score in found],
        columns=["query_id", "ngram", "group", "keyword", "score", "kept"],
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([("a", "x", 0.6)], [True]),
        ([("a", "x", 0.5999)], [False]),
        ([("a b", "x", 0.8), ("a", "y", 0.82)], [True, False]),
        ([("a b", "x", 0.7), ("a", "y", 0.9)], [False, True]),
        ([("a b", "x", 0.99), ("a", "y", 1.0)], [False, True]),
        ([("a b", "x", 1.0), ("a", "y", 1.0)], [True, False]),
        ([("a", "x", 1.0), ("a", "y", 1.0)], [True, True]),
        ([("a b", "x", 0.7), ("b c", "y", 0.9), ("c", "z", 0.8)], [False, True, False]),
        ([("a b", "x", 0.4), ("a", "y", 0.7)], [False, True]),
    ],
)
def test_ngrams_that_share_a_word_with_a_better_one_are_not_kept(found, expected) -> None:
    assert keywords.keep(rows(*found), 0.6)["kept"].tolist() == expected


def test_groups_choose_what_is_kept_and_not_how_words_are_shared_out() -> None:
    table = rows(("a b", "x", 0.9), ("a", "y", 0.7), ("c", "y", 0.7))
    assert keywords.keep(table, 0.6, ["y"])["kept"].tolist() == [False, False, True]


def scored(data: list[tuple[str, list[str]]], vocabulary: pd.DataFrame) -> tuple[float, float]:
    """(precision, recall) of the kept keywords over all texts."""
    table = keywords.candidates({str(i): text for i, (text, _) in enumerate(data)}, vocabulary)
    table = keywords.keep(table, 0.6)
    got = {(row.query_id, row.keyword) for row in table[table["kept"]].itertuples()}
    wanted = {(str(i), keyword) for i, (_, known) in enumerate(data) for keyword in known}
    return len(got & wanted) / len(got), len(got & wanted) / len(wanted)


def test_the_mapping_of_held_out_phrasings_is_good_enough_to_judge_by(
    vocabulary: pd.DataFrame,
) -> None:
    """Measured: 0.885 and 0.842. Without the rules of word for word, clearness and overlap: 0.57
    and 0.92; without other words besides: 0.56 and 0.55."""
    precision, recall = scored(PHRASINGS, vocabulary)
    assert precision >= 0.85
    assert recall >= 0.80


def test_the_mapping_of_the_stored_queries_agrees_with_what_they_were_made_from() -> None:
    """The list that the rules were chosen by; measured: 0.973 and 1."""
    collection = open_collection("driving")
    texts = collection.queries[collection.queries["text"] != ""]
    known = [
        [pair.split("=")[1].strip() for pair in cell.split(";") if pair]
        for cell in texts["known_keywords"]
    ]
    precision, recall = scored(list(zip(texts["text"], known, strict=True)), collection.vocabulary)
    assert precision >= 0.95
    assert recall >= 0.95


def model_folder(folder: Path, projection: np.ndarray, settings: str) -> Path:
    folder.mkdir()
    (folder / "model.toml").write_text(settings)
    np.save(folder / "text_projection.npy", projection.astype("f4"))
    np.save(folder / "items.npy", np.eye(4, projection.shape[1], dtype="f4"))
    (folder / "items.txt").write_text("a\nb\nc\nd\n")
    return folder


def test_a_text_vector_is_the_projected_sentence_vector(tmp_path: Path) -> None:
    projection = np.random.default_rng(0).standard_normal((384, 6))
    folder = model_folder(tmp_path / "v1", projection, 'encoder = "minilm+projection"\n')
    model = read_model(folder, ["a", "b", "c", "d"], {}, Findings())
    texts = ["cyclist", "a lorry at night"]
    expected = unit(language_models.sentence_vectors(texts).astype("f8") @ projection)
    found = encoders.encode_text(model, texts)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert language_models.ready()


@pytest.mark.parametrize("encoder", ["none", "pickle", "../../x"])
def test_an_unknown_encoder_is_named(tmp_path: Path, encoder: str) -> None:
    folder = model_folder(tmp_path / "v1", np.eye(384, 6), f'encoder = "{encoder}"\n')
    model = read_model(folder, ["a"], {}, Findings())
    with pytest.raises(DataError, match=r"models/v1/model\.toml: found encoder"):
        encoders.encode_text(model, ["x"])


def test_a_projection_of_another_width_is_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "v1", np.eye(100, 6), 'encoder = "minilm+projection"\n')
    model = read_model(folder, ["a"], {}, Findings())
    with pytest.raises(DataError, match="100 rows; wanted 384"):
        encoders.encode_text(model, ["x"])


def test_a_folder_without_safetensors_is_never_loaded(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "v1", np.eye(384, 6), 'encoder = "sentence-transformers"\n')
    (folder / "text_model").mkdir()
    (folder / "text_model" / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    model = read_model(folder, ["a"], {}, Findings())
    with pytest.raises(DataError, match=r"no \*\.safetensors file"):
        encoders.encode_text(model, ["x"])


def test_a_text_model_outside_the_folder_is_refused(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "v1", np.eye(384, 6), 'encoder = "sentence-transformers"\n')
    (folder / "text_model").symlink_to(language_models.packaged_model())
    model = read_model(folder, ["a"], {}, Findings())
    with pytest.raises(DataError, match="a link out of the folder"):
        encoders.encode_text(model, ["x"])


def test_a_language_model_that_wants_code_to_run_is_refused_without_its_words(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "text_model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    (folder / "modules.json").write_text(
        '[{"idx": 0, "name": "0", "path": "", "type": "mine.Evil"}]'
    )
    (folder / "config.json").write_text(
        '{"model_type": "evil", "auto_map": {"AutoModel": "evil.Model", "AutoConfig": "evil.C"}}'
    )
    (folder / "evil.py").write_text("open('/tmp/pwned', 'w')")
    with pytest.raises(DataError) as refused:
        language_models.sentence_vectors(["x"], folder)
    assert str(tmp_path) not in str(refused.value)
    assert "trust_remote_code" not in str(refused.value)
    assert "brings no code of its own" in str(refused.value)


@pytest.mark.slow
def test_the_model_is_loaded_once_in_the_background() -> None:
    """In a process that this one starts, which a search does not burden with torch."""
    code = (
        "import sys\n"
        "from dashboard.retrieval import keywords\n"
        "from dashboard.retrieval.encoders import language_models\n"
        "assert not language_models.ready()\n"
        "assert language_models.warm() is language_models.warm()\n"
        "language_models.warm().join()\n"
        "assert language_models.ready()\n"
        "assert language_models.sentence_vectors(['a', 'b']).shape == (2, 384)\n"
        "slow = {'torch', 'transformers', 'sentence_transformers', 'keybert'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_benchmark_of_a_text_search_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("playwright")
    from tests.benchmarks import bench_screens

    bench_screens.search(2)
    assert "text search with its embedding" in capsys.readouterr().out


def test_without_a_text_model_the_page_lives_and_a_search_says_why(monkeypatch) -> None:
    monkeypatch.setattr(language_models, "PACKAGE", "no_such_package")
    monkeypatch.setattr(language_models, "_warming", [])
    language_models.warm().join()
    assert not language_models.ready()
    with pytest.raises(DataError, match="the text model: found no package"):
        language_models.sentence_vectors(["x"])
