"""The launcher: `streamlit run dashboard/next/app.py` from the project's folder."""

import sys
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parents[2]))

# loaded before the first reader comes, who would wait for them
import altair  # noqa: E402, F401
import scipy.special  # type: ignore[import-untyped]  # noqa: E402, F401

import dashboard.next.views.frame  # noqa: E402, F401
import dashboard.next.views.queries  # noqa: E402, F401
from dashboard.next.plugins import load_all  # noqa: E402
from dashboard.next.successors import explain_variables  # noqa: E402
from dashboard.next.views.health import SessionCounter, send_health, send_metrics   # noqa: E402
from dashboard.next.views.media_routes import send_media  # noqa: E402
from dashboard.next.views.server import Guard, send_without_delay  # noqa: E402

for sentence in explain_variables():
    print(f"  {sentence}", file=sys.stderr)
base = str(st.config.get_option("server.baseUrlPath")).strip("/")
root = f"/{base}" if base else ""
added = [each for routes in load_all("routes") for each in routes]
app = st.App(
    "main.py",
    lifespan=send_without_delay,
    routes=[
        Route(root + "/files/{collection}/{kind}/{item:path}", send_media),
        Route(f"{root}/healthz", send_health),
        Route(f"{root}/metrics", send_metrics),
        *(Route(root + each.path, each.endpoint, methods=each.methods) for each in added),
    ],
    middleware=[
        Middleware(Guard),
        Middleware(SessionCounter),
        *map(Middleware, load_all("login")),
    ],
)
