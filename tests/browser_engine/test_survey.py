"""What the engine says of all heads at a glance against Python's statistics and overview."""

import numpy as np
import pytest

import tlmviz
from tests.javascript.node import ROOT, evaluate
from tlmviz.ui.components.attention_view import STATISTICS, encode_overview

IMPORTS = {"tlmviz/browser/language_model.js": "load", "tlmviz/browser/survey.js": "surveyOf"}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const trace = model.trace(given.text);
const { stats, overview, size } = surveyOf(trace, given.most);
result = { stats, overview: Array.from(overview), size, row: Array.from(trace.row(given.query)) };
"""
TEXT = "Lily had a red ball. One day, Lily lost the red ball, and Tom gave it back to Lily. "


@pytest.mark.parametrize(
    "name, text, most",
    [("stories-rope", TEXT, 48), ("stories-rope", "A", 48), ("zoo-window", TEXT * 5, 20), ("zoo-relative", TEXT, 7)],
)
def test_statistics_and_pictures_are_pythons(name, text, most):
    trace = tlmviz.load(name).trace(text)
    query = len(trace) // 2
    given = {"folder": str(ROOT / "models" / name), "text": text, "most": most, "query": query}
    found = evaluate(IMPORTS, BODY, given)
    table = trace.statistics()
    assert found["stats"].keys() == set(STATISTICS)
    for statistic, values in found["stats"].items():
        expected = table[statistic]
        own = np.array([np.nan if value is None else value for value in values])
        np.testing.assert_allclose(own, expected, atol=2e-5 * max(1, np.nanmax([1, *expected])), err_msg=statistic)
    pictures = encode_overview(trace, most)
    assert found["size"] == pictures.shape[-1]
    off = np.array(found["overview"]).reshape(pictures.shape) - pictures.astype(int)
    assert np.abs(off).max() <= 1  # a weight between two bytes
    np.testing.assert_allclose(found["row"], trace.row(query).flatten(), atol=1e-4)
