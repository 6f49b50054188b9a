"""Ribbons on a site: the header and the weights that the app sends to the same picture."""

import numpy as np
import pytest

from pages.translation.alignment import site
from pages.translation.alignment.data import Hypothesis
from pages.translation.alignment.ribbons import view
from pages.translation.alignment.ribbons.data import Data
from pages.translation.alignment.ribbons.state import Ribbons
from pages.translation.alignment.state import Alignment
from tests.javascript.node import ROOT, evaluate
from tlmviz.ui import translation

IMPORTS = {
    "tlmviz/browser/translator.js": "loadTranslator",
    "pages/translation/alignment/ribbons/woven.js": "coverageSaid, mapMenu, readPins, ribbonsOf, writePins",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const mt = loadTranslator(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const { header, arrays, hypotheses } = ribbonsOf(mt, given.text, given.chosen, given.best);
const scores = hypotheses.map(({ parts }) => parts.total);
const covered = coverageSaid(header, arrays.weights);
result = { header, weights: Array.from(arrays.weights), scores, menu: mapMenu(mt, given.best), covered };
"""
CASES = (
    ("eng-fra", "I am cold in my red coat.", 1, "best", ()),
    ("eng-fra", "The black cat is sleeping on the red chair.", 2, "mean", ((2, 1),)),
    ("eng-fra", "She never eats meat. 😀", 1, "default", ((0, 1), (2, 0), (40, 1))),
    ("eng-fra", "I am cold.", 3, "1.2", ((1, 2),)),
    ("eng-fra-coverage", "I am cold.", 1, "best", ((1, 2),)),
)


@pytest.mark.parametrize("model, text, rank, name, pins", CASES)
def test_the_picture_is_pythons(model, text, rank, name, pins, monkeypatch):
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: sent.append((header, arrays)))
    base = Hypothesis(Alignment(model=model, text=text, rank=rank, map=name), by_map=False)
    view.picture(Data(base, pins))
    given = {
        "folder": str(ROOT / "models" / model),
        "text": text,
        "best": site.given()["best"].get(model),
        "chosen": {"rank": rank, "map": name, "pins": pins},
    }
    found = evaluate(IMPORTS, BODY, given)
    [(header, arrays)] = sent
    own = found["header"]
    for place in ("was", "now"):
        assert own[place]["text"] == header[place]["text"]
        assert abs(own[place]["logp"] - header[place]["logp"]) < 1e-3
    assert [tuple(pin) for pin in own["pins"]] == header["pins"]
    for field in header.keys() - {"was", "now", "origin", "pins"}:
        assert own[field] == header[field], field
    np.testing.assert_allclose(np.reshape(found["weights"], arrays["weights"].shape), arrays["weights"], atol=1e-4)
    np.testing.assert_allclose(found["scores"], [each.score for each in base.hypotheses], atol=1e-3)
    own = translation.model(model).translate(text)
    assert own.score == pytest.approx(max(found["scores"]), abs=1e-3)  # whatever map is shown
    sums = arrays["weights"].sum(0)
    assert f"{sums.max():.2f}, least" in found["covered"] and f"{sums.min():.2f}. All" in found["covered"]
    names = base.mt.maps
    assert len(found["menu"]) == (len(names) + 3 if len(names) > 1 else 1)


@pytest.mark.parametrize("text", ["3-5 4-1", "4-1,3-5", "1-1", "", "x", "0-1", "3-5 nonsense"])
def test_pins_of_a_link_are_read_as_in_the_app(text):
    try:
        expected = Ribbons.pins.parse(text)
    except ValueError:
        expected = ()
    found = evaluate(IMPORTS, "const pins = readPins(given); result = { pins, said: writePins(pins) };", text)
    assert [tuple(pin) for pin in found["pins"]] == list(expected)
    assert found["said"] == Ribbons.pins.write(expected)
