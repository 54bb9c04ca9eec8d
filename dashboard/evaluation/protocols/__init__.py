"""The protocols: one file with one entry each, by the name that links and the command line use.

Every file of this folder is read, so a protocol is added by writing a file that holds a `Protocol`.

protocol.py      what a protocol is, and the steps that several of them share
alfa.py, composed.py, context.py, crossmodal.py, hashing.py, trec.py  one protocol each
keyword_judgement.py  what alfa judges, in bits: its table would have all pairs of query and item
amended_judgement.py  the same with corrections of single pairs, which it looks up first
ticks.py         required keywords × item keywords → ticks, crosses, "2 of 3"
class_labels.py  types of pairs from the labels of queries and items
"""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol as Shape

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.protocol import Evidence, Protocol

PROTOCOLS: dict[str, Protocol] = {
    entry.name: entry
    for module in iter_modules(__path__)
    for entry in vars(import_module(f"{__name__}.{module.name}")).values()
    if isinstance(entry, Protocol)
}


class HasCutoffs(Shape):
    """What is needed of a collection."""

    def cutoffs_of(self, protocol: str) -> Sequence[int]: ...


def protocol_of(collection: HasCutoffs, name: str) -> Protocol:
    """A protocol at the cutoffs that a collection has for it."""
    return PROTOCOLS[name].at(collection.cutoffs_of(name))


__all__ = ["PROTOCOLS", "Evidence", "HasCutoffs", "Judgement", "Protocol", "protocol_of"]
