"""`why`: suspected causes of the candidate's wrong results, over all, by slice and by query."""

from argparse import Namespace
from itertools import compress

from dashboard.commands.options import FINE, Answer, open_pair
from dashboard.commands.output import say
from dashboard.errors import ChoiceError, list_names
from dashboard.study.choices import Choice


def check_cause(text: str) -> None:
    """Raise ChoiceError if a text, as "near miss: car", names no cause."""
    from dashboard.plugins.diagnosis.causes import CAUSES

    if text.partition(": ")[0] not in CAUSES:
        raise ChoiceError(f"There is no cause {text!r}. There are: {list_names(CAUSES)}.")


HELP = "suspected causes of the wrong results of queries that got worse"
CHOICES = (
    Choice(
        key="cause",
        meaning="suspected cause of wrong results, whose queries Compare lists",
        parse=check_cause,
    ),
)
KEYS = ("baseline", "candidate", "metric", "shown")
OPTIONS = ""
COLUMNS = ("scope", "cause", "detail", "results", "share")


def answer(call: Namespace) -> Answer:
    """Return a row a scope and cause; print the sentence on all of them as a note."""
    from dashboard.plugins.diagnosis.causes import count_causes, find_wrong

    study, choices = open_pair(call)
    found, told = find_wrong(study, choices)
    (before, after), metric = choices.pair, choices["metric"]
    why = f"Queries that got worse in {metric} from {before} to {after}: {len(found):,}"
    if found:
        why += ", with no result that is known to be wrong"
    say(told or f"{why}.")
    scopes = {"all": list(found)}
    slices = study.list_slices().items()
    scopes |= {name: list(compress(study.query_ids, inside)) for name, inside in slices}
    scopes |= {query: [query] for query in found}
    rows = [
        {"scope": scope, **row}
        for scope, queries in scopes.items()
        for row in count_causes([each for query in queries for each in found.get(query, ())])
    ]
    return rows, COLUMNS, FINE
