"""Position-wise feed-forward networks (000 section 2.1.3, 002 section 7.4)."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from ..tracing.trace import Tap


class MLP(nn.Module):
    """Two linear maps with an activation between: x W1 -> act -> W2."""

    def __init__(self, d_model: int, d_ff: int, activation: nn.Module, bias: bool, dropout: float):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.activation = activation
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.pre, self.hidden, self.out = Tap(), Tap(), Tap()

    def writers(self) -> list[Tensor]:
        """The weights that write into the residual stream."""
        return [self.down.weight]

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """What the network adds to each token's vector."""
        pre = self.pre(self.up(x))  # [B, T, F]
        hidden = self.hidden(self.activation(pre))
        return self.out(self.dropout(self.down(self.dropout(hidden))))  # [B, T, C]


class GatedMLP(nn.Module):
    """(act(x W_gate) * x W_up) W_down (Shazeer 2020): SwiGLU with SiLU, as in LLaMA, GEGLU with GELU, as in Gemma."""

    def __init__(self, d_model: int, d_ff: int, activation: nn.Module, bias: bool, dropout: float):
        super().__init__()
        self.gate_up = nn.Linear(d_model, 2 * d_ff, bias=bias)
        self.activation = activation
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.pre, self.hidden, self.out = Tap(), Tap(), Tap()

    def writers(self) -> list[Tensor]:
        """The weights that write into the residual stream."""
        return [self.down.weight]

    def forward(self, x: Float[Tensor, "*b c"]) -> Float[Tensor, "*b c"]:
        """What the network adds to each token's vector."""
        gate, up = self.gate_up(x).chunk(2, -1)  # [B, T, F] each
        hidden = self.hidden(self.activation(self.pre(gate)) * up)
        return self.out(self.dropout(self.down(hidden)))  # [B, T, C]
