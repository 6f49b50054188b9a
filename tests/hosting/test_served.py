"""`tlmviz serve` of two processes behind nginx, asked by who is no browser: what one sends costs the others nothing."""

import http.client
import sys

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tlmviz.hosting.limits import LINK
from tlmviz.hosting.server import serve

from .test_nginx import needs_nginx

pytestmark = [pytest.mark.slow, needs_nginx]
VISITORS = 20


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """What it writes."""
    return tmp_path_factory.mktemp("served") / "log.txt"


@pytest.fixture(scope="module")
def port(log):
    """Where it serves; Python's client reads no line of more than 64 KB unless told to."""
    command = [sys.executable, "-m", "tlmviz", "serve", "--processes", "2"]
    with log.open("wb") as file, serve(command, stderr=file) as running, pytest.MonkeyPatch.context() as patch:
        patch.setattr(http.client, "_MAXLINE", LINK)
        yield running.port


def status(port, path, visitor, **headers):
    """The status of what a visitor asks for."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Cookie": f"tlmviz={visitor}", "Accept": "text/html"} | headers)
    found = connection.getresponse().status
    connection.close()
    return found


@pytest.mark.parametrize("characters", [4_000, 10_000, 90_000])
@pytest.mark.parametrize("path", ["explorer", "text_to_pairs", "scaling", "inside_block", "serving"])
def test_a_long_link_is_led_on_and_others_are_served(port, path, characters):
    for visitor in range(4):
        for slash in ("", "/"):
            found = status(port, f"/{path}{slash}?text={'a' * characters}", visitor)
            assert found in (200, 301, 307) and (found != 200 or not slash)
    assert [status(port, "/", visitor) for visitor in range(VISITORS)] == [200] * VISITORS


@pytest.mark.parametrize("frame", ["text", "", b"", b"\xff\xfe garbage"])
def test_a_frame_that_is_no_message_closes_its_tab_and_writes_no_traceback(port, log, frame):
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"]) as socket:
        socket.send(frame)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv()
    assert closed.value.rcvd.code == 1008
    assert status(port, "/", 1) == 200 and "Traceback" not in log.read_text()
