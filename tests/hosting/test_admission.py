"""Admission control: floods are told to wait, a full app says so, tabs that press too often are slowed and lose
nothing."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tests.hosting.asgi import page, stream
from tlmviz.hosting import admission, limits, metrics
from tlmviz.hosting.limits import Limits

HTML = {"accept": "text/html"}
SESSIONS = {"session"}


def said(frame):
    """Letters press, figures are said, a space is for nobody, and all else is no message."""
    for kind, is_that in (("press", bytes.isalpha), ("said", bytes.isalnum), ("ignored", bytes.isspace)):
        if is_that(frame):
            return kind
    return "unreadable"


@pytest.fixture
def visit(monkeypatch):
    """A client of an app with these limits behind admission control."""

    def at(proxies="", **given):
        monkeypatch.setenv(limits.VARIABLE, Limits(**given).as_json())
        routes = [Route("/{path:path}", page), WebSocketRoute(admission.STREAM, stream)]
        control = Middleware(admission.AdmissionControl, issued=SESSIONS.__contains__, said=said)
        app = Starlette(routes=routes, middleware=[control])
        return TestClient(ProxyHeadersMiddleware(app, proxies))

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
    assert int(answers[-1].headers["retry-after"]) == 12  # what is refused takes nothing
    assert refused("requests") == before + 2
    assert client.get("/healthy").status_code == client.get("/lineage").status_code == 429
    assert client.get("/health").status_code == client.get("/static/x.js").status_code == 200


def test_an_address_that_a_believed_proxy_names_is_not_held_up(visit):
    client = visit("testclient", requests=2)
    codes = [
        client.get("/", headers=HTML | {"x-forwarded-for": f"10.0.0.9, 10.0.0.{i % 2}"}).status_code for i in range(6)
    ]
    assert codes == [200] * 4 + [429] * 2


def test_who_is_no_proxy_names_no_address(visit):
    client = visit(requests=2)
    codes = [client.get("/", headers=HTML | {"x-forwarded-for": f"10.0.0.{i}"}).status_code for i in range(3)]
    assert codes == [200, 200, 429]


def test_a_full_house_says_so_and_lets_in_when_somebody_leaves(visit):
    client = visit(sessions=2)
    with client.websocket_connect(admission.STREAM), client.websocket_connect(admission.STREAM):  # of one address
        answer = client.get("/", headers=HTML)
        assert answer.status_code == 503 and "As many visitors" in answer.text
        assert client.get("/image.png").status_code == 200  # those inside go on
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(admission.STREAM):
            pass
    assert client.get("/", headers=HTML).status_code == 200
    with client.websocket_connect(admission.STREAM) as socket:
        socket.send_bytes(b"hello")
        assert socket.receive_bytes() == b"hello"


def test_a_tab_that_presses_too_often_is_slowed_and_loses_nothing(visit, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with visit(presses=60).websocket_connect(admission.STREAM) as socket:
        for number in range(14):
            socket.send_bytes(b"%d" % number)
        assert [socket.receive_bytes() for _ in range(14)] == [b"%d" % number for number in range(14)]
    assert all(each == 0 for each in slept[:10]) and 0.5 < slept[10] <= 1 < slept[11] <= 2


def test_sessions_are_counted(visit):
    before = metrics.SESSIONS._value.get()
    with visit().websocket_connect(admission.STREAM):
        assert metrics.SESSIONS._value.get() == before + 1
    assert metrics.SESSIONS._value.get() == before


def test_an_address_has_only_so_many_tabs_and_others_come_in(visit):
    client, before = visit("testclient", tabs=2), refused("tabs")
    one, other = {"x-forwarded-for": "2001:db8::1"}, {"x-forwarded-for": "2001:db8:0:1::1"}
    neighbour = {"x-forwarded-for": "2001:db8::2"}  # of the same household

    def tab(who):
        return client.websocket_connect(admission.STREAM, headers=who)

    with tab(one), tab(neighbour):
        with pytest.raises(WebSocketDisconnect) as closed, tab(one):
            pass
        assert closed.value.code == 1013
        answer = client.get("/", headers=HTML | one)
        assert answer.status_code == 503 and "as one address may have are open; close some" in answer.text
        assert client.get("/", headers=HTML | other).status_code == 200
        with tab(other):
            pass
    with tab(one):  # somebody has left
        pass
    assert refused("tabs") == before + 2


def test_a_tab_that_says_nothing_is_closed_and_leaves_its_place(visit, monkeypatch):
    monkeypatch.setattr(admission, "SILENT", 0.0)
    client, before = visit(tabs=1), refused("silent")
    for _ in range(2):
        with client.websocket_connect(admission.STREAM) as socket, pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_bytes()
        assert closed.value.code == 1008
    assert refused("silent") == before + 2
    assert client.get("/", headers=HTML).status_code == 200


def test_a_tab_that_comes_back_to_its_session_has_nothing_to_say(visit, monkeypatch):
    monkeypatch.setattr(admission, "SILENT", 0.0)
    client = visit(tabs=9)

    def back(session):
        return client.websocket_connect(admission.STREAM, subprotocols=["streamlit", "x", session])

    with back("session") as first:
        for session in ("session", "any"):  # which another tab has, which never was
            with back(session) as other, pytest.raises(WebSocketDisconnect) as closed:
                other.receive_bytes()
            assert closed.value.code == 1008
        first.send_bytes(b"late")
        assert first.receive_bytes() == b"late"
    with back("session") as again:
        again.send_bytes(b"later")
        assert again.receive_bytes() == b"later"


def test_where_tabs_are_not_limited_any_session_is_believed(visit, monkeypatch):
    """A server that was started again does not know the sessions of the one before, and their tabs may be read."""
    monkeypatch.setattr(admission, "SILENT", 0.0)
    with visit().websocket_connect(admission.STREAM, subprotocols=["streamlit", "x", "lost"]) as socket:
        socket.send_bytes(b"late")
        assert socket.receive_bytes() == b"late"


@pytest.mark.parametrize("send", ["send_text", "send_bytes"])
def test_what_is_no_message_closes_the_tab(visit, send):
    before = refused("unreadable")
    with visit().websocket_connect(admission.STREAM) as socket, pytest.raises(WebSocketDisconnect) as closed:
        getattr(socket, send)("?" if send == "send_text" else b"?")
        socket.receive_bytes()
    assert closed.value.code == 1008 and refused("unreadable") == before + 1


def test_a_tab_that_has_spoken_may_be_silent(visit, monkeypatch):
    waited = []

    async def wait_for(future, seconds):
        waited.extend([seconds] if seconds else [])
        return await future

    monkeypatch.setattr(asyncio, "wait_for", wait_for)
    with visit().websocket_connect(admission.STREAM) as socket:
        for each in (b"one", b"two", b"three"):
            socket.send_bytes(each)
            assert socket.receive_bytes() == each
    assert waited == [pytest.approx(admission.SILENT, abs=5)]


def test_a_tab_that_only_says_what_is_no_press_is_silent(visit, monkeypatch):
    monkeypatch.setattr(admission, "SILENT", 0.3)
    with visit().websocket_connect(admission.STREAM) as socket:
        for each in (b"1", b" ", b"2"):
            socket.send_bytes(each)
        heard = [socket.receive_bytes() for _ in range(2)]
        assert heard == [b"1", b"2"]  # what is ignored goes no further
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_bytes()
    assert closed.value.code == 1008


def test_files_are_taken_only_where_uploads_are_allowed(visit, monkeypatch):
    client = visit()
    assert client.put("/_stcore/upload_file/session/file").status_code == 403
    assert client.get("/_stcore/metrics").status_code == 403
    monkeypatch.setenv(admission.UPLOADS, "1")
    assert client.get("/_stcore/upload_file/session/file").status_code == 200  # the page behind
