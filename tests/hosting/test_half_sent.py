"""Connections that stop in the middle of a request, by raw sockets of two addresses, before a server as the app's
is."""

import asyncio
import contextlib
import socket
import threading

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute
from uvicorn.protocols.http import h11_impl
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.hosting.asgi import page, stream
from tlmviz.hosting import half_sent, limits
from tlmviz.hosting.limits import Limits

WHOLE, HALF = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", b"GET / HTTP/1.1\r\nHost: he"
ONE, OTHER = "127.0.0.1", "127.0.0.2"
MESSAGE = 1000  # bytes of a websocket's message


async def body(request):
    await request.body()
    return await page(request)


@pytest.fixture
def port(monkeypatch):
    """A server's port: two half-sent requests of one address at once, and little patience."""
    monkeypatch.setattr(limits, "CONNECTIONS", 1)
    monkeypatch.setattr(limits, "PATIENCE", 1.0)
    monkeypatch.setenv(limits.VARIABLE, Limits(tabs=2).as_json())
    for name in ("connection_made", "data_received", "connection_lost"):
        monkeypatch.setattr(AutoHTTPProtocol, name, getattr(AutoHTTPProtocol, name))  # to be as it was
    most = "DEFAULT_MAX_INCOMPLETE_EVENT_SIZE"
    monkeypatch.setattr(h11_impl, most, getattr(h11_impl, most))
    half_sent.close(MESSAGE)
    routes = [Route("/", page), Route("/", body, methods=["POST"]), WebSocketRoute("/stream", stream)]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", timeout_keep_alive=60))
    with socket.create_server((ONE, 0)) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def asking(port, sent, address=ONE):
    """A connection that has sent so much."""
    with socket.create_connection((ONE, port), 20, (address, 0)) as asked:
        with contextlib.suppress(OSError):  # closed before
            asked.sendall(sent)
        yield asked


def answer(asked) -> bytes:
    """A whole answer; nothing where the connection is closed."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while not found.endswith(b"page") and (more := asked.recv(4096)):
            found += more
    return found


def test_an_address_has_so_many_and_others_are_served(port):
    with asking(port, HALF) as first, asking(port, HALF), asking(port, HALF) as one_too_many:
        assert answer(one_too_many) == b""
        with asking(port, WHOLE, OTHER) as neighbour:
            assert answer(neighbour).startswith(b"HTTP/1.1 200")
        first.sendall(b"re\r\n\r\n")  # the rest, in time
        assert answer(first).startswith(b"HTTP/1.1 200")
        with asking(port, WHOLE) as next_one:
            assert answer(next_one).startswith(b"HTTP/1.1 200")


def test_a_link_as_long_as_any_may_come_in_pieces(port):
    whole = b"GET /?text=%b HTTP/1.1\r\nHost: here\r\n\r\n" % (b"a" * (limits.LINK - 100))
    with asking(port, b"") as slow:
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(whole), 1000):
            slow.sendall(whole[start : start + 1000])
        assert answer(slow).startswith(b"HTTP/1.1 200")


def test_what_stays_half_is_closed_and_then_there_is_room_again(port):
    with asking(port, HALF) as first, asking(port, b"") as second:
        assert answer(first) == answer(second) == b""  # after the patience, not before: the read waits
    with asking(port, WHOLE) as whole:
        assert answer(whole).startswith(b"HTTP/1.1 200")


def test_who_has_spoken_may_be_silent(port):
    with connect(f"ws://{ONE}:{port}/stream") as stream, asking(port, WHOLE) as kept:
        assert answer(kept).startswith(b"HTTP/1.1 200")
        with asking(port, HALF) as half:
            assert answer(half) == b""  # patience is over
        kept.sendall(WHOLE)
        assert answer(kept).startswith(b"HTTP/1.1 200")
        stream.send(b"still here")
        assert stream.recv() == b"still here"


def test_a_later_request_that_stays_half_is_closed_too(port):
    with asking(port, WHOLE) as first, asking(port, WHOLE) as second:
        for kept in (first, second):
            assert answer(kept).startswith(b"HTTP/1.1 200")
            kept.sendall(HALF)
        with asking(port, b"") as one_too_many:
            assert answer(one_too_many) == b""
        second.sendall(b"re\r\n\r\n")  # the rest, in time
        assert answer(second).startswith(b"HTTP/1.1 200")
        assert answer(first) == b""
        second.sendall(WHOLE)
        assert answer(second).startswith(b"HTTP/1.1 200")


def test_a_body_that_stays_half_is_closed_and_one_in_pieces_is_read(port):
    head = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\n"
    with asking(port, head + b"ab") as first, asking(port, head) as second:
        for piece in (b"a", b"bcd"):
            second.sendall(piece)
        assert answer(second).startswith(b"HTTP/1.1 200")
        assert answer(first) == b""


def test_a_message_is_as_long_as_it_may_be_whether_it_ends_or_not(port):
    with connect(f"ws://{ONE}:{port}/stream", compression=None) as stream:
        stream.send([b"a" * (MESSAGE // 2)] * 2)
        assert stream.recv() == b"a" * MESSAGE  # and what is sent back is not counted

        def unfinished():
            yield b"a" * MESSAGE
            yield b"a"
            stream.recv(20)  # until the server has had enough: the message never ends

        with pytest.raises(ConnectionClosed) as closed:
            stream.send(unfinished())
    assert closed.value.rcvd.code == 1009
