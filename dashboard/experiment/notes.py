"""The notes beside numbers: rankings that are cut, queries that did not run, how it was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dashboard.evaluation.coverage import is_silent, not_run_said, outside, outside_said
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import Measure
from dashboard.evaluation.protocols import Protocol, trec
from dashboard.evaluation.protocols.protocol import NO_RELEVANT
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import queries
from dashboard.experiment.ranking import has_index, index_sentence, outline, service_sentence
from dashboard.tables import Findings, counted, listed


def note_versions(experiment: Experiment, versions: Iterable[str], findings: Findings) -> list[str]:
    """Note versions whose lists end early, hold unknown items, or lack some of the queries.

    Returns the versions that ran none of the queries. Raises DataError as `ranking.run`.
    """
    runs = {version: outline(experiment, version) for version in versions}
    for version, run in runs.items():
        if has_index(experiment, version):
            findings.note(version, index_sentence(experiment, version), "")
        elif run.attrs.get("cut"):
            found = f"more results than fit in memory; lists end at rank {run.attrs['cut']:,}"
            findings.note(version, found, "whole rankings; metrics without a cutoff end there, too")
        if sentence := service_sentence(experiment, version):
            findings.note(version, sentence, "")
    beyond = outside(runs, experiment.collection.items["item_id"])
    condensed = experiment.rules.condensed
    for version, sentence in outside_said(beyond, condensed=condensed).items():
        findings.warning(version, sentence, "")
    asked = queries(experiment)["query_id"].tolist()
    for version, sentence in not_run_said(runs, asked).items():
        findings.warning(version, sentence, "")
    return [version for version, run in runs.items() if is_silent(run, asked)]


def note_judgement(
    protocol: Protocol, judgement: Judgement, measures: Sequence[Measure], findings: Findings
) -> None:
    """Add the judgement's own notes, why no query has a value where none has, and that metrics
    ignore the size of grades where they do."""
    for sentence in judgement.notes:
        findings.note("judgements", sentence.rstrip("."), "")
    without = Counter(judgement.unscorable.values())
    if without.total() == len(judgement.query_ids):
        why = "; ".join(
            f"{counted(n, 'query', 'queries')}: {reason}" for reason, n in without.items()
        )
        if protocol.of_keywords and NO_RELEVANT in without:
            why += "; fewer groups of keywords make more relevant"
        findings.warning("judgements", f"no query has a value ({why})", "")
    graded = [str(each) for each in measures if each.metric.reads == "credit"]
    plain = protocol.name == trec.TREC.name and judgement.credit_is_hit
    highest = judgement.grade.max(initial=0) if graded and plain else 0
    if highest > 1:
        found = f"grades up to {highest:g} for {listed(graded)}"
        least = f"{judgement.relevant_from:g}"
        wanted = f"--scale N to give grade ÷ N; every grade from {least} counts as 1"
        findings.note("judgements", found, wanted)
