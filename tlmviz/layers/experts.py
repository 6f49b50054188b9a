"""Mixture of experts: a router, and the feed-forward networks that it chooses from (003 section 6.3)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from ..config import ExpertsConfig
from ..tracing.trace import Tap
from .feedforward import GatedMLP

SCORES: dict[str, Callable[[Tensor], Tensor]] = {"softmax": lambda logits: logits.softmax(-1), "sigmoid": torch.sigmoid}
LOW = -1e4  # of an expert that cannot be chosen, in the sum of its group
TINY = 1e-20  # keeps a token whose experts all weigh nothing from dividing by zero


class Experts(nn.Module):
    """Each token's k best experts of E, mixed by their scores, plus shared experts that read every token.

    The bias enters the choice alone: the mixing weights are made of the scores without it (DeepSeek-V3, Eq. 16). What
    an edit of `choice` puts at -inf is not chosen and weighs nothing.
    """

    def __init__(self, d_model: int, part: ExpertsConfig, dropout: float):
        super().__init__()
        self.part = part
        self.router = nn.Linear(d_model, part.count, bias=False)
        # Moved by a rule of the training and not by a gradient.
        self.choice_bias = nn.Parameter(torch.zeros(part.count), requires_grad=False) if part.bias else None
        self.gate_up = nn.Parameter(torch.empty(part.count, 2 * part.hidden, d_model))
        self.down = nn.Parameter(torch.empty(part.count, d_model, part.hidden))
        self.shared = GatedMLP(d_model, part.shared_width, nn.SiLU(), False, 0.0) if part.shared_width else None
        self.shared_gate = nn.Linear(d_model, 1, bias=False) if part.shared_gate and part.shared_width else None
        self.dropout = nn.Dropout(dropout)
        self.read, self.router_logits, self.scores, self.bias = Tap(), Tap(), Tap(), Tap()
        self.choice, self.chosen, self.mixed, self.weights = Tap(), Tap(), Tap(), Tap()
        self.routed, self.out = Tap(), Tap()
        nn.init.normal_(self.gate_up, std=0.02)
        nn.init.normal_(self.down, std=0.02)

    def writers(self) -> list[Tensor]:
        """The weights that write into the residual stream."""
        return [self.down, *(self.shared.writers() if self.shared is not None else ())]

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        """What the chosen experts add to each token's vector."""
        x = self.read(x)
        chosen, weights = self.route(x)
        flat = self.mix(x.flatten(0, 1), chosen.flatten(0, 1), weights.flatten(0, 1))
        out = self.routed(flat.view_as(x))  # [B, T, C]
        if self.shared is not None:
            always = self.shared(x)
            out = out + (always if self.shared_gate is None else self.shared_gate(x).sigmoid() * always)
        return self.out(self.dropout(out))

    def route(self, x: Float[Tensor, "b t c"]) -> tuple[Int[Tensor, "b t k"], Float[Tensor, "b t k"]]:
        """The experts that each token chooses, best first, and their mixing weights."""
        part = self.part
        scores = self.scores(SCORES[part.score](self.router_logits(self.router(x))))  # [B, T, E]
        bias = scores.new_zeros(part.count) if self.choice_bias is None else self.choice_bias
        bias = self.bias(bias.expand_as(scores))  # [B, T, E]
        choice = within_groups(self.choice(scores + bias), part)
        chosen = self.chosen(choice.topk(part.chosen, -1).indices)  # [B, T, k]
        weights = self.mixed(scores).gather(-1, chosen)
        weights = weights * (choice.gather(-1, chosen) > -torch.inf)
        if part.normalised:
            weights = weights / (weights.sum(-1, keepdim=True) + TINY)
        return chosen, self.weights(weights * part.scaling)

    def mix(
        self, x: Float[Tensor, "n c"], chosen: Int[Tensor, "n k"], weights: Float[Tensor, "n k"]
    ) -> Float[Tensor, "n c"]:
        """The weighted sum of what the chosen experts say: tokens sorted by expert, so that each computes once."""
        order = chosen.flatten().argsort(stable=True)
        counts = torch.bincount(chosen.flatten(), minlength=self.part.count).tolist()
        token = order // self.part.chosen
        # index_select and unbind where an index would do: their gradients are quick, those of an index take as long
        # again.
        pieces = x.index_select(0, token).split(counts)
        said = [
            _swiglu(piece, gate_up, down)
            for piece, gate_up, down in zip(pieces, self.gate_up.unbind(), self.down.unbind())
            if len(piece)  # a decode step meets k of them
        ]
        weighted = torch.cat(said) if said else x[:0]
        weighted = weighted * weights.flatten().index_select(0, order)[:, None]
        return torch.zeros_like(x).index_add(0, token, weighted)

    def expert(self, number: int, x: Float[Tensor, "*n c"]) -> Float[Tensor, "*n c"]:
        """What one expert says of any tokens."""
        return _swiglu(x, self.gate_up[number], self.down[number])


def _swiglu(x: Tensor, gate_up: Tensor, down: Tensor) -> Tensor:
    gate, up = F.linear(x, gate_up).chunk(2, -1)  # [n, F] each
    return F.linear(F.silu(gate) * up, down)


def within_groups(choice: Float[Tensor, "b t e"], part: ExpertsConfig) -> Float[Tensor, "b t e"]:
    """The same with -inf in the groups that a token may not choose from: all but those whose best experts sum
    highest."""
    if part.groups == part.chosen_groups:
        return choice
    grouped = choice.unflatten(-1, (part.groups, -1))  # [B, T, groups, E / groups]
    best = grouped.clamp_min(LOW).topk(part.group_best, -1).values.sum(-1)  # [B, T, groups]
    allowed = torch.zeros_like(best, dtype=torch.bool).scatter(-1, best.topk(part.chosen_groups, -1).indices, True)
    return grouped.masked_fill(~allowed[..., None], -torch.inf).flatten(-2)
