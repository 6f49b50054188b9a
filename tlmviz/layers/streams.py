"""How a sublayer joins the residual stream, or n of them: plain, hyper-connections, and with the mixing constrained.

Hyper-connections answer for one sublayer F at its place in the network (000 section 5, Eq. 88-97):

    X' = H_res X + H_post F(H_pre X)

X [B, T, N, C] are the N streams, H_pre [B, T, N] makes one vector of them, H_post [B, T, N] hands F's result back,
H_res [B, T, N, N] mixes what is carried on. A plain residual is N = 1 with all three equal to 1. The streams begin as
copies of the embedding, and the head reads their mean; started as below, all three kinds are the same network.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from .. import kernels
from ..tracing.trace import Tap

Sublayer = Callable[[Tensor], Tensor]
SHORTEST = 1e-6  # length of a token's streams below which they count as zero
INITIAL_GATE = 0.01  # factor on the token-dependent part of each matrix (mHC's alpha)
INITIAL_LEAK = 0.02  # weight in H_pre of each stream that is not the sublayer's main one
OFF_DIAGONAL = -6.0  # logits of an unbounded H_res off the diagonal, at first: exp(-6) = 0.0025 beside 1
BOUNDED_START = 1.0  # logits of a bounded H_res at first, before the bound: this on the diagonal, its negative off it


class Residual(nn.Module):
    """x + F(x), one stream [B, T, C]. Takes what the other kinds take, and needs none of it."""

    def __init__(
        self, d_model: int = 1, streams: int = 1, place: int = 0, iterations: int = 1, bound: float | None = None
    ):
        super().__init__()

    def forward(self, x: Float[Tensor, "b t c"], sublayer: Sublayer) -> Float[Tensor, "b t c"]:
        """The stream behind a sublayer."""
        return x + sublayer(x)

    @staticmethod
    def expand_streams(x: Float[Tensor, "b t c"], streams: int) -> Float[Tensor, "b t c"]:
        """What the first block gets: the embedding."""
        return x

    @staticmethod
    def merge_streams(x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t c"]:
        """What the head reads."""
        return x


class Connection(nn.Module):
    """Base of both kinds of hyper-connections: N streams, and three matrices around a sublayer."""

    def __init__(self, d_model: int, streams: int, place: int, iterations: int, bound: float | None = None):
        super().__init__()
        self.streams, self.iterations, self.bound = streams, iterations, bound
        # Sublayers take the streams in turn as their main one, or no stream would ever differ.
        self.main_stream = place % streams
        self.scale = nn.Parameter(torch.full((3,), INITIAL_GATE))
        self.pre, self.post, self.res, self.read = Tap(), Tap(), Tap(), Tap()

    def matrices(self, x: Float[Tensor, "b t n c"]) -> tuple[Tensor, Tensor, Tensor]:
        """H_pre [B, T, N], H_post [B, T, N] and H_res [B, T, N, N] for these streams."""
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "b t n c"], sublayer: Sublayer) -> Float[Tensor, "b t n c"]:
        """The streams behind a sublayer, which reads and writes [B, T, C]."""
        pre, post, res = self.matrices(x)
        pre, post, res = self.pre(pre), self.post(post), self.res(res)
        read = self.read((pre[..., None, :] @ x)[..., 0, :])  # [B, T, C]
        mixed = res @ x  # now, while the streams are in the processor's cache
        return mixed.addcmul_(post[..., None], sublayer(read)[..., None, :])

    @staticmethod
    def expand_streams(x: Float[Tensor, "b t c"], streams: int) -> Float[Tensor, "b t n c"]:
        """What the first block gets: the embedding in every stream."""
        return x[..., None, :].expand(-1, -1, streams, -1)

    @staticmethod
    def merge_streams(x: Float[Tensor, "b t n c"]) -> Float[Tensor, "b t c"]:
        """What the head reads: the mean over streams."""
        return x.mean(-2)


class HyperConnection(Connection):
    """Hyper-connections (Zhu et al. 2024): free matrices, each plus s tanh(norm(x) W), which depends on the token.

    At first a sublayer reads its main stream and writes to all, and every stream is carried on as it is.
    """

    def __init__(self, d_model: int, streams: int, place: int, iterations: int, bound: float | None = None):
        super().__init__(d_model, streams, place, iterations, bound)
        self.static_pre = nn.Parameter(torch.eye(streams)[self.main_stream].clone())
        self.static_post = nn.Parameter(torch.ones(streams))
        self.static_res = nn.Parameter(torch.eye(streams))
        self.weight = nn.Parameter(torch.zeros(streams + 2, d_model))  # of each stream: pre, post, its column of res

    def matrices(self, x: Float[Tensor, "b t n c"]) -> tuple[Tensor, Tensor, Tensor]:
        dynamic = _of_normed(x, self.weight).tanh()  # [B, T, N, N + 2]
        pre, post, res = self.scale
        return (
            self.static_pre + pre * dynamic[..., 0],
            self.static_post + post * dynamic[..., 1],
            self.static_res + res * dynamic[..., 2:].mT,
        )


class ManifoldHyperConnection(Connection):
    """Manifold-constrained hyper-connections (Xie et al. 2025): H_res doubly stochastic, H_pre and H_post not negative.

    Of all streams of a token, flattened and normalised: pre = sigmoid(a x phi + b), post = 2 sigmoid(a x phi + b),
    res = Sinkhorn(exp(a x phi + b)). Rows of H_res sum to 1, so equal streams stay equal; columns do, so the mean over
    streams is carried on whole (000 section 5.2).

    Sinkhorn scales rows, then columns, so columns end exact, as in transformers' deepseek_v4; the paper writes
    T_r(T_c(.)), where rows do. Near a permutation, where streams flow one way only, the row error falls like 1 /
    iterations, and training for the text alone finds such matrices: 20 iterations left rows off by up to 0.18.

    So `bound` departs from the paper, whose logits are free: each logit z becomes bound * tanh(z / bound). An iteration
    then shrinks what rows are off by at least tanh(bound)^2 (Birkhoff and Hopf), whatever the text: with 1.5, four
    streams and 20 iterations every row is within 9e-4 of 1. The price is that no entry reaches 0 or 1, and that no
    product stays near a permutation. With a bound the static logits start at 1 on the diagonal and -1 off it, which
    mixes; without one at 0 and -6, nearly the identity. None is the paper's.
    """

    def __init__(self, d_model: int, streams: int, place: int, iterations: int, bound: float | None = None):
        super().__init__(d_model, streams, place, iterations, bound)
        shares = torch.eye(streams)[self.main_stream] * (1 - streams * INITIAL_LEAK) + INITIAL_LEAK  # sum to 1
        self.static_pre = nn.Parameter(shares.logit(eps=1e-7))
        self.static_post = nn.Parameter(torch.zeros(streams))
        self.static_res = nn.Parameter(_first_logits(streams, bound))
        self.weight = nn.Parameter(torch.zeros(streams * (streams + 2), streams * d_model))
        self.logits = Tap()

    def matrices(self, x: Float[Tensor, "b t n c"]) -> tuple[Tensor, Tensor, Tensor]:
        n = self.streams
        flat = _of_normed(x.flatten(-2), self.weight)  # [B, T, N (N + 2)]
        pre, post, res = self.scale
        logits = self.static_res + res * flat[..., 2 * n :].unflatten(-1, (n, n))
        if self.bound is not None:
            logits = self.bound * (logits / self.bound).tanh()
        logits = self.logits(logits)
        return (
            (self.static_pre + pre * flat[..., :n]).sigmoid(),
            2 * (self.static_post + post * flat[..., n : 2 * n]).sigmoid(),
            kernels.sinkhorn(logits, self.iterations),
        )


CONNECTIONS: dict[str, type[Residual] | type[Connection]] = {
    "residual": Residual,
    "hyper": HyperConnection,
    "manifold": ManifoldHyperConnection,
}


def _first_logits(streams: int, bound: float | None) -> Tensor:
    """The static logits of H_res [N, N] at the start: nearly the identity where nothing bounds them, else what
    mixes."""
    eye = torch.eye(streams)
    return OFF_DIAGONAL * (1 - eye) if bound is None else BOUNDED_START * (2 * eye - 1)


def _of_normed(x: Float[Tensor, "*b c"], weight: Float[Tensor, "k c"]) -> Float[Tensor, "*b k"]:
    """weight times x / rms(x). Normalised behind the product, as mHC's authors do: it is far smaller than all
    streams."""
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=SHORTEST)
    return F.linear(x, weight) * (x.shape[-1] ** 0.5 / length)


def gains(product: Float[Tensor, "*b n n"]) -> tuple[Float[Tensor, "*b"], Float[Tensor, "*b"]]:
    """How much a product of H_res can enlarge a signal on its way forward (largest absolute row sum) and a gradient on
    its way back (largest absolute column sum): 1 and 1 for doubly stochastic matrices (000 Eq. 99-100)."""
    return product.abs().sum(-1).amax(-1), product.abs().sum(-2).amax(-1)
