"""The gate for CI: `compare … --fail-on "nDCG@10<-0.01"` fails where a drop is more than chance.

gate.py reads the call, conditions.py its conditions; checks.py decides, known_queries.py checks
single queries that are known to be right or to fail; formats.py writes JUnit XML and Markdown.
"""

from dashboard.commands.gate.checks import Check
from dashboard.commands.gate.gate import Gate, add_arguments

__all__ = ["Check", "Gate", "add_arguments"]
