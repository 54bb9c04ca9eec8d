"""How a value comes about, on a screen: each version's equations end with its measured value."""

from importlib import import_module

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.experiment import judging, long_rankings, measuring, memory, ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols import matching
from dashboard.retrieval import runs
from dashboard.tables import DataError
from dashboard.views import address
from dashboard.views.experiments import experiment_of
from dashboard.views.summary.explanation import MOST, WHOLE, readable, worth_a_look

# the package may offer the function `explained` under the module's own name
MODULE = import_module("dashboard.views.summary.explanation")


def page(query_id, versions, choices):
    """A screen with nothing else on it, and that unfolded."""
    from importlib import import_module

    from dashboard.views import address
    from dashboard.views.experiments import experiment_of

    view, _ = address.view_of({"collection": ["driving"], **choices})
    draw = import_module("dashboard.views.summary.explanation").explained
    draw(view, experiment_of(view), query_id, versions)


def drawn(query_id, versions, **choices):
    written = {key: [value] for key, value in choices.items()}
    app = AppTest.from_function(page, args=(query_id, versions, written), default_timeout=60)
    app.session_state["explained"] = True
    app.run()
    assert not app.exception
    return app


def known(**choices):
    choices = {"collection": "driving", **choices}
    view, _ = address.view_of({k: [v] for k, v in choices.items()})
    asked = experiment_of(view)
    return view, asked, collections.opened(choices["collection"]).versions


def scored_query(asked, version):
    values = measuring.measurements(asked, (version,), "P@5").dropna(subset=["value"])
    return str(values["query_id"].iloc[0])


@pytest.mark.parametrize("metric", ["P@5", "R@3", "AP", "nDCG@5", "CAG(DCG)@5", "RR", "Ceiling@3"])
def test_each_version_says_its_measured_value(metric):
    view, asked, versions = known(metric=metric)
    two = list(versions[:2])
    query_id = scored_query(asked, two[0])
    app = drawn(query_id, two, metric=metric)
    assert [e.label for e in app.expander] == ["How this value is computed"]
    values = measuring.measurements(asked, tuple(two), metric)
    values = values[values["query_id"] == query_id].set_index("run")["value"]
    said = [m.value for m in app.markdown]
    for version in two:
        (head,) = [
            text for text in said if text.startswith(f"**{version.replace('.', chr(92) + '.')}**")
        ]
        assert head.endswith(f"= **{values[version]:.3f}**")
    tables = [frame.value for frame in app.dataframe]
    assert len(tables) == (0 if metric == "Ceiling@3" else 2)
    for table in tables:
        assert table.columns[0] == "rank" and table.columns[-2:].tolist() == ["item", "id"]
        assert "keywords" in table


@pytest.mark.parametrize("metric", ["RR", "AP", "nDCG", "R@10", "Rsum"])
def test_of_long_rankings_of_both_kinds_it_is_said_as_of_short_ones(metric, monkeypatch):
    """The value may rest on all queries, of which parts are kept; the steps are of the whole."""
    choices = {"collection": "openmoji_captions", "metric": metric, "queries": "all"}
    view, asked, _ = known(**choices)
    found = matching.first_hits(asked, "v0.2", None)
    deep = found.loc[(found["kind"] == "image") & (found["rank"] > 30), "query_id"].iloc[0]

    def said():
        app = drawn(deep, ["v0.2"], **choices)
        return [of.value for of in (*app.markdown, *app.caption)], app.dataframe[0].value

    memory.forget()
    words, table = said()
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 0)
    monkeypatch.setattr(long_rankings, "DEPTHS", (5, 20))
    assert ranking.is_long(asked, "v0.2")
    of_parts = said()
    memory.forget()
    assert of_parts[0] == words
    pd.testing.assert_frame_equal(of_parts[1], table, check_exact=True)


def test_the_definition_stands_above_the_numbers():
    _, asked, versions = known()
    app = drawn(scored_query(asked, versions[0]), versions[:1], metric="RR")
    assert "1 ÷ rank of the first hit" in app.markdown[0].value
    assert "Source\\: trec" in app.caption[0].value
    app = drawn(scored_query(asked, versions[0]), versions[:1], metric="P@5")
    assert "Formula\\: hits in the first 5 ÷ 5" in app.caption[0].value


def test_of_a_long_list_the_ranks_that_add_nothing_are_counted():
    _, asked, versions = known()
    app = drawn(scored_query(asked, versions[0]), versions[:1], metric="AP")
    (table,) = [frame.value for frame in app.dataframe]
    assert (table["hit"] == "✓").all()
    (ending,) = [c.value for c in app.caption if c.value.startswith("Table:")]
    assert ending.startswith(f"Table: {len(table)} of ")
    assert ending.endswith("ranks, all that contribute.")


def test_a_query_that_is_not_scored_says_why_and_has_no_table():
    _, asked, versions = known(queries="all")
    reasons = judging.judgement(asked).unscorable
    query_id, reason = next(iter(reasons.items()))
    app = drawn(query_id, versions[:1], queries="all")
    said = "\n".join(m.value for m in app.markdown)
    assert "**not scored**" in said and reason in said.replace("\\", "")
    assert not app.dataframe


def test_a_version_that_cannot_be_read_is_a_sentence(monkeypatch):
    _, asked, versions = known()
    query_id = scored_query(asked, versions[0])
    whole = ranking.counted_run

    def broken(asked, version):
        if version == versions[0]:
            raise DataError("models/v.npy", "NaN in row 3", "finite numbers")
        return whole(asked, version)

    monkeypatch.setattr(ranking, "counted_run", broken)
    app = drawn(query_id, list(versions[:2]))
    assert any("NaN in row 3" in caption.value for caption in app.caption)
    assert len(app.dataframe) == 1


def steps(hits):
    ranks = range(1, len(hits) + 1)
    return pd.DataFrame({"rank": ranks, "item_id": [f"i{r}" for r in ranks], "hit": hits})


def test_a_short_list_is_whole_and_of_a_long_one_the_hits_are_left():
    assert len(worth_a_look(steps([False] * WHOLE))) == WHOLE
    long = steps([True, *[False] * 50, True])
    assert worth_a_look(long)["rank"].tolist() == [1, 52]
    assert len(worth_a_look(steps([True] * (MOST + 50)))) == MOST
    ranks = pd.DataFrame({"rank": range(MOST + 1), "credit": 0.0})
    assert len(worth_a_look(ranks)) == MOST


def test_a_table_has_marks_and_items_without_hidden_letters():
    table = steps([True, False, False])
    table.loc[1, "item_id"] = "a\u202eb"
    table.loc[2, "item_id"] = None
    found = readable(table, {"i1": "2 of 3"}, {})
    assert list(found.columns) == ["rank", "hit", "keywords", "item"]
    assert found["hit"].tolist() == ["✓", "✗", "✗"]
    assert found["keywords"].tolist()[0] == "2 of 3"
    assert found["item"].tolist()[:2] == ["i1", "a⟨U+202E⟩b"]
    assert pd.isna(found["item"][2])
    named = readable(table, {}, {"i1": "a cat"})
    assert named["item"].tolist()[:2] == ["a cat", "a⟨U+202E⟩b"]
    assert named["id"].tolist()[:2] == ["i1", "a⟨U+202E⟩b"] and pd.isna(named["id"][2])
