"""Plugins: one package each, which holds a PLUGIN of plain values, and files of a team.

A field such as "judge:ALFA" names a file of the folder and what to import from it, when it is
first needed; ":ALFA" names something of the file that holds the PLUGIN. A team's files are named
by VARIABLE (separated as in PATH) and ENTRY_POINTS. The core runs without any plugin.
"""

import os
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module, metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from dashboard.errors import DataError

VARIABLE = "DASHBOARD_PLUGINS"
ENTRY_POINTS = "search_quality_dashboard"
Places = Mapping[str, str]
"""Where things of a plugin are, by their names."""


class Plugin(NamedTuple):
    """Hooks of a plugin; every one is optional.

    Attributes:
        files: Patterns of the files of a collection that it reads.
        settings: Its keys of collection.toml, each with a value that shows the type.
        read_tables: `(collection, findings) -> tables`, kept as `collection.tables[name]`; raises
            DataError if they cannot be used.
        read_versions: `(collection, broken, findings) -> dict` of further versions by name, or of
            one that is there and has the same file; those that cannot be used go into `broken`.
        rules: A JudgingRules: a protocol, for collections whose tables the plugin has read.
        metrics: Any name of the file that registers its metrics when it is imported.
        amend_judgement: `(collection, choices, judgement) -> judgement`, called after the protocol
            has judged; returns the judgement itself where it has nothing to change.
        merge_items: `(collection, choices, given) -> given` with items that count as one: a run, or
            the judgement after all `amend_judgement`.
        choices: A tuple of Choice: keys of the address, options and inputs of a Study.
        list_findings: `(collection) -> findings` that the command `check` tells besides its own.
        describe_results: `(study, query, metric, rows) -> (dict, list of dict)`, what a query asks
            for, and fields of each row of a QueryResult, such as `notes`, texts on its card; []
            for none; of a plugin with rules only where its protocol judges.
        login: A middleware class of Starlette whose static `find_person(headers)` returns a Person.
        sections: By the name of a page, `(study, choices) -> None`, which draws a section there; of
            a plugin with rules only where its protocol judges. On "curve" it returns charts by
            title for Overview, in place of the usual curve. On "query" it is called before the
            cards, may draw the query in its own way and end the page, and may return a button for
            the line of the query, `(key, text, values by key of the address)`; on "below_query" it
            is called after them with the choices of the query that is drawn. On "picks" it may
            return a Pick of `views/queries`: queries to which Compare and Query are restricted.
            On "report" it returns a sentence below the verdict; "links", beside those of every
            page, has no arguments.
        media: `(address, is_wanted) -> Path`, the file of an item at an address such as https://…,
            fetched if it is wanted and None otherwise; raises DataError if it is refused.
        encoders: By the name in `encoder` of a version's model.toml, `(settings, inputs) ->
            vectors` of texts or RGB pictures, [inputs, dimension]; settings: keys of model.toml.
        routes: A tuple of Starlette routes, which the server answers below its base path.
        formats: A tuple of Format: files that `init` reads.
        commands: File of each command, with HELP, answer, and as in the core perhaps add_arguments;
            or OPTIONS of one that is about a COLLECTION, with KEYS if it has choices.
        screens: Script of each page, beside the file that holds the PLUGIN, by its address.
    """

    name: str
    files: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    read_tables: str = ""
    read_versions: str = ""
    rules: str = ""
    metrics: str = ""
    amend_judgement: str = ""
    merge_items: str = ""
    choices: str = ""
    list_findings: str = ""
    describe_results: str = ""
    media: str = ""
    login: str = ""
    routes: str = ""
    formats: str = ""
    commands: Places = {}
    sections: Places = {}
    encoders: Places = {}
    screens: Places = {}


_MODULES: dict[str, ModuleType] = {}
"""The module that holds the PLUGIN of a name."""
_LOCK = threading.RLock()


def list_plugins() -> tuple[Plugin, ...]:
    """Return every plugin; they are found when they are first needed."""
    with _LOCK:
        return _find_plugins()[0]


def list_problems() -> tuple[DataError, ...]:
    """Return why files of a team cannot be used."""
    with _LOCK:
        return _find_plugins()[1]


def load(plugin: Plugin, hook: str) -> Any:
    """Import what a hook of a plugin names."""
    return _resolve(_MODULES[plugin.name], getattr(plugin, hook))


def load_named(field: str) -> dict[str, Any]:
    """Import what a field names in every plugin, the commands or the encoders, by name."""
    return {
        name: _resolve(_MODULES[plugin.name], text)
        for plugin in list_plugins()
        for name, text in getattr(plugin, field).items()
    }


def load_sections(page: str, protocol: str) -> list[Any]:
    """Import what draws the sections of a page, where a protocol judges."""
    return [
        _resolve(_MODULES[plugin.name], plugin.sections[page])
        for plugin in list_plugins()
        if page in plugin.sections and (not plugin.rules or plugin.name == protocol)
    ]


def list_screens() -> dict[str, Path]:
    """Return the script of every page that plugins add, by the page's name."""
    return {
        name: Path(str(_MODULES[plugin.name].__file__)).with_name(file)
        for plugin in list_plugins()
        for name, file in plugin.screens.items()
    }


def load_all(hook: str, protocol: str = "") -> list[Any]:
    """Import what a hook names in every plugin that has it, or in those that a protocol has."""
    return [
        load(plugin, hook)
        for plugin in list_plugins()
        if getattr(plugin, hook) and (not plugin.rules or protocol in ("", plugin.name))
    ]


