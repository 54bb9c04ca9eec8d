"""What the screens show of a version with an index: how it is searched, and what that costs."""

import shutil

import pytest

from dashboard.experiment import memory
from dashboard.storage.collection import collection as collections
from dashboard.views.address import view_of
from dashboard.views.protocols.crossmodal import ranks
from tests.test_screens import no_text_model, opened, said  # noqa: F401


@pytest.fixture
def indexed(tmp_path, monkeypatch):
    """The collection driving, whose v0.2 has an index that misses results."""
    away = shutil.ignore_patterns("media", "posters", "networks")
    shutil.copytree(collections.COLLECTIONS / "driving", tmp_path / "driving", ignore=away)
    with (tmp_path / "driving" / "models" / "v0.2" / "model.toml").open("a") as described:
        described.write('\n[index]\nkind = "ivf"\nnprobe = 2\ndepth = 20\n')
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path)
    memory.forget()


NOTE = "v0.2 is searched approximately, through ivf (nprobe = 2), 20 results a query"
CHOICES = {"collection": "driving", "baseline": "v0.1", "candidate": "v0.2"}


def test_compare_shows_what_the_index_costs_where_somebody_looks(indexed):
    app = opened("compare", **CHOICES)
    assert not app.exception and NOTE in said(app)
    assert "Difference = model" not in said(app)
    app.session_state["index-cost"] = True
    app.run()
    parts, figures = (table.value for table in app.table[:2])
    named = [column.replace("\\", "") for column in parts.columns]
    assert named == ["Difference", "Model", "Index of v0.2"]
    rows = {name.replace("\\", ""): of.tolist() for name, of in parts.iterrows()}
    assert rows["AP"] == ["–", "–", "–"]
    assert parts.iloc[0].str.contains(" to ").all()
    assert "Index recall@10" in figures.index and "ms of the index alone, 95 %" in figures.index
    assert "s to build the index" in figures.index
    assert "on 113 of 113 queries" in said(app)


@pytest.mark.parametrize("screen", [pytest.param("overview", marks=pytest.mark.slow), "query"])
def test_every_screen_of_its_results_says_how_they_are_searched(indexed, screen):
    app = opened(screen, **CHOICES, query="q001", metric="AP")
    assert not app.exception and NOTE in said(app)


def test_right_answers_beyond_what_an_index_answers_are_not_drawn_as_if_they_were_known(
    tmp_path, monkeypatch
):
    name = "openmoji_captions"
    away = shutil.ignore_patterns("media", "networks")
    shutil.copytree(collections.COLLECTIONS / name, tmp_path / name, ignore=away)
    with (tmp_path / name / "models" / "v0.2" / "model.toml").open("a") as described:
        described.write('\n[index]\nkind = "hnsw"\ndepth = 20\n')
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path)
    memory.forget()
    view, _ = view_of({"collection": [name], "queries": ["all"]})
    table = ranks.shares_within_rank(view)
    assert set(table.groupby(["way", "run"])["rank"].max()) == {20}
    assert "pictures have none within rank 20" in said(opened(collection=name))
    memory.forget()


def test_without_an_index_nothing_is_said():
    app = opened("compare", **CHOICES)
    assert "What the index costs" not in str(app.expander) and "through" not in said(app)


def test_a_row_without_a_value_of_a_version_has_no_best_and_is_not_called_scored(indexed):
    app = opened("overview", **CHOICES, runs=["v0.1", "v0.2"])
    table = app.table[0].value
    row = table.loc[next(name for name in table.index if name.startswith("AP"))]
    cells = [str(row[place]).replace("\\", "") for place in table.columns]
    assert cells[-2:] == ["–", "96 of 113, 0 of 113"], "in the order of the columns"
    assert not any("**" in cell for cell in cells), "one value alone is not the best"
    assert table.iloc[0].str.contains("**", regex=False).any()
    assert "Some metrics have no value for some queries, see Scored." in said(app)
    whole = said(opened("overview", **CHOICES, runs=["v0.1"]))
    assert "no value for some" not in whole and "Not scored, and not counted as 0: 17" in whole
