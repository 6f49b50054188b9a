"""A network that has learnt in the browser, saved: as Python and the engine open it, it is the network that learnt."""

from __future__ import annotations

import base64
import io
import zipfile
from typing import Any

import numpy as np
import pytest
import torch

import tlmviz
from pages.start.train.state import STORY
from tests.javascript.node import evaluate
from tlmviz.errors import BadText

IMPORTS = {
    "tlmviz/browser/training/run.js": "Run",
    "tlmviz/browser/training/saved.js": "folderOf",
    "tlmviz/ui/components/canvas/zip.js": "zipOf",
    "tlmviz/browser/language_model.js": "load",
}
SAVED = """
const run = new Run(given.asked);
for (let i = 0; i < 3; i++) run.advance();
const { network, task, settings } = run;
const tokens = run.test.tokens.slice(0, settings.length);
network.forward(tokens);
const logits = network.logits();
const counted = (length, of) => Array.from({ length }, (_, i) => of(i));
const maps = counted(settings.layers, (layer) => counted(settings.heads, (head) => Array.from(network.map(layer,
  head))));
const files = folderOf(run, "mine");
const paths = Object.fromEntries(Object.entries(files).map(([name, each]) => [`mine/${name}`, each]));
const zip = Buffer.from(await zipOf(paths).arrayBuffer()).toString("base64");
const text = task.text(tokens);
const decode = (name) => new TextDecoder().decode(files[name]);
const { ids } = load(decode("config.json"), files["model.safetensors"], decode("tokenizer.json")).trace(text);
result = { text, tokens: Array.from(tokens), logits: Array.from(logits), maps, ids, zip };
"""
PLAIN = {"vocab": 16, "length": 32, "heads": 2, "width": 32}
TEXT = "Ein Äpfelchen, 日本, 🍎🍏 und ein Baum:\n" * 10
ASKED: dict[str, dict[str, Any]] = {
    "rope": {"task": "induction", **PLAIN},
    "learned, with an MLP": {"task": "sort", "heads": 4, "width": 32, "hidden": 64, "positions": "learned"},
    "no positions, one layer": {"task": "addition", "heads": 2, "width": 32, "layers": 1, "positions": "none"},
    "signs of several bytes": {"task": "text", "text": TEXT, "heads": 2, "width": 32},
    "pieces": {"task": "pieces", "text": STORY, "pieces": 64, "heads": 2, "width": 32},
}


@pytest.mark.parametrize("kind", ASKED)
def test_what_is_saved_is_what_learnt(kind, tmp_path):
    found = evaluate(IMPORTS, SAVED, {"asked": ASKED[kind]})
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(found["zip"]))) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    lm = tlmviz.load(tmp_path / "mine", device="cpu")
    if kind == "pieces":  # a passage may begin within a word, which is read otherwise without its beginning
        whole = lm.tokenizer.encode(STORY)
        assert found["tokens"] in [whole[i : i + len(found["tokens"])] for i in range(len(whole))]
        assert list(lm.trace(found["text"]).ids) == found["ids"]
    else:
        assert list(lm.trace(found["text"]).ids) == found["tokens"] == found["ids"]
    trace = lm.trace_ids(found["tokens"])
    assert "".join(trace.tokens) == found["text"]
    count = len(found["tokens"])
    for layer, heads in enumerate(found["maps"]):
        for head, expected in enumerate(heads):
            ours = np.asarray(trace.attention(layer, head))
            np.testing.assert_allclose(ours, np.reshape(expected, (count, count)), atol=1e-5)
    with torch.inference_mode():
        logits = lm(torch.tensor([found["tokens"]]))[0].numpy()
    own = np.reshape(found["logits"], (count, -1))
    np.testing.assert_allclose(logits[:, : own.shape[1]], own, atol=1e-4)
    assert (logits[:, own.shape[1] :] < logits.max() - 20).all()  # tokens that it never saw
    lm.trace("zß🎈")  # any text can be read
    with pytest.raises(BadText, match="type at least one character"):
        lm.generate("", 1)


@pytest.mark.parametrize("setting, said", [("causal", "causal mask"), ("norm", "RMSNorm")])
def test_what_is_no_language_model_is_refused(setting, said):
    body = "const run = new Run(given); try { folderOf(run, 'mine'); } catch (error) { result = error.message; }"
    assert said in evaluate(IMPORTS, body, {"task": "induction", **PLAIN, setting: False})
