"""Why a result is wrong or a relevant item is missing: causes suspected from numbers.

case.py        one query with its keywords, ranks and vectors
neighbours.py  nearest items by a version's own vectors, and which similarities are usual
causes.py      the first of five causes that the numbers support
"""
