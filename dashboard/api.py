"""The library: a collection and its numbers for a notebook or a training script, as pandas tables.

The numbers are those of the command line. These names stay: new ones may come, none changes.
"""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.commands.check import COLUMNS
from dashboard.commands.compare_versions import COLUMNS as COMPARED
from dashboard.commands.measure import list_rows
from dashboard.errors import ChoiceError, DataError, Findings, Unsure
from dashboard.evaluation.differences import SIGNIFICANT
from dashboard.evaluation.metrics import parse_one
from dashboard.storage.array_files import name_sides
from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.new_versions import Stated, add_run, add_vectors
from dashboard.storage.settings import find_folder
from dashboard.study.choices import Choices, list_choices, resolve
from dashboard.study.judging import require_protocol
from dashboard.study.study import Study, open_study
from dashboard.tables import Names

ARGUMENTS = {
    "--ids FILE": "item_ids=[…]",
    "--query-ids FILE": "query_ids=[…]",
    "--by-position": "by_position=True",
    "--codes packed": 'codes="packed"',
    "--codes none": 'codes="none"',
}
"""Arguments of `add_version` by the options of the command `add`."""


def open(collection: str | Path) -> OpenCollection:
    """Open a collection by its name below the data folder, or by its folder's path.

    Raises:
        DataError: If it cannot be opened; the sentence says what is wrong and what to do.
    """
    return OpenCollection(open_collection(find_folder(str(collection))).folder.resolve())


