"""Old addresses: a request for a page that has moved is led to where that page is now."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class Redirects:
    """ASGI middleware that asks `moved` for the last part of a path and its query, and leads to the address that it gives.

    That address is relative, so it holds behind a sub-path too; None where nothing has moved.
    """

    def __init__(self, app: ASGIApp, moved: Callable[[str, str], str | None]) -> None:
        self.app, self.moved = app, moved

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket, which never moves."""
        to = self._new(scope) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        if to is None:
            await self.app(scope, receive, send)
        else:
            await RedirectResponse(to, 307, {"Cache-Control": "no-store"})(scope, receive, send)

    def _new(self, scope: Scope) -> str | None:
        path: str = scope["path"]
        to = self.moved(path.rstrip("/").rpartition("/")[2], scope["query_string"].decode("latin-1"))
        return to and ("../" if path.endswith("/") else "") + to
