"""The gate for CI: `compare … --fail-on "nDCG@10<-0.01"` fails where a drop is more than chance.

gate.py reads the call, conditions.py what it asks for; checks.py decides, known.py holds single
queries to what they are known to do; written.py makes the JUnit file and the Markdown summary.
"""

from dashboard.commands.gate.checks import Check
from dashboard.commands.gate.gate import Gate, add_arguments

__all__ = ["Check", "Gate", "add_arguments"]
