"""Pictures of examples: each at its address, and nothing else of the pages' folder."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from tlmviz.hosting import pictures

PAGES = Path(__file__).parents[2] / "pages"
SOME = sorted(PAGES.glob("*/*/gallery/*.webp"))[0]


@pytest.fixture(scope="module")
def client():
    return TestClient(Starlette(routes=[Route(pictures.PATH, pictures.of(PAGES))]))


@pytest.mark.parametrize("under", ["", "/under", "/under/a"])
def test_a_picture_has_an_address(client, under):
    answer = client.get(f"{under}/{pictures.address(SOME)}")
    assert answer.status_code == 200 and answer.content == SOME.read_bytes()
    assert answer.headers["content-type"] == "image/webp"
    assert "max-age=86400" in answer.headers["cache-control"]


def test_a_picture_that_is_not_taken_yet_has_none():
    assert pictures.address(SOME.with_name("never-taken.webp")) == ""


@pytest.mark.parametrize(
    "path",
    [
        "start/glossary/page.py",
        "start/glossary/nothing.webp",
        "start/glossary/%2e%2e%2fpage.py",
        "%2e%2e/%2e%2e/app.py",
        "start/%2e%2e/x.webp",
        "start/glossary/a%00.webp",
        f"start/glossary/{'a' * 10_000}.webp",
        "start/glossary/é.webp",
    ],
)
def test_nothing_else_has(client, path):
    answer = client.get(f"/gallery/{path}")
    assert answer.status_code == 404 and "import" not in answer.text
