"""What the command line answers: the same functions as the screens, without a screen.

initializing.py, checking.py, keywords.py, measuring.py, comparing.py, searching.py,
satisfaction.py, indexing.py, reviewing.py, adding.py, embedding.py and running.py enter the
commands and answer them; reference.py prints the registries and writes the README.md of the rooms;
gate/ gives the verdict for CI. experiments.py reads the options that make an experiment; console.py
reads words and numbers, opens collections and writes complaints; output.py writes tables and files.
"""
