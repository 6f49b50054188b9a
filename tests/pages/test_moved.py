"""Old addresses: every row of MOVED leads to a page that is there, with its state; all other addresses stay."""

from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages import ALL, HOME, MOVED, Moved, moved_to
from tlmviz.hosting import moved
from tlmviz.hosting.moved import Redirects

from .helpers import assert_healthy, follow_link

FOLDERS, PATHS = {page.folder for page in ALL}, {page.path for page in ALL}
ROWS = {f"{row.path} {urlencode(row.when)}": row for row in MOVED}
OWN = {"text": "Tom & Anna <b>é</b> 😀", "read": "maths", "of_nobody": ""}
TABLE = (
    Moved("old", "caches/serving", when={"part": "B"}, renamed={"a": "b"}, sets={"view": "two"}),
    Moved("old", "caches/serving", renamed={"a": "c"}),
    Moved("lost", HOME, sets={"stage": "dot"}),
)


async def _stays(request):
    if request.url.path == "/slash/":  # the app leads on by itself
        return RedirectResponse(f"/slash?{request.url.query}", 301)
    return PlainTextResponse(f"{request.url.path}?{request.url.query}")


@pytest.fixture
def client():
    routes = [Route("/{path:path}", _stays, methods=["GET", "POST"])]
    middleware = [Middleware(Redirects, moved=lambda path, query: moved_to(path, query, TABLE))]
    return TestClient(Starlette(routes=routes, middleware=middleware))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_old_address_leads_to_a_page_with_all_that_it_says(row):
    before = {**OWN, **row.when, **dict.fromkeys(row.renamed, "7")}
    path, _, query = moved_to(row.path, urlencode(before)).partition("?")
    said = parse_qs(query, keep_blank_values=True)
    assert row.to in FOLDERS and path == ("./" if row.to == HOME else row.to.rpartition("/")[2])
    assert said == {
        key: [value] for key, value in {**OWN, **dict.fromkeys(row.renamed.values(), "7"), **row.sets}.items()
    }
    assert moved_to(row.to.rpartition("/")[2], query) is None  # arrived in one step
    app = follow_link(row.to, dict(parse_qsl(query)), from_the_start=True)
    assert_healthy(app)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_an_old_address_takes_none_away_from_a_page_that_is_there(row):
    assert row.when or row.path not in PATHS
    assert moved_to(row.path, urlencode(OWN)) is None or row.path not in PATHS
    assert not {*row.renamed} & {*row.when, *row.sets}


def test_nothing_that_we_write_names_an_old_address():
    gone = {row.path for row in MOVED} - PATHS
    folder = Path(__file__).resolve().parents[2]
    texts = [
        *folder.glob("pages/**/*.py"),
        *folder.glob("tlmviz/ui/**/*.py"),
        *folder.glob("docs/*.md"),
        folder / "README.md",
    ]
    named = {
        f"{file.relative_to(folder)}: {path}"
        for file in texts
        for path in gone
        for before, after in (("](", "?"), ("](", ")"), ('href="', "?"), ('page="', '"'), ("localhost:8501/", "?"))
        if f"{before}{path}{after}" in file.read_text(encoding="utf-8")
    }
    assert not named


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/old?part=B&a=1&x=%26&part=C", "serving?b=1&x=%26&view=two"),  # the first row that fits
        ("/old?part=C&a=1&a=2", "serving?part=C&c=1&c=2"),
        ("/old?view=one&part=B", "serving?view=two"),
        ("/old", "serving?"),
        ("/under/a/path/old?x=1", "serving?x=1"),
        ("/old/?x=1", "../serving?x=1"),
        ("/lost?text=%F0%9F%98%80+a", "./?text=%F0%9F%98%80+a&stage=dot"),
    ],
)
def test_a_request_is_led_on_from_wherever_the_app_is(client, old, new):
    answer = client.get(old, follow_redirects=False)
    assert answer.status_code == 307 and answer.headers["location"] == new
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/serving?part=B", "/", "/older?part=B", "/old/static/x.js", "/old?" + "&" * 5])
def test_every_other_request_stays(client, path):
    moves = path.startswith("/old?")
    assert client.get(path, follow_redirects=False).status_code == (307 if moves else 200)
    assert client.post(path, follow_redirects=False).status_code == 200


@pytest.mark.parametrize("path", ["/old", "/old/", "/slash/"])
def test_nobody_is_led_to_a_link_that_is_too_long(client, path, monkeypatch):
    monkeypatch.setattr(moved, "LINK", 20_000)  # the client takes no more than half of what is so
    assert client.get(f"{path}?x={'a' * 10_000}", follow_redirects=False).status_code in (301, 307)
    answer = client.get(f"{path}?x={'a' * 20_000}", follow_redirects=False)
    assert answer.status_code == 414 and "location" not in answer.headers
    assert answer.text.endswith("and 20000 are the most that is taken; shorten the text in it.")
