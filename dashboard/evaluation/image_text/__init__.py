"""Images and the sentences that belong to them, from vectors and without runs.

pairing.py       which text belongs to which picture, as places in matrices
vector_ranks.py  the ranks of the right answers, counted in blocks of one matrix product
recalls.py       the eight numbers of one model from such ranks
"""
