"""What one call asks of the gate, and its answer."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.commands.gate.checks import Check, check_slices, check_whole
from dashboard.commands.gate.conditions import Condition, conditions, sliced
from dashboard.commands.gate.formats import junit, summary
from dashboard.commands.gate.known_queries import check_known_queries
from dashboard.commands.output import write_file
from dashboard.evaluation.comparison.compare import compare
from dashboard.evaluation.metrics.registry import Measure, parse
from dashboard.experiment import measuring, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.plain_files import KnownQueries, read_known_queries
from dashboard.experiment.reviews.reviewing import CauseCounts, verdicts_by_cause


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of the gate."""
    parser.add_argument("--fail-on", metavar='"nDCG@10<-0.01 P@5<0"', help="limits of differences")
    parser.add_argument("--slices", metavar="keyword,kind", help="the limits hold in each, too")
    parser.add_argument(
        "--known", type=Path, metavar="FILE", help="query_id, metric, least, status (good, fails)"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE.xml", help="the checks as JUnit XML")
    parser.add_argument("--summary", type=Path, metavar="FILE.md", help="the checks as Markdown")


@dataclass(frozen=True)
class Gate:
    """The conditions and known queries of a call, and the files for the outcome.

    shown: the measures of the table that `compare` prints.
    """

    limits: tuple[Condition, ...]
    known: KnownQueries | None
    shown: tuple[Measure, ...]
    slices: str
    junit: Path | None
    summary: Path | None
    anyway: bool

    @classmethod
    def of(cls, call: Namespace) -> Gate | None:
        """The gate of a call; None for a call without any of its options.

        Raises ValueError or DataError for conditions or a file that cannot be read.
        """
        if call.fail_on is None and call.known is None:
            for flag in ("slices", "junit", "summary"):
                if getattr(call, flag) is not None:
                    raise ValueError(f"--{flag} belongs to a gate: add --fail-on or --known")
            return None
        known = read_known_queries(call.known) if call.known else None
        given = conditions(call.fail_on) if call.fail_on is not None else []
        measures = [each.measure for each in given] or list(known.measures if known else ())
        shown = tuple(dict.fromkeys(parse(call.metrics) if call.metrics else measures))
        limits = given or [Condition(each, 0.0) for each in shown]
        return cls(
            tuple(limits), known, shown, call.slices, call.junit, call.summary, call.anyway
        )  # fmt: skip

    @property
    def metrics(self) -> str:
        """All metrics that have to be measured."""
        of_known = self.known.measures if self.known else ()
        every = [*self.shown, *(each.measure for each in self.limits), *of_known]
        return " ".join(dict.fromkeys(map(str, every)))

    def answer(
        self,
        measurements: pd.DataFrame,
        experiment: Experiment | None,
        baseline: str,
        candidate: str,
    ) -> tuple[pd.DataFrame, list[Check]]:
        """The table that `compare` prints, and the checks that break; writes the files.

        experiment: None for plain files.
        """
        scenes = measuring.scenes_of(experiment) if experiment else None
        table = compare(self._printed(measurements), baseline, candidate, groups=scenes)
        checks = self.checks(measurements, baseline, candidate, experiment)
        self._write(checks, table, f"{candidate} against {baseline}", experiment)
        return table, [each for each in checks if each.breaks]

    def _printed(self, measurements: pd.DataFrame) -> pd.DataFrame:
        pairs = [(each.name, each.cutoff or -1) for each in self.shown]
        cutoffs = measurements["cutoff"].fillna(-1)
        mine = [pair in pairs for pair in zip(measurements["metric"], cutoffs, strict=True)]
        return measurements[mine]

    def checks(
        self,
        measurements: pd.DataFrame,
        baseline: str,
        candidate: str,
        experiment: Experiment | None,
    ) -> list[Check]:
        """Every check, those of the versions first."""
        pair = (baseline, candidate)
        groups = measuring.scenes_of(experiment) if experiment else None
        checks = self._comparable(*pair, experiment)
        checks += check_whole(measurements, *pair, self.limits, groups)
        if self.slices is not None:
            if experiment is None:
                raise ValueError("--slices needs a COLLECTION: plain files do not tell of queries")
            slices = sliced(measuring.slices(experiment), self.slices)
            checks += check_slices(measurements, *pair, self.limits, slices, groups)
        if self.known:
            checks += check_known_queries(measurements, candidate, self.known)
        return checks

    def _comparable(
        self, baseline: str, candidate: str, experiment: Experiment | None
    ) -> list[Check]:
        """A failed check for each way in which the two versions are not comparable."""
        if experiment is None or self.anyway:
            return []
        return [
            Check("versions", "may be compared", "failed", f"{sentence}; or add --anyway")
            for sentence in ranking.unlike(experiment, baseline, candidate)
        ]

    def _write(
        self,
        checks: list[Check],
        comparison: pd.DataFrame,
        title: str,
        experiment: Experiment | None,
    ) -> None:
        if self.junit:
            write_file(self.junit, junit(checks, title))
        if self.summary:
            verdicts = None if experiment is None else self._verdicts(experiment)
            write_file(self.summary, summary(checks, comparison, title, verdicts))

    def _verdicts(self, experiment: Experiment) -> CauseCounts:
        """What reviewers say of the results: on all queries, and on the slices of the gate."""
        counts = verdicts_by_cause(experiment)
        kinds = {"all"}
        if self.slices is not None:
            kinds |= set(sliced(measuring.slices(experiment), self.slices)["by"])
        return counts._replace(table=counts.table[counts.table["by"].isin(kinds)])
