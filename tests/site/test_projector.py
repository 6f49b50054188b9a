"""The map on a site: the points and headers that the app sends, but for neighbours of points that nobody chose."""

import numpy as np
import pytest

from pages.words.projector import site, view
from pages.words.projector.data import Data
from pages.words.projector.state import Projector
from tests.javascript.node import ROOT, evaluate
from tlmviz.errors import UnknownName

IMPORTS = {
    "tlmviz/browser/word_vectors.js": "loadWords",
    "pages/words/projector/mapped.js": "foundOf, NOTHING, spaceOf",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const words = loadWords(`${read("config.json")}`, read("model.safetensors"), `${read("vocabulary.tsv")}`);
const space = spaceOf(words, given.tables);
const { header, arrays } = space.points;
const found = given.typed.map((word) => {
  try {
    return foundOf(words, space, word, given.tables.near);
  } catch (error) {
    return { word, ...NOTHING, refused: error.name };
  }
});
result = { points: header, places: Array.from(arrays.places), groups: Array.from(arrays.groups), header: space.header,
  found };
"""
TYPED = ("five", "Lily", "", "qwxz", "dogs ", "two words")


@pytest.mark.parametrize("model", ["words-negative", "words-glove", "words-fasttext"])
def test_the_map_is_pythons(model, monkeypatch):
    points, headers = [], []
    monkeypatch.setattr(view, "_POINTS", lambda key, data, height: points.append(data))
    monkeypatch.setattr(view.PICTURE, "show", lambda header, arrays: headers.append(header))
    monkeypatch.setattr(view.st, "warning", lambda text: None)
    monkeypatch.setattr(view, "pack", lambda header, arrays: (header, arrays))
    values = {name: control.default for name, control in Projector.controls.items()}
    shown = [Data(Projector(**values | {"model": model, "word": word, "side": "words"})) for word in TYPED]
    for each in shown:
        view.picture(each)
    given = {"folder": str(ROOT / "models" / model), "typed": TYPED, "tables": site.given()}
    found = evaluate(IMPORTS, BODY, given)
    (header, arrays), *_ = points
    assert found["points"] == header and found["groups"] == arrays["groups"].tolist()
    off = np.array(found["places"]) - arrays["places"].flatten().astype(int)
    assert np.abs(off).max() <= 1
    for own, expected, each in zip(found["found"], headers, shown, strict=True):
        assert (own.pop("refused", "") == "UnknownName") == isinstance(each.found, UnknownName)
        whole = {**found["header"], **own}
        for name in ("box", "cosines", "place"):
            one, other = whole.pop(name), expected.pop(name)
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_allclose(one, list(other), atol=2e-5)
        expected["near"] = list(expected["near"])
        assert whole == expected
