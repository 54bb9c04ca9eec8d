"""The dashboard with a text model that is loaded when a file says so, and garbage that is told."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import streamlit as st
from streamlit.runtime.scriptrunner import script_runner

from dashboard.retrieval.encoders import language_models
from dashboard.views.cards import assets

REPOSITORY = Path(__file__).parents[2]
RELEASED = Path(os.environ["RELEASED"])


class LoadingWhenReleased(language_models.Loading):
    """Loads the text model once a file is there."""

    def run(self) -> None:
        while not RELEASED.exists():
            time.sleep(0.05)
        super().run()


language_models.Loading = LoadingWhenReleased
script_runner.gc = SimpleNamespace(collect=lambda generation: print("collected", flush=True))
app = st.App(str(REPOSITORY / "dashboard" / "main.py"), routes=assets.routes())
