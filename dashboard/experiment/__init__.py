"""Every number, computed once, for screens and commands alike.

`collection/` opens what is measured. An `Experiment` is a collection in one state with the choices
that numbers depend on. From it follow the evidence and the judgement (`judging`), the results of
each version (`ranking`, `searching`, for cards `brief_rankings`), measurements and comparisons
(`measuring`), causes and the best order (`explaining`). `protocols/` holds what one protocol alone
computes. `versions/` adds new ones. `plain_files` measures files without a collection, `notes`
writes what readers of numbers have to know, and `reviews/` saves what reviewers say. Results are
remembered (`memory`) and shared; nobody changes one. Sees tables, letters, storage, retrieval and
evaluation; never Streamlit, argparse or a view.
"""
