"""What all tests share: the option `--vectors FILE` and the tiny world, which fits on a page.

`pytest` runs what tells within minutes whether the product is right; `pytest -m slow` runs the
rest, `-m ""` both, and one that is slow by its name, too. Slow is marked what kills servers, is
about load, needs a service of its own or more than three seconds of a processor, and of a sweep
over collections, screens or widths all but a few that differ in kind.

Six clips, one of them without annotation; five queries, two of which ask with a clip; two model
versions. tests/evaluation/test_tiny_world.py works every number out by hand.
"""

import functools
import gc
import importlib
import os
import pkgutil
import sys
from operator import is_, itemgetter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

# Else each server and command that a test starts would compile the whole program again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Other work may slow an example down; a fault that is there at all shows in a few.
settings.register_profile("any machine", deadline=None, max_examples=40)
settings.load_profile("any machine")

KEYWORDS = """
item_id group              keyword
i1      pv_object_type     bicyclist
i1      pv_actor_behavior  entering_ego_path
i1      pv_scene_type      urban
i2      pv_object_type     bicyclist
i2      pv_actor_behavior  crossing
i2      pv_scene_type      urban
i3      pv_object_type     pedestrian
i3      pv_actor_behavior  entering_ego_path
i3      pv_scene_type      urban
i4      pv_object_type     bicyclist
i4      pv_object_type     pedestrian
i4      pv_actor_behavior  entering_ego_path
i4      pv_scene_type      highway
i5      pv_object_type     vehicle
i5      pv_actor_behavior  stationary
i5      pv_scene_type      highway
"""
QUERIES = """
query_id text                            item_id
q1       cyclist_entering_the_ego_lane   -
q2       -                               i2
q3       -                               i3
q4       a_nice_day                      -
q5       car                             -
"""
QUERY_KEYWORDS = """
query_id ngram             group              keyword            score  kept
q1       cyclist           pv_object_type     bicyclist          0.9    1
q1       cyclist           pv_object_type     pedestrian         0.4    0
q1       entering_the_ego  pv_actor_behavior  entering_ego_path  0.8    1
q4       day               pv_scene_type      daytime            0.3    0
q5       car               pv_object_type     vehicle            0.7    1
"""
RUNS = {
    "v1": """
        q1: i4 i3 i6 i1 i5
        q2: i1 i3
        q3: i3 i1 i4
        q4: i1
        q5: i4 i5
    """,
    "v2": """
        q1: i1 i4
        q2: i4 i1
        q3: i4
    """,
}


LONG = {
    "test_benchmarks.py",
    "test_bombs.py",
    "test_cards.py",
    "test_context_screens.py",
    "test_embed_command.py",
    "test_keys.py",
    "test_lost_session.py",
    "test_main_job.py",
    "test_measure_any_format.py",
    "test_numbers_in_two_places.py",
    "test_player.py",
    "test_protocols_measured.py",
    "test_review.py",
    "test_screens.py",
    "test_screens_of_codes.py",
    "test_screens_of_matching.py",
    "test_screens_of_protocols.py",
    "test_screens_of_submissions.py",
    "test_screens_without_versions.py",
    "test_served.py",
    "test_style.py",
    "test_two_people.py",
    "test_waiting.py",
}
"""Files that take more than 15 seconds of a processor, in one tier or the other."""
SHARED = {"dashboard", "made_up", "cards_address"}
"""Servers that several files share."""


def pytest_addoption(parser):
    parser.addoption(
        "--vectors",
        metavar="FILE",
        help="worked cases for tests/evaluation/test_vectors.py in place of tests/*vectors.json",
    )


def pytest_collection_modifyitems(config, items):
    """Fast ones first: what starts a server and a browser comes last. Of several workers the first
    begins with them, those of shared servers before others, so that nothing starts in two workers
    and no two browsers are at work at once, and goes on with the files that take long; the last
    begins with short ones, and takes from the end of the longest queue when it has done its own."""
    browser = {item.path for item in items if "browser" in item.path.parts}
    if not hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path in browser)
        return
    shared = {item.path for item in items if SHARED & set(getattr(item, "fixturenames", ()))}
    by_turn = (shared, browser, {item.path for item in items if item.path.name in LONG})
    items.sort(key=lambda item: [item.path not in turn for turn in by_turn])


def pytest_collection_finish():
    """Thousands of tests and their modules stay until the end: no collection of garbage looks
    through them again, of which Streamlit asks one after every drawing."""
    gc.collect()
    gc.freeze()


WITHOUT_EFFECT = {"COLLECTIONS", "FURTHER", "forget", "ready", "warm"}
"""What tests replace and no number depends on: where collections lie, when results are forgotten,
and a text model that is never there."""


