"""A dashboard for reviewing the search quality of embedding models. The rooms, in the order data
walks:

tables      the columns that every room agrees on, the one error and the findings on readers' files
ids         columns of ids as numbers, for whoever reads or joins many of them
letters     letters that nobody sees, or that a terminal or a spreadsheet would act on
logs        log lines and tracebacks, in which such letters stand as escapes
progress    how far long work is: told part by part to whoever waits for it
storage     opens files and databases; hands out checked tables
retrieval   loads models and searches; the only slow imports, and inside functions
evaluation  judges and measures: tables in, tables out; no file, no clock, no network
experiment  what a number depends on, and every number, once; for screens and commands alike
views       how one thing looks: the address bar, charts, cards, texts
screens     one script per screen, read from top to bottom
commands    what the command line answers: the table of each command, and how it is printed
__main__    the same numbers on the command line
"""
