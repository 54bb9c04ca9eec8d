"""What the command line answers: the same functions as the screens, without a screen.

measuring.py, comparing.py, searching.py and satisfaction.py enter the commands that give numbers
and answer them, collections/ those that make collections and versions, reviews/ those on what
people said; gate/ gives the verdict for CI; reference.py prints the registries and writes the
README.md of the rooms. experiments.py reads the options that make an experiment; console.py reads
words and numbers, opens collections and writes complaints; output.py writes tables and files.
"""
