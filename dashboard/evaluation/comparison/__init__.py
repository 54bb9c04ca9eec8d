"""Versions side by side: measurements as one array, differences, slices, and what chance explains.

scores.py       measurements → one array of queries × runs × measures
compare.py      signed differences per query, win/tie/loss, intervals, tests
verdict.py      one row of a comparison as a sentence
changes.py      which queries turned from right to wrong, and how many changed by how much
leaderboard.py  means with intervals, places, and how often each version comes first
slices.py       the same over parts of the queries
overlap.py      two versions' lists without labels: overlap and rank changes
"""
