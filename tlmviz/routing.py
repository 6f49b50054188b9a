"""What the routers of a model with experts did with a text."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, bincount

ROUTING = ("scores", "bias", "chosen", "weights")  # taps of a layer with experts, under blocks.N.mlp


@dataclass(frozen=True, eq=False)
class Routing:
    """One layer's routing of T tokens over E experts, k for each token.

    `scores` are the router's, between 0 and 1, without the bias; `bias` [E] is added to them for the choice (zeros
    where the model has none). `chosen` are the numbers of the experts, that with the highest score and bias first, and
    `weights` what each one's output is multiplied by: 0 where an edit muted it or dropped the token.
    """

    scores: Float[Tensor, "t e"]
    bias: Float[Tensor, " e"]
    chosen: Int[Tensor, "t k"]
    weights: Float[Tensor, "t k"]

    @property
    def count(self) -> int:
        """E, the number of routed experts."""
        return self.scores.shape[-1]

    @property
    def load(self) -> Int[Tensor, " e"]:
        """How many tokens each expert reads: those that chose it and were not dropped."""
        return bincount(self.chosen[self.weights > 0], minlength=self.count)

    @property
    def mixing(self) -> Float[Tensor, "t e"]:
        """The weights laid out over all experts, 0 for those that a token did not choose."""
        return self.scores.new_zeros(self.scores.shape).scatter_add(-1, self.chosen, self.weights)
