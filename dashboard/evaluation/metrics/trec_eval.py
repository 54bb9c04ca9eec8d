"""trec_eval's names of metrics with a number in them, such as `ndcg_cut_10`, as ours."""

from __future__ import annotations

import re

CUT = {"P": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
SET = {"iprec_at_recall": "IPrec", "set_F": "set_F"}
_OURS = {name.lower(): ours for name, ours in (CUT | SET).items()}
_NAME = re.compile(rf"({'|'.join(_OURS)})[_.]([0-9.]+)", re.IGNORECASE)


def translated(word: str) -> str:
    """The word in our notation, if it is one of trec_eval's, as printed (`P_5`) or asked (`P.5`).

    >>> [translated(word) for word in ("ndcg_cut_10", "recall.100", "set_F_0.5", "AP", "P@5")]
    ['nDCG@10', 'R@100', 'set_F(0.5)', 'AP', 'P@5']
    """
    found = _NAME.fullmatch(word)
    if found is None:
        return word
    name, number = found[1].lower(), found[2]
    ours = _OURS[name]
    return f"{ours}@{number}" if ours in CUT.values() else f"{ours}({number})"
