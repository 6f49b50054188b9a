"""Weights are stored at half precision only where that hardly changes what is measured."""

import pytest
import torch

from tlmviz.training.precision import stored_dtype

EXACT = [1 + 2**-9, 1 + 2**-20, 70_000.0]  # bfloat16 rounds the first away, both the second; float16 has no third


def network(*values):
    made = torch.nn.Linear(len(values), 1, bias=False)
    with torch.no_grad():
        made.weight.copy_(torch.tensor(values))
    return made


@pytest.mark.parametrize(
    "values, margin, dtype, stored",
    [
        (EXACT[:2], 1e-4, torch.float16, [1 + 2**-9, 1.0]),
        ([EXACT[0], EXACT[2]], 500.0, torch.bfloat16, [1.0, 70_144.0]),
        (EXACT, 1e-9, torch.float32, EXACT),
    ],
)
def test_the_first_precision_that_costs_less_than_the_margin(values, margin, dtype, stored):
    made = network(*values)
    found, before, after = stored_dtype(made, lambda: made.weight.double().sum().item(), margin)
    assert found == dtype and made.weight.dtype == torch.float32
    assert made.weight[0].tolist() == torch.tensor(stored).tolist()
    assert before == pytest.approx(torch.tensor(values).double().sum().item())
    assert after == pytest.approx(torch.tensor(stored).double().sum().item())
