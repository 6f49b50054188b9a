"""Pointers on a site: the header and arrays that the app sends to the picture of a hull."""

import numpy as np
import pytest

from pages.words.pointers import site, view
from pages.words.pointers.data import Data
from pages.words.pointers.state import Choice
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.words.hulls import exact_hull

IMPORTS = {"tlmviz/browser/hull.js": "loadHull", "pages/words/pointers/hulls.js": "exactHull, hullOf"}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const finder = loadHull(`${read("config.json")}`, read("model.safetensors"));
const { header, arrays } = hullOf(finder, given.points, given.origin);
result = { header, points: Array.from(arrays.points), attention: Array.from(arrays.attention) };
"""
MOVED = ((100, 100), (900, 100), (900, 900), (450, 450), (100, 100), (500, 100), (100, 900))
START = {name: control.default for name, control in Choice.controls.items()}
CASES = (
    {},
    {"kind": "Grid", "number": 50},
    {"kind": "Line", "number": 8},
    {"kind": "Ring", "number": 10},
    {"points": MOVED},
    {"points": ((5, 5),)},
    {"points": ((5, 5), (5, 5), (9, 9), (9, 9))},
)


@pytest.mark.parametrize("chosen", CASES)
def test_the_picture_is_pythons(chosen, monkeypatch):
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: sent.append((header, arrays)))
    choice = Choice(**START | chosen)
    view.picture(Data(choice))
    [(header, arrays)] = sent
    if "points" not in chosen:
        sets = site.given()["sets"]
        assert sets[choice.kind][choice.number] == choice.shown
    folder = str(ROOT / "models" / "pointer-hull")
    found = evaluate(IMPORTS, BODY, {"folder": folder, "points": choice.shown, "origin": header["origin"]})
    assert found["header"] == header
    assert found["points"] == arrays["points"].flatten().tolist()
    np.testing.assert_allclose(
        np.reshape(found["attention"], arrays["attention"].shape), arrays["attention"], atol=1e-4
    )


def test_exact_hulls_are_pythons_on_sets_with_equal_points_and_edges():
    rng = np.random.default_rng(0)
    sets = [rng.integers(0, rng.integers(2, 12), (rng.integers(1, 30), 2)).tolist() for _ in range(300)]
    found = evaluate(IMPORTS, "result = given.map(exactHull);", sets)
    assert found == [exact_hull(np.array(points, float)).tolist() for points in sets]
