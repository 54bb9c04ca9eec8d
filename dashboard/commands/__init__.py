"""What the command line answers: the same functions as the screens, without a screen.

answers.py makes the table of each command, output.py prints it; `dashboard/__main__.py` reads the
call.
"""
