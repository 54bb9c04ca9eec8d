"""A model that was left behind by its gallery or queries is noticed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.storage.collection.collection import COLLECTIONS, names, open_collection
from dashboard.storage.collection.query_keywords import write_mapping
from dashboard.storage.versions.model_record import of_vectors
from dashboard.tables import QUERY_KEYWORDS

Spoil = Callable[[str, str, str], None]
KEYS = ["gallery_digest", "queries_digest", "vectors_digest"]


def warnings(folder: Path) -> list[str]:
    table = open_collection(folder, allow_path=True).findings
    mine = table["file"].str.endswith("model.toml") & (table["level"] == "warning")
    return [f"{row.file}: {row.found}" for row in table[mine].itertuples()]


def states(folder: Path, capsys: pytest.CaptureFixture[str], *more: str, code: int = 0) -> list:
    assert main(["digests", str(folder), "--format", "json", *more]) == code
    return [row["state"] for row in json.loads(capsys.readouterr().out)]


def test_what_a_model_was_made_for_is_written_down_once(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny / "models" / "v0.1" / "model.toml"
    path.write_text('# mine\nnote = "é"\n\n[other]\nkey = 1\n', encoding="utf-8")
    assert states(tiny, capsys) == ["not recorded"] * 6
    assert states(tiny, capsys, "--write") == ["same"] * 6
    text = path.read_text(encoding="utf-8")
    assert text.startswith('# mine\nnote = "é"\ngallery_digest = ')
    assert text.endswith('"\n\n[other]\nkey = 1\n')
    known = open_collection(tiny, allow_path=True)
    written, today = tomllib.loads(text), known.digests
    vectors = of_vectors(known.models["v0.1"])
    assert [written[key] for key in KEYS] == [today["gallery"], today["queries"], vectors]
    assert states(tiny, capsys, "--write") == ["same"] * 6 and path.read_text() == text
    assert not any("digest" in line for line in warnings(tiny))


def test_an_empty_model_file_gets_its_fingerprints_too(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny / "models" / "v0.1" / "model.toml"
    path.write_text("")
    assert states(tiny, capsys, "--write") == ["same"] * 6
    assert sorted(tomllib.loads(path.read_text())) == sorted(KEYS)


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("items.csv", "v03,v03.mp4", "v04,v04.mp4", "gallery_digest"),
        ("items.csv", "v03,v03.mp4,video,another car\n", "", "gallery_digest"),
        ("queries.csv", "person crossing", "person running", "queries_digest"),
        ("queries.csv", "q3,cyclist entering ego lane,\n", "", "queries_digest"),
    ],
)
def test_another_gallery_or_other_queries_are_noticed(
    file: str,
    old: str,
    new: str,
    key: str,
    tiny: Path,
    spoil: Spoil,
    capsys: pytest.CaptureFixture[str],
) -> None:
    states(tiny, capsys, "--write")
    spoil(file, old, new)
    what = "gallery" if key == "gallery_digest" else "queries"
    said = warnings(tiny)
    assert [line.split(": ")[0] for line in said] == [
        "models/v0.1/model.toml",
        "models/v0.2/model.toml",
    ]
    assert all(key in line and f"another state of the {what}" in line for line in said)
    state = dict.fromkeys(KEYS, "same") | {key: "other"}
    assert states(tiny, capsys, "--write", code=1) == list(state.values()) * 2, "never overwritten"


def turned_round(path: Path, head: int = 1) -> None:
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:head] + lines[head:][::-1]) + "\n")


def test_the_order_of_queries_items_labels_and_words_is_no_content(
    tiny: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    states(tiny, capsys, "--write")
    spoil("vocabulary.toml", '["car"]', '["car", "automobile"]')
    before = open_collection(tiny, allow_path=True)
    settings = {"encoder": "by hand", "threshold": 0.6}
    nothing = QUERY_KEYWORDS.empty()
    write_mapping(tiny, nothing, before.vocabulary, before.queries, settings)
    for name in ("items.csv", "queries.csv", "unified_annotation.csv"):
        turned_round(tiny / name)
    spoil("vocabulary.toml", '["car", "automobile"]', '["automobile", "car"]')
    text = (tiny / "vocabulary.toml").read_text()
    entries = [f"[[keyword]]{each}" for each in text.split("[[keyword]]")[1:]]
    (tiny / "vocabulary.toml").write_text("".join(reversed(entries)))
    after = open_collection(tiny, allow_path=True)
    assert after.queries["query_id"].tolist() == before.queries["query_id"].tolist()[::-1]
    assert warnings(tiny) == [] and states(tiny, capsys) == ["same"] * 6
    assert not any("mapping of" in found for found in after.findings["found"])
    for part in ("gallery", "queries", "labels", "settings"):
        assert after.digests[part] == before.digests[part], part
    assert after.digests["gallery order"] != before.digests["gallery order"], "ties go by it"
    assert after.digest != before.digest, "what is kept of numbers may depend on the order"


def test_a_record_of_when_the_order_counted_holds_in_that_order(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = open_collection(tiny, allow_path=True)
    path = tiny / "models" / "v0.1" / "model.toml"
    was = {key: known.digests[f"{key} order"] for key in ("gallery", "queries")}
    lines = [f'{key}_digest = "{digest}"\n' for key, digest in was.items()]
    path.write_text("".join(lines))
    assert warnings(tiny) == [] and states(tiny, capsys)[:2] == ["same", "same"]
    turned_round(tiny / "queries.csv")
    assert len(warnings(tiny)) == 1 and states(tiny, capsys, code=1)[:2] == ["same", "other"]


@pytest.mark.parametrize("stem", ["items", "queries"])
def test_other_vectors_under_the_same_ids_are_noticed(
    stem: str, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states(tiny, capsys, "--write")
    path = tiny / "models" / "v0.2" / f"{stem}.npy"
    np.save(path, np.load(path)[::-1])
    (line,) = warnings(tiny)
    assert line.startswith("models/v0.2/model.toml: vectors_digest ")
    assert line.endswith("it has other vectors than recorded")
    assert states(tiny, capsys, "--write", code=1) == ["same"] * 5 + ["other"]
    pair = ["--baseline", "v0.1", "--candidate", "v0.2", "--metrics", "P@1", "--queries", "item"]
    assert main(["compare", str(tiny), *pair]) == 2
    assert "v0.2 has other vectors than recorded" in capsys.readouterr().err
    assert main(["compare", str(tiny), *pair, "--anyway"]) in (0, 1)


def test_the_record_of_a_version_that_was_trained_anew_is_renewed_on_request(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny / "models" / "v0.2" / "model.toml"
    path.write_text("# mine\n" + path.read_text() + "# gallery_digest = 'no'\n[picture]\n")
    assert states(tiny, capsys, "--write") == ["same"] * 6
    before = path.read_text()
    assert (
        main(["digests", str(tiny), "--renew", "v0.2"]) == 2
        and "v0.2, whose vectors are not newer" in capsys.readouterr().err
    )
    vectors = tiny / "models" / "v0.2" / "items.npy"
    np.save(vectors, np.load(vectors)[::-1])
    main(["check", str(tiny)])
    assert "digests … --renew v0.2" in " ".join(capsys.readouterr().out.split())
    assert states(tiny, capsys, "--renew", "v0.2") == ["same"] * 6
    old, new = before.splitlines(), path.read_text().splitlines()
    changed = [line for line, other in zip(old, new, strict=True) if line != other]
    assert [line.split(" = ")[0] for line in changed] == ["vectors_digest"]
    assert main(["digests", str(tiny), "--renew", "v9"]) == 2
    assert "no such version" in capsys.readouterr().err


def test_words_that_do_not_make_a_query_do_not_matter(
    tiny: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    states(tiny, capsys, "--write")
    spoil("items.csv", "somebody crosses", "somebody crosses the road")
    spoil("unified_annotation.csv", "stationary", "straight crossing path")
    assert warnings(tiny) == []


def test_check_asks_for_what_is_not_recorded(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(tiny), "--format", "json"])
    notes = [row for row in json.loads(capsys.readouterr().out) if row["file"].endswith(".toml")]
    assert {row["found"] for row in notes} >= {
        "no gallery_digest and no queries_digest and no vectors_digest"
    }
    assert any(f"digests {tiny} --write" in row["wanted"] for row in notes)


@pytest.mark.parametrize("name", names())
def test_every_shipped_model_was_made_for_todays_gallery_and_queries(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(states(COLLECTIONS / name, capsys)) == {"same"}
