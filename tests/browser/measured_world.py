"""The dashboard, which measures each version until a file says that it may end."""

import os
import time
from pathlib import Path

import pandas as pd
import streamlit as st
from starlette.middleware import Middleware

from dashboard import progress
from dashboard.experiment import measuring
from dashboard.views.cards import assets
from dashboard.views.server.page_head import PageHead

MAIN = Path(__file__).parents[2] / "dashboard" / "main.py"
RELEASED = Path(os.environ["RELEASED"])
PARTS = 1_000
measure = measuring.measuring.measure_parts


def measured(*arguments: object, **named: object) -> pd.DataFrame:
    """The same as without it, later."""
    for _ in progress.parts("counting ranks", range(PARTS)):
        if RELEASED.exists():
            break
        time.sleep(0.05)
    return measure(*arguments, **named)


measuring.measuring.measure_parts = measured
app = st.App(str(MAIN), routes=assets.routes(), middleware=[Middleware(PageHead)])
