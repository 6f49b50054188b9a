"""What a page's HTML can say before the app's scripts run: where the server is, and what is to be loaded meanwhile.

Streamlit's browser looks for its server below the page first (`/kv_cache/_stcore`), and waits 400 ms when it is not
there; the HTML names the folder that the page's own scripts come from. Its scripts take about as long as Plotly's to
arrive and to be read, and wait for the server in between: a page that opens on a chart has Plotly in its HTML, so both
come together, and the chart is drawn as soon as its figure is there.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .vendored import Script

CHARTED: dict[str, Script] = {}  # by the last part of an address: what its chart was drawn by, since this process began
MOST = 1000  # addresses that are remembered
# With a HOST_CONFIG the browser opens its connection at once and asks whether the server is well beside that, not
# before.
SERVER = """<script>window.__streamlit = {
  BACKEND_BASE_URL: new URL("./", document.baseURI).href,
  HOST_CONFIG: { allowedOrigins: [location.origin], useExternalAuthToken: false },
  ...window.__streamlit,
}</script>"""
# What charts find of a script that is there before them (ui/components/chart/plotly.js).
ASKING = '<script async src="{path}" onload="this.plotly = Plotly" onerror="this.remove()"></script>'


def opens_on_a_chart(address: str | None, script: Script) -> None:
    """Remember that the page at this address, where it is known, shows at once a chart that this script draws."""
    if address and len(CHARTED) < MOST:
        CHARTED.setdefault(_name(urlsplit(address).path), script)


class Ahead:
    """ASGI middleware that adds to every page's HTML where its server is, and what asks for its first chart's
    script."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket."""
        if scope["type"] != "http" or scope["method"] != "GET" or not _wants_page(scope):
            await self.app(scope, receive, send)
            return
        script = CHARTED.get(_name(scope["path"]))
        plain = [each for each in scope["headers"] if each[0] not in (b"accept-encoding", b"range")]
        added = SERVER + (ASKING.format(path=script.path) if script else "")
        await self.app({**scope, "headers": plain}, receive, _Adding(send, added))


class _Adding:
    """Sends a response on; HTML as a whole, with a tag more in its head."""

    def __init__(self, send: Send, tag: str) -> None:
        self.send, self.tag, self.body = send, tag.encode(), b""
        self.start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self.start = message
        elif self.start is None or message["type"] != "http.response.body":
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                body = self.body.replace(b"</head>", self.tag + b"</head>", 1)
                MutableHeaders(raw=self.start["headers"])["content-length"] = str(len(body))
                await self.send(self.start)
                await self.send({**message, "body": body})


def _wants_page(scope: Scope) -> bool:
    """Whether a browser opens an address; what its scripts ask for is passed on as it is."""
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_page(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return bool(start["status"] == 200 and kind.startswith("text/html"))


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
