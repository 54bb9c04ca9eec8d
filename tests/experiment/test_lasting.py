"""A result that lasts is read from the cache folder after a restart, and only where all that it
depends on is the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import run
from typing import Any

import pandas as pd
import pytest

from dashboard.evaluation.metrics import Measure
from dashboard.experiment import lasting, measuring
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import forget, remembered
from dashboard.storage.cache import sources

FILES = {
    "collection.toml": 'protocols = ["trec"]\n',
    "items.csv": "item_id,kind,caption\na,image,\nb,image,\nc,image,\n",
    "queries.csv": "query_id,text,mood\nq1,one,day\nq2,two,day\nq3,three,night\n",
    "qrels.csv": "query_id,item_id,grade\nq1,c,1\nq2,c,2\nq3,a,1\n",
    "runs/r.csv": "query_id,item_id,score\nq1,a,.9\nq1,c,.8\nq2,a,.9\nq2,b,.8\nq2,c,.7\nq3,a,1\n",
    "runs/s.csv": "query_id,item_id,score\nq1,c,.9\nq1,a,.8\nq2,a,.9\nq2,c,.7\nq3,b,1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A collection of three pictures."""
    return write(tmp_path / "tiny")


def write(folder: Path) -> Path:
    (folder / "runs").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    forget()
    yield tmp_path / "cache"
    forget()


def experiment(folder: Path, **choices: object) -> Experiment:
    collection = collections.opened_in(folder)
    usual = {"protocol": "trec", "groups": (), "mapping_threshold": 0.6, "queries": "text"}
    return Experiment.of(collection, **(usual | choices))


def files(cache_folder: Path) -> int:
    return len(list(cache_folder.rglob("*.result")))


COMPUTED = {
    "measurements": lambda it: measuring.measurements(it, ("r", "s"), "P@2 AP nDCG@10"),
    "counts": lambda it: measuring.counts(it, ("r", "s"), None),
    "comparison": lambda it: measuring.comparison(it, "r", "s", "P@2 AP", None),
    "against": lambda it: measuring.against(it, "r", ("r", "s"), "P@2 AP", ("q1", "q2")),
    "pairs": lambda it: measuring.pairs(it, ("r", "s"), "AP", None),
    "means": lambda it: measuring.means(it, ("r", "s"), "AP", None),
    "bounds": lambda it: measuring.tie_bounds(it, ("r", "s"), "P@2", None),
    "stability": lambda it: measuring.stability(it, ("r", "s"), "AP", None),
    "slices": measuring.slices,
    "slice means": lambda it: measuring.slice_means(it, ("r", "s"), "r", "AP", "mood", None),
    "every slice": lambda it: measuring.every_slice(it, ("r", "s"), "r", "AP", None),
    "ceilings": lambda it: measuring.ceilings(it, "P@2 AP", None),
    "outside": lambda it: measuring.outside_sentences(it, ("r", "s"), None),
    "not run": lambda it: measuring.not_run_sentences(it, ("r", "s"), None),
    "names of slices": lambda it: measuring.slices_of(it.collection),
}


