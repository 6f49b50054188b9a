"""What a layer's attention reads, as a sum of sources: the embedding, every earlier head, every earlier MLP, and
biases.

Norms are frozen: each divides by its actual scale, as if that did not depend on the parts, so that everything between a
source and a query, key or value is linear, and the sources add up (Elhage et al. 2021; Kamath et al. 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from tlmviz.layers import Attention, LatentAttention, LayerNorm, RMSNorm
from tlmviz.layers.norms import FullQKNorm, HeadQKNorm, NoQKNorm
from tlmviz.layers.positions import Positions
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from ..streams.unrolled import unrolled_of

BIASES = "biases"
NORM_BEHIND = {"sandwich": "norm_attn_out", "output": "norm1"}  # of a placement, the norm of what attention adds
NO_NORM_BEFORE = ("post", "output")  # placements whose attention reads the stream as it is


@dataclass(frozen=True)
class Sources:
    """What each source gives to queries, keys and values of all heads, at R positions: tensors in float64.

    The last source is BIASES, what no source gives: biases of projections and norms.
    """

    names: list[str]
    q: Float[Tensor, "n h r d"]
    k: Float[Tensor, "n g r d"]
    v: Float[Tensor, "n g r e"]


def sources_of(lm: LanguageModelLike, trace: Trace, layer: int, positions: Sequence[int]) -> Sources:
    """The sources of one layer's queries (rotated), keys (rotated) and values at some positions of a traced text."""
    network = lm.on_cpu.network
    names, parts = stream_parts(lm, trace, layer, positions)
    block = network.blocks[layer]
    with torch.inference_mode():
        if lm.config.norm.placement not in NO_NORM_BEFORE:
            parts = normed(parts, block.norm1)
        turn = _rotation(network.positions.at(layer), positions)
        return Sources(names, *PROJECTIONS[type(block.attn)](block.attn, parts, turn))


@torch.inference_mode()
def stream_parts(
    lm: LanguageModelLike, trace: Trace, layer: int, positions: Sequence[int]
) -> tuple[list[str], Float[Tensor, "n r c"]]:
    """What a layer's attention reads before its norm, as named parts [N, R, C] in float64 that add up to it."""
    network, placement, where = lm.on_cpu.network, lm.config.norm.placement, list(positions)
    taps = [f"blocks.{i}.{part}" for i in range(layer) for part in _written(trace)]
    found = {name: value[0].double() for name, value in trace.tensors(["embed", *taps]).items()}
    weights = unrolled_of(trace).read[2 * layer][:, where].double()[..., None]  # [1 + 2 L, R, 1]
    tokens = network.token_emb.weight[torch.tensor(trace.ids)[where]].double() * lm.config.embedding_scale
    embed = found["embed"][where]
    names, parts = ["token"], [tokens * weights[0]]
    if lm.config.positions.kind in ("learned", "sinusoidal"):
        names, parts = [*names, "position"], [*parts, (embed - tokens) * weights[0]]
    total = torch.cat((torch.stack(parts), torch.zeros_like(embed)[None]))  # the last part is what biases give
    for earlier in range(layer):
        block = network.blocks[earlier]
        heads = _heads(block.attn, found[f"blocks.{earlier}.attn.z"][:, where])  # [H + 1, R, C]
        if placement in NORM_BEHIND:
            heads = normed(heads, getattr(block, NORM_BEHIND[placement]))
        total = _joined(total, heads * weights[1 + 2 * earlier])
        total = normed(total, block.norm1) if placement == "post" else total
        mlp = found[f"blocks.{earlier}.{_written(trace)[1]}"][where] * weights[2 + 2 * earlier]
        total = _joined(total, torch.stack((mlp, torch.zeros_like(mlp))))
        total = normed(total, block.norm2) if placement == "post" else total
        names += [f"L{earlier}H{head}" for head in range(len(heads) - 1)] + [f"MLP {earlier}"]
    return [*names, BIASES], total


def _written(trace: Trace) -> tuple[str, str]:
    """The taps of what a layer's heads make and of what its MLP adds to the stream."""
    return "attn.z", "added_mlp" if "blocks.0.added_mlp" in trace.tap_names else "mlp.out"


