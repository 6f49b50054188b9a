"""What browsers read texts with: each file at an address that holds what it is of, and nothing else of the disk."""

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.javascript.node import ROOT
from tlmviz.ui import engine
from tlmviz.ui.components.attention_view import FOLDER

READER = FOLDER / "typing.js"


@pytest.fixture
def client():
    routes = [Route(engine.SCRIPT, engine.script), Route(engine.WEIGHTS, engine.weights)]
    return TestClient(Starlette(routes=routes))


@pytest.mark.parametrize("under", ["", "/under", "/under/a"])
def test_every_file_of_a_model_has_an_address(client, under):
    offered = engine.offer("zoo-rope", "A text.", READER, ("head",), layer=3)
    assert offered["text"] == "A text." and offered["follows"] == ["head"] and offered["given"] == {"layer": 3}
    for file in ("config.json", "model.safetensors", "tokenizer.json"):
        answer = client.get(f"{under}/{offered['model']}{file}")
        assert answer.content == (ROOT / "models/zoo-rope" / file).read_bytes()
        assert "immutable" in answer.headers["cache-control"]
    answer = client.get(f"{under}/{offered['script']}")
    assert answer.headers["content-type"].startswith("text/javascript") and "readerOf" in answer.text


def test_other_weights_have_another_address(tmp_path):
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_text("1")
    before = engine._stamp.__wrapped__(tmp_path)
    (tmp_path / "model.safetensors").write_text("22")
    assert engine._stamp.__wrapped__(tmp_path) != before


@pytest.mark.parametrize(
    "name", ["stories-encoder", "stories-induction@400", "words-glove", "nobody", "../models/zoo-rope"]
)
def test_nothing_is_offered_where_the_browser_reads_nothing(name):
    assert engine.offer(name, "A text.", READER) is None


def test_a_large_model_is_left_to_the_server(monkeypatch):
    monkeypatch.setattr(engine, "MOST", 1_000_000)
    engine._offered.cache_clear()
    try:
        assert not engine.can_read("stories-rope")
    finally:
        monkeypatch.undo()
        engine._offered.cache_clear()


def test_another_folder_of_models_is_looked_at_when_it_is_named(tmp_path, monkeypatch):
    assert engine.can_read("zoo-rope")
    monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
    assert not engine.can_read("zoo-rope")
    monkeypatch.undo()
    assert engine.can_read("zoo-rope")


def test_nothing_else_has_an_address(client):
    offered = engine.offer("zoo-rope", "A", READER)
    for path in (
        "engine/x.js",
        f"{offered['model']}card.md",
        "engine/zoo-rope/x/config.json",
        "engine/nobody/x/config.json",
        offered["model"] + "%2e%2e%2fconfig.json",
        "engine/%2e%2e/x/config.json",
    ):
        assert client.get(f"/{path}").status_code == 404
