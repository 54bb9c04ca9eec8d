"""What a number depends on, and every number, once: screens, commands, reports and the gate ask
here.

An `Experiment` is a collection in one state with the choices that numbers depend on. From it follow
the evidence and the judgement (`judging`), what each version found (`ranking`, `searching`),
measurements and comparisons (`measuring`), causes and the best order (`explaining`). For one
protocol each there are `submissions`, `hash_codes`, `matching` and `context_study`. `collections`
opens what is measured, `checking` finds its faults, `mapping` writes its keywords; `media` and
`reviewing` answer for files and for reviewers. Results are remembered (`memory`), shared, and never
changed by who gets them. Sees tables, letters, storage, retrieval and evaluation; never Streamlit,
argparse or a view.
"""
