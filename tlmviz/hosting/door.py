"""The door of a hosted app: who comes too often waits, and who comes when the house is full is told so."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import limits, metrics

OPEN = (
    "/health",
    "/metrics",
    "/line",
    "/static/",
    "/_stcore/health",
)  # asked for by machines, or once and then kept by the browser
STREAM = "/_stcore/stream"  # the websocket that each tab holds
LOOPBACK = ("127.0.0.1", "::1")
KEPT = 10_000  # addresses that are remembered
AT_ONCE = 10  # seconds of presses that may come together: a slider that is dragged sends many
FULL = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="15"><title>tlmviz is full</title>
<body style="font: 1.1rem/1.5 system-ui; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<p>As many visitors as this server can carry are inside. This page asks again every 15 seconds and opens by itself.</p>
</body></html>"""


@dataclass
class Bucket:
    """Presses that somebody may still make: refilled with time, `most` at the fullest."""

    most: float
    per_second: float
    level: float = field(init=False)
    at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.level = self.most

    def wait(self) -> float:
        """Take one, and say how many seconds too early that was."""
        now = time.monotonic()
        self.level = min(self.most, self.level + (now - self.at) * self.per_second) - 1
        self.at = now
        return max(0.0, -self.level / self.per_second)


class Door:
    """ASGI middleware that applies `limits.current()` and counts sessions.

    An address with too many requests gets status 429; a page asked for when the house is full 503, with a sentence; a tab that
    presses too often is slowed down and loses nothing. Without limits everything passes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.limits = app, limits.current()
        self.inside = 0
        self.addresses: OrderedDict[str, Bucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket for as long as it is open."""
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            await self._tab(scope, receive, send)
        elif scope["type"] == "http" and (answer := self._refusal(scope)) is not None:
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    @property
    def full(self) -> bool:
        """Whether as many tabs are open as this process takes."""
        return bool(self.limits.sessions) and self.inside >= self.limits.sessions

    def _refusal(self, scope: Scope) -> PlainTextResponse | HTMLResponse | None:
        path = scope["path"]
        if any(path.startswith(each) for each in OPEN):
            return None
        wait = self._bucket(address(scope)).wait() if self.limits.requests else 0.0
        if wait > 0:
            metrics.REFUSED.labels("requests").inc()
            return PlainTextResponse(
                f"More than {self.limits.requests} requests came from your address within a minute; wait {wait:.0f} seconds.",
                429,
                {"Retry-After": f"{wait:.0f}"},
            )
        if self.full and "text/html" in _header(scope, b"accept"):
            metrics.REFUSED.labels("sessions").inc()
            return HTMLResponse(FULL, 503, {"Retry-After": "15", "Cache-Control": "no-store"})
        return None

    def _bucket(self, key: str) -> Bucket:
        if key not in self.addresses:
            self.addresses[key] = Bucket(self.limits.requests, self.limits.requests / 60)
            if len(self.addresses) > KEPT:
                self.addresses.popitem(last=False)
        self.addresses.move_to_end(key)
        return self.addresses[key]

    async def _tab(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.full:
            metrics.REFUSED.labels("sessions").inc()
            await send({"type": "websocket.close", "code": 1013, "reason": "full"})
            return
        rate = self.limits.presses / 60
        presses = Bucket(max(1.0, AT_ONCE * rate), rate) if rate else None

        async def slowly() -> Message:
            message = await receive()
            if presses is not None and message["type"] == "websocket.receive":
                await asyncio.sleep(presses.wait())
            return message

        self.inside += 1
        metrics.SESSIONS.inc()
        try:
            await self.app(scope, slowly, send)
        finally:
            self.inside -= 1
            metrics.SESSIONS.dec()


def address(scope: Scope) -> str:
    """Who asks: the address that the server before us names, where that one runs on this machine."""
    client = (scope.get("client") or ("",))[0]
    return (_header(scope, b"x-real-ip") or client) if client in LOOPBACK else client


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