@dataclass(frozen=True)
class Verdict:
    """A comparison by one metric: candidate minus baseline.

    Attributes:
        delta: Difference of the means; None if no query is scored in both.
        low: Lower end of its 95 % interval; None where it is not defined.
        high: Upper end.
        p: p of the randomisation test after Holm over all metrics compared.
        clear: Whether p is below 0.05.
        better: Whether the difference is clear and for the better.
        scored: Queries scored in both versions.
        total: All queries.
        sentence: The verdict in words.
    """

    metric: str
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    clear: bool
    better: bool
    scored: int
    total: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class OpenCollection:
    """A collection in a folder, always in the present state of its files."""

    folder: Path

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def versions(self) -> Names:
        """Names of the versions that can be used, in natural order."""
        return tuple(self._opened.versions)

    @property
    def items(self) -> pd.DataFrame:
        """Table of the items, with the column `item_id`."""
        return pd.DataFrame(self._opened.items.columns)

    @property
    def queries(self) -> pd.DataFrame:
        """Table of the stored queries, with the column `query_id`."""
        return pd.DataFrame(self._opened.queries.columns)

    @property
    def findings(self) -> pd.DataFrame:
        """Errors, omissions and repairs of the files: level, file, line, found, wanted."""
        return pd.DataFrame(map(vars, self._opened.findings), columns=COLUMNS)

    @property
    def _opened(self) -> Collection:
        return open_collection(self.folder)

    def add_version(
        self, name: str, items: Any = None, vectors: Any = None, queries: Any = None, *,
        item_ids: Names | None = None, query_ids: Names | None = None,
        by_position: bool = False, codes: str = "", note: str = "",
        run: pd.DataFrame | str | Path | None = None, text_model: str | Path | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """Add a version, whole or not at all; an open dashboard has it at its next step.

        Args:
            name: Name of the version.
            items: Vectors of the items: an array or tensor [items, dimension], a mapping or frame
                from id to vector, or a file (.npy, .npz, .safetensors, .parquet). With
                `vectors`, their ids.
            vectors: The same, whose ids are `items` or `item_ids`.
            queries: Vectors of the text queries, or of all queries, as `items`; without them those
                of queries that are no items may stand among the items.
            item_ids: Ids of the rows of `items`.
            query_ids: Ids of the rows of `queries`.
            by_position: Whether vectors without ids are in the order of the collection's tables.
            codes: "packed" for bytes of eight bits of a code, "none" for bytes, 0 and 1 of vectors.
            run: Results in place of vectors: TREC, CSV, or a frame of query_id, item_id and score.
            note: A sentence on what is new.
            text_model: Folder of a sentence-transformers model that embeds typed texts.

        Returns:
            What was written: file, rows, digest. What was left out is a warning of Python.

        Raises:
            DataError: If the version could not be used, or the name is taken.
            ValueError: If neither or both of `items` and `run` are given, or anything else with
                `run`, which would be lost.
        """
        if vectors is not None:
            items, item_ids = vectors, (item_ids if items is None else list(items))
        if (items is None) == (run is None):
            raise ValueError("Give items= (vectors) or run= (results), one of them.")
        said = any(each is not None for each in (queries, item_ids, query_ids, text_model))
        if run is not None and (said or by_position or codes or note):
            raise ValueError("With run= (results) only a name is taken; the rest needs items=.")
        findings: Findings = []
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(run, pd.DataFrame):
                file = Path(folder) / f"{Path(name).name}.csv"
                run.to_csv(file, index=False)
                run = file
            if run is not None:
                return pd.DataFrame(add_run(self._opened, name, Path(run), findings))
        sides = name_sides(items, item_ids, queries, query_ids, findings)
        stated = Stated(note, by_position, codes)
        if text_model is not None:
            told = {"encoder": "sentence-transformers", "text_model": str(text_model)}
            stated = stated._replace(settings=told, files={"text_model": Path(text_model)})
        try:
            rows = add_vectors(self._opened, name, *sides, stated, findings)
        except Unsure as error:  # it tells options of the command `add`
            ways = " or ".join(ARGUMENTS[line.partition("  #")[0]] for line in error.lines)
            raise DataError(error.file, error.found, error.expected, do=f"Give {ways}.") from error
        for each in (each for each in findings if each.level != "note"):
            warnings.warn(str(each), stacklevel=2)
        return pd.DataFrame(rows)

    def measure(
        self,
        metrics: str | Names = "",
        versions: str | Names | None = None,
        *,
        by_query: bool = False,
        **choices: Any,
    ) -> pd.DataFrame:
        """Return the mean of each metric and version, or with `by_query` the value of each query.

        Args:
            metrics: Such as `nDCG@10 P@5`, or a list; empty: those of the protocol.
            versions: One or several; None: all that can be used.
            by_query: Whether the rows are run, query_id, metric, cutoff, value instead of run,
                metric, cutoff, mean, scored, total.
            choices: Options of the command `measure` by name: protocol, groups, threshold,
                queries ("text", "item", "all"), labels, copies, min_similarity, relevant_from,
                slice.

        Raises:
            ChoiceError: If a choice is unknown or has no such value.
            ValueError: If there is no such metric.
            DataError: If a version cannot be used.
        """
        study, resolved = self._resolve(choices, metrics)
        one = [versions] if isinstance(versions, str) else versions
        names = resolved["runs"] if one is None else one
        found = study.measure(dict.fromkeys(names), resolved["metrics"])
        rows, columns = list_rows(found, by_query)
        return _fix_types(pd.DataFrame(rows, columns=columns))

    def compare(
        self, baseline: str, candidate: str, metrics: str | Names = "", **choices: Any
    ) -> pd.DataFrame:
        """Return a row a metric: both means, difference, interval, test and counts.

        Args:
            baseline: Version that is compared with.
            candidate: Version in question.
            metrics: As of `measure`.
            choices: As of `measure`.
        """
        study, resolved = self._resolve(choices, metrics)
        rows = study.compare(baseline, candidate, resolved["metrics"])
        return _fix_types(pd.DataFrame(rows, columns=COMPARED))

    def verdict(
        self,
        baseline: str,
        candidate: str,
        metric: str = "",
        *,
        metrics: str | Names = "",
        **choices: Any,
    ) -> Verdict:
        """Return the comparison by one metric, with a sentence.

        Args:
            baseline: Version that is compared with.
            candidate: Version in question.
            metric: Empty: the one that the screens show.
            metrics: All that are compared, over which p is corrected; empty: the protocol's.
            choices: As of `measure`.
        """
        study, resolved = self._resolve(choices, metrics)
        front = str(parse_one(metric or resolved["metric"]))
        rows = study.compare(baseline, candidate, f"{resolved['metrics']} {front}")
        row = next(each for each in rows if each["name"] == front)
        return Verdict(
            metric=front,
            p=row["p_holm"],
            clear=(row["p_holm"] or 1) < SIGNIFICANT,
            better=row["outcome"] == "better",
            sentence=study.describe_difference(row, baseline, candidate),
            **{key: row[key] for key in ("delta", "low", "high", "scored", "total")},
        )

    def _resolve(self, choices: dict[str, Any], metrics: str | Names) -> tuple[Study, Choices]:
        """Return the study under some choices, and all of them; "": the protocol's metrics."""
        options = {each.option or each.key: each for each in list_choices() if each.changes_numbers}
        given = Choices({"metrics": metrics}).write()
        for name, value in choices.items():
            if name not in options:
                raise ChoiceError(f"There is no choice {name!r}. There are: {', '.join(options)}.")
            if value is not None:
                given[options[name].key] = options[name].write_given(value)
        require_protocol(self._opened, given)
        resolved = resolve(self._opened, given)
        return open_study(self._opened, resolved), resolved


def _fix_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose cutoffs and numbers of queries are whole, missing without one."""
    return frame.astype({name: "Int64" for name in ("cutoff", "needed") if name in frame})
