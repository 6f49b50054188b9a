"""The clocks of RoPE on a site: the header and arrays that the app sends to the same picture."""

import numpy as np
import pytest

from pages.positions.rope_planes import data, site, view
from pages.positions.rope_planes.state import Choice
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.positions import rope_planes
from tlmviz.checkpoints.registry import language_config
from tlmviz.errors import BadConfig
from tlmviz.ui import compute

IMPORTS = {
    "tlmviz/browser/language_model.js": "load",
    "pages/positions/rope_planes/planes.js": "checkedBase, clocksOf",
    "tlmviz/browser/survey.js": "previousHead",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const lm = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const trace = lm.trace(given.text);
const { header, arrays } = clocksOf(trace, given.chosen);
result = { header, previous: previousHead(trace) };
for (const [name, values] of Object.entries(arrays)) result[name] = Array.from(values);
"""
START = {name: control.default for name, control in Choice.controls.items()}
CASES = (
    ("stories-rope", "Tom saw a dog. Anna saw a dog. Tom saw a", (4, 2), (9, 8), {}),
    ("stories-rope", "Tom 😀 sees", (0, 0), (0, 0), {"moves": "both"}),
    ("zoo-gqa", "The cat sat on the mat and looked at the ball.", (1, 5), (11, 3), {"moves": "key", "stride": 4}),
    ("zoo-rope", "Once upon a time", (2, 7), (3, 1), {"base": 100_000.0, "stride": 256}),
)


@pytest.mark.parametrize("model, text, head, pair, more", CASES)
def test_the_picture_is_pythons(model, text, head, pair, more, monkeypatch):
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: sent.append((header, arrays)))
    choice = Choice(**START | more, model=model, text=text, head=head, pair=pair)
    view.clocks(data.Data(choice))
    [(header, arrays)] = sent
    assert header.pop("engine")["given"]["stride"] == choice.stride
    chosen = {name: getattr(choice, name) for name in ("head", "pair", "moves", "stride", "base")}
    given = {"folder": str(ROOT / "models" / model), "text": text, "chosen": chosen}
    found = evaluate(IMPORTS, BODY, given)
    np.testing.assert_allclose(found["header"].pop("speeds"), header.pop("speeds"), rtol=1e-12)
    assert found["header"] == header
    for name, values in arrays.items():
        np.testing.assert_allclose(np.reshape(found[name], values.shape), values, atol=2e-4)
    assert tuple(found["previous"]) == compute.previous_head(model, text)


@pytest.mark.parametrize("base", [1, 0, -3, 1.001, 1e15, 10_000])
def test_a_base_is_taken_or_refused_in_the_same_sentence(base):
    body = "try { result = checkedBase(given, 10000); } catch (error) { result = error.message; }"
    try:
        expected = rope_planes.checked_base(float(base))
    except BadConfig as error:
        expected = str(error)
    assert evaluate(IMPORTS, body, base) == expected


def test_it_offers_models_that_turn_all_of_a_head_by_one_base():
    names = site.given()["models"]
    assert "stories-rope" in names and "zoo-mla" not in names and "stories-gpt" not in names
    assert all(rope_planes.has_planes(language_config(name)) for name in names)
