"""Every screen, drawn from an address without a browser: it is right, and says what is wrong."""

import json
import os
import re
import shutil
import zlib
from functools import cache
from html import unescape

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit import config
from streamlit.testing.v1 import AppTest

from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import reviewing
from dashboard.retrieval.encoders import language_models
from dashboard.storage.collection import collection as stored
from dashboard.views.address import view_of
from dashboard.views.cards import grid
from dashboard.views.experiments import experiment_of

SCREENS = ("overview", "compare", "slices", "query", "search")


def opened(screen="overview", **choices):
    """A screen as it is drawn for an address."""
    app = AppTest.from_file("../dashboard/main.py", default_timeout=300)  # ends what hangs
    for key, value in choices.items():
        app.query_params[key] = value
    app.switch_page(f"screens/{screen}.py") if screen != "overview" else None
    return app.run()


def with_open(app, *sections):
    """The same screen with these parts open: their charts are drawn only then."""
    for section in sections:
        app.session_state[f"section-{section}"] = True
    return app.run()


def drawn(screen="overview", **choices):
    """The same for a test that only reads: a screen that several look at is drawn once."""
    own = tuple(name in os.environ for name in ("DASHBOARD_REVIEWS", "DASHBOARD_SUBMISSIONS"))
    return _drawn(screen, tuple(sorted(choices.items())), stored.COLLECTIONS, own)


@cache
def _drawn(screen, choices, collections, own):
    return opened(screen, **dict(choices))


def texts(app):
    """Everything that a screen says in words."""
    kinds = (app.title, app.header, app.markdown, app.caption, app.info, app.warning, app.error)
    return "\n".join([*(element.value for kind in kinds for element in kind), *head(app)])


def head(app):
    """What stands above the cards in words, if there are any."""
    parts = app.get("bidi_component")
    told = cards(app).get("head", {}) if parts and parts[0].proto.bytes else {}
    keys = ("title", "quote", "problem", "scored", "measure", "values", "change")
    words = [told[key] for key in keys if key in told]
    chips = [" ".join(map(str, chip)) for chip in told.get("chips", [])]
    return [*words, *told.get("lines", []), *told.get("notes", []), *chips]


def queries_to_step_through(app):
    """The queries that the cards step through: place, id, name, whether it became worse."""
    parts = [json.loads(zlib.decompress(p.proto.bytes)) for p in app.get("bidi_component")[:2]]
    return parts[1]["order"]


def said(app):
    """The same without the marks that keep the words of data from being read as Markdown."""
    return texts(app).replace("\\", "").replace("\u2060", "")


def question_of(collection, **choices):
    """What the numbers of a link depend on."""
    view, problems = view_of({"collection": [collection], **choices})
    assert not problems
    return experiment_of(view)


def cards(app):
    """What the result cards were told."""
    return json.loads(zlib.decompress(app.get("bidi_component")[0].proto.bytes))


