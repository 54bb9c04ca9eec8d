"""For operators: `/healthz` says whether the data can be read, `/metrics` has figures.

Neither holds a name or a text of a collection, a query or a person.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import BoundedSemaphore

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.errors import DataError
from dashboard.storage.settings import list_collections

REGISTRY = CollectorRegistry()
SESSIONS = Gauge("dashboard_sessions", "Open pages", registry=REGISTRY)
STEPS = Histogram(
    "dashboard_step_seconds",
    "Seconds of a screen's script",
    ["screen"],
    registry=REGISTRY,
    buckets=(0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60),
)
ProcessCollector(registry=REGISTRY)
MOST = 16
"""Scripts that run at once; threads of Python that wait for each other slow all of them down."""
TURNS = BoundedSemaphore(MOST)
NOT_STORED = {"Cache-Control": "no-store"}


def count_sessions(app: ASGIApp) -> ASGIApp:
    """Count the live connections of pages."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        with SESSIONS.track_inprogress() if scope["type"] == "websocket" else nullcontext():
            await app(scope, receive, send)

    return answer


@contextmanager
def measure_step(screen: str) -> Iterator[None]:
    """Let the script of a screen run when it is its turn, and measure how long that takes."""
    with STEPS.labels(screen).time(), TURNS:
        yield


def send_health(_: Request) -> JSONResponse:
    """Answer 200 with the number of collections, or 503 and a sentence if there is none to read."""
    try:
        answer = {"status": "ok", "collections": len(list_collections())}
    except (DataError, OSError) as error:
        problem = str(error) if isinstance(error, DataError) else "the data folder is not readable"
        return JSONResponse({"status": "unavailable", "problem": problem}, 503, NOT_STORED)
    return JSONResponse(answer, headers=NOT_STORED)


def send_metrics(_: Request) -> Response:
    """Answer with the figures of this process, in the text format of Prometheus."""
    return Response(generate_latest(REGISTRY), 200, NOT_STORED, CONTENT_TYPE_LATEST)
