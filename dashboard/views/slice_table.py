"""Rows of the charts and tables of the screen Slices."""

from dashboard.evaluation.differences import SIGNIFICANT, write_p, write_signed
from dashboard.evaluation.slicing import JOIN, SMALL_SLICE
from dashboard.tables import Names, Row, Rows
from dashboard.views.address import write_link
from dashboard.views.comparison import write_difference
from dashboard.views.data_tables import Column

MAX_LINES = 60
"""Slices of a chart; the table holds all."""
COLUMNS = [
    Column("slice", "Slice", link="href", wrap=True),
    Column("queries", "Queries", number=True),
    Column("change", "Change", number=True),
    Column("interval", "95 % interval", number=True, wide=True),
    Column("p", "p (Holm)", number=True),
]


def make_lines(rows: Rows) -> Rows:
    """Return the rows of a chart of slices, the worst first, small slices last.

    A slice is shown by its value alone where no other column has that value.
    """
    values = [row["slice"].partition("=")[2] for row in rows]
    lines = []
    for row, value in zip(rows[:MAX_LINES], values, strict=False):
        note = f"n {row['queries']} · " if row["queries"] else "not scored"
        note += write_signed(row["delta"], "")
        if row["p_adjusted"] is not None:
            note += f" · p {write_p(row['p_adjusted'])}"
        label = value if values.count(value) == 1 else row["slice"]
        outcome = "cannot tell"
        if row["queries"] < SMALL_SLICE:
            outcome = "few"
        elif (row["p_adjusted"] or 1) < SIGNIFICANT:
            outcome = "better" if row["gain"] > 0 else "worse"
        lines.append(row | {"name": row["slice"], "label": label, "note": note, "outcome": outcome})
    return lines


def make_cells(rows: Rows) -> Rows:
    """Return the cells of a table of two columns, without the column's name in each."""
    return [
        row
        | {key: row[key].partition("=")[2] or row[key] for key in ("first", "second")}
        | {
            "note": write_signed(row["delta"]),
            "count": f"n {n}{'*' if n < SMALL_SLICE else ''}" if (n := row["queries"]) else "",
        }
        for row in rows
    ]


def write_slice(row: Row, within: Names) -> Row:
    """Return what `describe_slice` does, and the link to the slice's queries within others."""
    return describe_slice(row) | {
        "href": write_link("compare", slice=JOIN.join([*within, row["slice"]]))
    }


def describe_slice(row: Row) -> Row:
    """Return a slice with change, interval and p as texts."""
    lacking = "too few queries" if row["queries"] < SMALL_SLICE else "not defined"
    return row | write_difference(row, row["p_adjusted"], lacking)
