"""Headers for other sites: on every answer, an answer's own first, and frames as the host says."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tlmviz.errors import Error
from tlmviz.hosting import security


async def _page(_):
    return PlainTextResponse("page")


async def _own(_):
    return PlainTextResponse("page", headers={"Referrer-Policy": "no-referrer"})


@pytest.fixture
def answer(monkeypatch):
    """The headers of an answer, where these may frame pages."""

    def to(path, frames=""):
        monkeypatch.setenv(security.VARIABLE, frames)
        routes = [Route("/", _page), Route("/own", _own)]
        return (
            TestClient(Starlette(routes=routes, middleware=[Middleware(security.SecurityHeaders)]))
            .get(path)
            .headers
        )

    return to


@pytest.mark.parametrize("path", ["/", "/nowhere"])
def test_every_answer_has_them_and_may_be_framed(answer, path):
    headers = answer(path)
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert "content-security-policy" not in headers


def test_an_answers_own_counts(answer):
    assert answer("/own")["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "frames", ["'none'", "'self'", "'self' https://school.example https://*.school.example:8443"]
)
def test_the_host_says_who_may_frame(answer, frames):
    assert answer("/", frames)["content-security-policy"] == f"frame-ancestors {frames}"


@pytest.mark.parametrize(
    "frames", ["none", "school.example", "https://a; script-src *", "'none' 'self'", "https://a\r\nX: y"]
)
def test_nonsense_is_named(answer, frames):
    with pytest.raises(Error, match="TLMVIZ_FRAME_ANCESTORS is .*; it takes 'none', 'self', or origins"):
        answer("/", frames)