def _heads(attn: Any, z: Float[Tensor, "h r e"]) -> Float[Tensor, "n r c"]:
    """What each head gives, Y(i) = O(i) W_O(i) (000 Eq. 59), and last the output projection's bias."""
    split = attn.proj.weight.double().unflatten(1, (len(z), -1))  # [C, H, E]
    given = torch.einsum("che,hre->hrc", split, z)
    bias = attn.proj.bias
    last = torch.zeros_like(given[:1]) if bias is None else bias.double().expand_as(given[:1])
    return torch.cat((given, last))


def _joined(total: Tensor, more: Tensor) -> Tensor:
    """Further parts behind those there are; both end with what biases give, which is one part."""
    return torch.cat((total[:-1], more[:-1], total[-1:] + more[-1:]))


def normed(parts: Float[Tensor, "n *b c"], norm: nn.Module) -> Float[Tensor, "n *b c"]:
    """Parts behind a norm whose scale is that of their sum; what the norm itself adds goes to the last part."""
    if isinstance(norm, nn.Identity):
        return parts
    whole = parts.sum(0)
    if isinstance(norm, RMSNorm):
        return parts * norm.weight.double() / (whole.square().mean(-1, keepdim=True) + norm.eps).sqrt()
    assert isinstance(norm, LayerNorm)
    scale = (whole.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
    result = (parts - parts.mean(-1, keepdim=True)) / scale * norm.weight.double()
    result[-1] += norm.bias.double()
    return result


def linear(parts: Float[Tensor, "n *b c"], layer: Any) -> Float[Tensor, "n *b e"]:
    """Parts behind a linear map, whose bias goes to the last part."""
    result = parts @ layer.weight.double().T
    if layer.bias is not None:
        result[-1] += layer.bias.double()
    return result


Turn = Callable[[Tensor], Tensor]


def _rotation(positions: Positions, ids: Sequence[int]) -> Turn:
    """RoPE at these positions, or nothing."""
    cos_sin = positions.cos_sin(torch.tensor(list(ids)))
    tables = None if cos_sin is None else (cos_sin[0].double(), cos_sin[1].double())
    return lambda x: positions.rotate(x, tables)


def _projected(attn: Attention, parts: Tensor, turn: Turn) -> tuple[Tensor, Tensor, Tensor]:
    split = rearrange(linear(parts, attn.qkv), "n r (h d) -> n h r d", d=attn.head_dim)
    q, k, v = split.split((attn.heads, attn.groups, attn.groups), 1)
    q, k = QK_NORMS[type(attn.qk_norm)](attn.qk_norm, q, k)
    return turn(q), turn(k), v


def _latent(attn: LatentAttention, parts: Tensor, turn: Turn) -> tuple[Tensor, Tensor, Tensor]:
    query_input = attn.query_input
    read = parts if isinstance(query_input, nn.Identity) else normed(linear(parts, query_input.down), query_input.norm)
    q = rearrange(linear(read, attn.query), "n r (h d) -> n h r d", h=attn.heads)
    content, turned = q.split((attn.head_dim, attn.rope_dim), -1)
    c, k_r = linear(parts, attn.down).split((attn.rank, attn.rope_dim), -1)
    widths = attn.heads * attn.head_dim, attn.heads * attn.value_dim
    k, v = (
        rearrange(part, "n r (h d) -> n h r d", h=attn.heads)
        for part in linear(normed(c, attn.norm), attn.up).split(widths, -1)
    )
    shared = turn(k_r[:, None]).expand(-1, attn.heads, -1, -1)
    return torch.cat((content, turn(turned)), -1), torch.cat((k, shared), -1), v


def _normed_together(norm: FullQKNorm, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    flat = (rearrange(x, "n h r d -> n r (h d)") for x in (q, k))
    new_q, new_k = (
        rearrange(normed(x, own), "n r (h d) -> n h r d", d=q.shape[-1]) for x, own in zip(flat, (norm.q, norm.k))
    )
    return new_q, new_k


PROJECTIONS: dict[type[nn.Module], Callable[[Any, Tensor, Turn], tuple[Tensor, Tensor, Tensor]]] = {
    Attention: _projected,
    LatentAttention: _latent,
}
QK_NORMS: dict[type[nn.Module], Callable[[Any, Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    NoQKNorm: lambda norm, q, k: (q, k),
    HeadQKNorm: lambda norm, q, k: (normed(q, norm.q), normed(k, norm.k)),
    FullQKNorm: _normed_together,
}