@pytest.fixture(scope="session", autouse=True)
def one_cache_folder(tmp_path_factory, chances_counted_once):
    """All tests of a run and the servers that they start have one cache folder: what one of them
    computes of a collection, no other computes again. As long as a test has replaced anything in
    the rooms where numbers come about, none is read from there and none is written."""
    from dashboard.experiment import lasting
    from dashboard.storage.cache import results

    base = tmp_path_factory.getbasetemp()
    folder = str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache")

    def is_usable():
        # else the test has one of its own
        return os.environ.get("DASHBOARD_CACHE") != folder or nothing_is_replaced()

    @functools.cache
    def nothing_is_replaced():
        """A look at thousands of names, which holds until a test replaces one or puts it back."""
        try:
            return all(all(map(is_, of(names), values)) for names, of, values in at_first)
        except KeyError:
            return False  # one was taken away

    def looking_again(change):
        def changed(*arguments, **named):
            try:
                return change(*arguments, **named)
            finally:
                nothing_is_replaced.cache_clear()

        return functools.wraps(change)(changed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASHBOARD_CACHE", folder)
        for change in ("setattr", "delattr", "setitem", "delitem", "undo"):
            before = getattr(pytest.MonkeyPatch, change)
            patch.setattr(pytest.MonkeyPatch, change, looking_again(before))
        load, save = results.load, results.save
        of_this_run = SimpleNamespace(
            load=lambda depends_on: load(depends_on) if is_usable() else None,
            save=lambda depends_on, result: is_usable() and save(depends_on, result),
        )
        patch.setattr(lasting, "results", of_this_run)
        at_first = []
        for module in _modules(lasting.ROOMS):
            for names in (vars(module), *(vars(kind) for kind in _classes(module))):
                of = itemgetter(*(set(names) - WITHOUT_EFFECT), "__doc__")
                at_first.append((names, of, of(names)))
        yield folder


def _modules(rooms):
    for room in rooms:
        module = importlib.import_module(f"dashboard.{room.removesuffix('.py')}")
        yield module
        for inner in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
            yield importlib.import_module(inner.name)


def _classes(module):
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


@pytest.fixture(scope="session", autouse=True)
def drawn_without_detours():
    """A screen that is drawn in a test would look through all installed packages for components of
    theirs, which takes as long as the screen, and would be asked each millisecond if it is done."""
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import local_script_runner

    search = manifest_scanner.scan_component_manifests
    wait = local_script_runner.require_widgets_deltas

    def wait_for_the_end(runner, timeout):
        runner._script_thread.join(timeout)
        wait(runner, 0.1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", functools.cache(search))
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for_the_end)
        yield


@pytest.fixture(scope="session", autouse=True)
def chances_counted_once():
    """The chance of the same differences is counted once, whatever asks for it: small chances take
    half a second, and many tests look at the committed versions."""
    from dashboard.evaluation.statistics import resampling

    count, counted = resampling.chance_of_signs, {}

    def remembered(terms, tolerance):
        key = terms.dtype.str, terms.tobytes(), tolerance
        if key not in counted:
            counted[key] = count(terms, tolerance)
        return counted[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "chance_of_signs", remembered)
        yield


_BEGINNINGS: dict[str, dict] = {}
"""By module, how its random numbers stand before its first test."""


@pytest.fixture(autouse=True)
def draws_of_its_own(request):
    """A test of a module with random numbers (`RNG`) draws the same ones, whichever other tests
    its worker has run before."""
    drawing = getattr(getattr(request, "module", None), "RNG", None)
    if drawing is not None:
        generator = drawing.bit_generator
        generator.state = _BEGINNINGS.setdefault(request.module.__name__, generator.state)


@pytest.fixture(autouse=True)
def unchecked_charts(request, monkeypatch):
    """Charts are checked against Vega-Lite's schema in tests/views, and where each screen of each
    collection is drawn; anywhere else that would take a quarter of the time of a screen."""
    if "charts" in request.keywords:
        from dashboard.experiment import memory

        for each in memory._memories:  # what an earlier test drew was not checked
            if each.__module__.startswith(("dashboard.views.charts", "dashboard.views.layout")):
                each.cache.clear()
    if request.path.parent == Path(__file__).parent and "charts" not in request.keywords:
        from altair.utils.schemapi import SchemaBase

        monkeypatch.setattr(SchemaBase, "validate", lambda *_: None)


@pytest.fixture(autouse=True)
def remembered_again(request, monkeypatch):
    """What a test of screens forgets is remembered again after it: to measure whole collections
    anew would take seconds each time."""
    if request.path.parent != Path(__file__).parent:
        yield
        return
    from dashboard.experiment import memory

    forget, before = memory.forget, []

    def forget_for_now():
        if not before:
            before.extend((each.cache, dict(each.cache)) for each in memory._memories)
        forget()

    monkeypatch.setattr(memory, "forget", forget_for_now)
    yield
    if before:
        forget()
    for cache, results in before:
        cache.update(results)


@pytest.fixture
def short_of_memory(monkeypatch):
    """Rankings end at rank 100, as they would in a very large collection."""
    from dashboard.experiment import memory
    from dashboard.retrieval import runs

    memory.forget()
    monkeypatch.setattr(runs, "MOST_RESULTS", 1)
    yield
    memory.forget()


@pytest.fixture
def tiny_world():
    """The evidence (queries, items, keywords, query_keywords, qrels) and the runs, as tables."""
    import pandas as pd

    def table(text):
        head, *rows = [line.split() for line in text.strip().splitlines()]
        cells = [["" if c == "-" else c.replace("_", " ") for c in row] for row in rows]
        found = pd.DataFrame(cells, columns=head, dtype="str")
        if "group" in found:
            found["group"] = found["group"].str.replace(" ", "_")
        return found

    def run(text):
        rows = []
        for line in text.strip().splitlines():
            query, items = line.strip().split(": ")
            rows += [(query, item, 1 - place / 8) for place, item in enumerate(items.split())]
        found = pd.DataFrame(rows, columns=["query_id", "item_id", "score"])
        return found.assign(rank=found.groupby("query_id").cumcount() + 1)

    query_keywords = table(QUERY_KEYWORDS).astype({"score": float, "kept": int})
    return SimpleNamespace(
        queries=table(QUERIES),
        items=pd.DataFrame({"item_id": [f"i{n}" for n in range(1, 7)]}),
        keywords=table(KEYWORDS),
        query_keywords=query_keywords.astype({"kept": bool}),
        qrels=None,
        runs={name: run(text) for name, text in RUNS.items()},
    )
