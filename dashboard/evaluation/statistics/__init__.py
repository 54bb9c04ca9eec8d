"""Statistics of plain arrays: intervals, tests, corrections, correlations.

resampling.py   bootstrap interval and randomisation test of many columns of differences at once
distribution.py the bootstrap's whole distribution of a mean, by Fourier transform
signs.py        the randomisation test's whole distribution of a sum, by Fourier transform
drawing.py      units drawn many times over, in bounded memory
paired.py       Student's paired t, and Holm's correction for several tests
tukey.py        three and more versions at once, on the layout query × version
correlation.py  Spearman, and whether two correlations that share a variable differ
"""