@pytest.fixture(autouse=True)
def no_text_model(monkeypatch):
    """No screen needs the text model, except for a text that is not among the queries."""

    class Never:
        def is_alive(self):
            return True

    config.set_option("runner.postScriptGC", False)  # the test process is large
    monkeypatch.setattr(language_models, "warm", Never)
    monkeypatch.setattr(language_models, "ready", lambda: False)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A copy of the driving collection without media, to break."""
    source = stored.COLLECTIONS / "driving"
    copy = tmp_path / "data" / "driving"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build", "media", "posters"))
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    return copy


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(
    "queries", ["text", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("item", "all"))]
)
def test_a_screen_runs_for_every_kind_of_queries(screen, queries):
    app = opened(screen, collection="driving", queries=queries)
    assert not app.exception
    assert not app.error


FAULT = "v0.3 is left out: models/v0.3/items.npy: found"


@pytest.mark.parametrize("screen", ["compare", "slices", "query", "search", "reviews"])
def test_a_version_with_a_faulty_file_is_named_with_its_fault_where_it_lacks(broken, screen):
    shutil.rmtree(broken / "models" / "v0.1")
    with (broken / "models" / "v0.3" / "items.npy").open("r+b") as vectors:
        vectors.truncate(1_000)
    app = opened(screen, collection="driving")
    assert [each.value.replace("\\", "").startswith(FAULT) for each in app.warning] == [True]


@pytest.mark.parametrize("screen", SCREENS)
def test_a_link_to_a_version_that_is_gone_says_so_and_computes_nothing(screen):
    app = opened(screen, collection="driving", candidate="v9")
    told = app.error[0].value.replace("\\", "")
    assert "asks for the model version 'v9'; choose v0.1, v0.2 or v0.3." in told
    assert "Nothing was computed" in texts(app)
    assert not app.get("vega_lite_chart") and not app.get("bidi_component")
    twice = texts(opened(screen, collection="driving", candidate="v9", runs=["v0.1", "v9"]))
    assert twice.count("asks for the model version") == 1, "once, though two keys ask for it"


def test_a_link_to_a_collection_that_is_gone_says_so():
    app = opened(collection="gone")
    assert "no collection" in app.error[0].value
    assert not app.exception


def test_a_link_to_a_query_that_is_gone_says_so():
    app = opened("query", collection="driving", query="q999")
    assert "asks for the query 'q999'" in app.error[0].value.replace("\\", "")
    assert not app.get("bidi_component")


def test_the_overview_names_its_metrics_with_their_formulas():
    app = drawn(collection="driving")
    table = app.table[0].value
    assert any("hits ÷ 5" in name and "Recall" in name for name in table.index)
    assert any("÷ relevant" in name for name in table.index)
    assert all(":small[" in name for name in table.index), "a phone leaves formulas out"
    assert all(" of " in scored for scored in table["Scored"])


def test_standard_names_change_labels_and_no_number():
    ours = drawn(collection="driving").table[0].value
    standard = opened(collection="driving", names="standard").table[0].value
    assert list(ours.index) != list(standard.index)
    assert ours.to_numpy().tolist() == standard.to_numpy().tolist()


def test_the_worst_query_comes_first():
    app = drawn("compare", collection="driving")
    differences = app.dataframe[0].value["Difference"].dropna()
    assert differences.is_monotonic_increasing
    assert differences.iloc[0] < 0


def listed(**choices):
    """The queries that the comparison lists, by their names."""
    app = drawn("compare", collection="driving", **choices)
    tables = [table.value for table in app.dataframe if "Difference" in table.value]
    return tables[0] if tables else None


def test_the_outcomes_divide_the_queries():
    every = listed()
    parts = {name: listed(outcome=name) for name in ("worse", "same", "better", "null")}
    assert sum(len(part) for part in parts.values() if part is not None) == len(every)
    assert (parts["worse"]["Difference"] < 0).all()
    assert (parts["better"]["Difference"] > 0).all()
    assert parts["null"]["Difference"].isna().all()


def test_a_lost_first_hit_was_there_and_is_not():
    lost = listed(outcome="lost_first", metric="P@1")
    assert set(lost["Baseline"]) == {1.0} and set(lost["Candidate"]) == {0.0}


def test_a_click_in_a_chart_keeps_only_its_queries():
    worst = listed().iloc[0]
    difference = f"{worst['Difference']:.6g}"
    kept = listed(between=f"{difference}..{difference}")
    assert kept["Difference"].tolist() == pytest.approx([worst["Difference"]] * len(kept))
    kept = listed(at=f"{worst['Baseline']:.6g}..{worst['Candidate']:.6g}")
    assert worst["Query"] in set(kept["Query"])
    assert kept["Baseline"].tolist() == pytest.approx([worst["Baseline"]] * len(kept))


def test_words_of_a_query_are_searched_letter_by_letter():
    assert all("bus" in name for name in listed(find="BUS")["Query"])
    assert listed(find=".*") is None


def test_a_slice_holds_only_its_queries():
    app = opened("slices", collection="driving", by="pv_object_type")
    parts = app.dataframe[0].value.set_index("Slice")
    there = opened("compare", collection="driving", slice="pv_object_type=bicyclist")
    scored = there.dataframe[0].value["Difference"].notna().sum()
    assert parts.loc["bicyclist", "Queries"] == scored
    assert parts["Difference"].dropna().is_monotonic_increasing


def test_the_comparison_names_what_exactly_is_compared():
    table = drawn("compare", collection="driving").dataframe[-1].value.set_index("What")
    known = stored.open_collection("driving")
    assert table.loc["gallery", "Fingerprint"] == known.digests["gallery"][:12]
    assert table.loc["candidate v0.3", "Note"] == known.models["v0.3"].note


def test_comparing_a_version_with_itself_is_said():
    app = opened("compare", collection="driving", baseline="v0.2", candidate="v0.2")
    assert "same version" in app.info[0].value
    assert not app.exception


def test_a_query_shows_a_tick_or_a_cross_for_each_keyword_and_counts_them():
    app = drawn("query", collection="driving", query="q001")
    told = cards(app)
    assert [keyword for _, keyword in told["required"]] == ["bicyclist", "entering ego path"]
    for item in told["items"]:
        assert item["matched"] == sum(item["ticks"])
        assert item["required"] == 2
        assert item["hit"] == (item["matched"] == 2)


def test_the_shown_value_is_hits_over_k_of_the_shown_cards():
    told = cards(opened("query", collection="driving", query="q001", metric="P@5"))
    for row in told["rows"][:2]:
        hits = [told["items"][result["item"]]["hit"] for result in row["results"][:5]]
        assert row["value"] == pytest.approx(sum(hits) / 5)


def test_an_item_query_never_finds_its_own_item():
    item = stored.open_collection("driving").items["item_id"].iloc[0]
    told = cards(opened("query", collection="driving", queries="item", query=f"item_{item}"))
    for row in told["rows"][:2]:
        assert item not in [told["items"][result["item"]]["id"] for result in row["results"]]


def test_a_stored_text_is_searched_without_the_text_model():
    stored = drawn("query", collection="driving", query="q001")
    typed = opened("search", collection="driving", text="cyclist entering ego lane")
    for mine, theirs in zip(cards(typed)["rows"], cards(stored)["rows"], strict=True):
        assert mine["value"] == theirs["value"]
        assert [r["score"] for r in mine["results"]] == [r["score"] for r in theirs["results"]]


def test_searching_with_an_item_is_its_item_query():
    item = stored.open_collection("driving").items["item_id"].iloc[5]
    live = cards(opened("search", collection="driving", item=item))
    recorded = cards(opened("query", collection="driving", queries="item", query=f"item_{item}"))
    assert [r["value"] for r in live["rows"]] == [r["value"] for r in recorded["rows"]]


def test_an_empty_search_asks_for_a_text():
    app = opened("search", collection="driving")
    assert "Search by text" in app.info[0].value
    assert not app.get("bidi_component")


def test_a_new_text_waits_for_the_text_model():
    app = opened("search", collection="driving", text="something never asked before")
    assert "Loading the text model" in texts(app)
    assert not app.exception


def test_a_missing_file_of_a_version_is_said_and_the_others_work(broken):
    (broken / "models" / "v0.1" / "items.npy").unlink()
    app = opened(collection="driving")
    assert not app.exception
    assert "v0.1" not in app.table[0].value.columns
    assert "items.npy" in app.warning[0].value.replace("\\", "")


def test_embeddings_that_do_not_fit_are_said_with_both_numbers(broken):
    path = broken / "models" / "v0.1" / "items.npy"
    vectors = np.load(path)
    np.save(path, vectors[:-1])
    found = opened(collection="driving").warning[0].value
    assert f"{len(vectors) - 1}" in found and f"{len(vectors)}" in found


def test_versions_of_unlike_galleries_are_not_compared_unless_the_reader_says_so(broken):
    place = broken / "models" / "v0.1"
    np.save(place / "items.npy", np.load(place / "items.npy")[:-1])
    ids = (place / "items.txt").read_text().split()
    (place / "items.txt").write_text("\n".join(ids[:-1]))
    choices = {"collection": "driving", "baseline": "v0.1", "candidate": "v0.2"}
    app = opened("compare", **choices)
    assert "not comparable" in app.error[0].value and ids[-1].split("_")[0] in app.error[0].value
    assert not app.get("vega_lite_chart")
    app.button[0].click().run()
    assert "yes" in app.query_params["anyway"]
    assert app.get("vega_lite_chart")
    head, anyway = (
        cards(opened("query", query="q002", anyway=choice, **choices))["head"]
        for choice in ("no", "yes")
    )
    assert head["notes"][0].startswith("These versions are not comparable: ")
    assert head["values"] == anyway["values"]
    assert not head.get("change") and anyway["change"]


def test_a_share_of_draws_is_never_all_or_none_and_no_mark_of_a_quotation():
    cells = drawn(collection="driving").table[1].value.to_numpy().ravel().tolist()
    assert not [cell for cell in cells if cell.startswith(">")], "Markdown would quote it"
    shares = [cell.replace("\\", "") for cell in cells]
    assert "> 99.9 %" in shares and not {"always", "never", "100 %", "0 %"} & set(shares)


@pytest.mark.parametrize("anyway", ["no", pytest.param("yes", marks=pytest.mark.slow)])
def test_the_column_of_a_version_that_may_not_be_compared_is_marked_where_it_stands(broken, anyway):
    place = broken / "models" / "v0.1"
    np.save(place / "items.npy", np.load(place / "items.npy")[:-1])
    ids = (place / "items.txt").read_text().split()
    (place / "items.txt").write_text("\n".join(ids[:-1]))
    app = opened(collection="driving", baseline="v0.3", candidate="v0.2", anyway=anyway)
    heads = [head.replace("\\", "") for head in app.table[0].value.columns]
    assert "v0.1 ⚠" in heads and {"v0.2", "v0.3"} < set(heads)
    column = app.table[0].value.iloc[:, heads.index("v0.1 ⚠")]
    assert not column.str.contains(r"▲|▼|\*\*").any(), "neither better, worse nor best"
    assert column.str.contains(r"\([+-]").any() == (anyway == "yes")
    reason = next(each.value for each in app.caption if each.value.startswith("⚠"))
    assert ids[-1].split("_")[0] in reason
    assert "v0.1: v0.1" not in reason.replace("\\", ""), "each reason names its version itself"
    assert ("differences without ▲ ▼" in reason) == (anyway == "yes")
    assert ("so without differences" in reason) == (anyway == "no")
    assert app.table[1].value.index.str.contains("⚠").sum() == 1
    pairs = next(each.value["pair"] for each in app.dataframe if "pair" in each.value)
    assert pairs.str.endswith("⚠").sum() == (2 if anyway == "yes" else 0)
    assert len(pairs) == (3 if anyway == "yes" else 1)


def test_missing_clips_leave_a_word_and_the_rest_works(broken):
    told = cards(opened("query", collection="driving", query="q001"))
    assert {item["problem"] for item in told["items"]} == {"missing"}
    assert not any("media" in item for item in told["items"])


def test_hostile_text_in_a_link_is_shown_letter_for_letter():
    app = opened(collection="driving", candidate="**v** ![x](http://127.0.0.1:1/p.png) <b>")
    assert r"\!\[x\]\(http" in app.error[0].value.replace("\u2060", "")


def test_the_report_of_the_screen_names_each_fact_once():
    from dashboard.views import address
    from dashboard.views.summary.downloads import _report

    view, _ = address.view_of(
        {"collection": ["driving"], "copies": ["left_out"], "slice": ["pv_object_type=bicyclist"]}
    )
    names = re.findall(r"<dt>(.*?)</dt>", _report(view).split("<h2>Compared data")[1])
    assert "Queries" in names and len(names) == len(set(names))


def test_the_report_behind_the_screens_link_has_the_screens_numbers():
    from dashboard.views import address, summary

    view, _ = address.view_of({"collection": ["driving"], "slice": ["pv_object_type=bicyclist"]})
    row = summary.comparison(view).set_index("metric_name").loc[view.metric]
    app = drawn("compare", collection="driving", slice="pv_object_type=bicyclist")
    link = app.get("link_button")[0].proto
    assert link.label == "Report"
    page = TestClient(Starlette(routes=summary.routes())).get(f"/{link.url}").text
    assert f"{int(row['scored'])} of {int(row['total'])}" in page
    assert collections.opened("driving").title in page
    labels = [button.proto.label for button in app.get("link_button")]
    assert labels == ["Report", "Queries as CSV", "Queries as JSON"]


@pytest.mark.slow
@pytest.mark.parametrize("choices", [{"copies": "left_out"}, {"min_similarity": "0.3"}])
def test_the_report_leaves_out_what_the_screen_leaves_out(choices):
    from dashboard.views import address, summary
    from dashboard.views.summary.downloads import _comparison, _report

    chosen = {key: [value] for key, value in choices.items()}
    view, _ = address.view_of({"collection": ["openmoji_composed"], **chosen})
    ours, theirs = _comparison(view).rows, summary.comparison(view)
    for column in ("baseline", "candidate", "delta", "scored"):
        assert ours[column].tolist() == pytest.approx(theirs[column].tolist(), abs=1e-12)
    plain, _ = address.view_of({"collection": ["openmoji_composed"]})
    assert ours["delta"].tolist() != summary.comparison(plain)["delta"].tolist()
    assert ("items left out" in _report(view)) == ("copies" in choices)


EXTREME = [
    {"mapping_threshold": "0", "min_similarity": "-1", "text": "\u200b", "shown": "50"},
    {"mapping_threshold": "0.1", "text": "\U0001f6b2", "runs": "v0.1"},
    {"mapping_threshold": "1", "text": ".*[(<b>"},
    {"mapping_threshold": "abc"},
    {"min_similarity": "1"},
    {"slice": "kind of query=item query"},
    {"metric": "ERR(exp,max=20)@5"},
    {"metric": "ERR(exp,max=2000)@5"},
    {"metric": "AVG(rows=99999999999999999999)"},
    {"metric": "P@999999999", "groups": "pv_ego_behavior"},
    {"between": "1..-1"},
    {"at": "nan..nan"},
    {"find": "\u202e"},
    {"v": "99"},
]


@pytest.mark.parametrize(
    "screen",
    [pytest.param(each, marks=() if each == "query" else pytest.mark.slow) for each in SCREENS],
)
@pytest.mark.parametrize("choices", EXTREME, ids=str)
def test_no_value_of_a_link_ends_in_an_exception(screen, choices):
    app = opened(screen, collection="driving", **choices)
    assert not app.exception
    assert app.title or app.error


@pytest.fixture
def plain(tmp_path, monkeypatch):
    """A collection without keywords or vectors: three items, one query, two files of runs."""
    folder = tmp_path / "data" / "plain"
    (folder / "runs").mkdir(parents=True)
    settings = 'protocols = ["trec"]\ngroups = []\ndefault_groups = []\n'
    (folder / "collection.toml").write_text(settings)
    (folder / "items.csv").write_text("item_id\na\nb\nc\n")
    (folder / "queries.csv").write_text("query_id,text\nq1,something\nq2,something else\n")
    (folder / "qrels.txt").write_text("q1 0 c 1\nq2 0 a 1\n")
    tied = "q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq1 Q0 c 3 1 x\nq2 Q0 b 1 1 x\nq2 Q0 a 2 0.5 x\n"
    (folder / "runs" / "tied.trec").write_text(tied)
    distances = "q1 Q0 c 1 -2 x\nq1 Q0 a 2 -5 x\nq1 Q0 b 3 -9 x\nq2 Q0 a 1 -3 x\n"
    (folder / "runs" / "distances.trec").write_text(distances)
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    return folder


def test_screens_rank_a_file_as_the_command_line_does(plain, capsys):
    from dashboard.__main__ import main

    assert main(["measure", str(plain), "--metrics", "RR", "--format", "json"]) == 0
    printed = {row["run"]: row["mean"] for row in json.loads(capsys.readouterr().out)}
    assert printed == {"tied": 0.75, "distances": 1.0}  # equal scores: document id descending
    shown = opened("overview", collection="plain", metric="RR").table[0].value
    row = next(row for name, row in shown.iterrows() if "recip" in name)
    for run, mean in printed.items():
        assert f"{mean:.3f}" in row[run]


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_said_of_keywords_where_there_are_none(plain, screen):
    (plain / "collection.toml").write_text('protocols = ["trec"]\n')
    app = opened(screen, collection="plain")
    assert not app.exception
    labels = [widget.label for widget in (*app.slider, *app.selectbox, *app.button_group)]
    assert "Baseline" in labels
    assert "keyword" not in "\n".join([texts(app), *labels]).lower()


@pytest.mark.parametrize("screen", SCREENS)
def test_a_collection_of_files_of_runs_has_every_screen(plain, screen):
    app = opened(screen, collection="plain")
    assert not app.exception
    assert not app.error


def test_scores_below_minus_one_are_results_too(plain):
    told = cards(opened("query", collection="plain", query="q1", baseline="distances"))
    assert [result["score"] for result in told["rows"][0]["results"]] == [-2, -5, -9]


def test_a_protocol_that_is_not_known_is_said(plain):
    (plain / "collection.toml").write_text('protocols = ["alfa2"]\ngroups = []')
    app = opened(collection="plain")
    assert "none of its protocols exists" in app.error[0].value
    assert not app.exception


def test_a_slice_counts_only_its_own_queries():
    sliced = {"queries": "all", "slice": "pv_object_type=bicyclist"}
    app = opened(collection="driving", **sliced)
    scored, total = map(int, app.table[0].value["Scored"].iloc[0].split(" of "))
    sentence = next(c.value for c in app.caption if "Best in bold" in c.value)
    reasons = sentence.split("Not scored, and not counted as 0: ")[1]
    not_scored = [int(word) for word in reasons.split() if word.isdecimal()]
    assert sum(not_scored) == total - scored


def test_the_link_to_share_names_the_query_that_is_open_though_the_address_does_not():
    app = opened("query", collection="driving")
    told = json.loads(app.get("bidi_component")[2].proto.json)
    query = told["query"]
    assert query == queries_to_step_through(app)[0][1]
    (link,) = [each.proto.body for each in app.get("html") if "Copy link" in each.proto.body]
    assert f"query={query}&" in unescape(link).partition('" data-done')[0] + "&"
    assert f"query={query}&" in told["address"] + "&" and "collection=driving" in told["address"]
    named = json.loads(
        opened("query", collection="driving", query=query).get("bidi_component")[2].proto.json
    )
    assert named["address"] == ""


def test_the_switch_for_what_differs_is_there_where_something_can_differ():
    asked = {"collection": "driving", "candidate": "v0.1", "baseline": "v0.1"}
    labels = [
        [group.label for group in opened("query", **more).button_group]
        for more in (asked, {**asked, "candidate": "v0.2"})
    ]
    assert ["Show" in names for names in labels] == [False, True]


def test_the_cards_of_a_query_are_packed_once_until_something_on_them_changes(plain, monkeypatch):
    packed, pack = [], grid.packed
    monkeypatch.setattr(grid, "packed", lambda contents: packed.append(1) or pack(contents))
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(plain.parent / "said"))

    def draw(**choices):
        return cards(opened("query", collection="plain", query="q1", **choices))

    first = draw()
    assert draw() == first and draw(clip="a", beside="b", find="thing") == first
    assert len(packed) == 1
    assert draw(baseline="tied", candidate="distances")["rows"] != first["rows"]
    (plain / "items.csv").write_text("item_id,file\na,a.png\nb,\nc,\n")
    missing = draw()["items"]
    Image.new("RGB", (8, 8)).save(plain / "a.png")
    (plain / "media").mkdir()
    (plain / "a.png").rename(plain / "media" / "a.png")
    there = draw()["items"]
    assert [each["problem"] for each in missing if each["id"] == "a"] == ["missing"]
    assert [each.get("problem") for each in there if each["id"] == "a"] == [None]
    view, _ = view_of({"collection": ["plain"], "query": ["q1"]})
    reviewing.save_verdict(experiment_of(view), "q1", "a", "not", "Ada", "", None)
    reviewed = draw()["items"]
    assert [each.get("reviewed", [""])[0] for each in reviewed if each["id"] == "a"] == [
        "not relevant"
    ]
    assert len(packed) == 5


def test_all_metrics_of_a_query_are_drawn_where_somebody_looks(plain):
    app = opened("query", collection="plain", query="q1")
    assert not app.table
    app.session_state["values"] = True
    assert app.run().table[0].value.index.name == "Metric"