@cache
def _resolve(home: ModuleType, text: str) -> Any:
    """Import "file:NAME", "file" or ":NAME", as seen from the module of a plugin."""
    file, _, name = text.partition(":")
    if file and not home.__package__:
        raise ValueError(f'{text!r} names another file; write ":NAME" for one of this file')
    module = import_module(f"{home.__package__}.{file}") if file else home
    return getattr(module, name) if name else module


@cache
def _find_plugins() -> tuple[tuple[Plugin, ...], tuple[DataError, ...]]:
    """Return the plugins, those of teams last, and why files of teams cannot be used."""
    found = []
    problems = []
    for path in sorted(Path(__file__).parent.glob("*/__init__.py")):
        name = path.parent.name
        _MODULES[name] = import_module(f"{__name__}.{name}")
        found.append(_MODULES[name].PLUGIN)
    named = [text.strip() for text in os.environ.get(VARIABLE, "").split(os.pathsep)]
    files = [
        (Path(path).name, partial(_import_file, Path(path), number))
        for number, path in enumerate(named)
        if path
    ]
    entries = metadata.entry_points(group=ENTRY_POINTS)
    files += [(entry.module, partial(import_module, entry.module)) for entry in entries]
    for file, read in files:
        for module in _MODULES.values():  # its metrics find the names of those before it taken
            _resolve(module, module.PLUGIN.metrics)
        try:
            module = read()
            plugin = getattr(module, "PLUGIN", None)
            if not isinstance(plugin, Plugin):
                do = "See plugins/README.md for an example."
                raise DataError(file, "no PLUGIN", "PLUGIN = Plugin(name=…)", do=do)
            _check_names(module, file)
            _check_hooks(plugin, module, file)
            _MODULES[plugin.name] = module
            found.append(plugin)
        except DataError as error:
            problems.append(error)
        except (Exception, SystemExit) as error:
            problems.append(_explain(error, file))
    return tuple(found), tuple(problems)


def _import_file(path: Path, number: int) -> ModuleType:
    name = f"dashboard_plugin_{number}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise DataError(path.name, "no such file", f"the path of a Python file in {VARIABLE}")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check_hooks(plugin: Plugin, module: ModuleType, file: str) -> None:
    """Import what the hooks of a team's plugin name."""
    from dashboard.evaluation.judgement import JudgingRules

    hooks = [each for each in plugin._replace(name="") if isinstance(each, str) and each]
    for named in (plugin.commands, plugin.sections, plugin.encoders):
        hooks += named.values()
    rules = {text: _resolve(module, text) for text in hooks}.get(plugin.rules)
    if rules and not (isinstance(rules, JudgingRules) and rules.name == plugin.name):
        raise DataError(
            file,
            f"rules = {plugin.rules!r}, something else",
            f"JudgingRules whose name is the plugin's, {plugin.name!r}",
        )
    for name, script in plugin.screens.items():
        if not name.isidentifier():
            raise DataError(file, f"the page {name!r}", "letters, digits and _")
        if not Path(str(module.__file__)).with_name(script).is_file():
            raise DataError(file, f"no such file: {script}", f"the script of the page {name!r}")


def _check_names(module: ModuleType, file: str) -> None:
    """Raise DataError if something of a team's plugin has a name that is taken."""
    from dashboard.commands import NAMES
    from dashboard.storage.settings import SETTINGS
    from dashboard.study.choices import CORE, VIEW

    core = {
        "plugin": ["qrels"],
        "command": NAMES,
        "setting": SETTINGS,
        "page": (path.stem for path in Path(__file__).parents[1].glob("screens/*.py")),
        "choice": (*(each.key for each in (*CORE, *VIEW)), "format", "qrels", "run", "help"),
    }
    taken: dict[tuple[str, str], str] = {}
    for name, other in _MODULES.items():
        is_shipped = other.__name__.startswith(f"{__name__}.")
        owner = f"plugins/{name}" if is_shipped else str(other.__file__)
        taken |= dict.fromkeys(_list_names(other), owner)
    taken |= {(kind, name): "the core" for kind, names in core.items() for name in names}
    for kind, name in _list_names(module):
        if (kind, name) in taken:
            raise DataError(
                file,
                f"the {kind} {name!r}, which {taken[kind, name]} has, too",
                "a name of its own",
                do=f"Rename it in {file}.",
            )
        taken[kind, name] = file


def _list_names(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of all that a plugin adds."""
    plugin = module.PLUGIN
    yield "plugin", plugin.name
    named = {"command": plugin.commands, "page": plugin.screens, "setting": plugin.settings}
    for kind, names in named.items():
        yield from ((kind, name) for name in names)
    for kind, text in (("choice", plugin.choices), ("format", plugin.formats)):
        for each in _resolve(module, text) if text else ():
            own = {each.name} if kind == "format" else {each.key, each.option or each.key}
            yield from ((kind, name) for name in own)


def _explain(error: BaseException, file: str) -> DataError:
    """Return why a file cannot be imported, with the line of the file where it stopped."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == file]
    line, said = lines[-1] if lines else None, str(error)
    if isinstance(error, SyntaxError) and Path(error.filename or "").name == file:
        line, said = error.lineno, error.msg
    return DataError(file, f"{type(error).__name__}: {said}", "a file that can run", line=line)
