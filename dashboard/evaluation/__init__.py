"""The evaluation room: tables and arrays in, tables and arrays out; no file, clock or network.

protocols/       which pairs count, what they are worth, what the source calls the metric
judgement.py     a protocol's judgement of a collection: qrels, and queries that cannot be scored
join.py          texts become codes once; pairs of codes are looked up
rankings.py      a run and a judgement → Rankings, all that a metric sees
metrics/         the registry and every metric, one decorated function each
measure.py       runs × metrics → measurements; where a value is null or zero is decided here alone
explain/         how a metric's value of one query is computed, in numbers
ideal.py         the best order of what is judged, and the most that P@K and R@K can reach
curves.py        a metric over its cutoff with bounds over ties; ranks of the first right answer
coverage.py      queries that a version did not run; results that are no item of the collection
comparison/      versions side by side: differences, intervals, tests, slices, leaderboard
statistics/      intervals, tests, corrections and correlations of plain arrays
diagnosis/       why a result is wrong, suspected from numbers
reviewing/       what reviewers judged and have yet to judge: bounds, queue, samples, agreement,
                 corrections of labels
duplicates.py    near-duplicates among items
satisfaction/    answers of people, cleaned step by step, and how metrics agree with them
image_text/      ranks and recalls of image-text matching from vectors
binary_codes.py  Hamming distances, pairs of codes, look-up within a radius
submission.py    submitted features, checked and scored
digits.py        how numbers are written
"""
