"""What numbers do not show, said once where several protocols are blind to the same."""

from __future__ import annotations

CEILING = (
    "P@K (hits ÷ K) cannot reach 1 where fewer than K items are relevant: its ceiling is "
    "min(K, R) ÷ K, so that 0.4 may be perfect. The ceiling stands beside it."
)
RECALL = (
    "R@K (hits ÷ R) cannot reach 1 where more than K items are relevant: its ceiling is "
    "min(K, R) ÷ R."
)
TIES = (
    "Equal scores stand in the order of the gallery, by decree. A collapsed model, to which all "
    "items are alike, gets the value of that order, which says nothing about it."
)
RETRIEVED = (
    "AP divided by the hits found rewards early truncation: relevant items at ranks 1, 3 and 5 "
    "give 1 at K = 1 but 0.756 at K = 5, though more was found."
)
