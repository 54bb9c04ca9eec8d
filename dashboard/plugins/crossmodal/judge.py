"""The protocol: what each query searches, its fold, and values of one direction and of both.

Its metrics are R@K of both directions, their sum and mean, ranks of the first answer, and AP of R
places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.errors import DataError, list_names
from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.judgement import JudgingRules, TableJudgement, find_relevant, judge_table
from dashboard.evaluation.metrics import Measure, metric, parse
from dashboard.evaluation.ranking_metrics import compute_average_precision, compute_success
from dashboard.plugins.crossmodal.choices import FOLD, FOLDS
from dashboard.plugins.crossmodal.sides import Sides, name_pictures
from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import BoolArray, FloatArray, IntArray, Table
from dashboard.texts import count_things

IS_TEXT = {"i2t": False, "t2i": True}
"""Whether the queries of a metric's direction are texts."""
DIVISORS = {"Rsum": 1, "mR": 2}
"""Metrics of both directions, and what the sum of the directions is divided by."""
RANKS = {"MnR": "mean", "MdR": "median"}
"""Metrics of the first rank, and what they are of the queries of a fold."""
RECALLS = (1, 5, 10)
WAYS = (("i2t", "pictures", "one of their texts"), ("t2i", "texts", "their picture"))
"""Direction, what asks and what is found."""
SOURCE = "VSE++ (Faghri et al., BMVC 2018)"


@dataclass(frozen=True, eq=False, kw_only=True)
class MatchingJudgement(TableJudgement):
    """Pairs that belong together, and what each query searches.

    Attributes:
        galleries: Items that each query searches, -1 for those outside the collection; None: all.
        folds: Fold of each query, 0 for all in the test of the whole gallery, -1 for none.
    """

    galleries: Sequence[IntArray | None]
    folds: IntArray

    def count_searched(self, query: int) -> int:
        """Return the number of items that a query searches."""
        gallery = self.galleries[query]
        return self.items if gallery is None else int((gallery >= 0).sum())


def judge(collection: Collection, choices: Choices) -> MatchingJudgement:
    """Judge by the pairs that belong together; every other result is a miss.

    In a test of folds a picture is in the fold of its place among the picture queries, a text in
    that of its picture. A query in no fold is not scorable.

    Raises:
        DataError: If the test has folds and a text belongs to several pictures.
    """
    made = judge_table(collection)
    sides: Sides = collection.tables["crossmodal"]
    searched = sides.list_searched(collection)
    galleries = [sides.members.get(side) for side in searched]
    reasons = dict(made.unscorable)
    folds = np.zeros(len(searched), int)
    if choices["test"] in FOLDS:
        is_text, own = sides.list_texts(collection), collection.own_items
        pictures = np.flatnonzero(~is_text & (own >= 0))[: FOLDS[choices["test"]] * FOLD]
        of_item = np.full(len(collection.items) + 1, -1)  # the last one: of no item
        folds = np.full(len(own), -1)
        folds[pictures] = np.arange(len(pictures)) // FOLD
        of_item[own[pictures]] = folds[pictures]
        for picture in pictures.tolist():
            texts = find_relevant(made, picture)
            _refuse_shared(collection.items, texts[of_item[texts] >= 0].tolist())
            of_item[texts] = folds[picture]
        for text in np.flatnonzero(is_text).tolist():
            found = find_relevant(made, text)
            _refuse_shared(collection.queries, [text] * len(found[1:]))
            folds[text] = of_item[found[0]] if len(found) else -1
        keys = list(zip(folds.tolist(), searched, strict=True))
        parts = {
            (fold, side): members[of_item[members] == fold]
            for fold, side in set(keys)
            for members in [sides.members.get(side, np.arange(made.items))]
        }
        reasons |= dict.fromkeys(np.flatnonzero(folds < 0).tolist(), "outside the test")
        galleries = [parts[key] for key in keys]
    return MatchingJudgement(
        made.items, made.pairs, unscorable=reasons, galleries=galleries, folds=folds
    )


def _refuse_shared(table: Table, places: Sequence[int]) -> None:
    """Raise DataError if there is a text of several pictures."""
    if places:
        raise DataError(
            "qrels",
            f"the text {table.ids[places[0]]!r} of several pictures",
            "texts of one picture each, for tests of folds",
            do="Choose test = whole (--test whole).",
        )


def find_asked(study: Study, measure: Measure) -> BoolArray:
    """Return whether each query can have a value: of both directions, pictures have it."""
    direction = measure.name.partition("_")[0]
    is_asked = list_texts(study) == IS_TEXT.get(direction, False)
    return np.asarray(is_asked | (direction not in {*IS_TEXT, *DIVISORS}))


