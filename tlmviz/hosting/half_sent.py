"""Connections that send no whole request: each is closed after limits.PATIENCE seconds, and an address has only so
many.

uvicorn (0.54) waits for the rest of a request for ever: whoever opens thousands of connections and stops in the middle,
be it of the first request or of a later one, leaves no place for anybody. nginx, where it stands before the app, sees
to the same, and what it asks the app is whole.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from typing import Any

from uvicorn.protocols.http import h11_impl
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from . import limits
from .addresses import counted

_made, _received, _lost = (
    AutoHTTPProtocol.connection_made,
    AutoHTTPProtocol.data_received,
    AutoHTTPProtocol.connection_lost,
)
_silent: dict[Any, tuple[str, asyncio.TimerHandle]] = {}  # protocol -> its address, and what will close it
_of: Counter[str] = Counter()  # of each address


def close(message: int) -> None:
    """Let the server of this process close them, and a websocket that sends more bytes in a `message`, be it whole or
    not."""
    # uvicorn has no place to put one's own: its methods themselves give way.
    AutoHTTPProtocol.connection_made = functools.partialmethod(_connection_made, message)  # type: ignore[assignment]
    AutoHTTPProtocol.data_received = _data_received  # type: ignore[method-assign]
    AutoHTTPProtocol.connection_lost = _connection_lost  # type: ignore[method-assign]
    # Half of it, where a long link came in pieces, was no request.
    h11_impl.DEFAULT_MAX_INCOMPLETE_EVENT_SIZE = 2 * limits.LINK  # type: ignore[attr-defined]


def _connection_made(self: Any, message: int, transport: Any) -> None:
    # Streamlit gives uvicorn, before it loads the app, the size of what it may send itself: a whole page.
    self.config.ws_max_size = message
    _made(self, transport)
    _wait(self)


def _data_received(self: Any, data: bytes) -> None:
    _received(self, data)
    if self.transport.get_protocol() is not self:  # a websocket
        _heard(self)
    elif self.cycle is None or self.cycle.response_complete:
        if self not in _silent:  # the head of the next request has its time as a whole
            _wait(self)
    else:
        _heard(self)
        if self.cycle.more_body:  # each piece of it has its time
            _wait(self)


def _connection_lost(self: Any, exc: Exception | None) -> None:
    _heard(self)
    _lost(self, exc)


def _heard(protocol: Any) -> None:
    if protocol in _silent:
        address, closing = _silent.pop(protocol)
        closing.cancel()
        _of[address] -= 1
        if not _of[address]:
            del _of[address]


def _wait(protocol: Any) -> None:
    """Close a connection in a while, or at once where its address has enough of them."""
    transport = protocol.transport
    address = counted(str((transport.get_extra_info("peername") or ("",))[0]))
    most = limits.CONNECTIONS * limits.current().tabs
    if most and _of[address] >= most:
        transport.abort()
        return
    _of[address] += 1
    _silent[protocol] = address, asyncio.get_running_loop().call_later(limits.PATIENCE, transport.abort)
