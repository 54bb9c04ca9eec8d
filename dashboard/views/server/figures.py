"""What operators read of a server: at `/healthz` whether it can read its data, at `/metrics`
figures for Prometheus.

Neither holds a name or a text of a collection, a query or a person. They are answered under the
same host names as the pages.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from streamlit import runtime

from dashboard.experiment import memory
from dashboard.experiment.collection import collections
from dashboard.tables import DataError

HEALTH, FIGURES = "healthz", "metrics"
"""The paths."""
_REGISTRY = CollectorRegistry()
STEPS = Histogram(
    "dashboard_step_seconds",
    "Seconds that the script of a screen took to draw a page or a step on it",
    ["screen"],
    registry=_REGISTRY,
    buckets=(0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0),
)
_NOT_STORED = {"Cache-Control": "no-store"}


class _Server(Collector):
    """Open pages, and how often a result was remembered."""

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("dashboard_sessions", "Pages that are open", value=_sessions())
        looks = CounterMetricFamily(
            "dashboard_results", "Results that a page needed", labels=["remembered"]
        )
        hits, misses = memory.hits_and_misses()
        looks.add_metric(["yes"], hits)
        looks.add_metric(["no"], misses)
        yield looks


_REGISTRY.register(_Server())
ProcessCollector(registry=_REGISTRY)


def routes() -> list[Route]:
    """The routes `/healthz` and `/metrics`, for `st.App(routes=…)`."""
    return [Route(f"/{HEALTH}", health, name=HEALTH), Route(f"/{FIGURES}", figures, name=FIGURES)]


def health(_: Request) -> JSONResponse:
    """Status 200 and the number of collections; 503 and a sentence where they cannot be read."""
    try:
        number = collections.check_readable()
    except DataError as problem:
        answer = {"status": "unavailable", "problem": str(problem)}
        return JSONResponse(answer, 503, _NOT_STORED)
    return JSONResponse({"status": "ok", "collections": number}, headers=_NOT_STORED)


def figures(_: Request) -> Response:
    """Sessions, seconds of steps, remembered results, memory and CPU, as Prometheus reads them."""
    return Response(generate_latest(_REGISTRY), 200, _NOT_STORED, CONTENT_TYPE_LATEST)


def _sessions() -> int:
    if not runtime.exists():
        return 0
    return runtime.get_instance()._session_mgr.num_active_sessions()
