"""The streams of a text on a site: the header and arrays that the app sends, of one model and its plain twin."""

import numpy as np
import pytest

from pages.streams.mhc.flow import site, view
from pages.streams.mhc.flow.data import Data
from pages.streams.mhc.state import Streams
from tests.javascript.node import ROOT, evaluate
from tlmviz.ui import compute

IMPORTS = {"tlmviz/browser/language_model.js": "load", "pages/streams/mhc/flow/streams.js": "streamsOf"}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const lm = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const { header, arrays } = streamsOf(lm, given.text, given);
result = { header, arrays: Object.fromEntries(Object.entries(arrays).map(
  ([name, values]) => [name, Array.from(values)])) };
"""
START = {name: control.default for name, control in Streams.controls.items()}
TEXT = "Tom 😀 saw a dog. Anna saw a dog.\nTom saw a"


@pytest.mark.parametrize("model", ["stories-mhc", "stories-hc", "stories-residual"])
def test_the_picture_is_pythons(model, monkeypatch):
    sent = []
    monkeypatch.setattr(view.PICTURE, "show", lambda *given: sent.append(given))
    view._picture(Data(Streams(**START | {"model": model, "text": TEXT})))
    [(header, arrays)] = sent
    own = site.given()
    kinds = {"residual", compute.configs()[model].connection.kind}
    header["members"] = [member for member in header["members"] if member["kind"] in kinds]
    given = {
        "folder": str(ROOT / "models" / model),
        "text": TEXT,
        "family": own["models"][model],
        "titles": own["titles"],
        "warm": own["warm"],
    }
    found = evaluate(IMPORTS, BODY, given)
    assert found["header"] == header
    arrays = {name: values for name, values in arrays.items() if name.partition(".")[2] in kinds}
    assert found["arrays"].keys() == arrays.keys()
    for name, values in arrays.items():
        one = np.reshape(found["arrays"][name], values.shape)
        np.testing.assert_allclose(one, values, atol=2e-4, err_msg=name)
