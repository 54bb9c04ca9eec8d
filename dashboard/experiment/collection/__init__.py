"""What a collection is, before anything is measured: opened once (`collections`), at a glance
(`catalogue`), in words (`names`) and in pictures (`media`), with its near-duplicates.

`checking` lists the faults of its files; `mapping` writes the keywords of its queries.
"""
