"""A pointer network: attention over the inputs is the output itself (004 section 7.2; Vinyals et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .. import kernels
from ..config import PointerConfig
from ..tracing.trace import Tap
from .base import Network


@dataclass
class State:
    """The pointer between two steps.

    encoded e [B, N + 1, C] and keys W1 e, the end marker last; visited [B, N + 1], where it may not go; what the LSTM
    reads next [B, C] and its state (h, c), each [1, B, C].
    """

    encoded: Tensor
    keys: Tensor
    visited: Tensor
    reads: Tensor
    memory: tuple[Tensor, Tensor]


class PointerNetwork(Network):
    """Reads a set of points, then points at them one after another, and at an end marker when it is done.

    e = encoder([points; end]), d_i = LSTM(e of the point before, d_{i-1}), u_ij = v.tanh(W1 e_j + W2 d_i), and
    P(C_i | C_1 ... C_{i-1}, points) = softmax(u_i) over what is not visited yet (004 Eq. 51-52). Where the paper reads
    the points one by one with an LSTM, an encoder without positions reads all at once: a set has no order, so no order
    can mislead it.
    """

    def __init__(self, config: PointerConfig):
        super().__init__()
        self.config = config
        width = config.d_model
        self.embed = nn.Sequential(nn.Linear(2, width), nn.GELU(), nn.Linear(width, width))
        self.end = nn.Parameter(torch.randn(width) * width**-0.5)
        self.begin = nn.Parameter(torch.randn(width) * width**-0.5)
        layer = nn.TransformerEncoderLayer(
            width, config.n_heads, config.d_ff, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, config.n_layers, norm=nn.LayerNorm(width), enable_nested_tensor=False
        )
        self.bridge = nn.Linear(width, width)
        self.decoder = nn.LSTM(width, width, batch_first=True)
        self.w1, self.w2 = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.v = nn.Linear(width, 1, bias=False)
        self.encoded, self.d, self.scores, self.pointer = Tap(), Tap(), Tap(), Tap()
        for layer in self.encoder.layers:  # they begin as copies of one another
            for p in layer.parameters():
                if p.ndim > 1:
                    nn.init.xavier_uniform_(p)
        self.finish()

    def start(self, points: Float[Tensor, "b n 2"]) -> State:
        """Points read, nothing visited. They are read as coordinates in their own box: see `boxed`."""
        e = self.embed(boxed(points.to(self.device)) * 2 - 1)
        e = torch.cat((e, self.end.expand(len(e), 1, -1)), 1)
        e = self.encoded(self.encoder(e))  # [B, N + 1, C]
        h = self.bridge(e.mean(1)).tanh()[None]
        visited = torch.zeros(e.shape[:2], dtype=torch.bool, device=e.device)
        visited[:, -1] = True  # a hull has at least one corner
        return State(e, self.w1(e), visited, self.begin.expand(len(e), -1), (h, torch.zeros_like(h)))

    def score(self, keys: Float[Tensor, "b s c"], d: Float[Tensor, "b t c"]) -> Float[Tensor, "b t s"]:
        """u_ij = v.tanh(W1 e_j + W2 d_i) (Eq. 52, before the softmax)."""
        return self.v((keys[:, None] + self.w2(d)[:, :, None]).tanh())[..., 0]

    def step(self, state: State) -> tuple[Float[Tensor, "b s"], State]:
        """Where it points next: probabilities over the points and the end marker (last). `visit` then says where it
        went."""
        d, memory = self.decoder(state.reads[:, None], state.memory)
        scores = self.scores(self.score(state.keys, self.d(d)))[:, 0]
        pointer = self.pointer(kernels.softmax(scores.masked_fill(state.visited, -torch.inf)))
        return pointer, State(state.encoded, state.keys, state.visited, state.reads, memory)

    def visit(self, state: State, places: Int[Tensor, " b"]) -> State:
        """The state after going to one place in each row, which is then visited; the end marker can always be gone to
        again."""
        rows = torch.arange(len(places), device=places.device)
        visited = state.visited.clone()
        visited[rows, places], visited[:, -1] = True, False
        return State(state.encoded, state.keys, visited, state.encoded[rows, places], state.memory)

    def forward(self, points: Float[Tensor, "b n 2"], order: Int[Tensor, "b t"]) -> Float[Tensor, "b t s"]:
        """Scores over the points and the end marker before each step of a given order, visited points at -inf.

        `order` holds indices of points, then the end marker's, N, up to the longest row's length.
        """
        state = self.start(points)
        entered = state.encoded.gather(1, order[:, :-1, None].expand(-1, -1, state.encoded.shape[-1]))
        d, _ = self.decoder(torch.cat((state.reads[:, None], entered), 1), state.memory)
        scores = self.score(state.keys, d)
        return scores.masked_fill(barred_before(order, scores.shape[-1]), -torch.inf)


def barred_before(order: Int[Tensor, "b t"], places: int) -> Bool[Tensor, "b t s"]:
    """Where each step may not go, of so many places: to points visited before, and the first to the end marker, the
    last."""
    went = nn.functional.one_hot(order, places)
    barred = went.cumsum(1) - went > 0
    barred[:, 0, -1], barred[:, 1:, -1] = True, False
    return barred


def boxed(points: Float[Tensor, "b n 2"]) -> Float[Tensor, "b n 2"]:
    """Points as shares of the box around them, in [0, 1]; 1/2 along an axis on which all are equal.

    Stretching an axis moves no point onto or off the hull and keeps its order, so the network need not learn it.
    """
    low, high = points.amin(1, keepdim=True), points.amax(1, keepdim=True)
    extent = high - low
    return torch.where(extent > 0, (points - low) / extent.clamp_min(torch.finfo(points.dtype).tiny), 0.5)
