"""Train a transformer on a site asks the engine for the runs that the app asks for, and says the same above them."""

import json

import pytest

from pages.start.train import data, site, view
from pages.start.train.state import Choice
from tests.javascript.node import evaluate

IMPORTS = {"pages/start/train/runs.js": "headerOf, offered"}
BODY = "result = { header: headerOf(given.chosen, given.tables), offered: offered(given.chosen, given.tables) };"
CHOICES = (
    {},
    {"beside": "layer", "layers": 3, "mlp": True},
    {"task": "turned", "beside": "positions", "guess": False, "rate": 1e-4, "positions": "learned"},
    {"task": "sort", "norm": False, "mask": False, "layers": 1},
    {"task": "pieces", "text": "A cat sat on a mat, and a cat sat on a hat. " * 20, "pieces": 64},
    {"task": "text", "text": "Tom 😀 sees a 😀 cat.", "beside": "rate", "width": 128, "heads": 8},
)


@pytest.mark.parametrize("chosen", CHOICES)
def test_runs_and_title_are_pythons(chosen, monkeypatch):
    values = {name: control.default for name, control in Choice.controls.items()} | chosen
    shown = []
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: shown.append(header))
    asked = data.Data(Choice(**values))
    view.runs(asked)
    found = evaluate(IMPORTS, BODY, {"chosen": values, "tables": site.given()})
    for header in shown:
        header.pop("why")  # sentences of the page, which a site has none of
    for header in (found["header"], *shown):
        assert header.pop("live")  # the file without a model: the app's address, and the site's
    assert [found["header"]] == json.loads(json.dumps(shown))
    assert found["offered"] == asked.offered
