"""Start on a site says of a sentence what the app says."""

import numpy as np
import pytest

from pages.start.start import data
from tests.javascript.node import ROOT, evaluate
from tlmviz.ui import texts
from tlmviz.ui.components.attention_view import TAG_TABLE

IMPORTS = {"tlmviz/browser/language_model.js": "load", "pages/start/start/reading.js": "readingOf"}
BODY = """
const read = (name) => readFileSync(`${given.folder}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
result = readingOf(model, given.text, given.most, given.table);
"""


OWN = "Tom 😀 is", "A red ball. " * 30, "Hi", "My name is Zoe and I like to swim.", "La lune 🌙 et l'été 🌙"


@pytest.mark.parametrize("text", [*texts.EXAMPLES.values(), *OWN])
def test_the_two_heads_and_what_is_expected_are_pythons(text):
    folder = str(ROOT / "models" / data.MODEL)
    found = evaluate(IMPORTS, BODY, {"folder": folder, "text": text, "most": data.MOST, "table": TAG_TABLE})
    own = data.reading(text)
    assert found["tokens"] == [data.word(token) for token in own.tokens]
    for (token, p), expected in zip(found["expected"], own.expected, strict=True):
        assert token == data.word(expected.token) and abs(p - expected.p) < 1e-3
    for head, expected in zip(found["heads"], own.heads.values(), strict=True):
        assert (head["layer"], head["head"], head["row"]) == (expected.layer, expected.head, expected.row)
        assert (head["tag"] or "") == expected.tag
        np.testing.assert_allclose(head["weights"], expected.weights, atol=1e-4)
