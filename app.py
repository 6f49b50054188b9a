"""tlmviz: `streamlit run app.py`. The server, ready before its first visitor: pages/main.py, /health, /metrics, /line,
/join."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
import streamlit.net_util
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # the console script `streamlit`, started elsewhere, does not look here

from pages import moved_to  # noqa: E402 (found by the line above)
from tlmviz.hosting import half_sent, metrics, pictures, vendored, wakes  # noqa: E402
from tlmviz.hosting.addresses import address, is_local  # noqa: E402
from tlmviz.hosting.admission import AdmissionControl  # noqa: E402
from tlmviz.hosting.ahead import Ahead  # noqa: E402
from tlmviz.hosting.moved import Redirects  # noqa: E402
from tlmviz.hosting.security import OwnName, SecurityHeaders  # noqa: E402
from tlmviz.hosting.token import Token  # noqa: E402
from tlmviz.notebook import served  # noqa: E402
from tlmviz.ui import cache_keys, engine, message_queue_fix, misfits, sessions  # noqa: E402

# Streamlit asks a foreign server for its own address, and waits for the answer: where it begins, and for each websocket
# of another page. Nothing here needs it.
streamlit.net_util.get_external_ip = lambda: None
message_queue_fix.keep()
cache_keys.quicken()
misfits.keep_out()
sessions.sign()
half_sent.close(get_max_widget_state_size_bytes())


@contextlib.asynccontextmanager
async def ready(_: st.App) -> AsyncIterator[None]:
    """Import torch, load the default model and run it once; the server accepts nobody before.

    What only charts and tables need is imported while the first visitor's browser loads its scripts.
    """
    from tlmviz.ui import compute

    wakes.once(asyncio.get_running_loop())
    compute.warm_up()
    threading.Thread(target=compute.warm_up_charts, daemon=True).start()
    yield


async def health(_: Request) -> JSONResponse:
    """Answers only once `ready` is done: what a load balancer asks for."""
    return JSONResponse({"status": "ok"})


async def measured(request: Request) -> Response:
    """What the app has done so far, for a Prometheus on this machine."""
    if not is_local(request.scope):
        return PlainTextResponse("The figures are for this machine alone; ask for http://localhost there.", 403)
    content, media_type = metrics.page_of_metrics()
    return Response(content, media_type=media_type)


async def line(_: Request) -> JSONResponse:
    """For how many seconds each press in line has waited: a browser that waits finds its place in it."""
    from tlmviz.ui import compute

    return JSONResponse([round(age, 1) for age in compute.worker().ages()])


def explorer(request: Request) -> Response:
    """The explorer by its name: its address is the app's own, where somebody without a link meets the page Start."""
    from tlmviz.ui import compute

    return RedirectResponse(f"./?{request.url.query or urlencode({'model': compute.DEFAULT_MODEL})}", 307)


def tours(request: Request) -> Response:
    """Old links of the guided walks, which are lessons now."""
    return RedirectResponse("./lessons", 308)


def join(request: Request) -> Response:
    """The lesson, or the question, that a room is on: its code makes a link short enough to type and to read off a
    wall.

    A code that is none leads to the page Classroom, which says so.
    """
    from tlmviz.errors import Error
    from tlmviz.hosting.rooms import normal, rooms
    from tlmviz.ui.lessons import asked, room

    code = request.path_params["code"]
    try:
        to = room.to(asked.of_room(rooms().lesson(code, address(request.scope))), normal(code))
    except Error:
        to = f"room?{urlencode({'code': code[:40]})}"
    return RedirectResponse(f"../{to}", 303, {"Cache-Control": "no-store"})


app = st.App(
    ROOT / "pages" / "main.py",
    lifespan=ready,
    routes=[
        Route("/health", health),
        Route("/metrics", measured),
        Route("/line", line),
        Route("/explorer", explorer),
        Route("/tours", tours),
        Route("/join/{code}", join),
        Route("/{under:path}vendored/{name}", vendored.script),
        Route(pictures.PATH, pictures.of(ROOT / "pages")),
        Route(engine.SCRIPT, engine.script),
        Route(served.PATH, served.answer),
        Route(engine.WEIGHTS, engine.weights),
    ],
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(OwnName, name=st.get_option("browser.serverAddress") or ""),
        Middleware(Token),
        Middleware(AdmissionControl, issued=sessions.issued, said=sessions.said),
        Middleware(Ahead),
        Middleware(Redirects, moved=moved_to),
    ],
)
