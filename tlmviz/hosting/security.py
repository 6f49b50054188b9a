"""What other sites may do with the app: headers that say so to a browser, and a look at whose name it is asked by.

A site whose name its owner leads to this machine (DNS rebinding) is, to a browser, where the app is: what its scripts
read of the app is its own then. An app that only this machine reaches has no other protection than to know its names.
"""

from __future__ import annotations

import ipaddress
import os
import re
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tlmviz.errors import Error

from .addresses import HOSTS, LOOPBACK, address, header

VARIABLE = (
    "TLMVIZ_FRAME_ANCESTORS"  # who may show pages in a frame; unset, everybody: pictures are embedded in other sites
)
KNOWN = re.compile(r"'none'|('self'|https?://[\w.*-]+(:\d+)?)( ('self'|https?://[\w.*-]+(:\d+)?))*")
HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}

STRANGE = (
    "This app does not answer to the name {name!r}; open it as http://localhost with its port, or start it with "
    f"{HOSTS}={{name}} in its environment."
)
FOREIGN = "Another site's page asked for this app; only its own pages may."


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


class OwnName:
    """ASGI middleware that answers to the app's own names, and opens websockets for its own pages alone; else status
    403.

    Its names are localhost, every address, `name` and those in HOSTS. Where HOSTS is not set others are refused to this
    machine alone: who comes from elsewhere reaches the app by whatever name its host has.
    """

    def __init__(self, app: ASGIApp, name: str = "") -> None:
        names = os.environ.get(HOSTS, "").lower().split()
        self.app, self.strict, here = app, bool(names), {"", "localhost"}
        self.given = {name.lower(), *names} - here
        self.names = here | self.given

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket."""
        why = self._refusal(scope) if scope["type"] in ("http", "websocket") else ""
        if not why:
            await self.app(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await PlainTextResponse(why, 403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "host"})

    def _refusal(self, scope: Scope) -> str:
        host, origin = header(scope, b"host").lower(), header(scope, b"origin").lower()
        page = origin.partition("://")[2] if scope["type"] == "websocket" and origin else host
        if page != host and _name(page) not in self.given:  # a server before it may have changed the Host
            return FOREIGN
        if (self.strict or address(scope) in LOOPBACK) and (name := _name(host)) not in self.names:
            return STRANGE.format(name=name[:100])
        return ""


def _name(host: str) -> str:
    """The name in a header Host, without its port; "" for an address, which nobody can lead elsewhere."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name
    return ""


def checked(frames: str) -> str:
    """Who may frame pages, as the header has it. Raises Error."""
    if KNOWN.fullmatch(frames):
        return frames
    raise Error(
        f"{VARIABLE} is {frames[:100]!r}; it takes 'none', 'self', or origins with blanks between them, such as "
        "https://school.example, in quotes where these are."
    )
