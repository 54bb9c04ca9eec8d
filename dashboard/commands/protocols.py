"""`protocols`: every protocol, of the core and of plugins."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer

HELP = "every protocol: what is relevant, its formulas, and what they do not show"
COLUMNS = ("protocol", "title", "definition", "formula", "source", "blind")


def answer(call: Namespace) -> Answer:
    """Return a row a protocol."""
    from dashboard.evaluation.metrics import parse
    from dashboard.study.judging import list_all_rules

    rows = [
        {
            "protocol": rules.name,
            "title": rules.title,
            "definition": rules.definition,
            "formula": "; ".join(
                dict.fromkeys(
                    f"{each.metric.title} = {each.metric.formula}" for each in parse(rules.metrics)
                )
            ),
            "source": rules.source,
            "blind": rules.blind or None,
        }
        for rules in list_all_rules()
    ]
    return rows, COLUMNS, FINE
