"""Judging and measuring: arrays in, values out; no file, no clock, no network."""

import dashboard.evaluation.ranking_metrics  # noqa: F401  # it registers the metrics
