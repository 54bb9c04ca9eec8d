"""The protocols: one entry each, by the name that links and the command line use."""

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

__all__ = ["PROTOCOLS", "Evidence", "Judgement", "Protocol"]
