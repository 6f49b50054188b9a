"""The browser counts the fates of scaled gradients as Python does."""

import numpy as np
import pytest
import torch

from tests.javascript.node import evaluate
from tlmviz.analysis.numbers import loss_scaling
from tlmviz.analysis.numbers.loss_scaling import FORMATS, MOST_LOST, SCALES

FATES = "pages/numbers/training/gradients/fates.js"
WORDS = "pages/numbers/training/gradients/sentences.js"


@pytest.fixture(scope="module")
def parts():
    draw = np.random.default_rng(2)
    middle = 2.0 ** draw.integers(-60, 30, 3000)
    edges = np.concatenate([edge * 2.0 ** np.arange(-60, 20) for edge in (1.0, *loss_scaling.EDGES)])
    many = draw.standard_normal(3000) * middle
    return [loss_scaling.count(torch.tensor(x, dtype=torch.float32)) for x in (many, edges, [0.0, 1e-6, np.inf])]


def sent(counts):
    shape = {"lowest": counts.lowest, "columns": counts.by_size.shape[1], "zeros": counts.zeros}
    return shape | {"broken": counts.broken, "counts": counts.by_size.ravel().tolist()}


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.key)
def test_fates_sums_and_safe_scales(parts, format):
    whole = loss_scaling.together(parts)
    body = """
        const whole = together(given.parts);
        const fates = given.scales.map((k) => fatesAt(whole, given.at, k));
        const bars = barsAt(whole, given.at, 3);
        const safe = [whole, given.parts[0]].map((each) => safeScales(each, given.at, given.scales, given.most));
        result = { fates, safe, bars: [bars[0].exponent, bars.reduce((sum, bar) => sum + bar.lost, 0)] };
    """
    given = {
        "parts": [sent(each) for each in parts],
        "at": loss_scaling.limits(format),
        "scales": list(SCALES),
        "most": MOST_LOST,
    }
    found = evaluate({FATES: "together, fatesAt, barsAt, safeScales"}, body, given)
    for k, fates in zip(SCALES, found["fates"]):
        expected = loss_scaling.scaled(whole, format, k)
        shares = [fates[name] / fates["total"] for name in ("lost", "subnormal", "overflow", "normal")]
        assert shares == pytest.approx([expected.lost, expected.subnormal, expected.overflow, expected.normal])
    assert found["bars"] == [whole.lowest + 3, round(loss_scaling.scaled(whole, format, 3).lost * whole.total)]
    safe = [loss_scaling.safe_scales(each, format) for each in (whole, parts[0])]
    assert found["safe"] == [list(each) if each else None for each in safe]


def test_shares_are_never_more_exact_than_they_are():
    body = "result = given.map(([count, total]) => share(count, total));"
    pairs = [[0, 5], [5, 5], [1, 10**9], [10**9 - 1, 10**9], [1, 3], [0, 0]]
    assert evaluate({WORDS: "share"}, body, pairs) == ["0%", "100%", "under 0.001%", "over 99.999%", "33.3%", "0%"]


def test_scales_in_words():
    found = evaluate({WORDS: "scaleName"}, "result = given.map(scaleName);", [0, 16, -3, 40])
    assert found == ["S = 2⁰ = 1", "S = 2¹⁶ = 65,536", "S = 2⁻³ = 1/8", "S = 2⁴⁰"]
