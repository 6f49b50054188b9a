"""A layer's own projection matrices per head, and the attention logits that they would give elsewhere.

Float64 throughout: what is shown are differences that float32 would blur.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.layers.latent import LatentAttention
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace


@dataclass(frozen=True)
class Heads:
    """What a layer's heads make logits of: q = x_q W_Q and k = x_k W_K, before any norm, rotation or bound.

    x_q [T, C], x_k [T, E], w_q [H, C, D], w_k [H, E, D]. With biases, x ends in a one and W in the bias. In a latent
    layer x_k are the latents, W_K is W_upK, and the rotary dimensions are left out; x_q is c_Q where the layer has one.
    """

    x_q: Float[Tensor, "t c"]
    x_k: Float[Tensor, "t e"]
    w_q: Float[Tensor, "h c d"]
    w_k: Float[Tensor, "h e d"]
    scale: float

    def products(self) -> Float[Tensor, "h c e"]:
        """M = W_Q W_K' of every head (003 section 9)."""
        return self.w_q @ self.w_k.transpose(1, 2)

    def logits(
        self, base: float | None = None, slopes: Float[Tensor, " h"] | None = None, normed: bool = False
    ) -> Float[Tensor, "h t t"]:
        """Scaled logits of every head, [H, T, T], with RMS-`normed` queries and keys, RoPE of a base, ALiBi, or none of
        them."""
        q, k = self.x_q @ self.w_q, self.x_k @ self.w_k  # [H, T, D]
        if normed:
            q, k = (part / part.square().mean(-1, keepdim=True).clamp(min=1e-30).sqrt() for part in (q, k))
        where = torch.arange(len(self.x_q))
        if base is not None:
            q, k = (rotated(part, where, base) for part in (q, k))
        scores = q @ k.transpose(1, 2) * self.scale
        if slopes is not None:
            scores = scores - slopes.double()[:, None, None] * (where[:, None] - where).abs()
        return scores

    def like(self, head: int, count: int | None = None) -> Heads:
        """All heads, or `count` of them, with one `head`'s W_Q and W_K."""
        w_q, w_k = (w[head : head + 1].expand(count or len(w), -1, -1) for w in (self.w_q, self.w_k))
        return Heads(self.x_q, self.x_k, w_q, w_k, self.scale)

    def refactored(self, seed: int = 0, count: int | None = None, stretch: float = 1.0, head: int = 0) -> Heads:
        """One `head`'s M in every head, each time as another product: W_Q A and W_K A'^-1 with a drawn A, 1 in that
        head.

        A is orthogonal, so that A'^-1 = A, and keeps lengths; a `stretch` above 1 makes it multiply the first
        dimensions by up to 1/stretch and the last by up to stretch besides.
        """
        same, size = self.like(head, count), self.w_q.shape[2]
        generator = torch.Generator().manual_seed(seed)
        turns = torch.linalg.qr(torch.randn(len(same.w_q), size, size, generator=generator, dtype=torch.float64))[0]
        # Mirrors: in two dimensions a turn would commute with RoPE's.
        turns[:, 0] *= -torch.linalg.det(turns).sign()[:, None]
        turns[head] = torch.eye(size, dtype=torch.float64)
        factors = stretch ** torch.linspace(-1, 1, size, dtype=torch.float64).expand(len(turns), 1, size).clone()
        factors[head] = 1
        return Heads(self.x_q, self.x_k, same.w_q @ turns * factors, same.w_k @ turns / factors, self.scale)

    def until(self, stop: int) -> Heads:
        """The same heads on the text's first tokens."""
        return Heads(self.x_q[:stop], self.x_k[:stop], self.w_q, self.w_k, self.scale)


