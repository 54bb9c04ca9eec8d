"""The dashboard with a text model that is loaded when a file says so, and garbage that is told."""

import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import streamlit as st
from streamlit.runtime.scriptrunner import script_runner

from dashboard.retrieval import language_models
from dashboard.views.cards import assets

REPOSITORY = Path(__file__).parents[2]
RELEASED = Path(os.environ["RELEASED"])
load, loading = language_models._load_quietly, []


def load_when_released() -> None:
    while not RELEASED.exists():
        time.sleep(0.05)
    load()


def warm() -> threading.Thread:
    if not loading:
        loading.append(threading.Thread(target=load_when_released, daemon=True))
        loading[0].start()
    return loading[0]


language_models.warm = warm
script_runner.gc = SimpleNamespace(collect=lambda generation: print("collected", flush=True))
app = st.App(str(REPOSITORY / "dashboard" / "main.py"), routes=assets.routes())
