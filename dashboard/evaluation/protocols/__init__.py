"""The protocols: one entry each, by the name that links and the command line use."""

from collections.abc import Sequence
from typing import Protocol as Shape

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.alfa import ALFA
from dashboard.evaluation.protocols.composed import COMPOSED
from dashboard.evaluation.protocols.context import CONTEXT
from dashboard.evaluation.protocols.crossmodal import CROSSMODAL
from dashboard.evaluation.protocols.hashing import HASHING
from dashboard.evaluation.protocols.protocol import Evidence, Protocol
from dashboard.evaluation.protocols.trec import TREC

PROTOCOLS: dict[str, Protocol] = {
    p.name: p for p in (ALFA, COMPOSED, CROSSMODAL, HASHING, CONTEXT, TREC)
}


class HasCutoffs(Shape):
    """What is needed of a collection."""

    def cutoffs_of(self, protocol: str) -> Sequence[int]: ...


def protocol_of(collection: HasCutoffs, name: str) -> Protocol:
    """A protocol at the cutoffs that a collection has for it."""
    return PROTOCOLS[name].at(collection.cutoffs_of(name))


__all__ = ["PROTOCOLS", "Evidence", "HasCutoffs", "Judgement", "Protocol", "protocol_of"]
