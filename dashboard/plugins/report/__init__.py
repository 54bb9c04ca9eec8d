"""Report: the comparison of two versions as one HTML file that needs nothing else."""
