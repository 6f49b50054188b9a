"""Gradients and their fates against plain computations, and the step in FP16 against torch's autocast."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tests import tiny
from tlmviz.analysis.numbers import half_products, loss_scaling
from tlmviz.analysis.numbers.formats import find
from tlmviz.errors import BadText

CASTS = {"fp16": torch.float16, "bf16": torch.bfloat16, "e5m2": torch.float8_e5m2, "e4m3": torch.float8_e4m3fn}


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("zoo-rope")


@pytest.fixture(scope="module")
def ids(lm):
    return loss_scaling.batch(lm, tiny.TEXT)


def awkward():
    """Numbers of every size, and those around each limit within a doubling."""
    draw = np.random.default_rng(1)
    powers = 2.0 ** np.arange(-149, 128)
    edges = [*loss_scaling.EDGES, *np.nextafter(loss_scaling.EDGES.astype(np.float32), np.float32(1)), 1.8125]
    middle = 2.0 ** np.arange(-60, 60)
    x = [draw.standard_normal(20000) * 2.0 ** draw.integers(-60, 40, 20000), powers, [0.0, -0.0]]
    return torch.from_numpy(np.concatenate([*x, *(edge * middle for edge in edges)]).astype(np.float32))


@pytest.mark.parametrize("format", loss_scaling.FORMATS, ids=lambda format: format.key)
def test_counted_shares_are_those_of_rounding_each_number(format):
    x = awkward()
    counts = loss_scaling.count(x)
    assert counts.total == int((x != 0).sum()) and counts.zeros == 2
    for k in range(-20, 50, 3):
        assert loss_scaling.scaled(counts, format, k) == loss_scaling.one_by_one(x, format, k)


@pytest.mark.parametrize("key", CASTS)
@pytest.mark.parametrize("k", [-3, 0, 12])
def test_shares_by_torchs_casts(lm, ids, key, k):
    every = torch.cat([each.flatten() for each in loss_scaling.gradients(lm, ids).values()])
    found, format = loss_scaling.scaled(loss_scaling.count(every), find(key), k), find(key)
    scaled = every[every != 0] * 2.0**k
    kept = scaled.to(CASTS[key]).float()
    assert found.lost == pytest.approx(float((kept == 0).float().mean()), abs=1e-6)
    small = (kept != 0) & (kept.abs() < format.smallest_normal)
    assert found.subnormal == pytest.approx(float(small.float().mean()), abs=1e-6)
    # Beyond 464 versions of torch make 448 or NaN.
    beyond = scaled.abs() > 464 if key == "e4m3" else ~kept.isfinite()
    assert found.overflow == pytest.approx(float(beyond.float().mean()), abs=1e-6)
    assert found.normal == pytest.approx(1 - found.lost - found.subnormal - found.overflow)


def test_counts_of_nothing_and_of_what_is_broken():
    nothing = loss_scaling.count(torch.zeros(0))
    assert loss_scaling.scaled(nothing, find("fp16"), 3) == loss_scaling.Scaled(0, 0, 0)
    assert loss_scaling.count(torch.zeros(3)).zeros == 3
    broken = loss_scaling.count(torch.tensor([1.0, torch.inf, -torch.inf, torch.nan]))
    assert (broken.total, broken.broken) == (4, 3)
    assert loss_scaling.scaled(broken, find("fp16"), 0).overflow == 0.75


def test_tensors_add_up_and_travel_as_arrays():
    parts = {"a": loss_scaling.count(torch.tensor([1.0, 3.0, 0.0])), "b": loss_scaling.count(torch.tensor([2.0**-30]))}
    whole = loss_scaling.together(list(parts.values()))
    assert (whole.total, whole.zeros, whole.lowest) == (3, 1, -30)
    back = loss_scaling.from_arrays(loss_scaling.as_arrays(parts))
    for name, counts in parts.items():
        assert back[name].lowest == counts.lowest and back[name].zeros == counts.zeros
        np.testing.assert_array_equal(back[name].by_size, counts.by_size)


def test_gradients_by_weights_and_by_what_passes(lm, ids):
    network = type(lm.network)(lm.config).eval()
    network.load_state_dict(lm.network.state_dict())
    logits = network(ids)
    logits.retain_grad()
    F.cross_entropy(logits[0, :-1], ids[0, 1:]).backward()
    found = loss_scaling.gradients(lm, ids)
    for name, p in network.named_parameters():
        torch.testing.assert_close(found[name], p.grad, rtol=1e-3, atol=1e-7)
    passed = loss_scaling.gradients(lm, ids, loss_scaling.ACTIVATIONS)
    torch.testing.assert_close(passed[loss_scaling.HEAD], logits.grad, rtol=1e-3, atol=1e-7)
    assert passed["blocks.0.attn.q"].shape[:2] == (1, lm.config.n_heads) and "blocks.0.attn.lse" not in passed
    assert not any(p.requires_grad for p in lm.network.parameters())


def test_batches(lm):
    rows = loss_scaling.batch(lm, None)
    assert rows.shape == (loss_scaling.ROWS, loss_scaling.LENGTH)
    assert loss_scaling.batch(lm, "Tom ran.").tolist() == [lm.encode("Tom ran.")]
    with pytest.raises(BadText) as error:
        loss_scaling.batch(lm, "")
    tiny.sentence(error)


def test_safe_scales_are_safe(lm, ids):
    counts = loss_scaling.together([loss_scaling.count(g) for g in loss_scaling.gradients(lm, ids).values()])
    low, high = loss_scaling.safe_scales(counts, find("fp16"))
    at = [loss_scaling.scaled(counts, find("fp16"), k) for k in (low - 1, low, high, high + 1)]
    assert at[0].lost > loss_scaling.MOST_LOST >= at[1].lost and at[2].overflow == 0 < at[3].overflow
    assert loss_scaling.safe_scales(counts, find("e4m3")) is None


def test_the_step_in_fp16_is_that_of_autocast(lm, ids):
    exact = loss_scaling.gradients(lm, ids)
    cast = lambda: torch.autocast("cpu", torch.float16)  # noqa: E731
    for k in (-8, 0, 10):
        [found] = loss_scaling.in_half(lm, ids, [k])
        theirs = loss_scaling.gradients(lm, ids, k=k, within=cast)
        off = {name: theirs[name] / 2.0**k - exact[name] for name in exact}
        assert found.error == pytest.approx(loss_scaling.norm(off) / loss_scaling.norm(exact), rel=0.15)
    assert not np.isfinite(loss_scaling.in_half(lm, ids, [24])[0].error)


def test_products_are_rounded_forwards_and_backwards():
    x, w = torch.full((2, 2), 1 + 2.0**-12), torch.ones(2, 2, requires_grad=True)
    with half_products.HalfProducts():
        y = x @ w
        (y.sum() * 2.0**-27).backward()
    assert (y == 2).all() and (w.grad == 0).all()
