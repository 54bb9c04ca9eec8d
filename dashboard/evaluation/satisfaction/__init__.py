"""Lists that people saw, the relevance and satisfaction that they gave, and CAG (SIGIR 2019).

cleaning.py       relevance and satisfaction answers, cleaned step by step
agreement.py      how metrics agree with satisfaction
source_tables.py  tables 1 to 3 and figure 3 of the source for any lists
cag_steps.py      one list, picture by picture, under the context-aware gain
"""
