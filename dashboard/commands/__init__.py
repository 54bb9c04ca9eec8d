"""What the command line answers: the same functions as the screens, without a screen.

answers.py makes the table of each command, report.py the file to hand over, gate/ the verdict for
CI; output.py prints tables; `dashboard/__main__.py` reads the call.
"""
