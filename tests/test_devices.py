"""Models on a device that is not the CPU: a trace and a search give there what they give on the CPU."""

import pytest
import torch
from pandas.testing import assert_frame_equal

import tlmviz
from tests import elsewhere
from tlmviz.checkpoints import devices

TEXT = "Tom saw a dog. Anna saw a dog"


@pytest.fixture(autouse=True)
def there(monkeypatch):
    """A machine with a card: `load` puts models on it, in this thread and in the one that computes for pages."""
    monkeypatch.setattr(devices, "DEVICES", {elsewhere.DEVICE.type: lambda: True, "cpu": lambda: True})
    with elsewhere.everywhere(monkeypatch):
        yield


def pair(name):
    return tlmviz.load(name), tlmviz.load(name, device="cpu")


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-mla", "zoo-window", "zoo-relative", "zoo-alibi"])
def test_a_trace_is_the_same(name):
    lm, plain = pair(name)
    assert lm.device.type == elsewhere.DEVICE.type and plain.device.type == "cpu"
    ours, theirs = lm.trace(TEXT), plain.trace(TEXT)
    assert type(ours["blocks.0.attn.q"]) is torch.Tensor
    for look in (
        lambda trace: trace.logits,
        lambda trace: trace.attention(1, 2),
        lambda trace: trace.scores(1, 2),
        lambda trace: trace.pooled(1, 2, 5),
        lambda trace: trace.overview(5),
        lambda trace: trace.row(-1),
        lambda trace: trace.loss_per_token(),
        lambda trace: trace.probabilities(),
        lambda trace: trace["blocks.1.attn.out"],
    ):
        torch.testing.assert_close(look(ours), look(theirs), atol=1e-5, rtol=1e-4)
    assert_frame_equal(ours.head_statistics(), theirs.head_statistics(), rtol=1e-4, atol=1e-5)
    assert lm.generate(TEXT, 6, seed=1) == plain.generate(TEXT, 6, seed=1)
    assert lm.bits_per_byte(TEXT) == pytest.approx(plain.bits_per_byte(TEXT))


@pytest.mark.parametrize("name", ["eng-fra-dot", "eng-fra-coverage", "eng-fra-copy"])
def test_a_translation_is_the_same(name):
    mt, plain = pair(name)
    ours, theirs = mt.translate("I am cold."), plain.translate("I am cold.")
    assert ours.text == theirs.text and ours.score == pytest.approx(theirs.score, abs=1e-4)
    pinned = [one.search("I am cold.", pins={1: 0}).hypotheses()[0].tokens for one in (mt, plain)]
    assert pinned[0] == pinned[1]
