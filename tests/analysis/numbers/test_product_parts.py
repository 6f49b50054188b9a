"""What the picture of a product is sent: cells, channels, samples and worked numbers."""

import numpy as np
import pytest
import torch

from tlmviz.analysis.numbers import product_parts, scaling
from tlmviz.analysis.numbers.scaling import BLOCK, CHANNEL, TENSOR, Scheme


def operands(tokens=12, inner=40, outputs=30):
    generator = torch.Generator().manual_seed(0)
    loud = torch.logspace(-2, 1, inner)
    return torch.randn(tokens, inner, generator=generator) * loud, torch.randn(outputs, inner, generator=generator)


@pytest.mark.parametrize("per", [TENSOR, CHANNEL, BLOCK])
def test_parts_are_the_matrices(per):
    x, w = operands()
    found = product_parts.product_parts(x, w, Scheme("int8", per, 16))
    made = scaling.rounded_product(x, w, Scheme("int8", per, 16))
    for name, exact, kept in (("x", x, made.x.restored), ("w", w, made.w.restored), ("o", made.exact, made.kept)):
        part = found.parts[name]
        assert part.shape == tuple(exact.shape) and part.cell == (1, 1)
        np.testing.assert_array_equal(part.values, exact.numpy())
        np.testing.assert_allclose(part.errors, (kept - exact).numpy())
        assert part.sqnr == pytest.approx(float(scaling.sqnr(exact, kept)))
        across = -1 if name == "w" else 0
        np.testing.assert_allclose(part.loud, exact.abs().amax(across).numpy())
        np.testing.assert_allclose(part.kept, scaling.sqnr(exact, kept, across).numpy())
    if per == TENSOR:
        np.testing.assert_array_equal(found.parts["x"].kept, found.parts["x"].plain)


def test_worked_numbers():
    x, w = operands()
    for per in (TENSOR, CHANNEL):
        found = product_parts.product_parts(x, w, Scheme("int8", per))
        assert abs(found.examples[0].exact) == pytest.approx(float((x @ w.T).abs().max()))
        for each in found.examples:
            assert each.exact == pytest.approx(float(x[each.row] @ w[each.column]), rel=1e-4, abs=1e-5)
            assert each.coded / (each.scale_x * each.scale_w) == pytest.approx(each.kept, rel=1e-5)
            assert each.coded == round(each.coded)
    assert product_parts.product_parts(x, w, Scheme("int8", BLOCK)).examples[0].coded is None


def test_cells_keep_the_largest():
    x = torch.arange(-12.0, 12.0).view(4, 6)
    np.testing.assert_array_equal(product_parts.largest_of_cells(x, (2, 3)), [[-12, -9], [8, 11]])
    np.testing.assert_array_equal(product_parts.largest_of_cells(x, (3, 4)), [[-12, -8], [9, 11]])
    for shape in ((1, 1), (3000, 2), (2, 49152), (576, 1536)):
        high, wide = product_parts.cell_of(*shape)
        assert -(-shape[0] // high) * -(-shape[1] // wide) <= product_parts.CELLS


def test_a_sample_stands_for_all():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(300, 200, generator=generator)
    found = product_parts.sample(x, 2.0)
    assert 0.9 * product_parts.SAMPLE < len(found.values) <= product_parts.SAMPLE and found.scale == 2.0
    np.testing.assert_array_equal(
        np.abs(found.values[: found.tail]), np.sort(np.abs(x.numpy().ravel()))[::-1][: found.tail]
    )
    assert found.tail + found.weight * (len(found.values) - found.tail) == pytest.approx(x.numel())
    weights = np.where(np.arange(len(found.values)) < found.tail, 1, found.weight)
    assert (weights * found.values**2).sum() == pytest.approx(float(x.square().sum()), rel=1e-2)
    few = product_parts.sample(x[:3], 1.0)
    assert (few.tail, few.weight, len(few.values)) == (600, 1.0, 600)


def test_evenly():
    assert product_parts.evenly(5, 9).tolist() == [0, 1, 2, 3, 4] and product_parts.evenly(1, 4).tolist() == [0]
    assert product_parts.evenly(9, 3).tolist() == [0, 4, 8]
    assert int(product_parts.evenly(28_311_552, 14_000)[-1]) == 28_311_551  # beyond what float32 counts


def test_groupings():
    x, w = operands()
    found = product_parts.by_grouping(x, w, "int8", 16)
    made = scaling.rounded_product(x, w, Scheme("int8", BLOCK, 16))
    assert found[BLOCK][2] == pytest.approx(float(scaling.sqnr(made.exact, made.kept)))
    assert found[TENSOR][0] < found[CHANNEL][0] < found[BLOCK][0]
    assert found[TENSOR][3] == pytest.approx(8 + 32 / x.numel())
