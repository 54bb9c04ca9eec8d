"""Files of every format that we read, each turned into checked tables or arrays at the door."""

from dashboard.storage.files.runs import read_qrels, read_run
from dashboard.storage.files.tables import read_table
from dashboard.storage.files.vectors import Vectors, read_matrix, read_vectors

__all__ = ["Vectors", "read_matrix", "read_qrels", "read_run", "read_table", "read_vectors"]
