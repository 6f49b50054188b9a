"""The token: who has it comes in and keeps it as a cookie, everybody else gets 403 and a sentence."""

import os
import re
import secrets
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from tlmviz.hosting import token as tokens
from tlmviz.hosting.server import serve

TOKEN = "a-token-of-the-tests"
FIRST = {tokens.PARAMETER: TOKEN}


async def _page(request):
    return PlainTextResponse(str(request.url))


async def _stream(socket):
    await socket.accept()
    await socket.send_text("inside")
    await socket.close()


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setenv(tokens.VARIABLE, TOKEN)
    routes = [Route("/{path:path}", _page, methods=["GET", "POST"]), WebSocketRoute("/stream", _stream)]
    return Starlette(routes=routes, middleware=[Middleware(tokens.Token)])


@pytest.fixture
def client(app):
    return TestClient(app)


def leads_to(answer):
    assert answer.status_code == 200
    return re.search('content="0;url=([^"]*)"', answer.text)[1].replace("&amp;", "&")


def is_refused(answer):
    return answer.status_code == 403 and answer.text == tokens.REFUSAL


def test_the_first_link_becomes_a_cookie_and_leads_on_without_the_token(client):
    answer = client.get("/explorer", params={"text": "a b&c", "empty": ""} | FIRST)
    assert leads_to(answer) == "/explorer?text=a+b%26c&empty="
    assert TOKEN not in answer.text and answer.headers["cache-control"] == "no-store"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Domain" not in cookie
    assert client.get(leads_to(answer)).text.endswith("/explorer?text=a+b%26c&empty=")
    with client.websocket_connect("/stream") as socket:
        assert socket.receive_text() == "inside"


@pytest.mark.parametrize("path", ["/", "/explorer", "/health", "/metrics", "/static/x.js", "/_stcore/health"])
def test_without_it_nothing_opens(client, path):
    assert is_refused(client.get(path)) and is_refused(client.post(path))


@pytest.mark.parametrize("given", ["", "x", TOKEN[:-1], TOKEN + "x", "é", TOKEN.upper()])
def test_a_wrong_token_opens_nothing(client, given):
    answer = client.get("/", params={tokens.PARAMETER: given})
    assert is_refused(answer) and "set-cookie" not in answer.headers
    wrong = f"{tokens.cookie_name(TOKEN)}={given}".encode()
    assert is_refused(client.get("/", headers={"cookie": wrong}))


def test_only_a_link_has_the_token_in_it(client):
    assert is_refused(client.post("/", params=FIRST))
    link = tokens.first_link("/stream", TOKEN)
    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect(link):
        pass
    assert denied.value.status_code == 403 and denied.value.text == tokens.REFUSAL


def test_a_server_that_cannot_answer_a_websocket_closes_it(app):
    async def bare(scope, receive, send):
        await app({**scope, "extensions": {}}, receive, send)

    with pytest.raises(WebSocketDisconnect) as closed, TestClient(bare).websocket_connect("/stream"):
        pass
    assert closed.value.code == 1008


def test_a_link_leads_to_no_other_server(client):
    assert leads_to(client.get("http://testserver//example.org/x", params=FIRST)) == "/example.org/x"


def test_a_cookie_among_others_and_one_that_is_none(client):
    header = tokens.cookie(TOKEN)["Cookie"]
    assert client.get("/", headers={"cookie": f"a=1; {header}; b=2"}).status_code == 200
    assert is_refused(client.get("/", headers={"cookie": "=;;=\x01"}))


def test_two_apps_do_not_share_a_cookie():
    assert tokens.cookie_name("one") != tokens.cookie_name("two")


def test_without_a_token_everything_passes(monkeypatch):
    monkeypatch.delenv(tokens.VARIABLE, raising=False)
    app = Starlette(routes=[Route("/", _page)], middleware=[Middleware(tokens.Token)])
    assert TestClient(app).get("/").status_code == 200


def status(url, headers=None):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers or {})).status
    except HTTPError as answer:
        return answer.code


@pytest.mark.slow
def test_the_app_with_a_token():
    token = secrets.token_urlsafe()
    with serve(token=token) as running:
        for path in ("", "health", "metrics", "line", "_stcore/health", "_stcore/stream", "_stcore/host-config"):
            assert status(running.url + path) == 403, path
            assert status(running.url + path, tokens.cookie("another")) == 403, path
        assert status(running.url, tokens.cookie(token)) == 200
        assert status(tokens.first_link(running.url, token)) == 200
        lines = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout
        assert f"--port {running.port}" in lines and token not in lines
        if sys.platform == "linux":
            own = Path(f"/proc/{running.process.pid}/environ")
            assert token in own.read_text() and own.stat().st_mode & 0o077 == 0
            table = Path("/proc/net/tcp").read_text()  # listening (0A) at 127.0.0.1 and at no other address
            listening = [row.split()[1] for row in table.splitlines()[1:] if row.split()[3] == "0A"]
            mine = [each for each in listening if each.endswith(f":{running.port:04X}")]
            assert mine == [f"0100007F:{running.port:04X}"]
    assert token not in os.environ.values()
