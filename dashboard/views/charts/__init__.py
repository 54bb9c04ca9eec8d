"""Tables become charts: each function takes a table and gives an alt.Chart; imports no Streamlit.

Names from data never become field names or expressions: every chart gets columns with names of our
own and carries the data's words as values only.
"""

import altair as alt

from dashboard.views.charts.changes import differences, forest, pairs, slice_intervals
from dashboard.views.charts.colours import (
    BETTER,
    LEGEND,
    SAME,
    SMALL_SLICE,
    WORSE,
    Way,
    colours_again,
    version_ways,
)
from dashboard.views.charts.versions import FEW, curves, keyword_bars, slice_grid

__all__ = [
    "BETTER",
    "FEW",
    "LEGEND",
    "SAME",
    "SMALL_SLICE",
    "WORSE",
    "Way",
    "colours_again",
    "curves",
    "differences",
    "forest",
    "keyword_bars",
    "pairs",
    "slice_grid",
    "slice_intervals",
    "version_ways",
]

# A chart says its own size, and holds its rows, however many: settings of the whole process, made
# once, as two pages may draw at the same time.
alt.theme.enable("none")
alt.data_transformers.disable_max_rows()
