"""Several projections of the same input as one matrix product, where some of them may have no bias."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


def fused_linear(inputs: int, sizes: Sequence[int], biases: Sequence[bool]) -> nn.Linear | PartlyBiased:
    """One product for projections of these sizes side by side; `biases` says which of them have one."""
    if all(biases) or not any(biases):
        return nn.Linear(inputs, sum(sizes), bias=any(biases))
    return PartlyBiased(inputs, sizes, biases)


class PartlyBiased(nn.Module):
    """A linear map of which only some groups of outputs have a bias: Whisper's keys have none, its queries have one."""

    def __init__(self, inputs: int, sizes: Sequence[int], biases: Sequence[bool]):
        super().__init__()
        self.sizes, self.biases = tuple(sizes), tuple(biases)
        count = sum(size for size, biased in zip(sizes, biases) if biased)
        self.weight = nn.Parameter(torch.empty(sum(sizes), inputs))
        self.partial_bias = nn.Parameter(torch.zeros(count))  # of the groups that have one, in order
        nn.init.normal_(self.weight, std=0.02)

    @property
    def bias(self) -> Float[Tensor, " e"]:
        """The bias of every output, 0 in groups without one."""
        given = iter(self.partial_bias.split([size for size, b in zip(self.sizes, self.biases) if b]))
        parts = [next(given) if b else self.weight.new_zeros(size) for size, b in zip(self.sizes, self.biases)]
        return torch.cat(parts)

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b e"]:
        """x W' + bias."""
        return F.linear(x, self.weight, self.bias)
