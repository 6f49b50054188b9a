"""The door: floods are told to wait, a full house says so, tabs that press too often are slowed and lose nothing."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tlmviz.hosting import door, limits, metrics
from tlmviz.hosting.limits import Limits

HTML = {"accept": "text/html"}


async def _page(_):
    return PlainTextResponse("page")


async def _stream(socket):
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


@pytest.fixture
def visit(monkeypatch):
    """A client of an app with these limits behind the door."""

    def at(**given):
        monkeypatch.setenv(limits.VARIABLE, Limits(**given).as_json())
        routes = [
            Route("/{path:path}", _page),
            WebSocketRoute(door.STREAM, _stream),
        ]
        return TestClient(Starlette(routes=routes, middleware=[Middleware(door.Door)]))

    return at


def refused(limit):
    return metrics.REFUSED.labels(limit)._value.get()


def test_without_limits_everything_passes(visit):
    client = visit()
    assert {client.get("/", headers=HTML).status_code for _ in range(50)} == {200}


def test_a_flood_from_one_address_is_told_when_to_come_back(visit):
    client, before = visit(requests=5), refused("requests")
    answers = [client.get("/explorer", headers=HTML) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
    assert "More than 5 requests came from your address" in answers[-1].text
    assert int(answers[-1].headers["retry-after"]) >= 12
    assert refused("requests") == before + 2
    assert client.get("/health").status_code == client.get("/static/x.js").status_code == 200


def test_another_address_is_not_held_up(visit, monkeypatch):
    monkeypatch.setattr(
        door, "LOOPBACK", ("testclient",)
    )  # the server before us runs here and names who asks
    client = visit(requests=2)
    codes = [client.get("/", headers=HTML | {"x-real-ip": f"10.0.0.{i % 2}"}).status_code for i in range(6)]
    assert codes == [200] * 4 + [429] * 2


def test_who_is_no_proxy_names_no_address(visit):
    client = visit(requests=2)
    codes = [client.get("/", headers=HTML | {"x-real-ip": f"10.0.0.{i}"}).status_code for i in range(3)]
    assert codes == [200, 200, 429]


def test_a_full_house_says_so_and_lets_in_when_somebody_leaves(visit):
    client = visit(sessions=1)
    with client.websocket_connect(door.STREAM):
        answer = client.get("/", headers=HTML)
        assert answer.status_code == 503 and "As many visitors" in answer.text
        assert client.get("/image.png").status_code == 200  # those inside go on
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(door.STREAM):
            pass
    assert client.get("/", headers=HTML).status_code == 200
    with client.websocket_connect(door.STREAM) as socket:
        socket.send_text("hello")
        assert socket.receive_text() == "hello"


def test_a_tab_that_presses_too_often_is_slowed_and_loses_nothing(visit, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with visit(presses=60).websocket_connect(door.STREAM) as socket:
        for number in range(14):
            socket.send_text(str(number))
        assert [socket.receive_text() for _ in range(14)] == [str(number) for number in range(14)]
    assert all(each == 0 for each in slept[:10]) and 0.5 < slept[10] <= 1 < slept[11] <= 2


def test_sessions_are_counted(visit):
    before = metrics.SESSIONS._value.get()
    with visit().websocket_connect(door.STREAM):
        assert metrics.SESSIONS._value.get() == before + 1
    assert metrics.SESSIONS._value.get() == before


def test_addresses_are_forgotten_before_they_fill_the_memory(visit, monkeypatch):
    monkeypatch.setattr(door, "KEPT", 3)
    monkeypatch.setattr(limits, "current", lambda: Limits(requests=5))
    guard = door.Door(None)
    for number in range(10):
        guard._bucket(str(number))
    assert list(guard.addresses) == ["7", "8", "9"]
