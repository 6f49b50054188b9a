"""The browser scales, cuts and rounds as Python does."""

import numpy as np
import pytest
import torch

from tests.javascript.node import evaluate
from tlmviz.analysis.numbers import product_parts, scaling
from tlmviz.analysis.numbers.formats import find
from tlmviz.analysis.numbers.scaling import KEYS, Scheme

ROUNDING = "pages/numbers/formats/product/rounding.js"


def matrix():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(20, 30, generator=generator) * torch.logspace(-2, 1, 30)


def sent(x, format):
    scale = float(scaling.scaled(x, Scheme(format)).scale)
    sample = product_parts.sample(x, scale)
    values = {"values": sample.values.tolist(), "tail": sample.tail, "weight": sample.weight, "scale": scale}
    return {"format": find(format).described(), "sample": values}


@pytest.mark.parametrize("factor", [-3, 0, 0.75, 2])
@pytest.mark.parametrize("format", KEYS)
def test_one_scale(format, factor):
    x = matrix()
    found = evaluate({ROUNDING: "outcome"}, f"result = outcome(given.format, given.sample, {factor});", sent(x, format))
    kept = scaling.scaled(x, Scheme(format), 2.0**factor)
    assert found["sqnr"] == pytest.approx(float(scaling.sqnr(x, kept.restored)), abs=0.02)
    limit = find(format).largest * float(kept.step)
    assert found["cut"] == pytest.approx(float((x.abs() > limit * (1 + 1e-6)).float().mean()))
    assert found["lost"] == pytest.approx(float(((kept.codes == 0) & (x != 0)).float().mean()), abs=2e-3)


def test_the_best_scale_is_the_best_of_the_curve():
    given = sent(matrix(), "int4")
    body = "const curve = curveOf(given.format, given.sample, [-10, 4]); result = [curve, bySize(given.sample, 64)];"
    curve, sizes = evaluate({ROUNDING: "curveOf, bySize"}, body, given)
    assert curve["best"] == int(np.argmax(curve["sqnr"])) and curve["doublings"][curve["best"]] > 0
    assert (curve["doublings"][0], curve["doublings"][-1]) == (-10, 4)
    shares = sizes["shares"].values() if isinstance(sizes["shares"], dict) else sizes["shares"]
    assert sum(shares) == pytest.approx(1) and sizes["top"] == pytest.approx(float(matrix().abs().max().log2()))
