"""The evaluation room: tables and arrays in, tables and arrays out; no file, clock or network.

rankings.py    a run and a judgement → Rankings, all that a metric sees
join.py        where a pair of codes stands in a list of pairs
protocols/     which pairs count, what they are worth, what the source calls the metric
ticks.py       required keywords × item keywords → ticks, crosses, "2 of 3"
metrics/       the registry and every metric, one decorated function each
measure.py     runs × metrics × cutoffs → measurements; where a value is null or zero is decided
here alone
"""
