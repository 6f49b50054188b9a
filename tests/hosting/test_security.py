"""Headers for other sites: on every answer, an answer's own first, and frames as the host says."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from tlmviz.errors import Error
from tlmviz.hosting import addresses, security


async def _page(_):
    return PlainTextResponse("page")


async def _stream(socket):
    await socket.accept()
    await socket.close()


async def _own(_):
    return PlainTextResponse("page", headers={"Referrer-Policy": "no-referrer"})


@pytest.fixture
def answer(monkeypatch):
    """The headers of an answer, where these may frame pages."""

    def to(path, frames=""):
        monkeypatch.setenv(security.VARIABLE, frames)
        routes = [Route("/", _page), Route("/own", _own)]
        return TestClient(Starlette(routes=routes, middleware=[Middleware(security.SecurityHeaders)])).get(path).headers

    return to


@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_every_answer_has_them_and_may_be_framed(answer, path):
    headers = answer(path)
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert "content-security-policy" not in headers


def test_an_answers_own_counts(answer):
    assert answer("/own")["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("frames", ["'none'", "'self'", "'self' https://school.example https://*.school.example:8443"])
def test_the_host_says_who_may_frame(answer, frames):
    assert answer("/", frames)["content-security-policy"] == f"frame-ancestors {frames}"


@pytest.mark.parametrize(
    "frames", ["none", "school.example", "https://a; script-src *", "'none' 'self'", "https://a\r\nX: y"]
)
def test_nonsense_is_named(answer, frames):
    with pytest.raises(Error, match="TLMVIZ_FRAME_ANCESTORS is .*; it takes 'none', 'self', or origins"):
        answer("/", frames)


@pytest.fixture
def ask(monkeypatch):
    """Whether the app answers to a Host, to who comes from this machine or from elsewhere; `hosts` are the names that
    it has."""

    def at(host, hosts="", client="127.0.0.1", origin=None):
        monkeypatch.setenv(addresses.HOSTS, hosts)
        app = Starlette(
            routes=[Route("/", _page), WebSocketRoute("/stream", _stream)],
            middleware=[Middleware(security.OwnName, name="named.example")],
        )
        browser = TestClient(app, client=(client, 1))
        headers = {"host": host} | ({"origin": origin} if origin else {})
        answer = browser.get("/", headers=headers)
        assert answer.status_code == 200 or answer.text.startswith("This app does not answer to the name")
        try:
            with browser.websocket_connect("/stream", headers=headers):
                return answer.status_code == 200, True
        except (WebSocketDisconnect, WebSocketDenialResponse):
            return answer.status_code == 200, False

    return at


HERE = ["localhost:8741", "127.0.0.1:8741", "[::1]:8741", "127.0.0.2", "LOCALHOST", "named.example:8741", ""]


@pytest.mark.parametrize("hosts", ["", "localhost", "other.example"])
def test_the_app_answers_to_its_own_names(ask, hosts):
    for host in HERE:
        assert ask(host, hosts) == (True, True)
    assert ask("other.example", hosts)[0] == (hosts == "other.example")


@pytest.mark.parametrize("host", ["evil.com:8741", "localhost.evil.com", "127.0.0.1.evil.com", "[", "a@b"])
def test_a_name_that_somebody_leads_here_is_refused(ask, host):
    assert ask(host, origin=f"http://{host}") == (False, False)
    assert ask(host, "localhost", client="10.0.0.1", origin=f"http://{host}") == (False, False)
    assert ask(host, client="10.0.0.1") == (True, True)  # a host's own name, by which others come


@pytest.mark.parametrize("client", ["127.0.0.1", "10.0.0.1"])
def test_websockets_are_for_pages_of_the_app_alone(ask, client):
    assert ask("localhost:8741", client=client, origin="http://localhost:8741") == (True, True)
    for origin in ("http://localhost:9000", "http://127.0.0.1:8741", "https://evil.com", "null"):
        assert ask("localhost:8741", client=client, origin=origin) == (True, False)
    for name in ("named.example", "other.example"):  # by which the host said it is reached
        assert ask("localhost:8741", "other.example", client, f"https://{name}") == (True, True)
