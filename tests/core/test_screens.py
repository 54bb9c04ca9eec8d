"""Each screen draws, says what it cannot do, and spells its choices out in the address."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.study import new_query

MAIN = Path(__file__).parents[2] / "dashboard" / "main.py"


def draw(world: Path, monkeypatch: pytest.MonkeyPatch, screen: str, **params: str) -> AppTest:
    monkeypatch.setenv("DASHBOARD_DATA", str(world.parent))
    test = AppTest.from_file(str(MAIN), default_timeout=60).run()
    test.switch_page(f"screens/{screen}.py")
    test.query_params.clear()
    for key, value in params.items():
        test.query_params[key] = value
    return test.run()


def read_payload(drawn: AppTest, key: str) -> dict:
    """Return what the one component whose payload has a key was given."""
    payloads = [
        json.loads(each.proto.bytes or each.proto.json) for each in drawn.get("bidi_component")
    ]
    (found,) = [each for each in payloads if key in each]
    return found


def test_choice_of_a_metric_and_a_broken_file(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "query")
    drawn.selectbox(key="input-metric").set_value("AP").run()
    assert drawn.query_params["metric"] == "AP" and not drawn.exception
    (world / "items.csv").unlink()
    assert "items.csv: found no such file" in drawn.run().error[0].value.replace("\\", "")


def test_callback_leaves_the_address_to_the_script() -> None:
    """Streamlit 1.67 stops a callback that writes it where a newer step has come."""

    def page() -> None:
        import streamlit as st

        from dashboard.views.address import drop_choice, set_choice, write_changes

        def step() -> None:
            before = dict(st.query_params)
            set_choice("query", "q1")
            set_choice("slice", "old")
            drop_choice("slice", "metric")
            st.session_state["unchanged"] = st.query_params.to_dict() == before

        write_changes()
        st.button("step", on_click=step)

    drawn = AppTest.from_function(page)
    drawn.query_params.update({"metric": "AP", "query": "q0"})
    drawn.run().button[0].click().run()
    assert drawn.query_params == {"query": "q1"} and drawn.session_state["unchanged"]


@pytest.mark.parametrize("screen", ["overview", "compare", "query"])
def test_broken_version_is_said(world: Path, monkeypatch, screen: str) -> None:
    (world / "models" / "v1" / "items.npy").write_bytes(b"x")
    drawn = draw(world, monkeypatch, screen, baseline="v1", runs="v1")
    said = [each.value.replace("\\", "") for each in (*drawn.error, *drawn.warning)]
    assert any("models/v1/items.npy: found a file that is no array" in each for each in said)
    assert not drawn.exception


@pytest.mark.parametrize("screen", ["overview", "compare", "query"])
def test_no_query_of_a_kind(world: Path, monkeypatch, screen: str) -> None:
    (world / "queries.csv").write_text("query_id,text,item_id\nq3,,a\n")
    drawn = draw(world, monkeypatch, screen, queries="text")
    assert drawn.error[0].value.replace("\\", "") == (
        "None of 1 queries is of the kind 'text'. Choose queries = item (--queries item)."
    )
    assert not drawn.exception


def test_address_is_short_and_full_ones_still_work(world: Path, monkeypatch) -> None:
    """Only what is not usual is written, no metric that follows from the metrics."""
    chosen = {"groups": "pv_ego_behavior", "metrics": "AP RR"}
    drawn = draw(world, monkeypatch, "query", **chosen)
    pinned = {"collection": "world", "baseline": "v1", "candidate": "v2"}
    assert dict(drawn.query_params) == pinned | chosen
    full = {"protocol": "alfa", "queries": "text", "mapping_threshold": "0.6", "runs": "v1 v2"}
    full |= {"min_similarity": "-1.0", "names": "source", "v": "1"}  # of the first edition
    again = draw(world, monkeypatch, "query", **chosen, **full)
    assert dict(again.query_params) == dict(drawn.query_params)


def test_chip_puts_a_choice_back(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(world, monkeypatch, "overview", min_similarity="0.5", runs="v1", metrics="AP")
    chips = [each for each in drawn.button if each.label.endswith("✕")]
    labels = ["Min similarity: 0.5 ✕", "Runs: v1 ✕", "Metrics: AP ✕"]
    assert [each.label.replace("\\", "") for each in chips] == labels
    assert any("hidden by the choice of runs\\: v2\\." in each.value for each in drawn.caption)
    chips[0].click()
    assert "min_similarity" not in drawn.run().query_params


def test_search_by_item(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script that runs again, for any input, searches again what failed alone."""
    drawn, failed = (draw(world, monkeypatch, "search", **{k: "a"}) for k in ("item", "text"))
    monkeypatch.setattr(new_query, "search", None)
    assert not drawn.run().exception and not drawn.error and failed.run().exception
    assert any("relevant items" in each.value.replace("\\", "") for each in drawn.markdown)


@pytest.mark.parametrize("screen", ["overview", "compare", "query", "search", "collections"])
def test_shipped_collections(monkeypatch: pytest.MonkeyPatch, screen: str) -> None:
    """Each screen of each shipped collection draws, or says in a sentence why it cannot."""
    folders = sorted(path.parent for path in (MAIN.parents[1] / "data").glob("*/collection.toml"))
    assert len(folders) == 6  # those of data/README.md
    for folder in folders:
        drawn = draw(folder, monkeypatch, screen, collection=folder.name)
        assert not drawn.exception, (folder.name, drawn.exception)
        assert len(drawn.error) <= 1
