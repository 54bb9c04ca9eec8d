"""Suspected causes in a world of two clusters, worked by hand.

Items a00 to a19 lie together and show a car at night, b00 to b19 lie together and show a bus by
day. x lies where a00 does and has no car; y lies among the b and has nothing of what is asked for;
z lies nearer to the b and has a car by day.
"""

import re
import shutil
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

from dashboard.plugins.diagnosis.causes import find_causes, find_wrong, tell
from dashboard.study.study import Study
from tests.core.test_screens import draw, read_payload
from tests.plugins.worlds import call, open_world, write_world

DRIVING = Path(__file__).parents[3] / "data" / "driving"
RESULTS = {"x": "doubtful label", "z": "near miss", "b00": "model error", "y": "model error"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    vectors = {f"a{n:02}": [1, 0, 0, *(0.1 * rng.standard_normal(3))] for n in range(20)}
    vectors |= {f"b{n:02}": [0, 1, 0, *(0.1 * rng.standard_normal(3))] for n in range(20)}
    vectors |= {"x": vectors["a00"], "y": [0, 1, 0, 0, 0, 0], "z": [0, 0.3, 1, 0, 0, 0]}
    keywords = {name: "car,night" if name[0] == "a" else "bus,day" for name in vectors}
    keywords |= {"x": "bus,night", "z": "car,day"}
    lines = "".join(f"{name}.mp4,{keywords[name]}\n" for name in vectors)
    made = write_world(
        tmp_path / "data" / "two",
        'title = "Two"\nprotocols = ["alfa"]\ndefault_groups = ["pv_object_type", "pv_light"]\n',
        "item_id,file\n" + "".join(f"{name},{name}.mp4\n" for name in vectors),
        "query_id,text\nq,a car at night\n",
        vectors,
        {"q": [0.2, 0.1, 1, 0, 0, 0]},
    )
    (made / "unified_annotation.csv").write_text(f"slice_id,pv_object_type,pv_light\n{lines}")
    (made / "query_keywords.csv").write_text(
        "query_id,ngram,group,keyword,score\nq,car,pv_object_type,car,1.0\n"
        "q,night,pv_light,night,1.0\n"
    )
    return made


def name_causes(study: Study, names: list[str]) -> dict[str, str]:
    found = find_causes(study, "v1", 0, study.collection.items.find(names))
    return {name: cause.name for name, cause in zip(names, found, strict=True)}


def test_each_cause(folder: Path) -> None:
    """All neighbours of x have a car, which is so of no other item without one.

    y is no nearer to a relevant item than its neighbours are; z lacks night alone.
    """
    study = open_world(folder)
    assert name_causes(study, list(RESULTS)) == RESULTS
    (doubt,) = find_causes(study, "v1", 0, study.collection.items.find(["x"]))
    assert (doubt.detail, doubt.note) == ("car", "doubtful label? 10 of 10 neighbours have car")


def test_look_alikes(folder: Path) -> None:
    """With both keywords lacking, x is a look-alike: it lies where a relevant item does."""
    path = folder / "unified_annotation.csv"
    path.write_text(path.read_text().replace("x.mp4,bus,night", "x.mp4,bus,day"))
    assert name_causes(open_world(folder), ["x", "y"]) == {"x": "look-alike", "y": "model error"}


def test_common_neighbours_tell_nothing(folder: Path) -> None:
    """Three more items like x: 4 of 24 items without a car have such neighbours, too many."""
    path = folder / "unified_annotation.csv"
    changed = path.read_text()
    for name in ("a00", "a01", "a02"):
        changed = changed.replace(f"{name}.mp4,car,night", f"{name}.mp4,bus,night")
    path.write_text(changed)
    assert name_causes(open_world(folder), ["x"]) == {"x": "near miss"}


def test_results_without_vectors(folder: Path) -> None:
    """Of a file of results only keywords tell; an item that is not there is a model error."""
    (folder / "runs").mkdir()
    (folder / "runs" / "r.trec").write_text("q Q0 x 1 3 t\nq Q0 gone 2 2 t\nq Q0 z 3 1 t\n")
    study = open_world(folder)
    found = find_causes(study, "r", 0, study.collection.items.find(["x", "gone", "z"]))
    assert [each.name for each in found] == ["near miss", "model error", "near miss"]


def test_sums_are_those_of_the_cards() -> None:
    """Wrong results of queries that got worse, as Query shows them, add up to what `why` says."""
    study = open_world(DRIVING)
    asked = {"baseline": "v0.2", "candidate": "v0.3", "metric": "P@5", "shown": "10"}
    found, _ = find_wrong(study, study.choices.replace(**asked))
    cards: Counter[tuple[str, str]] = Counter()
    for query in found:
        shown = study.query(query, ["v0.2", "v0.3"], 10, "P@5")
        cards.update(
            (row["cause"], row["detail"])
            for row in shown.rows
            if row["run"] == "v0.3" and row["rank"] <= 5 and row["hit"] is False
        )
        counts = [f"{len(found[query])} wrong in v0.3: {tell(found[query])}"]
        assert shown.asked["why"].get("v0.3") == (counts[0] if found[query] else None)
    pair = ("--baseline", "v0.2", "--candidate", "v0.3", "--metric", "P@5")
    code, rows, _ = call("why", DRIVING, *pair)
    rows = [row for row in rows if row["scope"] == "all"]
    assert code == 0
    assert cards == {(row["cause"], row["detail"]): row["results"] for row in rows}
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_nothing_to_tell(folder: Path) -> None:
    """The metric is named; a version is not compared with itself."""
    assert f"dashboard add {folder} NAME --run FILE" in call("why", folder)[2]
    shutil.copytree(folder / "models" / "v1", folder / "models" / "v2")
    said = call("why", folder, "--metric", "P@5")[2]
    assert "Queries that got worse in P@5 from v1 to v2: 0." in said


def test_parts_are_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part opens the queries that have its results; texts are no HTML."""
    given = {"collection": "driving", "metric": "P@5", "cause": "near miss: <b>"}
    app = draw(DRIVING, monkeypatch, "compare", **given)
    (told,) = [each.proto.body for each in app.get("html") if "wrong results" in each.proto.body]
    (link,) = re.findall(r'<a href="([^"]+)" target="_self"[^>]*>\d+ stationary</a>', told)
    assert ":small[No wrong result of the queries that got worse has this cause.]" in [
        each.value for each in app.markdown
    ]
    app.query_params["cause"] = parse_qs(link)["amp;cause"][0]
    app.run()
    told = ":small[6 results in 3 queries that got worse]"
    assert told in [each.value for each in app.markdown]
    app = draw(DRIVING, monkeypatch, "query", **dict(app.query_params, query=""))
    assert read_payload(app, "buttons")["total"] == 3
    assert told in [each.value for each in app.markdown]
    assert not app.exception
