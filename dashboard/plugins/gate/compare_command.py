"""`compare` of the core with conditions that a candidate has to meet, and files of the checks."""

from argparse import Namespace

from dashboard.commands import compare_versions
from dashboard.commands.options import FINE, FOUND, Answer, complain_about_gaps, open_pair
from dashboard.commands.output import replace_file, say

HELP, FILES, KEYS = compare_versions.HELP, True, compare_versions.KEYS
OPTIONS = """
--fail-on CONDITIONS  "P@5<0 AP<-0.01" ends with 1 where a 95 %% interval lies entirely below its
    limit; an interval is not corrected for several metrics, as p is
--require CONDITIONS  "P@5>-0.01" ends with 0 only where the candidate is better, or not worse by
    0.01
--junit FILE  write the checks to this file as JUnit XML; without conditions, each metric<0
--markdown FILE  write comparison and checks to this file in Markdown, for a pull request
"""


def answer(call: Namespace) -> Answer:
    """Return a row a metric; the code is 1 if a check fails, and each that does says why.

    With conditions they alone decide; without one of the options the core answers.
    """
    if all(each is None for each in (call.fail_on, call.require, call.junit, call.markdown)):
        return compare_versions.answer(call)
    from dashboard.plugins.gate.checks import make_checks, read_conditions, write_checks
    from dashboard.study.study import open_study

    conditions = read_conditions(call.fail_on, "<") + read_conditions(call.require, ">")
    study, choices = open_pair(call)
    margins = [f"{each.measure}={-each.limit!r}" for each in conditions if each.sign == ">"]
    choices = choices.replace(
        metrics=" ".join([choices["metrics"], *(str(each.measure) for each in conditions)]),
        margins=" ".join([choices["margins"], *margins]).strip(),
    )
    study = open_study(study.collection, choices)
    compare_versions.complain_about_margins(call, study, choices)
    checks, rows = make_checks(study, choices, conditions)
    complain_about_gaps(study, choices.pair)
    failed = [each for each in checks if each.has_failed]
    for each in failed:
        say(f"failed: {each}: {each.reason}")
    names = (study.collection.name, choices["candidate"], choices["baseline"])
    told = [
        *study.list_conditions(choices["metrics"]),
        f"p_holm is corrected over {rows[0]['corrected_over']}",
    ]
    for file, template in ((call.junit, "junit.xml"), (call.markdown, "checks.md")):
        if file:
            replace_file(file, write_checks(template, checks, rows, names, told).encode())
    return rows, compare_versions.COLUMNS, FOUND if failed else FINE
