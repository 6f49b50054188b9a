"""Old addresses: a request for a page that has moved is led to where that page is now; and no answer leads to a longer
link."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import LINK

TOO_LONG = "This link leads to one of {length} bytes, and {most} are the most that is taken; shorten the text in it."


class Redirects:
    """ASGI middleware that asks `moved` for the last part of a path and its query, and leads to the address that it
    gives.

    That address is relative, so it holds behind a sub-path too; None where nothing has moved. Whoever leads on, `moved`
    or the app: an address of more than LINK bytes, which a server before this one would not pass on, is status 414 with
    a sentence.
    """

    def __init__(self, app: ASGIApp, moved: Callable[[str, str], str | None]) -> None:
        self.app, self.moved = app, moved

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket, which never moves."""
        to = self._new(scope) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        app = self.app if to is None else RedirectResponse(to, 307, {"Cache-Control": "no-store"})
        too_long: PlainTextResponse | None = None

        async def send_short(message: Message) -> None:
            nonlocal too_long
            if message["type"] == "http.response.start":
                length = len(Headers(raw=message.get("headers", [])).get("location", ""))
                if length > LINK:
                    too_long = PlainTextResponse(TOO_LONG.format(length=length, most=LINK), 414)
                    await too_long(scope, receive, send)
            if too_long is None:
                await send(message)

        await app(scope, receive, send_short)

    def _new(self, scope: Scope) -> str | None:
        path: str = scope["path"]
        to = self.moved(path.rstrip("/").rpartition("/")[2], scope["query_string"].decode("latin-1"))
        return to and ("../" if path.endswith("/") else "") + to
