"""Storage opens files and databases and hands out checked tables.

It imports nothing of ours but `tables`. Whatever it drops or repairs it writes down as a finding;
whatever it cannot use it refuses with a DataError that names the file and the line.
"""
