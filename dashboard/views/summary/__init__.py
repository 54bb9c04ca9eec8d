"""What the numbers of a view say: `measurements` computes them, the others draw them."""

from dashboard.views.summary.about import (
    collection_line,
    identities,
    notes,
    problems,
    say_faulty_versions,
)
from dashboard.views.summary.corrected_labels import what_corrections_change
from dashboard.views.summary.differences import (
    SLICE_COLUMNS,
    SLICES_WRITTEN,
    by_signs,
    comparable,
    composed,
    nothing_scored,
    pick_query,
    readable_slices,
    same_version,
    verdict,
)
from dashboard.views.summary.downloads import REPORT, report_link, routes, save_queries
from dashboard.views.summary.explanation import explained
from dashboard.views.summary.index_cost import index_cost, index_notes
from dashboard.views.summary.leaderboard import (
    every_pair,
    order,
    versions_by_metrics,
    without_unlike,
)
from dashboard.views.summary.measurements import (
    by_keyword,
    chosen,
    comparison,
    deltas,
    groups_of,
    in_front,
    keywords_in_words,
    measure_together,
    metrics_in_view,
    over_k,
    selected,
    values,
)
from dashboard.views.summary.protocol import how_judged, judged_how, labels_line, no_items, not_run
from dashboard.views.summary.query import head_of, values_table
from dashboard.views.summary.sharing import (
    Preview,
    as_markdown,
    copy_as_markdown,
    copy_link,
    preview_of,
)
from dashboard.views.summary.verdict_causes import verdicts_by_cause

__all__ = [
    "Preview",
    "REPORT",
    "as_markdown",
    "copy_as_markdown",
    "copy_link",
    "SLICES_WRITTEN",
    "SLICE_COLUMNS",
    "by_keyword",
    "by_signs",
    "chosen",
    "collection_line",
    "comparable",
    "composed",
    "comparison",
    "deltas",
    "notes",
    "nothing_scored",
    "preview_of",
    "problems",
    "selected",
    "every_pair",
    "explained",
    "groups_of",
    "keywords_in_words",
    "head_of",
    "how_judged",
    "identities",
    "in_front",
    "index_cost",
    "index_notes",
    "judged_how",
    "labels_line",
    "measure_together",
    "metrics_in_view",
    "no_items",
    "not_run",
    "order",
    "over_k",
    "pick_query",
    "readable_slices",
    "same_version",
    "report_link",
    "routes",
    "save_queries",
    "say_faulty_versions",
    "values",
    "values_table",
    "verdict",
    "verdicts_by_cause",
    "versions_by_metrics",
    "what_corrections_change",
    "without_unlike",
]
