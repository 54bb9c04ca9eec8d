"""Judging and measuring: arrays in, values out; no file, no clock, no network."""

from dashboard.evaluation import binary_metrics, graded_metrics

__all__ = ["binary_metrics", "graded_metrics"]  # importing them registers the metrics
