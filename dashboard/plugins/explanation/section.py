"""Below the cards of a query: what the shown metric's value is made of, by version."""

import re
import shlex
from html import escape

from dashboard.errors import DataError
from dashboard.evaluation.metrics import Measure, parse_one
from dashboard.plugins.explanation.terms import explain_value
from dashboard.study.choices import Choices, describe_choices, list_choices
from dashboard.study.study import Study
from dashboard.texts import write_number
from dashboard.views.data_tables import Column, draw_folded, write_table

TITLE = "How this value is computed"
MAX_ITEMS, MAX_ROWS = 100_000, 20
"""Items up to which a query is ranked once more, and terms of a version that are shown."""
GAINS = {"credits": Column("credit", "Credit", number=True, help="Partial relevance")}
"""What a metric reads of a result, where it is not the grade."""
GRADE = Column("grade", "Grade", number=True, help="–: nobody judged it")


def draw_terms(study: Study, choices: Choices) -> None:
    """Draw the terms of the open query's value in both versions, folded."""
    measure, query = parse_one(choices["metric"]), study.collection.queries.index[choices["query"]]
    versions = choices.compared
    if len(study.collection.items) > MAX_ITEMS:
        words = ["measure", study.collection.name, "--explain", choices["query"]]
        words += ["--metrics", choices["metric"], "--runs", *versions]
        unusual = describe_choices(study.collection, study.choices)
        for each in list_choices():
            if each.key in unusual:
                values = choices[each.key] if each.kind == "names" else [choices.write()[each.key]]
                words += [f"{each.flag}={value}" for value in values]
        draw_folded(TITLE, f"<p>Type: python -m dashboard {escape(shlex.join(words))}</p>")
        return
    formula = measure.metric.formula
    if measure.cutoff:
        formula = re.sub(r"\bK\b", str(measure.cutoff), formula)
    told = f"<p>{escape(f'{measure} = {formula}')}</p>"
    told += "".join(_write(study, each, query, measure) for each in versions)
    draw_folded(TITLE, f'<div style="font-size: 14px">{told}</div>')


def _write(study: Study, version: str, query: int, measure: Measure) -> str:
    try:
        value, divisor, rows, why_not = explain_value(study, version, query, measure)
    except DataError:  # said above, where its cards would be
        return ""
    if why_not:
        return f"<p>{escape(f'{version}: {why_not}')}</p>"
    adding = [row for row in rows if row["term"]]
    shown = rows if len(rows) <= MAX_ROWS else adding[:MAX_ROWS]
    told = f"{version}: {write_number(value or 0.0)}, the sum of {len(adding):,} terms other than 0"
    told += (
        f", each divided by {write_number(divisor).removesuffix('.000')}" if divisor != 1 else ""
    )
    rest = sum(row["term"] for row in adding[MAX_ROWS:]) if len(rows) > MAX_ROWS else 0
    told += f"; those below the first {MAX_ROWS} add {write_number(rest)}" if rest else ""
    columns = [
        Column("rank", "Rank", number=True),
        Column("item_id", "Result", wrap=True),
        GAINS.get(measure.metric.reads, GRADE),
        Column("term", "Term", number=True),
        Column("sum", "Sum", number=True, help="of the terms so far"),
    ]
    return f"<p>{escape(told)}.</p>{write_table(columns, shown) if shown else ''}"
