"""Computes beforehand what screens show first of a collection, into the cache folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from dashboard.evaluation.comparison.slices import SMALL_SLICE
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS, protocol_of
from dashboard.experiment import lasting, measuring, ranking
from dashboard.experiment.collection.collections import Collection, usual_queries
from dashboard.experiment.experiment import Experiment

CURVE = range(1, 11)
"""The cutoffs of the curve over K."""
COMPUTED, THERE, UNWRITTEN = "computed", "there already", "computed, not written"


@dataclass(frozen=True)
class Step:
    """One result, or a few that belong together: under which protocol, what, and how."""

    protocol: str
    what: str
    compute: Callable[[], object]

    def run(self) -> str:
        """Compute it unless it is there; returns what was done. Raises DataError."""
        before = lasting.counted()
        self.compute()
        written, failed = (now - then for now, then in zip(lasting.counted(), before, strict=True))
        return UNWRITTEN if failed else COMPUTED if written else THERE


def steps(collection: Collection) -> Iterator[Step]:
    """All steps for a collection, the dearest first, with the choices that screens open with."""
    for protocol in dict.fromkeys(collection.protocols):
        if protocol in PROTOCOLS and collection.versions:
            yield from _of_protocol(collection, protocol)


def curve(metric: str) -> str:
    """The metrics of the curve over K of the metric in front: those of P where it has no cutoff."""
    front = parse(metric)[0]
    name = parse("P@5")[0].name if front.metric.cutoff == "never" else front.name
    return " ".join(f"{name}@{k}" for k in CURVE)


def metrics_of(collection: Collection, protocol: str, front: str | None) -> list[str]:
    """The metrics that a protocol shows, and the one in front if it is another."""
    usual = [str(measure) for measure in parse(protocol_of(collection, protocol).metrics)]
    return [*usual, front] if front is not None and front not in usual else usual


def first_measured(collection: Collection, protocol: str, front: str) -> str:
    """All metrics that the Overview draws: measured together, rankings are searched once."""
    every = [*metrics_of(collection, protocol, front), *curve(front).split()]
    return " ".join(dict.fromkeys(str(measure) for measure in parse(" ".join(every))))


def _of_protocol(collection: Collection, protocol: str) -> Iterator[Step]:
    experiment = Experiment.of(
        collection,
        protocol=protocol,
        groups=collection.default_groups,
        mapping_threshold=collection.mapping_threshold,
        queries=usual_queries(collection),
    )
    versions = collection.versions
    front = str(protocol_of(collection, protocol).front)
    metrics = " ".join(metrics_of(collection, protocol, front))
    for version in versions:
        every = first_measured(collection, protocol, front)
        measure = partial(measuring.measurements, experiment, (version,), every)
        yield Step(protocol, f"{version}: {_shortened(every)}", measure)
    for what, compute in _of_all(experiment, versions, metrics, front):
        yield Step(protocol, what, compute)
    base, candidate = collection.default_baseline, collection.default_candidate
    if base != candidate:
        for what, compute in _of_two(experiment, base, candidate, metrics, front):
            yield Step(protocol, what, compute)


def _of_all(
    experiment: Experiment, versions: tuple[str, ...], metrics: str, front: str
) -> Iterator[tuple[str, Callable[[], object]]]:
    of = (experiment, versions)
    yield "means over K", partial(measuring.means, *of, curve(front), None)
    yield "counts", partial(measuring.counts, *of, None)
    yield "ceilings", partial(measuring.ceilings, experiment, metrics, None)
    yield "results outside", partial(measuring.outside_sentences, *of, None)
    yield "queries not run", partial(measuring.not_run_sentences, *of, None)
    if any(not ranking.is_long(experiment, version) for version in versions):
        yield "where lists end", partial(ranking.ends, *of)
    if len(versions) > 1:
        yield "stability of the order", partial(measuring.stability, *of, front, None)
        yield "all pairs", partial(measuring.pairs, *of, front, None)


def _of_two(
    experiment: Experiment, base: str, candidate: str, metrics: str, front: str
) -> Iterator[tuple[str, Callable[[], object]]]:
    collection, two = experiment.collection, (base, candidate)
    versions = tuple(dict.fromkeys([*collection.versions, base, candidate]))
    others = tuple(
        each for each in versions if each != base and not ranking.unlike(experiment, base, each)
    )
    yield "comparison", partial(measuring.comparison, experiment, *two, metrics, None)
    yield "comparison with all", partial(measuring.against, experiment, base, others, metrics, None)
    lowest = partial(measuring.lowest_slice, experiment, *two, front, SMALL_SLICE)
    yield "slice with the lowest difference", lowest
    if two != collection.versions:
        yield "results outside, of two", partial(measuring.outside_sentences, experiment, two, None)
        yield "queries not run, of two", partial(measuring.not_run_sentences, experiment, two, None)
    for by in measuring.slices_of(collection):
        means = partial(measuring.slice_means, experiment, versions, base, front, by, None)
        yield f"slices by {by}", means


def _shortened(metrics: str) -> str:
    names = metrics.split()
    return metrics if len(names) < 3 else f"{names[0]} … {names[-1]}"
