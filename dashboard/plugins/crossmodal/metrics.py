"""R@K of both directions, their sum and mean, ranks of the first answer, and AP of R places."""

from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.metrics import metric
from dashboard.evaluation.ranking_metrics import compute_average_precision, compute_success
from dashboard.tables import FloatArray

RECALLS = (1, 5, 10)
WAYS = (("i2t", "pictures", "one of their texts"), ("t2i", "texts", "their picture"))
"""Direction, what asks and what is found."""
SOURCE = "VSE++ (Faghri et al., BMVC 2018)"
RANKS = "Med r and Mean r of VSE++ (Faghri et al., BMVC 2018)"


def compute_first_rank(block: Block, k: Cut) -> Sum:
    """Compute the rank of the first hit; 0 for none, which the protocol decides about."""
    return block.sum(block.find_first_hits() * block.rank)


for _way, _asking, _found in WAYS:
    metric(
        f"{_way}_R",
        formula=f"{_asking} with {_found} in the first K ÷ {_asking}",
        source=SOURCE,
        cutoff="required",
    )(compute_success)
    for _name, _average in (("MnR", "mean"), ("MdR", "median")):
        metric(
            f"{_way}_{_name}",
            formula=f"{_average} over {_asking} of the first rank of {_found}; of five folds, the "
            f"mean of their {_average}s; lower is better",
            source=RANKS,
            cutoff="never",
            lower_is_better=True,
            is_median=_average == "median",
        )(compute_first_rank)


@metric(
    "Rsum",
    formula="R@1 + R@5 + R@10 in both directions, of 6 (the source has per cent, of 600)",
    source=SOURCE,
    cutoff="never",
    depth=10,
)
def compute_recall_sum(block: Block, k: Cut) -> FloatArray:
    """Compute R@1 + R@5 + R@10 of one direction; the protocol adds the other."""
    one, five, ten = (compute_success(block, each) for each in RECALLS)
    return one + five + ten


@metric("mR", formula="Rsum ÷ 6", source=SOURCE, cutoff="never", depth=10)
def compute_mean_recall(block: Block, k: Cut) -> FloatArray:
    """Compute the mean of R@1, R@5 and R@10; the protocol takes both directions."""
    return compute_recall_sum(block, None) / len(RECALLS)


@metric(
    "AP(R)",
    formula="Σ over hits in the first R of (hits up to rank k ÷ k) ÷ R",
    source="mAP@R of ECCV Caption (Chun et al., ECCV 2022)",
    cutoff="never",
    other_names=("mAP_R",),
)
def compute_ap_of_first_places(block: Block, k: Cut) -> Sum:
    """Compute the mean of hits ÷ rank over R places, 0 for relevant items behind them."""
    inside = block.hit & (block.rank <= block.relevant[block.row])
    return compute_average_precision(block._replace(hit=inside), None)
