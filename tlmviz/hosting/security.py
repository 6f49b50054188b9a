"""Headers that tell a browser what other sites may do with the app: guess at its files, see its links, frame its pages."""

from __future__ import annotations

import os
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlmviz.errors import Error

VARIABLE = "TLMVIZ_FRAME_ANCESTORS"  # who may show pages in a frame; unset, everybody: pictures are embedded in other sites
KNOWN = re.compile(r"'none'|('self'|https?://[\w.*-]+(:\d+)?)( ('self'|https?://[\w.*-]+(:\d+)?))*")
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}


class SecurityHeaders:
    """ASGI middleware that adds HEADERS to every answer that has not its own, and who may frame it if VARIABLE says so.

    Raises Error where that is nothing a browser understands.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.headers = app, dict(HEADERS)
        if frames := os.environ.get(VARIABLE, ""):
            self.headers["Content-Security-Policy"] = f"frame-ancestors {checked(frames)}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


def checked(frames: str) -> str:
    """Who may frame pages, as the header has it. Raises Error."""
    if KNOWN.fullmatch(frames):
        return frames
    raise Error(
        f"{VARIABLE} is {frames[:100]!r}; it takes 'none', 'self', or origins with blanks between them, such as "
        "https://school.example, in quotes where these are."
    )
