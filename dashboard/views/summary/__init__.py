"""What the numbers of a view say: `measured` finds them, the others show them."""

from dashboard.views.summary.about import collection_line, identities, notes, problems
from dashboard.views.summary.ahead import measure_ahead
from dashboard.views.summary.asking import judged_how, no_items, not_run
from dashboard.views.summary.explained import explained
from dashboard.views.summary.handover import hand_over
from dashboard.views.summary.judging import how_judged
from dashboard.views.summary.measured import (
    by_keyword,
    chosen,
    comparison,
    deltas,
    groups_of,
    in_front,
    metrics_in_view,
    over_k,
    selected,
    values,
)
from dashboard.views.summary.shown import (
    SLICE_COLUMNS,
    SLICES_WRITTEN,
    by_signs,
    comparable,
    describe,
    pick_query,
    readable_slices,
    values_table,
    verdict,
)
from dashboard.views.summary.standing import (
    every_pair,
    order,
    versions_by_metrics,
    without_unlike,
)

__all__ = [
    "SLICES_WRITTEN",
    "SLICE_COLUMNS",
    "by_keyword",
    "by_signs",
    "chosen",
    "collection_line",
    "comparable",
    "comparison",
    "deltas",
    "describe",
    "notes",
    "problems",
    "selected",
    "every_pair",
    "explained",
    "groups_of",
    "hand_over",
    "how_judged",
    "identities",
    "in_front",
    "judged_how",
    "measure_ahead",
    "metrics_in_view",
    "no_items",
    "not_run",
    "order",
    "over_k",
    "pick_query",
    "readable_slices",
    "values",
    "values_table",
    "verdict",
    "versions_by_metrics",
    "without_unlike",
]
