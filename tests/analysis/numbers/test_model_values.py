"""A model's numbers against torch's own, and what formats make of them against a plain count."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tests import tiny
from tlmviz.analysis.numbers import formats, model_values
from tlmviz.errors import BadText


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


@pytest.fixture(scope="module")
def found(lm):
    return model_values.values(lm, lm.encode(tiny.TEXT))


def test_gradients_are_those_of_the_loss(lm):
    ids = lm.encode(tiny.TEXT)
    every = model_values.values(lm, ids, most=10**9)
    network = type(lm.network)(lm.config)
    network.load_state_dict(lm.network.state_dict())
    network.eval()
    text = torch.tensor([ids])
    F.cross_entropy(network(text)[0, :-1], text[0, 1:]).backward()
    plain = torch.cat([p.grad.flatten() for p in network.parameters()]).double().numpy()
    np.testing.assert_allclose(every["gradients"], plain, rtol=1e-3, atol=1e-7)
    assert len(every["weights"]) == len(plain) == lm.n_parameters
    assert not any(p.requires_grad for p in lm.network.parameters())


def test_samples_are_spread_over_all_tensors():
    tensors = [torch.arange(10.0), torch.arange(100.0, 190.0)]
    assert len(model_values.sample(tensors, 10)) == 10
    np.testing.assert_array_equal(model_values.sample(tensors, 100), torch.cat(tensors).numpy())
    np.testing.assert_array_equal(model_values.sample(tensors, 50), torch.cat(tensors)[::2].numpy())
    assert len(model_values.sample([torch.tensor([1.0, torch.inf, torch.nan])])) == 1
    assert len(model_values.sample([])) == 0


def test_doublings_count_everything_but_zero():
    e, share = model_values.by_doubling(np.array([0, 1, 1.9, -2, 1e-300, 1e300]))
    counted = dict(zip(e.tolist(), share.tolist()))
    assert counted[0] == pytest.approx(0.4) and counted[1] == pytest.approx(0.2)
    assert counted[model_values.LOWEST] == counted[model_values.HIGHEST] == pytest.approx(0.2)
    assert model_values.by_doubling(np.zeros(3))[1].sum() == 0


@pytest.mark.parametrize("key", ["fp16", "bf16", "e5m2", "e4m3"])
def test_fates_by_torchs_casts(found, key):
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "e5m2": torch.float8_e5m2, "e4m3": torch.float8_e4m3fn}[key]
    x = torch.from_numpy(found["gradients"]).float()
    x = x[x != 0]
    kept, limits = x.to(dtype).float(), torch.finfo(dtype)
    fates = model_values.fates(x.double().numpy(), formats.find(key))
    assert fates.lost == pytest.approx(float((kept == 0).float().mean()), abs=1e-6)
    small = (kept != 0) & (kept.abs() < limits.tiny)
    assert fates.subnormal == pytest.approx(float(small.float().mean()), abs=1e-6)
    assert fates.exact == pytest.approx(float((kept == x).float().mean()), abs=1e-6)
    assert fates.overflow == 0


def test_fates_of_what_is_too_large_and_of_nothing():
    fates = model_values.fates(np.array([70000.0, 1.0, 1e-9, 0.0]), formats.find("fp16"))
    assert (fates.overflow, fates.lost, fates.normal) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert model_values.fates(np.array([9.0]), formats.find("e2m1")).overflow == 1
    assert model_values.fates(np.array([6.0]), formats.find("e2m1")).exact == 1
    assert model_values.fates(np.zeros(4), formats.find("e4m3")).normal == 1


def test_one_token_has_no_gradient(lm):
    with pytest.raises(BadText, match="one token"):
        model_values.values(lm, [3])
