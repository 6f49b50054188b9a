"""How a recurrent decoder's state h looks for source states z: three scores and their softmax (004 section 7, Eq.
42-47)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .. import kernels
from ..tracing.trace import Tap


class Score(nn.Module):
    """A score for every pair of a decoder state h [B, D] and an encoder state z [B, S, D]."""

    def __init__(self, hidden: int):
        super().__init__()
        self.scores = Tap()

    def prepare(self, z: Float[Tensor, "b s d"]) -> Float[Tensor, "b s e"]:
        """What can be computed of the source once, before anything is written."""
        return z

    def forward(
        self, h: Float[Tensor, "b d"], keys: Float[Tensor, "#b s e"], coverage: Float[Tensor, "b s"] | None = None
    ) -> Float[Tensor, "b s"]:
        """Scores before the softmax; `keys` is what `prepare` made."""
        return self.scores(torch.einsum("bd,bsd->bs", h, keys.expand(len(h), -1, -1)))


class Dot(Score):
    """h.z (Eq. 42): no parameters; both states must have one size."""


class General(Score):
    """h W z (Eq. 46; Luong et al. 2015)."""

    def __init__(self, hidden: int):
        super().__init__(hidden)
        self.w = nn.Linear(hidden, hidden, bias=False)

    def prepare(self, z: Float[Tensor, "b s d"]) -> Float[Tensor, "b s e"]:
        return self.w(z)


class Additive(Score):
    """v.tanh(W1 h + W2 z) (Eq. 47; Bahdanau et al. 2015), and + w c inside with a coverage vector (See et al. 2017)."""

    def __init__(self, hidden: int, coverage: bool = False):
        super().__init__(hidden)
        self.w1, self.w2 = nn.Linear(hidden, hidden, bias=False), nn.Linear(hidden, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)
        self.w = nn.Linear(1, hidden, bias=False) if coverage else None
        if self.w is not None:
            nn.init.zeros_(self.w.weight)  # begins as the same score without coverage

    def prepare(self, z: Float[Tensor, "b s d"]) -> Float[Tensor, "b s e"]:
        return self.w2(z)

    def forward(
        self, h: Float[Tensor, "b d"], keys: Float[Tensor, "#b s e"], coverage: Float[Tensor, "b s"] | None = None
    ) -> Float[Tensor, "b s"]:
        inside = self.w1(h)[:, None] + keys  # [B, S, E]
        if self.w is not None and coverage is not None:
            inside = inside + self.w(coverage[..., None])
        return self.scores(self.v(inside.tanh())[..., 0])


SCORES: dict[str, Callable[[int, bool], Score]] = {
    "dot": lambda hidden, coverage: Dot(hidden),
    "general": lambda hidden, coverage: General(hidden),
    "additive": Additive,
}


def weights(scores: Float[Tensor, "b s"]) -> Float[Tensor, "b s"]:
    """Softmax over the source: each row sums to 1 (Eq. 43)."""
    return kernels.softmax(scores)
