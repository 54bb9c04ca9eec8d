"""The modules of the cards: who imports what by name, read from their text; how they are served."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.views.cards import assets

MODULES = {name: text for name, text in assets.CONTENTS.items() if name.endswith(".js")}
_IMPORT = re.compile(r'^(?:import|export) \{([^}]*)\} from "\./([a-z_]+\.js)"', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
_CALLED = re.compile(r'data-calls="(\w+)"')


def imported(text: str) -> dict[str, set[str]]:
    """module → the names that a text imports, or hands on, from it."""
    found: dict[str, set[str]] = {}
    for names, module in _IMPORT.findall(text):
        each = {name.partition(" as ")[0].strip() for name in names.split(",")} - {""}
        found[module] = found.get(module, set()) | each
    return found


def exported(text: str) -> set[str]:
    handed_on = re.findall(r"^export \{([^}]*)\}", text, re.MULTILINE)
    names = {name.strip() for each in handed_on for name in each.split(",") if name.strip()}
    return names | set(_EXPORT.findall(text))


def called_by_the_loader() -> set[str]:
    return set(_CALLED.findall(assets.elements() + assets.preloads()))


def test_there_are_modules_and_each_is_reached_from_the_entry() -> None:
    reached, waiting = set(), ["cards.js", "page.js"]  # the cards, and the keys of every page
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += imported(MODULES[module])
    assert reached == set(MODULES) and len(MODULES) > 5


def test_modules_import_each_other_in_no_circle() -> None:
    graph = {module: set(imported(text)) for module, text in MODULES.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("module", sorted(MODULES))
def test_what_a_module_imports_is_exported_and_used(module: str) -> None:
    text = MODULES[module]
    assert len(re.findall(r"^import\b|\bimport\(", text, re.MULTILINE)) == len(
        re.findall(r"^import \{[^}]*\} from ", text, re.MULTILINE)
    ), "imports are by name, at the head"
    for other, names in imported(text).items():
        missing = names - exported(MODULES[other])
        assert not missing, f"{module} imports {missing}, which {other} does not export"
    rest = re.sub(r"^import \{[^}]*\} from .*$", "", text, flags=re.MULTILINE)
    for names, _ in _IMPORT.findall(text):
        own = [name.split(" as ")[-1].strip() for name in names.split(",") if name.strip()]
        unused = [name for name in own if not re.search(rf"\b{name}\b", rest)]
        assert not unused, f"{module} imports {unused} and does not use it"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_what_a_module_exports_is_imported_elsewhere(module: str) -> None:
    wanted = called_by_the_loader() if module == "cards.js" else set()
    for text in MODULES.values():
        wanted |= imported(text).get(module, set())
    assert exported(MODULES[module]) == wanted


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_leaves_nothing_at_the_window_and_makes_no_page_from_text(module: str) -> None:
    everywhere = r"globalThis|\bwindow\b|\bself\."
    dangerous = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\("
    assert not re.search(f"{everywhere}|{dangerous}", MODULES[module])


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=assets.routes()), follow_redirects=False)


@pytest.mark.parametrize("name", sorted(assets.CONTENTS))
def test_a_file_of_this_version_may_be_cached_for_ever(client: TestClient, name: str) -> None:
    for version in (assets.VERSION, f"{assets.VERSION}.3"):  # the second: asked for again
        answer = client.get(f"/cards/{version}/{name}")
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        assert answer.status_code == 200 and answer.text == assets.CONTENTS[name]
        assert answer.headers["content-type"].startswith(kind)
        assert "immutable" in answer.headers["cache-control"]


def test_a_page_of_an_older_server_gets_this_version_as_a_whole(client: TestClient) -> None:
    for name in ("cards.js", "cards.css"):
        answer = client.get(f"/cards/0123/{name}")
        there = urljoin(f"http://host/base/cards/0123/{name}", answer.headers["location"])
        assert there == f"http://host/base/cards/{assets.VERSION}/{name}"
        assert answer.headers["cache-control"] == "no-cache"
    assert client.get("/cards/0123/parts.js").status_code == 404, "else two versions could mix"


@pytest.mark.parametrize("name", ["loader.js", "cards.html", "..%2fassets.py", "none.js"])
def test_nothing_else_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"/cards/{assets.VERSION}/{name}").status_code == 404


def test_the_version_is_of_all_files() -> None:
    assert set(MODULES) < set(assets.CONTENTS) and "cards.css" in assets.CONTENTS
    for name in MODULES:
        assert f'href="cards/{assets.VERSION}/{name}"' in assets.preloads()
    assert assets.preloads().index("data-calls") < assets.preloads().index("\n")
