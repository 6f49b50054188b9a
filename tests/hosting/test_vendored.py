"""Scripts of others: the file is the one that was packed, browsers keep it, and pages that open on a chart ask for it
at once."""

import gzip
import hashlib
import re

import plotly.offline
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from tlmviz.hosting import ahead, vendored

HTML = "<html><head><title>t</title></head><body></body></html>"
ROUTE = Route("/{under:path}vendored/{name}", vendored.script)


@pytest.fixture
def client(monkeypatch):
    """A browser at an app with the scripts, two pages and an answer that is no page."""
    monkeypatch.setattr(ahead, "CHARTED", {})
    routes = [
        ROUTE,
        Route("/data", lambda _: JSONResponse({"head": "</head>"})),
        Route("/{page:path}", lambda _: HTMLResponse(HTML)),
    ]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(ahead.Ahead)]), headers={"accept": "text/html,*/*"}
    )


def test_the_script_is_the_one_of_its_package():
    script = gzip.decompress(vendored.CARTESIAN.packed)
    assert hashlib.sha256(script).hexdigest() == vendored.SHA256
    version = re.search(rb"plotly\.js \(cartesian - minified\) v([\d.]+)", script)[1].decode()
    assert f"-{version}." in vendored.CARTESIAN.name
    assert version == plotly.offline.get_plotlyjs_version()  # of the other script: charts look alike
    licence = vendored.FOLDER / f"plotly-cartesian-{version}.LICENSE"
    assert "MIT License" in licence.read_text(encoding="utf-8")


def test_the_script_draws_the_kinds_of_traces_that_it_is_chosen_for():
    script = gzip.decompress(vendored.CARTESIAN.packed).decode()
    drawn = set(re.findall(r'moduleType:"trace",name:"(\w+)"', script))
    assert drawn >= vendored.DRAWN and not drawn & {"treemap", "scattergl"}
    assert vendored.plotly_for({"heatmap", "scatter"}) is vendored.CARTESIAN
    assert vendored.plotly_for({"scatter", "treemap"}) is vendored.ALL
    everything = gzip.decompress(vendored.ALL.packed).decode()
    assert 'name:"treemap"' in everything and 'name:"scattergl"' in everything


@pytest.mark.parametrize("folder", ["", "under/", "under/a/"])
def test_a_script_is_sent_as_gzip_and_kept(client, folder):
    client.headers["accept"] = "*/*"
    answer = client.get(f"/{folder}{vendored.CARTESIAN.path}")
    assert answer.status_code == 200 and answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"] and answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"].startswith("text/javascript")
    plain = client.get(f"/{folder}{vendored.CARTESIAN.path}", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers and plain.content == answer.content
    assert hashlib.sha256(plain.content).hexdigest() == vendored.SHA256
    assert client.get(f"/{folder}vendored/other.js").status_code == 404


def test_a_page_that_opened_on_a_chart_asks_for_its_script_at_once(client):
    plain = client.get("/charted").text
    assert vendored.CARTESIAN.path not in plain
    ahead.opens_on_a_chart("http://host:8501/under/charted", vendored.CARTESIAN)
    for path in ("/charted", "/under/charted", "/charted/", "/charted?text=a"):
        answer = client.get(path)
        head = re.search("<head>(.*)</head>", answer.text, re.DOTALL)[1]
        assert f'<script async src="{vendored.CARTESIAN.path}"' in head
        assert int(answer.headers["content-length"]) == len(answer.content)
    assert client.get("/other").text == plain and client.get("/data").text == '{"head":"</head>"}'
    ahead.opens_on_a_chart("http://host:8501/data", vendored.CARTESIAN)
    assert client.get("/data").text == '{"head":"</head>"}'  # no page
    ahead.opens_on_a_chart("http://host:8501", vendored.ALL)
    assert vendored.ALL.path in client.get("/").text
    ahead.opens_on_a_chart(None, vendored.ALL)  # the address is not known
    assert set(ahead.CHARTED) == {"charted", "data", ""}


def test_every_page_says_where_its_server_is(client):
    answer = client.get("/any")
    assert answer.text == HTML.replace("</head>", f"{ahead.SERVER}</head>")
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert client.get("/any", headers={"accept": "*/*"}).text == HTML  # asked for by a script
