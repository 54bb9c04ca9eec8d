"""The evaluation room: tables and arrays in, tables and arrays out; no file, clock or network.

protocols/      which pairs count, what they are worth, what the source calls the metric
judgement.py    what a protocol makes of a collection: qrels, and the queries that cannot be scored
ticks.py        required keywords × item keywords → ticks, crosses, "2 of 3"
join.py         texts become codes once; pairs of codes are looked up
rankings.py     a run and a judgement → Rankings, all that a metric sees
metrics/        the register and every metric, one decorated function each
measure.py      runs × metrics → measurements; where a value is null or zero is decided here alone
scores.py       measurements → one array of queries × runs × measures
compare.py      signed deltas, win/tie/loss, intervals, tests; verdict.py says them in a sentence
statistics/     intervals, tests, corrections and correlations of plain arrays
causes.py       why a result is wrong, suspected from a case.py and its neighbours.py
ideal.py        the best order of what is judged; duplicates.py: items that are there twice
slices.py       the same over parts of the queries; overlap.py compares lists without labels
satisfaction.py answers of people, cleaned step by step; agreement.py: metrics against satisfaction
"""