def rotated(x: Float[Tensor, "... t d"], where: Tensor, base: float) -> Float[Tensor, "... t d"]:
    """RoPE; a last dimension without a partner stays as it is."""
    return kernels.rope(x, where, base, dims=x.shape[-1] // 2 * 2)


def attention_input(lm: LanguageModelLike, trace: Trace, layer: int) -> Float[Tensor, "t c"]:
    """What a layer's attention reads, [T, C]: the normed stream, or the stream itself where no norm stands before
    it."""
    name = "normed_attn" if lm.config.norm.before else "resid_pre"
    return trace[f"blocks.{layer}.{name}"][0]


def heads_of(lm: LanguageModelLike, trace: Trace, layer: int) -> Heads:
    """One layer's heads with their real weights, on the states that this text gives them."""
    module, x = lm.on_cpu.network.blocks[layer].attn, attention_input(lm, trace, layer)
    scale = trace.specs[layer].scale
    if isinstance(module, LatentAttention):
        latent = trace[f"blocks.{layer}.attn.latent"][0, 0, :, : module.rank]
        w_q = rearrange(module.query.weight, "(h d) e -> h e d", h=module.heads)[..., : module.head_dim]
        x_q = module.query_input(x)
        return Heads(x_q.double(), latent.double(), w_q.double(), module.up_matrices()[0].double(), scale)
    weight, bias = module.qkv.weight.double(), module.qkv.bias
    if bias is not None:
        weight, x = torch.cat((weight, bias.double()[:, None]), 1), torch.cat((x, x.new_ones(len(x), 1)), 1)
    split = rearrange(weight, "(h d) c -> h c d", d=module.head_dim).split((module.heads, module.groups, module.groups))
    w_k = split[1].repeat_interleave(module.heads // module.groups, 0)
    return Heads(x.double(), x.double(), split[0], w_k, scale)


def value_factors(lm: LanguageModelLike, layer: int) -> tuple[Float[Tensor, "h e d"], Float[Tensor, "h d c"]]:
    """W_V [H, E, D] and W_O [H, D, C] of every head. With biases, E ends in the bias of V."""
    module = lm.on_cpu.network.blocks[layer].attn
    w_o = rearrange(module.proj.weight.double(), "c (h d) -> h d c", h=module.heads)
    if isinstance(module, LatentAttention):
        return module.up_matrices()[1].double(), w_o
    weight = module.qkv.weight.double()
    if module.qkv.bias is not None:
        weight = torch.cat((weight, module.qkv.bias.double()[:, None]), 1)
    w_v = rearrange(weight, "(h d) c -> h c d", d=module.head_dim)[-module.groups :]
    return w_v.repeat_interleave(module.heads // module.groups, 0), w_o


def value_products(lm: LanguageModelLike, layer: int) -> Float[Tensor, "h e c"]:
    """W_V W_O of every head, [H, E, C]: what a head writes for what it reads. With biases, E ends in the bias of V."""
    w_v, w_o = value_factors(lm, layer)
    return w_v @ w_o


# --- why RoPE cannot be absorbed (000 Eq. 60 and 61, 003 section 9) -----------------------------------------


def turned_products(heads: Heads, head: int, distances: list[int], base: float) -> Float[Tensor, "n c e"]:
    """W_Q R_t R_s' W_K' for some distances t - s, [N, C, E]: the matrix between x_t and x_s if RoPE stood between the
    two."""
    w_k = heads.w_k[head][:, None].expand(-1, len(distances), -1)
    w_k = rotated(w_k, -torch.tensor(distances), base)  # R_t R_s' turns a query onward, or the key back  [E, N, D]
    return einsum(heads.w_q[head], w_k, "c d, e n d -> n c e")


def turning(heads: Heads, head: int, length: int, base: float) -> tuple[Float[Tensor, " n"], float]:
    """How far M(t - s) moves from M(0), in norms of M(0), for distances 0 to length - 1; and what the best single M
    misses.

    The best one is the mean over the distances; what it misses is a root mean square, again in norms of M(0).
    """
    size = heads.w_q.shape[2]
    eye = torch.eye(size, dtype=torch.float64)
    turns = rotated(eye[:, None].expand(-1, length, -1), -torch.arange(length), base).transpose(0, 1)  # [N, D, D]
    gram_q, gram_k = (w[head].T @ w[head] for w in (heads.w_q, heads.w_k))

    def norm(x: Tensor) -> Tensor:  # |W_Q X' W_K'| from D x D matrices alone
        return einsum(x, gram_q, x, gram_k, "n a b, b c, n d c, d a -> n").clamp(min=0).sqrt()

    whole = norm(eye[None]).clamp(min=1e-30)
    missed = norm(turns - turns.mean(0)).square().mean().sqrt() / whole
    return norm(turns - eye) / whole, missed.item()
