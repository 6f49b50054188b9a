"""tlmviz: `streamlit run app.py`. The server: ready before its first visitor, the pages behind `pages/main.py`, and /health."""

import contextlib
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # the console script `streamlit`, started elsewhere, does not look here


@contextlib.asynccontextmanager
async def ready(_: st.App) -> AsyncIterator[None]:
    """Import torch, load the default model and run it once; the server accepts nobody before.

    What only charts and tables need is imported while the first visitor's browser loads its scripts.
    """
    from tlmviz.ui import compute

    compute.warm_up()
    threading.Thread(target=compute.warm_up_charts, daemon=True).start()
    yield


async def health(_: Request) -> JSONResponse:
    """Answers only once `ready` is done: what a load balancer asks for."""
    return JSONResponse({"status": "ok"})


app = st.App(ROOT / "pages" / "main.py", lifespan=ready, routes=[Route("/health", health)])
