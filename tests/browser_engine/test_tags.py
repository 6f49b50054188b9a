"""What the engine says each head does, and the row that it opens on, against Python's."""

import numpy as np
import pytest

import tlmviz
from tests.javascript.node import ROOT, evaluate
from tlmviz.analysis.attention.tags import striking_row, tag_heads
from tlmviz.ui import texts
from tlmviz.ui.components.attention_view import TAG_TABLE

IMPORTS = {
    "tlmviz/browser/language_model.js": "load",
    "tlmviz/browser/survey.js": "surveyOf",
    "tlmviz/browser/tags.js": "measured, strikingRow",
}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
result = given.texts.map((text) => {
  const trace = model.trace(text);
  const { values, counts } = measured(trace);
  return { values, counts, row: strikingRow(trace, values, given.table, surveyOf(trace, 1).stats) };
});
"""
TEXTS = (
    *texts.EXAMPLES.values(),
    "A",
    "the",
    "Été à Ünder, ünder! “Ö” 😀 Tom saw Lily. She and Lily saw McTom and Tom. Then Lily left.",
    "The cat sat on the mat, and the dog sat on the cat. " * 9,
)


@pytest.mark.parametrize("name", ["stories-rope", "zoo-alibi", "zoo-mqa", "zoo-none"])
def test_tags_and_the_striking_row_are_pythons(name):
    lm = tlmviz.load(name)
    given = {"folder": str(ROOT / "models" / name), "texts": TEXTS, "table": TAG_TABLE}
    for text, found in zip(TEXTS, evaluate(IMPORTS, BODY, given), strict=True):
        trace = lm.trace(text)
        tagged = tag_heads(trace)
        own = np.array([[np.nan if value is None else value for value in row] for row in found["values"]])
        np.testing.assert_allclose(own, tagged.values.reshape(own.shape), atol=2e-5, err_msg=text)
        assert found["counts"] == tagged.counts.tolist(), text
        assert found["row"] == vars(striking_row(trace, tagged, lm)), text
