"""Training in 8 bits, against torch's casts, gradients by hand, and plain FP32."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from tests import tiny
from tests.tiny import sentence
from tlmviz.analysis.numbers import float8, loss_scaling
from tlmviz.analysis.numbers.float8 import CURRENT, DELAYED, NONE, Scales, products
from tlmviz.errors import BadText, UnknownName


@pytest.fixture(scope="module")
def lm(tokenizer):
    return tiny.language_model(tokenizer)


def cast(x, dtype, room):
    """x scaled so that `room` is the format's largest, rounded by torch, and scaled back."""
    most = torch.finfo(dtype).max
    return (x * most / room).clamp(-most, most).to(dtype).float() * room / most


def test_a_product_and_its_gradients_are_those_of_what_was_rounded():
    generator = torch.Generator().manual_seed(0)
    x, w, g = (torch.randn(shape, generator=generator) for shape in ((2, 5, 8), (6, 8), (2, 5, 6)))
    x, w, scales = x.requires_grad_(), w.requires_grad_(), Scales(CURRENT)
    with torch.enable_grad(), products({"w": w}, scales):
        out = F.linear(x, w)
    dx, dw = torch.autograd.grad(out, (x, w), g)
    x8, w8 = (cast(each.detach(), torch.float8_e4m3fn, each.abs().max()) for each in (x, w))
    g8 = cast(g, torch.float8_e5m2, g.abs().max())
    torch.testing.assert_close(out.detach(), x8 @ w8.T)
    torch.testing.assert_close(dx, g8 @ w8)
    torch.testing.assert_close(dw, torch.einsum("btn,btk->nk", g8, x8))
    assert set(scales.values) == {"w.x", "w.w", "w.g"}


def test_a_scale_makes_room_for_the_largest_of_the_last_steps():
    scales, generator = Scales(DELAYED, window=2), torch.Generator().manual_seed(1)
    numbers = [size * torch.rand(50, generator=generator) for size in (1.0, 4.0, 2.0, 3.0, 9.0)]
    kept = [scales.cast("n.g", each) for each in numbers]
    tops = [float(each.max()) for each in numbers]
    rooms = [tops[0], tops[0], tops[1], tops[1], max(tops[2:4])]
    largest, room, cut, vanished = zip(*scales.values["n.g"])
    assert largest == tuple(tops) and room == tuple(rooms) and not any(vanished)
    assert cut == tuple(int((each > top).sum()) for each, top in zip(numbers, rooms)) and cut[1] > cut[2] == 0
    for each, found, top in zip(numbers, kept, rooms):
        torch.testing.assert_close(found, cast(each, torch.float8_e5m2, top))
        assert found.max() <= top * 1.0001


def test_without_scales_small_gradients_vanish():
    scales = Scales(NONE)
    x = torch.tensor([0.0, 2.0**-18, 2.0**-10, 1.0])
    assert scales.cast("n.g", x).tolist() == [0, 0, 2.0**-10, 1.0]
    [(largest, room, cut, vanished)] = scales.values["n.g"]
    assert (largest, room, cut) == (1.0, 57344.0, 0) and vanished == pytest.approx(1 / 3)
    assert Scales(DELAYED).cast("n.x", torch.zeros(3)).tolist() == [0, 0, 0]  # nothing to scale by


def test_steps_of_training(lm):
    rows = float8.batches(lm, tiny.TEXT)
    assert rows.shape[:2] == (float8.STEPS, 1)
    plain = float8.train(lm, rows, None)
    weights = {name: p.detach().clone().requires_grad_() for name, p in lm.network.named_parameters()}
    optimizer = torch.optim.AdamW(weights.values(), lr=float8.RATE, foreach=False)
    for step in range(2):
        with torch.enable_grad():
            loss = loss_scaling.loss_of(torch.func.functional_call(lm.network, weights, (rows[step],)), rows[step])
            loss.backward()
        assert plain.losses[step] == pytest.approx(float(loss.detach()), abs=1e-5)
        optimizer.step()
        optimizer.zero_grad()
    assert plain.cosine == 1 and not plain.tensors
    run = float8.train(lm, rows, Scales(DELAYED))
    assert 0.9 < run.cosine < 0.9999 and np.abs(run.losses - plain.losses).max() < 0.1
    names = {name for name, w in weights.items() if w.ndim == 2 and "emb" not in name or name == "token_emb.weight"}
    assert {name.rpartition(".")[0] for name in run.tensors} <= names and len(run.gradients()) == len(run.tensors) / 3
    assert all(len(kept.largest) == float8.STEPS for kept in run.tensors.values())
    nothing = float8.train(lm, rows, Scales(NONE))
    vanished = [np.mean([kept.vanished for kept in each.gradients()]) for each in (nothing, run)]
    assert vanished[0] > vanished[1]


def test_what_cannot_be_trained(lm):
    with pytest.raises(UnknownName) as error:
        float8.train(lm, float8.batches(lm, None), Scales("tomorrow"))
    assert "delayed, current, none" in sentence(error)
    with pytest.raises(BadText) as error:
        float8.batches(lm, "")
    assert "empty" in sentence(error)
