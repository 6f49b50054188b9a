"""A GGUF file on a site: it lies there as it is, and what the engine does not read is refused before a reader waits."""

import json
import re

import pytest
from gguf import GGMLQuantizationType as Kind

from tests import real
from tests.javascript.node import evaluate
from tests.site.large import kept
from tlmviz.errors import BadShape
from tlmviz.site import models, write_site


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TLMVIZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_file_lies_on_the_site_as_it_is(cache, tmp_path):
    file = kept(cache)
    files = write_site(tmp_path / "site", ["zoo-rope", "tiny"])
    text = files["explorer/index.html"].decode()
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1])
    own = data["models"]["tiny"]
    assert own["files"] == {"model.gguf": file.stat().st_size} and own["task"] == "language"
    assert own["says"] == f"Tiny, 2 layers × 4 heads (GGUF). Here it reads texts of up to {real.CONTEXT} tokens."
    assert files[f"{own['folder']}/model.gguf"] == file.read_bytes()


def test_what_is_taken_for_read_is_what_the_engine_reads():
    names = {"tlmviz/browser/gguf.js": "QUANTISATIONS", "tlmviz/browser/gguf_model.js": "SPLITS, MOST_TOKENS"}
    body = "result = { KINDS: Object.keys(QUANTISATIONS).map(Number), SPLITS: Object.keys(SPLITS), MOST_TOKENS };"
    found = evaluate(names, body)
    assert sorted(found["KINDS"]) == sorted(models.KINDS) and found["SPLITS"] == list(models.SPLITS)
    assert found["MOST_TOKENS"] == models.MOST_TOKENS


@pytest.mark.parametrize(
    "more, why",
    [
        ({"architecture": "qwen2"}, "the architecture qwen2"),
        ({"kinds": {"ffn_down": Kind.Q5_1}}, "another quantisation"),
        ({"fields": {"tokenizer.ggml.pre": "llama-bpe"}}, "another tokenizer"),
    ],
)
def test_a_file_that_no_browser_reads_is_refused_and_not_taken_by_itself(cache, more, why):
    kept(cache, **more)
    with pytest.raises(BadShape, match=f"tiny has {why}; of GGUF files a site holds"):
        models.chosen(["tiny"])
    assert models._unread(cache / "models" / "tiny" / "tiny.gguf") == why
