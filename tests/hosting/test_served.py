"""`tlmviz serve` of two processes behind nginx, asked by who is no browser: what one sends costs the others nothing."""

import http.client
import sys

import pytest

from tlmviz.cli.server import serve
from tlmviz.hosting.limits import LINK

from .test_nginx import needs_nginx

pytestmark = [pytest.mark.slow, needs_nginx]
VISITORS = 20


@pytest.fixture(scope="module")
def port():
    """Where it serves; Python's client reads no line of more than 64 KB unless told to."""
    command = [sys.executable, "-m", "tlmviz", "serve", "--processes", "2"]
    with serve(command) as running, pytest.MonkeyPatch.context() as patch:
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
