"""Names of metrics: what is accepted, what is printed, and what an unknown one is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.evaluation.metrics import REGISTRY, parse

CANONICAL = [
    "P@5",
    "R",
    "Success@1",
    "AP",
    "AP(retrieved)@100",
    "AP(min)@10",
    "AP(annotated)",
    "Rprec",
    "RR",
    "nDCG@10",
    "nDCG(exp)@10",
    "nDCG(ideal=retrieved)",
    "nDCG(exp,ideal=retrieved)@5",
    "DCG",
    "DCG(credit,per=image)",
    "CG@3",
    "AVG(rows=5)",
    "MAX",
    "RBP(0.95)",
    "RBP(0.8)@10",
    "ERR@20",
    "ERR(exp)@20",
    "Judged@5",
    "CAG(DCG)",
    "CAG(RBP(0.95))",
    "CAG(RBP(0.8),w=3,divide=w,per=list)@20",
    "CAG(AVG(rows=5),w=3)",
    "CAG(ERR)@5",
    "CAG(MAX)",
]


@pytest.mark.parametrize("name", CANONICAL)
def test_canonical_names_are_printed_as_they_are_written(name):
    assert [str(m) for m in parse(name)] == [name]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("hits_over_k@5", "P@5"),
        ("HITS_OVER_RELEVANT@5", "R@5"),
        ("hit_any@1", "Success@1"),
        ("ndcg@10", "nDCG@10"),
        ("AP(relevant)", "AP"),
        ("AP(divisor=min)@3", "AP(min)@3"),
        ("RBP", "RBP(0.95)"),
        ("RBP(p=.80)@10", "RBP(0.8)@10"),
        ("nDCG(ideal=retrieved,gain=exp)", "nDCG(exp,ideal=retrieved)"),
        ("CAG(DCG,w=10,divide=window,per=image)@50", "CAG(DCG)@50"),
        ("CAG(DCG, w=3)@50", "CAG(DCG,w=3)@50"),
        ("CAG(RBP,w=10)", "CAG(RBP(0.95))"),
        ("cag(rbp(0.95),p=0.9)", None),
        ("CAG(RBP,p=0.9)", "CAG(RBP(0.9))"),
    ],
)
def test_other_spellings_print_canonically(written, printed):
    if printed is None:
        with pytest.raises(ValueError, match="p is given twice"):
            parse(written)
    else:
        assert [str(m) for m in parse(written)] == [printed]


def test_a_list_of_names_is_cut_at_spaces_and_commas_and_keeps_each_once():
    assert [str(m) for m in parse(" P@5, P@5 nDCG@10\nCAG(DCG, w=3)@2 P@3 hits_over_k@3")] == [
        "P@5",
        "nDCG@10",
        "CAG(DCG,w=3)@2",
        "P@3",
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("nDGC@10", "nDCG"),
        ("Precison@5", "There is no metric 'Precison'"),
        ("Recall@5", "P for hits ÷ K .* R for hits ÷ relevant"),
        ("CAG(DGC)@5", r"CAG\(DCG\)"),
        ("CAG", r"CAG\("),
        ("P", "P@5"),
        ("Rprec@5", "takes no cutoff"),
        ("P@0", "whole number of at least 1"),
        ("P@-3", "whole number of at least 1"),
        ("P@1.5", "whole number of at least 1"),
        ("P@1000000000", "at most 999,999,999, as in P@5"),
        ("P@", "whole number of at least 1"),
        ("nDCG(idael=retrieved)@5", "ideal"),
        ("nDCG(ideal=best)", "judged or retrieved"),
        ("AP(recieved)", "relevant or retrieved or min or annotated"),
        ("AP(min,max)", "has no setting 'max'"),
        ("RBP(1.5)", "from 0 to 1"),
        ("RBP(nan)", "from 0 to 1"),
        ("CAG(DCG,w=0)", "from 1 to"),
        ("CAG(DCG,w=2.5)", "whole number"),
        ("P(5", "bracket"),
        ("P)5(@3", "bracket"),
        ("", "P@5 AP nDCG@10"),
        ("@5", "not a metric's name"),
        ("P@5;DROP", "whole number"),
    ],
)
def test_an_unknown_name_or_setting_is_told_what_there_is(wrong, said):
    with pytest.raises(ValueError, match=said):
        parse(wrong)


@st.composite
def spellings(draw):
    """Any metric with any settings, written in any order, with or without the settings' names."""
    entry = REGISTRY[draw(st.sampled_from(sorted(REGISTRY)))]
    written = []
    for setting in draw(st.permutations(entry.settings)):
        if not draw(st.booleans()):
            continue
        if setting.choices:
            value = draw(st.sampled_from(setting.choices))
        elif setting.whole:
            value = draw(st.integers(int(setting.low), int(min(setting.high, 50))))
        else:
            value = draw(st.floats(setting.low, setting.high).map(lambda p: round(p, 3)))
        written.append(f"{setting.name}={value}")
    head, _, inner = entry.name.removesuffix(")").partition("(")
    call = f"{head}({','.join([inner, *written] if inner else written)})"
    cutoff = draw(st.integers(1, 1000)) if entry.cutoff != "never" else None
    if entry.cutoff == "optional" and draw(st.booleans()):
        cutoff = None
    return call if cutoff is None else f"{call}@{cutoff}"


@given(spellings())
def test_printing_and_parsing_lead_back_to_the_same_measure(written):
    (measure,) = parse(written)
    assert parse(str(measure)) == [measure]
    assert str(parse(str(measure))[0]) == str(measure)
    assert str(measure).startswith(measure.name)


@given(st.text(max_size=30))
def test_any_text_is_a_list_of_metrics_or_a_sentence(text):
    try:
        parse(text)
    except ValueError as error:
        assert str(error).endswith(".") or "Known:" in str(error)


def test_a_name_is_read_once_and_a_wrong_one_refused_each_time():
    assert parse("nDCG(exp)@10")[0] is parse("nDCG(exp)@10")[0]
    for _ in range(2):
        with pytest.raises(ValueError, match="There is no metric 'nDGC'"):
            parse("nDGC@10")
