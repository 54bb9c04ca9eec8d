"""What the command line answers: the same functions as the screens, without a screen.

measuring.py, comparing.py, looking.py, searching.py, satisfaction.py and digests.py enter the
commands and answer them; answers.py makes their tables, report.py the file to hand over, gate/ the
verdict for CI; asked.py is what a call asks of a collection; said.py and output.py say and print
it.
"""
