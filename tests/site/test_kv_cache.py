"""The steps of a generation on a site: the header and arrays that the app sends to the same picture at temperature
0."""

import numpy as np
import pytest

from pages.caches.kv_cache import site, view
from pages.caches.kv_cache.data import Data
from pages.caches.kv_cache.state import Cache
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.caches.cost import step_flops
from tlmviz.ui import compute

IMPORTS = {"tlmviz/browser/language_model.js": "load", "pages/caches/kv_cache/decoded.js": "decodingOf, LONGEST"}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const lm = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
try {
  const { header, arrays } = decodingOf(lm, given.text, given.chosen, given.costs);
  result = { header, longest: LONGEST };
  for (const [name, values] of Object.entries(arrays)) result[name] = Array.from(values);
} catch (error) {
  result = error.message;
}
"""
START = {name: control.default for name, control in Cache.controls.items()}
LONG = "The cat sat on the mat and looked at the big red ball. " * 8
CASES = (
    ("stories-rope", "Once upon a time there was a little girl named Lily.", (4, 2), 40),
    ("zoo-gqa", "Tom 😀 sees a 😀 cat.", (1, 5), 8),
    ("zoo-window", LONG, (0, 3), 12),
    ("zoo-learned", "The cat", (2, 0), 1),
)


def found(model, text, head, tokens):
    """What the site's script makes."""
    given = {
        "folder": str(ROOT / "models" / model),
        "text": text,
        "chosen": {"tokens": tokens, "head": head},
        "costs": site.given()["costs"],
    }
    return evaluate(IMPORTS, BODY, given)


@pytest.mark.parametrize("model, text, head, tokens", CASES)
def test_the_picture_is_pythons(model, text, head, tokens, monkeypatch):
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: sent.append((header, arrays)))
    values = START | {"prompt": text, "tokens": tokens, "temperature": 0.0}
    view.picture(Data(Cache(model=model, text=text, head=head, **values)))
    [(header, arrays)] = sent
    assert header.pop("engine")["text"] == text
    own = found(model, text, head, tokens)
    assert own["longest"] == view.LONGEST
    np.testing.assert_allclose(own["header"].pop("chances"), header.pop("chances"), atol=1e-3)
    assert header.pop("measured") and not own["header"].pop("measured")
    assert own["header"].pop("flops") == [list(pair) for pair in header.pop("flops")]
    assert own["header"] == header
    assert arrays.keys() == own.keys() - {"header", "longest"}
    for name, values in arrays.items():
        one = np.array([np.nan if value is None else value for value in own[name]], float)
        np.testing.assert_allclose(one.reshape(values.shape), values, atol=1e-3)


def test_a_text_that_fills_the_context_is_one_sentence():
    said = found("zoo-gqa", LONG * 3, (0, 0), 4)
    assert "shorten it" in said


def test_operations_are_the_formula_s_at_every_length():
    for name, costs in site.given()["costs"].items():
        config = compute.configs()[name]
        windows = [config.layer(layer).window for layer in range(config.n_layers)]
        for length in (1, 2, 5, 64, 65, 300, 1072):
            keys = sum(min(length, window or length) for window in windows)
            assert costs["once"] + costs["key"] * keys == step_flops(config, length).total, name
            whole = sum(factor * length**power for power, factor in enumerate(costs["whole"]))
            assert whole == step_flops(config, length, cached=False).total, name
