"""What `import dashboard` gives to a training script or a notebook: a collection opened by its name
or path, new versions of it, and its numbers, which are those of the command line to the last bit.

These names stay as they are: new ones may come, none goes or changes its meaning.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dashboard.evaluation.comparison import compare as comparing
from dashboard.evaluation.comparison import verdict as verdicts
from dashboard.evaluation.measure import summarise
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import measuring, ranking
from dashboard.experiment.collection.collections import (
    Collection,
    groups_named,
    opened_at,
    usual_queries,
)
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.reviews.corrections import GIVEN
from dashboard.experiment.versions import adding, training
from dashboard.tables import Findings


def open(collection: str | Path) -> OpenCollection:
    """Open a collection: the name of one below the data folder, or a folder's path.

    Raises DataError, whose sentence says what is wrong and what to do, where it cannot be opened.
    """
    opened = opened_at(str(collection))
    return OpenCollection(opened.folder.resolve())


@dataclass(frozen=True)
class Verdict:
    """What a comparison says of one metric: candidate minus baseline.

    delta, low, high   the difference and its 95 % interval; None where too few queries are scored
    p                  of the randomisation test, after Holm over all metrics compared
    clear              whether p is below 0.05
    scored, total      queries scored in both, of all
    sentence           all of it, in words
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
        """The folder's name."""
        return self.folder.name

    @property
    def versions(self) -> tuple[str, ...]:
        """The names of all versions, in natural order."""
        return self._opened.versions

    @property
    def items(self) -> pd.DataFrame:
        """The table of the items; `item_id` names each."""
        return self._opened.items.copy()

    @property
    def queries(self) -> pd.DataFrame:
        """The table of the stored queries; `query_id` names each."""
        return self._opened.queries.copy()

    @property
    def findings(self) -> pd.DataFrame:
        """What was left out or repaired when it was opened: level, file, line, found, wanted."""
        return self._opened.findings.copy()

    @property
    def _opened(self) -> Collection:
        return opened_at(str(self.folder))

    def add_version(
        self,
        name: str,
        items: Any = None,
        vectors: Any = None,
        queries: Any = None,
        *,
        item_ids: Sequence[str] | None = None,
        query_ids: Sequence[str] | None = None,
        run: pd.DataFrame | str | Path | None = None,
        note: str = "",
        text_model: str | Path | None = None,
    ) -> pd.DataFrame:
        """Add a version, whole or not at all; a running dashboard has it at its next step.

        items        vectors of the items: an array or tensor [item, number], a mapping or a frame
                     from id to vector, or a file (.npy, .npz, .parquet). With `vectors`, the ids
        vectors      the same, where `items` or `item_ids` gives their ids
        queries      vectors of the stored text queries, as items
        item_ids     ids of the rows; without them they are in the order of `collection.items`
        query_ids    ids of the rows of queries; without them in the order of the text queries
        run          in place of vectors: a frame with query_id, item_id and score, or a run file
        text_model   folder of a sentence-transformers model that embeds typed texts for it

        Returns what was written: file, rows, digest. Raises DataError where the version could not
        be used: unknown or repeated ids, NaN, other widths, a name that is taken.
        """
        findings = Findings()
        if vectors is not None and items is not None:
            if item_ids is not None:
                raise ValueError("items and item_ids both name the vectors; give one of them")
            items, item_ids = vectors, list(items)
        elif vectors is not None:
            items = vectors
        if (items is None) == (run is None):
            raise ValueError("give items= (vectors) or run= (ranked lists), one of them")
        if run is not None:
            lists = Path(run) if isinstance(run, str) else run
            return _warned(adding.add_run(self._opened, name, lists, findings=findings), findings)
        settings: dict[str, object] = {"note": note} if note else {}
        files: dict[str, Path] = {}
        if text_model is not None:
            settings |= {"encoder": "sentence-transformers", "text_model": str(text_model)}
            files["text_model"] = Path(text_model)
        added = adding.add_vectors(
            self._opened,
            name,
            adding.given(items, item_ids, "items"),
            None if queries is None else adding.given(queries, query_ids, "queries"),
            settings=settings,
            files=files,
            findings=findings,
        )
        return _warned(added, findings)

    def trainer_callback(
        self,
        name: str,
        *,
        at: str | Sequence[Literal["end", "evaluate", "save"]] = "end",
        note: str = "",
    ) -> Any:
        """What sentence-transformers' trainer calls to add versions of the model in training:
        `SentenceTransformerTrainer(…, callbacks=[yours.trainer_callback("v5")])`.

        name   of the version at the end of the training; after an evaluation or a save, with the
               number of the step behind it: `v5-200`
        at     end, evaluate, save, or several of them

        Items and text queries are embedded as the command `embed` does it, by a copy of the model
        in another process; each version keeps its copy, which embeds what is typed. What goes wrong
        is a Python warning and ends no training. Needs transformers.
        """
        events = (at,) if isinstance(at, str) else tuple(at)
        return training.trainer_callback(str(self.folder), name, events, note)

    def measure(
        self,
        metrics: str = "",
        versions: Sequence[str] | None = None,
        *,
        by_query: bool = False,
        **choices: Any,
    ) -> pd.DataFrame:
        """Means over the queries: run, metric, cutoff, mean, scored, total; or with `by_query` each
        query's value: run, query_id, metric, cutoff, value.

        metrics    as `nDCG@10 P@5`; empty: those of the protocol
        versions   None: all
        choices    protocol, groups, threshold, queries ("text", "item", "all"), min_similarity,
                   copies ("counted", "left_out"), labels ("given", "corrected"), scale, level: as
                   the command line's

        Equal to `python -m dashboard measure`.
        """
        experiment = self._experiment(**choices)
        names = tuple(dict.fromkeys(self._opened.versions if versions is None else versions))
        measured = measuring.measurements(experiment, names, metrics or experiment.rules.metrics)
        if by_query:
            return measured[["run", "query_id", "metric", "cutoff", "value"]].copy()
        return summarise(measured)

    def compare(
        self,
        baseline: str,
        candidate: str,
        metrics: str = "",
        *,
        anyway: bool = False,
        **choices: Any,
    ) -> pd.DataFrame:
        """A row a metric: both means, their difference with its interval and test, and counts.

        anyway: also versions that were made for another gallery, or have other vectors than on
        record; else ValueError. choices: as of `measure`. Equal to `python -m dashboard compare`.
        """
        experiment = self._experiment(**choices)
        ways = ranking.unlike(experiment, baseline, candidate)
        if ways and not anyway:
            raise ValueError(f"{'; '.join(ways)}. To compare them all the same, add anyway=True")
        measured = measuring.measurements(
            experiment, (baseline, candidate), metrics or experiment.rules.metrics
        )
        groups = measuring.scenes_of(experiment)
        return comparing.compare(measured, baseline, candidate, groups=groups)

    def verdict(
        self,
        baseline: str,
        candidate: str,
        metric: str = "",
        *,
        metrics: str = "",
        anyway: bool = False,
        **choices: Any,
    ) -> Verdict:
        """What the comparison says of one metric, by default of the protocol's first.

        metrics: all that are compared, over which p is corrected; empty: those of the protocol.
        """
        rules = self._experiment(**choices).rules
        metrics = metrics or rules.metrics
        measure = parse(metric)[0] if metric else rules.front
        if measure not in parse(metrics):
            metrics = f"{metrics} {measure}"
        table = self.compare(baseline, candidate, metrics, anyway=anyway, **choices)
        cutoffs = table["cutoff"].fillna(-1)
        cutoff = -1 if measure.cutoff is None else measure.cutoff
        row = table[(table["metric"] == measure.name) & (cutoffs == cutoff)].iloc[0]
        p = row.get("p_holm", row["p"])
        clear = bool(pd.notna(p) and p < verdicts.SIGNIFICANT)
        return Verdict(
            metric=str(measure),
            delta=_number(row["delta"]),
            low=_number(row["low"]),
            high=_number(row["high"]),
            p=_number(p),
            clear=clear,
            better=clear and bool(row["delta"] > 0),
            scored=int(row["scored"]),
            total=int(row["total"]),
            sentence=verdicts.verdict(row, baseline, candidate),
        )

    def _experiment(
        self,
        *,
        protocol: str = "",
        groups: Sequence[str] | None = None,
        threshold: float | None = None,
        queries: Literal["text", "item", "all"] | None = None,
        min_similarity: float | None = None,
        copies: str = "counted",
        labels: str = GIVEN,
        scale: float | None = None,
        level: float | None = None,
    ) -> Experiment:
        collection = self._opened
        name = protocol or collection.protocols[0]
        if name not in PROTOCOLS:
            raise ValueError(f"no protocol {name!r}; there are {', '.join(PROTOCOLS)}")
        collection.check_evidence()
        return Experiment.of(
            collection,
            protocol=name,
            groups=groups_named(collection, groups),
            mapping_threshold=collection.mapping_threshold if threshold is None else threshold,
            queries=queries or usual_queries(collection),
            min_similarity=NO_CUT if min_similarity is None else min_similarity,
            copies=copies,
            labels=labels,
            scale=scale,
            level=level,
        )


def _warned(table: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """The table, after a Python warning for each thing that was left out."""
    for sentence in findings.sentences("warning"):
        warnings.warn(sentence, stacklevel=3)
    return table


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)
