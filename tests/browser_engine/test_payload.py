"""What the app's picture is given of a text that the browser has read is what the server packs of it: header and
arrays."""

import numpy as np
import pytest

import tlmviz
from tests.javascript.node import ROOT, evaluate
from tests.packed import unpacked
from tlmviz import figures
from tlmviz.ui.components.attention_view import STATE, build_payload

IMPORTS = {
    "tlmviz/browser/language_model.js": "load",
    "tlmviz/browser/survey.js": "surveyOf",
    "tlmviz/browser/tags.js": "measured",
    "tlmviz/ui/components/attention_view/payload.js": "payloadOf",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const reading = model.trace(given.text);
const { header, arrays } = payloadOf(reading, surveyOf(reading, given.size), given.state, {});
const plain = Object.fromEntries(Object.entries(arrays).map(([name, all]) => [name, Array.from(all)]));
result = { header, tags: measured(reading), arrays: plain };
"""
SAME = ("tokens", "layers", "heads", "chosen", "window", "causal", "overview_size")
TEXTS = (
    "Lily had a red ball. One day, Lily lost the red ball.",
    "Élodie a vu 🦊 et naïvement souri.",
    "A",
    "word " * 60,
)


@pytest.mark.parametrize("name", ["stories-rope", "zoo-alibi", "zoo-relative", "zoo-mla"])
@pytest.mark.parametrize("text", TEXTS)
def test_header_and_arrays_are_the_servers(name, text):
    trace = tlmviz.load(name).trace(text)
    state = STATE | {"layer": trace.n_layers - 1, "head": 1, "query": len(trace) - 1}
    packed = build_payload(trace, state, model=name, origin="", palette=figures.palette())
    header, arrays = unpacked(packed)
    found = evaluate(IMPORTS, BODY, {"folder": str(ROOT / "models" / name), "text": text, "size": 48, "state": state})
    assert {key: found["header"][key] for key in SAME} == {key: header[key] for key in SAME}
    assert found["header"]["scale"] == pytest.approx(header["scale"])
    assert found["header"]["slope"] == pytest.approx(header["slope"])
    assert found["tags"]["counts"] == header["tags"]["counts"]
    for own, other in zip(found["tags"]["values"], header["tags"]["values"], strict=True):
        ours, theirs = (np.array([np.nan if each is None else each for each in side]) for side in (own, other))
        np.testing.assert_allclose(ours, theirs, atol=2e-3)
    for part, values in found["arrays"].items():
        if part == "weights" and part not in arrays:
            continue  # the server sends what they follow from
        expected = np.asarray(arrays[part], dtype=float).ravel()
        np.testing.assert_allclose(values, expected, atol=1 if part == "overview" else 2e-3, err_msg=part)
    assert found["arrays"].keys() - {"weights"} <= arrays.keys()
