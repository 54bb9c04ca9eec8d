"""The launcher: `streamlit run app.py`."""

import inspect

# loaded before the first reader comes, who would wait for them
import altair  # noqa: F401
import pandas  # noqa: F401
import scipy.special  # type: ignore[import-untyped]  # noqa: F401
import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

import dashboard.commands.compare_versions  # noqa: F401
import dashboard.commands.measure  # noqa: F401
import dashboard.views.comparison  # noqa: F401
import dashboard.views.downloads  # noqa: F401
import dashboard.views.queries  # noqa: F401
from dashboard.commands import explain_variables
from dashboard.commands.output import say_each
from dashboard.plugins import list_screens, load_all, load_named
from dashboard.study.choices import list_choices
from dashboard.study.judging import list_all_rules
from dashboard.views.frame import NAMES
from dashboard.views.media_routes import send_media
from dashboard.views.server import guard, send_health, send_metrics, send_page, send_without_delay

say_each("note", explain_variables())
list_all_rules()
list_choices()
load_named("commands")
for hook in ("metrics", "read_tables", "read_versions", "merge_items", "amend_judgement"):
    load_all(hook)
inspect.stack()  # finds the file of every module once, which Streamlit's first page asks for
base = str(st.config.get_option("server.baseUrlPath")).strip("/")
root = f"/{base}" if base else ""
app = st.App(
    "dashboard/main.py",
    lifespan=send_without_delay,
    routes=[
        Route(root + "/files/{collection}/{kind}/{item:path}", send_media),
        *(Route(f"{root}/{name}", send_page) for name in ("", *NAMES[1:], *list_screens())),
        Route(f"{root}/healthz", send_health),
        Route(f"{root}/metrics", send_metrics),
        *(
            Route(root + each.path, each.endpoint, methods=each.methods)
            for routes in load_all("routes")
            for each in routes
        ),
    ],
    middleware=[Middleware(guard), *map(Middleware, load_all("login"))],
)