@pytest.mark.parametrize("what", list(COMPUTED))
def test_a_result_is_read_after_a_restart_bit_for_bit(
    folder: Path, cache_folder: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = COMPUTED[what](experiment(folder))
    assert files(cache_folder)
    forget()
    for name in ("counted_judgement", "measured_parts", "outline", "required_keywords"):
        monkeypatch.setattr(measuring, name, None)  # what is read needs none of them
    again = COMPUTED[what](experiment(folder))
    assert type(again) is type(computed)
    if isinstance(computed, pd.DataFrame):
        pd.testing.assert_frame_equal(again, computed, check_exact=True)
        assert again.attrs == computed.attrs
    else:
        assert again == computed


def test_metrics_measured_together_last_each_alone(
    folder: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, searched = experiment(folder), list[str]()
    alone = {name: measuring.measurements(of, ("r",), name) for name in ("AP", "P@1", "RBP")}
    for path in cache_folder.rglob("*.result"):
        path.unlink()
    forget()
    measured_parts = measuring.measured_parts

    def counting(experiment: Experiment, version: str, measures: list[Measure]) -> Any:
        searched.append(" ".join(map(str, measures)))
        return measured_parts(experiment, version, measures)

    monkeypatch.setattr(measuring, "measured_parts", counting)
    first = measuring.measurements(of, ("r",), "AP P@1")
    pd.testing.assert_frame_equal(first, pd.concat([alone["AP"], alone["P@1"]], ignore_index=True))
    forget()
    for name in ("P@1", "RBP AP", "AP RBP P@1"):
        each = pd.concat([alone[m] for m in name.split()], ignore_index=True)
        pd.testing.assert_frame_equal(measuring.measurements(of, ("r",), name), each)
    assert searched == ["AP P@1", "RBP(0.95)"], "what is there is neither searched nor measured"


def test_a_copy_of_the_collection_elsewhere_has_the_same_results(
    folder: Path, tmp_path: Path, cache_folder: Path
) -> None:
    COMPUTED["means"](experiment(folder))
    before = files(cache_folder)
    COMPUTED["means"](experiment(write(tmp_path / "moved")))
    assert files(cache_folder) == before


CHANGES = {
    "judgements": ("qrels.csv", "q1,c,1", "q1,c,0"),
    "a ranking": ("runs/r.csv", "q1,a,.9", "q1,a,.7"),
    "queries": ("queries.csv", "q2,two,day", "q2,two,noon"),
    "settings": ("collection.toml", '"trec"]', '"trec", "hashing"]'),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_other_content_is_computed_anew(folder: Path, cache_folder: Path, change: str) -> None:
    COMPUTED["measurements"](experiment(folder))
    before = files(cache_folder)
    name, old, new = CHANGES[change]
    (folder / name).write_text(FILES[name].replace(old, new))
    COMPUTED["measurements"](experiment(folder))
    assert files(cache_folder) > before


def test_another_choice_another_code_and_another_library_are_computed_anew(
    folder: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []

    def compute(**choices: object) -> None:
        forget()
        COMPUTED["measurements"](experiment(folder, **choices))
        counts.append(files(cache_folder))

    compute()
    compute()
    compute(min_similarity=0.75)
    monkeypatch.setattr(lasting, "CODE", "of the next version")
    compute()
    monkeypatch.setattr(lasting, "_versions", lambda: ["9.9"])
    compute()
    assert counts == [6, 6, 12, 18, 24], "a file for each of three metrics of two versions"


def test_the_code_is_the_sources_of_every_room_that_computes(tmp_path) -> None:
    assert all(sources.sources(sources.ROOT / room) for room in lasting.ROOMS)
    (tmp_path / "experiment").mkdir()
    source = tmp_path / "experiment" / "lasting.py"
    source.write_text("1")
    before = sources.fingerprint(("experiment",), tmp_path)
    source.write_text("2")
    assert sources.fingerprint(("experiment",), tmp_path) != before


def test_searches_submissions_and_what_a_model_encodes_today_are_not_written(
    folder: Path, cache_folder: Path
) -> None:
    calls = []

    @remembered(8, lasts=True)
    def count(it: Experiment, name: str) -> int:
        calls.append(name)
        return len(calls)

    usual = experiment(folder)
    searched, encoded = replace(usual, text="a car"), replace(usual, text_model="a stamp")
    for fleeting in (searched, encoded, replace(usual, submissions=(object(),))):
        for _ in range(2):
            forget()
            count(fleeting, "v")
    assert len(calls) == 6 and not files(cache_folder)
    for _ in range(2):
        forget()
        count(usual, "v")
    assert len(calls) == 7 and files(cache_folder) == 1


def test_tests_share_no_result_while_one_of_them_has_replaced_code(
    folder: Path, one_cache_folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE", one_cache_folder)

    def ceilings() -> tuple[float | None, ...]:
        forget()
        return measuring.ceilings(experiment(folder), "P@2 AP", None)

    right = ceilings()
    with monkeypatch.context() as patch:
        patch.setattr(measuring, "counted_judgement", None)
        with pytest.raises(TypeError):
            ceilings()  # not read
    with monkeypatch.context() as patch:
        patch.setattr(measuring, "mean_ceiling", lambda *_: 0.125)
        assert ceilings() == (0.125, 0.125)
    assert ceilings() == right != (0.125, 0.125)


def test_a_result_of_a_broken_computation_is_not_written(folder: Path, cache_folder: Path) -> None:
    @remembered(8, lasts=True)
    def fail(it: Experiment) -> int:
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        fail(experiment(folder))
    assert not files(cache_folder)


def test_a_collection_has_one_digest_whatever_the_order_of_sets(folder: Path) -> None:
    program = "import sys\nfrom dashboard.storage.collection.collection import open_collection\n"
    program += "print(open_collection(sys.argv[1], allow_path=True).digest)"
    seen = {
        run(
            [sys.executable, "-c", program, str(folder)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1 and len(seen.pop()) > 60
