"""Links of the app: what is read, and what is refused in a sentence."""

import importlib

import pytest

import pages
from tlmviz.errors import BadShot
from tlmviz.shots import read_link
from tlmviz.shots.links import changed_fields, field_names, home
from tlmviz.shots.links import pages as known

SERVER = "http://localhost:1/"


def test_the_pages_and_the_first_one_are_those_of_the_app():
    assert set(known()) == {page.path for page in pages.ALL}
    assert home() == pages.HOME.rpartition("/")[2]


@pytest.mark.parametrize(
    "text",
    [
        "https://host.example/below/pipeline?m=8&embed=true",
        "/below/pipeline/?m=8",
        "localhost:8501/pipeline?m=8",
        "/pipeline?m=8",
        "pipeline?m=8",
        " /pipeline?m=8 ",
    ],
)
def test_a_link_of_any_host(text, monkeypatch):
    monkeypatch.setattr("tlmviz.shots.links.field_names", lambda: frozenset({"m"}))
    assert read_link(text).address(SERVER) == SERVER + "pipeline?m=8&embed=true"


def test_the_first_page_has_no_path():
    prefixed = "https://host.example/below/?head=5.4", "/below/?head=5.4", "https://host.example/?head=5.4"
    for text in ("/", "?head=5.4", "/explorer?head=5.4", *prefixed):
        assert read_link(text).address(SERVER).startswith(SERVER + "?")
    assert read_link("?text=a%20b+c&text=d").fields == (("text", "a b c"), ("text", "d"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no link of the app"),
        ("ftp://host/pipeline", "no link of the app"),
        ("http://[/pipeline", "no link of the app"),
        ("https://host.example/pipelin/", "did you mean pipeline?"),
        ("/nosuch", "the pages are alignment,"),
        ("/pipelin", "did you mean pipeline?"),
        ("/explorer?haed=5.4", "names a field 'haed'"),
        ("/explorer?%F0%9F%90%88=1", "copy it from the browser"),
    ],
)
def test_what_is_no_link_is_one_sentence(text, says):
    with pytest.raises(BadShot) as said:
        read_link(text)
    assert says in str(said.value) and "\n" not in str(said.value)


@pytest.mark.parametrize("page", pages.ALL, ids=lambda page: page.path)
def test_every_field_of_every_gallery_is_known(page):
    """So is what the app itself writes: a name that is put together somewhere would be refused."""
    try:
        module = importlib.import_module(f"pages.{page.folder.replace('/', '.')}.examples")
    except ModuleNotFoundError:
        return
    for card in getattr(module, "CARDS", ()):
        assert set(card.link) <= field_names(), card.title
        assert dict(read_link(f"/{page.path}{card.address}").fields).keys() == set(card.link)


def test_the_explorer_by_its_name_is_not_the_visit_without_a_link():
    assert "&shot=1" in read_link("/explorer").address(SERVER)
    assert "shot" not in read_link("/").address(SERVER)


def test_a_field_that_the_page_did_not_take():
    link = read_link("/explorer?head=99.9&overlay=3.2,1.1&query=5")
    shown = SERVER + "?head=5.4&overlay=1.1,3.2&embed=true"
    assert changed_fields(link, shown) == [("head", "99.9", "5.4")]
