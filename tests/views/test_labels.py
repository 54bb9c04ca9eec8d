"""A metric's label carries its cutoff and its formula, whoever names it."""

from types import SimpleNamespace

import pytest

from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.views.labels import label, short_label


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("names", ["source", "standard"])
def test_no_label_leaves_its_cutoff_or_formula_out(protocol, names):
    view = SimpleNamespace(protocol=protocol, names=names)
    for measure in parse(PROTOCOLS[protocol].metrics):
        text = label(view, str(measure))
        assert "(" in text
        assert "@K" not in text and "_K" not in text
        if measure.cutoff is not None:
            assert str(measure.cutoff) in short_label(view, str(measure))


def test_hits_over_k_is_never_a_bare_recall():
    source = SimpleNamespace(protocol="alfa", names="source")
    assert label(source, "P@5") == "Recall@5, ALFA 0.1 (hits ÷ 5; elsewhere: Precision@5)"
    standard = SimpleNamespace(protocol="alfa", names="standard")
    assert label(standard, "P@5") == "P@5 (hits in the first 5 ÷ 5)"
