"""Admission control of a hosted app: who comes too often waits, and who comes when it is full is told so."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import limits, metrics
from .addresses import address, counted, header
from .buckets import Bucket, Buckets

OPEN = (
    "/health",
    "/metrics",
    "/line",
    "/static/",
    "/vendored/",
    "/gallery/",
    "/_stcore/health",
)  # asked for by machines, or once and then kept by the browser
STREAM = "/_stcore/stream"  # the websocket that each tab holds
SILENT = 10.0  # seconds until a tab must have sent something
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

    An address with too many requests gets status 429; a page asked for when the app is full, or when its address has as many
    tabs as it may, 503, with a sentence; a tab that presses too often is slowed down and loses nothing. Without limits all of
    these pass. A new tab that says nothing within SILENT seconds is closed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.limits = app, limits.current()
        self.tabs: Counter[str] = Counter()  # by address
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
        if any(path.startswith(each) for each in OPEN):
            return None
        who = counted(address(scope))
        wait = self.requests[who].wait() if self.limits.requests else 0.0
        if wait > 0:
            metrics.REFUSED.labels("requests").inc()
            return PlainTextResponse(
                f"More than {self.limits.requests} requests came from your address within a minute; wait {wait:.0f} seconds.",
                429,
                {"Retry-After": f"{wait:.0f}"},
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

        async def slowly() -> Message:
            message = await receive()
            if presses is not None and message["type"] == "websocket.receive":
                await asyncio.sleep(presses.wait())
            return message

        self.tabs[who] += 1
        metrics.SESSIONS.inc()
        try:
            await self.app(scope, slowly if _comes_back(scope) else _Speaking(slowly, send), send)
        finally:
            self.tabs[who] -= 1
            self.tabs += Counter()  # forgets addresses without tabs
            metrics.SESSIONS.dec()


class _Speaking:
    """What a new tab sends. One that sends nothing within SILENT seconds is closed, and to the app it has gone."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.receive, self.send, self.connected, self.spoke = receive, send, False, False

    async def __call__(self) -> Message:
        if not self.connected or self.spoke:
            self.connected = True
            return await self.receive()
        try:
            message = await asyncio.wait_for(self.receive(), SILENT)
        except TimeoutError:
            metrics.REFUSED.labels("silent").inc()
            await self.send({"type": "websocket.close", "code": 1008, "reason": "silent"})
            return {"type": "websocket.disconnect", "code": 1008}
        self.spoke = True
        return message


def _comes_back(scope: Scope) -> bool:
    """Whether a tab names the session that it had: it has nothing to say then."""
    return len(scope.get("subprotocols") or ()) > 2
