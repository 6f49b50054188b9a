"""A model as one file: complete, without a network, its numbers the model's own, and a sentence for what cannot be
run."""

import base64
import copy
import json
import re

import pytest
import torch
from safetensors.torch import load

import tlmviz
from tests import tiny
from tests.browser_engine.engine import agrees, ask
from tests.tiny import TEXT, sentence
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.checkpoints.native import own_weights
from tlmviz.errors import BadFile, BadShape, BadText
from tlmviz.layers.scaling import scaled_rope
from tlmviz.notebook import live


def part(text: str, name: str) -> str:
    [found] = re.findall(rf'<script id="{name}" type="[^"]*">([^<]*)</script>', text)
    return found


@pytest.fixture
def lm(tokenizer):
    return tiny.language_model(tokenizer)


def test_the_file_holds_the_models_own_numbers_and_opens_on_the_text(variant):
    text = live.page(variant, TEXT)
    weights, given = load(base64.b64decode(part(text, "weights"))), json.loads(part(text, "data"))
    own = own_weights(variant.network)
    assert weights.keys() == own.keys()
    assert all(torch.equal(weights[name], value) for name, value in own.items())
    assert given["text"] == TEXT and json.loads(given["config"]) == json.loads(variant.config.to_json())


def test_the_engine_runs_what_is_in_the_file(variant, tmp_path):
    text = live.page(variant, TEXT)
    given = json.loads(part(text, "data"))
    (tmp_path / "model.safetensors").write_bytes(base64.b64decode(part(text, "weights")))
    runs = [{"config": given["config"], "texts": [TEXT]}]
    _, answer = ask(tmp_path, runs, tmp_path, tokenizer=part(text, "tokenizer"))
    assert agrees(answer, variant.trace(TEXT))


@pytest.mark.parametrize("dtype, smallest", [(torch.float16, 2**-14), (torch.bfloat16, 2**-100)])
def test_weights_of_16_bits_stay_so(lm, dtype, smallest):
    for parameter in lm.network.parameters():
        parameter.copy_(parameter.to(dtype).float())
        parameter.view(-1)[0] = smallest
    weights = load(base64.b64decode(part(live.page(lm, TEXT), "weights")))
    assert {value.dtype for value in weights.values()} == {dtype}


def test_a_file_is_the_weights_and_300_kb(tmp_path):
    lm, path = tlmviz.load("zoo-rope"), tmp_path / "x.html"
    lm.trace(TEXT).save_html(path, live=True)
    weights = len(part(path.read_text(encoding="utf-8"), "weights"))
    assert weights < 3e6 and path.stat().st_size < weights + 300_000
    lm.save_html(path)
    assert json.loads(part(path.read_text(encoding="utf-8"), "data"))["text"] == lm.default_text


def test_eight_bits_are_rows_under_scales_and_the_file_says_what_they_cost(lm, tmp_path):
    text = live.page(lm, TEXT, bits=8)
    stored = load(base64.b64decode(part(text, "weights")))
    kept, own = live.out_of_eight_bits(stored), own_weights(lm.network)
    assert kept.keys() == own.keys()
    for name, value in own.items():
        step = value.abs().amax(-1, keepdim=True) / 127 if value.ndim > 1 else torch.zeros(1)
        assert ((kept[name] - value).abs() <= step * (0.5 + 127 * 2**-11)).all()  # a scale is rounded to 11 bits
        assert stored[name].dtype == (torch.int8 if value.ndim > 1 else torch.float32)
    rounded = copy.deepcopy(lm)
    rounded.network.load_state_dict(kept, strict=False)
    (tmp_path / "model.safetensors").write_bytes(base64.b64decode(part(text, "weights")))
    given = json.loads(part(text, "data"))
    runs = [{"config": given["config"], "texts": [TEXT]}]
    _, answer = ask(tmp_path, runs, tmp_path, tokenizer=part(text, "tokenizer"))
    assert agrees(answer, rounded.trace(TEXT)) and not agrees(answer, lm.trace(TEXT))
    ours, exact = rounded.trace(TEXT).logits, lm.trace(TEXT).logits
    assert f"off by {float((ours - exact).norm() / exact.norm()):.1%} (relative" in text
    path = tmp_path / "x.html"
    tlmviz.load("zoo-rope").save_html(path, bits=8)
    assert path.stat().st_size < 1_700_000


def test_no_text_ends_an_element_and_no_address_is_foreign(lm, tmp_path):
    text = live.page(lm, "</script><script>alert(1)</script>")
    assert text.count("</script") == 5  # style, data, tokenizer, weights, program
    addresses = set(re.findall(r"https?://[^\s\"'`)<]+", text))
    # names that a saved SVG has in it, and nobody fetches
    assert all(address.startswith(("http://www.w3.org/", "http://purl.org/dc/")) for address in addresses), addresses


def test_what_cannot_be_run_is_one_sentence(lm, tmp_path, monkeypatch):
    path = tmp_path / "x.html"
    traces = [
        lm.trace(TEXT, edit=mute_heads([(0, 0)])),
        lm.trace(TEXT, positions=scaled_rope(lm.config, "YaRN", 2.0)),
        lm.trace_ids(lm.encode(TEXT)),
    ]
    for trace in traces:
        with pytest.raises(BadShape, match="no model to run live") as error:
            trace.save_html(path, live=True)
        assert sentence(error)
    with pytest.raises(BadShape, match="a live file has all of them") as error:
        lm.trace(TEXT).save_html(path, layers=[0], live=True)
    assert sentence(error)
    with pytest.raises(BadShape, match="bits is 4; give 16") as error:
        lm.save_html(path, TEXT, bits=4)
    assert sentence(error)
    monkeypatch.setattr(live, "MOST", 1000)
    with pytest.raises(BadShape, match="too large for a browser") as error:
        lm.save_html(path, TEXT)
    assert sentence(error)
    assert not path.exists()


def test_a_text_that_cannot_be_read_and_a_folder_that_is_not_there(lm, tmp_path):
    with pytest.raises(BadText):
        lm.save_html(tmp_path / "x.html", "")
    with pytest.raises(BadFile, match="name a file in a folder that exists") as error:
        lm.save_html(tmp_path / "nowhere" / "x.html", TEXT)
    assert sentence(error)
