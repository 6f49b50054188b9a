"""Dropout on a model's activations, against torch's own."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import tlmviz
from tlmviz.analysis.numbers import dropout
from tlmviz.errors import BadShape, BadText

TEXT = "Tom had a red ball. He lost the ball."


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


def test_places_are_where_training_drops(lm):
    assert list(dropout.places(lm))[:3] == ["embed", "blocks.0.attn.out", "blocks.0.mlp.out"]
    assert len(dropout.places(lm)) == 9
    drops = [module for module in lm.network.modules() if isinstance(module, nn.Dropout)]
    assert len(drops) == 9 and all(module.p == 0.1 for module in drops)


def test_a_mask_keeps_its_share_and_scales_the_rest():
    x = torch.ones(400, 500)
    kept = dropout.dropped(x, 0.3, torch.Generator().manual_seed(1))
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.7])
    assert (kept == 0).float().mean() == pytest.approx(0.3, abs=0.005)
    assert kept.mean() == pytest.approx(1, abs=0.01)
    raw = dropout.dropped(x, 0.3, torch.Generator().manual_seed(1), scaled=False)
    assert raw.unique().tolist() == [0, 1]
    assert torch.equal(dropout.dropped(x, 0.0, torch.Generator()), x)


def test_the_mean_comes_back_as_fast_as_expected():
    x = torch.randn(50, 60, generator=torch.Generator().manual_seed(2))
    die = torch.Generator().manual_seed(3)
    for n in (1, 16, 256):
        mean = torch.stack([dropout.dropped(x, 0.2, die) for _ in range(n)]).mean(0)
        error = (mean - x).square().mean().sqrt().item()
        assert error == pytest.approx(dropout.expected_error(x.numpy(), 0.2, n), rel=0.06)


def test_losses_are_those_of_torchs_dropout(lm):
    """The model's own modules in training give the same mean and spread of losses."""
    ids = lm.encode(TEXT)
    with torch.inference_mode():
        found = dropout.losses(lm, ids, 0.1, 300)
        network = tlmviz.load("zoo-rope").network.train()
        torch.manual_seed(0)
        logits = network(torch.tensor([ids] * 300))[:, :-1]
    own = F.cross_entropy(logits.flatten(0, 1), torch.tensor(ids[1:] * 300), reduction="none").reshape(300, -1).mean(1)
    assert found.masked.mean() == pytest.approx(own.mean().item(), abs=4 * found.masked.std() * (2 / 300) ** 0.5)
    assert found.masked.std() == pytest.approx(own.std().item(), rel=0.25)
    assert len(found.masked) == 300 and found.averaged < found.masked.mean()


def test_without_dropout_every_loss_is_the_models(lm):
    ids = lm.encode(TEXT)
    found = dropout.losses(lm, ids, 0.0, 3)
    assert found.masked == pytest.approx([found.plain] * 3) and found.averaged == pytest.approx(found.plain)
    again = [dropout.losses(lm, ids, 0.2, 5, seed=4).masked for _ in range(2)]
    np.testing.assert_array_equal(*again)


def test_bad_rates_and_texts(lm):
    with pytest.raises(BadText, match="at least one more"):
        dropout.losses(lm, [0], 0.1, 2)
    for p in (-0.1, 1.0, float("nan")):
        with pytest.raises(BadShape, match="dropout rate"):
            dropout.mask((2,), p, torch.Generator())