def finish(study: Study, measure: Measure, values: FloatArray) -> FloatArray:
    """Keep the queries of a metric's direction; add both directions of Rsum and mR.

    The mean of all queries is that of the means of folds; a slice has the mean of its queries.

    The value of a picture is its own and, for each of its texts, pictures ÷ texts times theirs: the
    mean over pictures is then the sum of the six means. Null for all pictures where the picture of
    any scored text has no value.
    """
    is_text, (direction, _, name) = list_texts(study), measure.name.partition("_")
    if direction in IS_TEXT:
        values = np.where(is_text == IS_TEXT[direction], values, np.nan)
    elif measure.name not in DIVISORS:
        return values
    if name in RANKS:
        values = _finish_ranks(study, name, values)
    if not measure.metric.is_median:
        # folds have the same weight, for pictures and for texts, however many texts they have
        folds = list_folds(study)
        for side in (is_text, ~is_text):
            mine = side & ~np.isnan(values)
            sizes = np.bincount(folds[mine])
            values[mine] *= mine.sum() / (np.count_nonzero(sizes) * sizes[folds[mine]])
    if name:
        return values
    texts = is_text & ~np.isnan(values)
    scored = ~is_text & ~np.isnan(values)
    own = np.where(is_text, -1, study.collection.own_items[study.queries])
    place = {item: at for at, item in enumerate(own.tolist()) if item >= 0}
    asking = study.queries[texts].tolist()
    found = (find_relevant(study.judgement, query).tolist() for query in asking)
    picture = np.array([next((place[i] for i in each if i in place), -1) for each in found], int)
    if not len(picture) or not ((picture >= 0) & scored[picture]).all():
        return np.full(len(values), np.nan)
    from_texts = np.bincount(picture, values[texts], minlength=len(values))
    values = np.where(scored, values + scored.sum() / len(picture) * from_texts, np.nan)
    return values / DIVISORS[measure.name]


def _finish_ranks(study: Study, name: str, values: FloatArray) -> FloatArray:
    """Decide about queries whose list holds none of what belongs to them; their value is 0.

    The mean rank is not known, null for all; in the median they are the last of their gallery, and
    it is null for all where half of the queries of a fold or more are so.
    """
    is_lost = values == 0
    folds = list_folds(study)
    lost = np.bincount(folds[is_lost])
    scored = np.bincount(folds[~np.isnan(values)])
    if is_lost.any() and (name == "MnR" or (2 * lost >= scored[: len(lost)])[lost > 0].any()):
        return np.full(len(values), np.nan)
    made = read_judgement(study)
    values[is_lost] = [made.count_searched(query) for query in study.queries[is_lost]]
    return values


def read_judgement(study: Study) -> MatchingJudgement:
    """Return the judgement of a study by this protocol."""
    assert isinstance(study.judgement, MatchingJudgement)
    return study.judgement


def list_folds(study: Study) -> IntArray:
    """Return the fold of each query in question, 0 for none and in a slice, which has no folds."""
    return np.maximum(read_judgement(study).folds[study.queries], 0) * (not study.choices["slice"])


def list_texts(study: Study) -> BoolArray:
    """Return True for each query in question that is a text."""
    sides: Sides = study.collection.tables["crossmodal"]
    return sides.list_texts(study.collection)[study.queries]


def name_sure_recalls(study: Study, metrics: str) -> str:
    """Return which recalls are 1 if a version finds all, as all that is searched is in K."""
    made, told = read_judgement(study), []
    measures, noun = parse(metrics), name_pictures(study.collection)
    added = RECALLS if any(each.name in DIVISORS for each in measures) else ()
    for way, is_text in IS_TEXT.items():
        cutoffs = {*added, *(each.cutoff or 0 for each in measures if each.name == f"{way}_R")}
        asking = study.queries[list_texts(study) == is_text].tolist() if cutoffs else []
        most = max(map(made.count_searched, asking), default=0)
        if most and (sure := [f"{way}_R@{k}" for k in sorted(cutoffs) if k >= most]):
            asks, found = ("text", noun) if is_text else (noun, "text")
            told.append(f"{list_names(sure)}, as a {asks} searches {count_things(most, found)}")
    return f"1 for a version that finds all: {'; '.join(told)}" if told else ""


def pick_headline(study: Study, measures: Sequence[Measure]) -> str:
    """Return the first recall of texts, or of pictures if no text asks, else the first metric."""
    way = "t2i_R" if list_texts(study).any() else "i2t_R"
    return str(min(measures, key=lambda each: each.name != way))


CROSSMODAL = JudgingRules(
    name="crossmodal",
    title="Image-text matching, any match",
    judge=judge,
    metrics="i2t_R@1 i2t_R@5 i2t_R@10 t2i_R@1 t2i_R@5 t2i_R@10 Rsum mR "
    "i2t_MdR i2t_MnR t2i_MdR t2i_MnR",
    headline=pick_headline,
    nothing_relevant="null",
    definition="A picture or clip asks for its texts (i2t), a text for its picture or clip (t2i). "
    "A query is answered when anything that belongs to it is in the first K. What is not said to "
    "belong together is wrong. Rsum and mR of a picture include what its texts find, so that their "
    "mean is that of the six.",
    source="VSE++ (Faghri et al., BMVC 2018): R@K on Flickr30k and COCO",
    blind="One of five texts is as good as all five, and rank 11 as bad as the last. A text that "
    "fits another picture as well counts as wrong there. Galleries of different size cannot be "
    "compared.",
    queries="all",
    is_complete=True,
    candidates=lambda collection, judgement, query: judgement.galleries[query],
    finish=finish,
    asks=find_asked,
    folds=list_folds,
    doubt=name_sure_recalls,
)


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
    for _name, _average in RANKS.items():
        metric(
            f"{_way}_{_name}",
            formula=f"{_average} over {_asking} of the first rank of {_found}; of five folds, the "
            f"mean of their {_average}s; lower is better",
            source=f"Med r and Mean r of {SOURCE}",
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
