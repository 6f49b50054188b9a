"""Admission control of a hosted app: who comes too often waits, and who comes when it is full is told so."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from collections.abc import Callable

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlmviz.checkpoints.folders import UPLOADS

from . import limits, metrics
from .addresses import address, counted, header
from .buckets import Bucket, Buckets

# Asked for by machines, or once and then kept by the browser.
OPEN = "/health", "/metrics", "/line", "/_stcore/health"
OPEN_FOLDERS = "/static/", "/vendored/", "/gallery/"
UPLOADED = "/_stcore/upload_file"  # Streamlit takes files of every tab, whether its page asks for one or not
COUNTED = "/_stcore/metrics"  # Streamlit's own figures
# What a frame of a tab is: a press, another message, one that is for nobody here, or none.
PRESS, SAID, IGNORED, UNREADABLE = "press", "said", "ignored", "unreadable"
STREAM = "/_stcore/stream"  # the websocket that each tab holds
SILENT = 10.0  # seconds until a new tab must have sent something
AT_ONCE = 10  # seconds of presses that may come together: a slider that is dragged sends many
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="15"><title>tlmviz</title>
<body style="font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<p>{said} This page asks again every 15 seconds and opens by itself.</p>
</body></html>"""
FULL = {  # what keeps a tab out -> the page that says so
    "sessions": PAGE.format(said="As many visitors as this server can carry are inside."),
    "tabs": PAGE.format(said="As many tabs as one address may have are open; close some of them."),
}


class AdmissionControl:
    """ASGI middleware that applies `limits.current()` and counts sessions.

    An address with too many requests gets status 429; a page asked for when the app is full, or when its address has as
    many tabs as it may, 503, with a sentence; a tab that presses too often is slowed down and loses nothing. Without
    limits all of these pass. A new tab that presses nothing within SILENT seconds is closed, but for one that comes
    back to a session: where tabs are limited, to one that this server has `issued`. So is any that sends what is
    UNREADABLE to `said`. What is IGNORED goes no further.
    """

    def __init__(self, app: ASGIApp, issued: Callable[[str], bool], said: Callable[[bytes], str]) -> None:
        self.app, self.limits, self.issued, self.said = app, limits.current(), issued, said
        self.tabs: Counter[str] = Counter()  # by address
        self.claimed: Counter[str] = Counter()  # by the session that a tab comes back to
        self.requests = Buckets(self.limits.requests, 60)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket for as long as it is open."""
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            await self._tab(scope, receive, send)
        elif scope["type"] == "http" and (answer := self._refusal(scope)) is not None:
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def full(self, address: str) -> str:
        """The limit that keeps one more tab of an address out; "" where there is room."""
        if self.limits.sessions and self.tabs.total() >= self.limits.sessions:
            return "sessions"
        return "tabs" if self.limits.tabs and self.tabs[address] >= self.limits.tabs else ""

    def _refusal(self, scope: Scope) -> PlainTextResponse | HTMLResponse | None:
        path = scope["path"]
        if path.startswith(COUNTED) or (path.startswith(UPLOADED) and os.environ.get(UPLOADS) != "1"):
            return PlainTextResponse("That is not for visitors.", 403)
        if path in OPEN or path.startswith(OPEN_FOLDERS):
            return None
        who = counted(address(scope))
        wait = math.ceil(self.requests[who].refusal()) if self.limits.requests else 0
        if wait > 0:
            metrics.REFUSED.labels("requests").inc()
            return PlainTextResponse(
                f"More than {self.limits.requests} requests came from your address within a minute; wait {wait} s.",
                429,
                {"Retry-After": str(wait)},
            )
        if "text/html" in header(scope, b"accept") and (limit := self.full(who)):
            metrics.REFUSED.labels(limit).inc()
            return HTMLResponse(FULL[limit], 503, {"Retry-After": "15", "Cache-Control": "no-store"})
        return None

    async def _tab(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = counted(address(scope))
        if limit := self.full(who):
            metrics.REFUSED.labels(limit).inc()
            await send({"type": "websocket.close", "code": 1013, "reason": limit})
            return
        rate = self.limits.presses / 60
        presses = Bucket(max(1.0, AT_ONCE * rate), rate) if rate else None
        claimed = next(iter((scope.get("subprotocols") or ())[2:]), "")
        # Whether it is still there does not matter: a browser whose process has died does not know, and says nothing
        # before somebody presses. A session has one tab at a time: nobody keeps a hundred open by the name of one.
        resumes = claimed not in self.claimed and (not self.limits.tabs or self.issued(claimed))
        patience = None if claimed and resumes else SILENT
        self.tabs[who] += 1
        self.claimed[claimed] += 1
        metrics.SESSIONS.inc()
        try:
            await self.app(scope, _Heard(receive, send, self.said, presses, patience), send)
        finally:
            self.tabs[who] -= 1
            self.claimed[claimed] -= 1
            self.tabs += Counter()  # forgets addresses without tabs
            self.claimed += Counter()
            metrics.SESSIONS.dec()


class _Heard:
    """What a tab sends: slowed to `presses`; one that presses nothing for `patience` seconds, or sends no message, is
    closed, and to the app it has gone."""

    def __init__(
        self, receive: Receive, send: Send, said: Callable[[bytes], str], presses: Bucket | None, patience: float | None
    ) -> None:
        self.receive, self.send, self.said, self.presses = receive, send, said, presses
        self.patience = patience
        self.until: float | None = None  # when a tab that is connected has been silent for too long

    async def __call__(self) -> Message:
        while True:
            left = None if self.until is None else max(0.0, self.until - time.monotonic())
            try:
                message = await asyncio.wait_for(self.receive(), left)
            except TimeoutError:
                return await self._closed("silent")
            if message["type"] == "websocket.connect" and self.patience is not None:
                self.until = time.monotonic() + self.patience
            if message["type"] != "websocket.receive":
                return message
            said = self.said(message.get("bytes") or b"")
            if said == UNREADABLE:
                return await self._closed(UNREADABLE)
            if said == PRESS:
                self.until = None
            if self.presses is not None:
                await asyncio.sleep(self.presses.wait())
            if said != IGNORED:
                return message

    async def _closed(self, why: str) -> Message:
        metrics.REFUSED.labels(why).inc()
        await self.send({"type": "websocket.close", "code": 1008, "reason": why})
        return {"type": "websocket.disconnect", "code": 1008}
