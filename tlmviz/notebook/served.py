"""The live file without a model, at an address: a browser that has trained one puts its own into it."""

from __future__ import annotations

import functools
import hashlib
import json

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tlmviz.ui.engine import KEPT

from .live import template

PLACE = "live"  # before the address
PATH = f"/{{under:path}}{PLACE}/{{digest}}.json"


def address() -> str:
    """Where it is, below the app's address."""
    return f"{PLACE}/{_digest()}.json"


def answer(request: Request) -> Response:
    """What `tlmviz.notebook.live.template` gives, in whatever folder the app is mounted."""
    if request.path_params["digest"] != _digest():
        return PlainTextResponse("No such file.", 404)
    return Response(_template(), media_type="application/json", headers=KEPT)


@functools.cache
def _template() -> str:
    return json.dumps(template())


@functools.cache
def _digest() -> str:
    return hashlib.sha256(_template().encode()).hexdigest()[:12]
