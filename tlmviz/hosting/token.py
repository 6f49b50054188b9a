"""A token for an app that serves one user of a machine on which others work too: who does not have it gets nothing."""

from __future__ import annotations

import hashlib
import hmac
import html
import os
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

if TYPE_CHECKING:
    from starlette.responses import HTMLResponse
    from starlette.types import ASGIApp, Receive, Scope, Send

VARIABLE = "TLMVIZ_TOKEN"  # other users read the command lines of a process, but not its environment
PARAMETER = "tlmviz_token"  # of the first link
REFUSAL = "This app is open for the window that started it alone; start your own with `tlmviz run`."


class Token:
    """ASGI middleware that asks for the token which the environment names; without one everything passes.

    The first link has it as PARAMETER. The answer keeps it as a cookie and leads on to the link without it; every other
    request and websocket needs that cookie, else it gets status 403 and REFUSAL.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.token = app, os.environ.get(VARIABLE, "")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one websocket."""
        if not self.token or scope["type"] not in ("http", "websocket") or self._has_cookie(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "http" and self._is_first(scope):
            await self._led_on(scope)(scope, receive, send)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            from starlette.responses import PlainTextResponse

            await PlainTextResponse(REFUSAL, 403)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "token"})

    def _same(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _has_cookie(self, scope: Scope) -> bool:
        name = cookie_name(self.token)
        for key, value in scope["headers"]:
            if key == b"cookie":
                try:
                    kept = SimpleCookie(value.decode("latin-1"))
                except CookieError:
                    continue
                if name in kept and self._same(kept[name].value):
                    return True
        return False

    def _is_first(self, scope: Scope) -> bool:
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get(PARAMETER, "")
        return scope["method"] == "GET" and self._same(given)

    def _led_on(self, scope: Scope) -> HTMLResponse:
        """A page that leads on by itself: after a redirect by status, a browser that came from another page (the start
        page of `tlmviz run --app`) holds back cookies that are SameSite=Strict."""
        from starlette.responses import HTMLResponse  # late: the library, which makes tokens, has no Starlette

        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([(name, value) for name, value in query if name != PARAMETER])
        link = "/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        answer = HTMLResponse(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>tlmviz</title>'
            f'<meta http-equiv="refresh" content="0;url={html.escape(link)}"></html>',
            headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
        )
        answer.set_cookie(cookie_name(self.token), self.token, httponly=True, samesite="strict")
        return answer


def cookie_name(token: str) -> str:
    """The cookie of one app: browsers share cookies among the ports of a machine, and two windows may be open."""
    return "tlmviz_" + hashlib.sha256(token.encode()).hexdigest()[:8]


def cookie(token: str) -> dict[str, str]:
    """The header of a request that has the token."""
    return {"Cookie": f"{cookie_name(token)}={token}"}


def first_link(address: str, token: str) -> str:
    """The link that lets a browser in. `address` ends with a slash."""
    return f"{address}?{urlencode({PARAMETER: token})}"
