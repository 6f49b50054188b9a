"""How much one head reads of what another writes, by their weights alone (Elhage et al. 2021, "Three kinds of
composition")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import BadShape
from tlmviz.layers import Attention
from tlmviz.layers.norms import FullQKNorm, HeadQKNorm
from tlmviz.protocols import LanguageModelLike

from .sources import NO_NORM_BEFORE, NORM_BEHIND

KINDS = ("q", "k", "v")
BLOCK = 64  # rows of a Gram matrix at a time


@dataclass(frozen=True)
class HeadMatrices:
    """The four matrices of every head, gains of norms folded in: what it reads by, and what it writes with."""

    q: Float[Tensor, "l h d c"]
    k: Float[Tensor, "l h d c"]
    v: Float[Tensor, "l h e c"]
    o: Float[Tensor, "l h c e"]


@torch.inference_mode()
def head_matrices(lm: LanguageModelLike) -> HeadMatrices:
    """W_Q, W_K, W_V and W_O of every head; with fewer key/value heads, a group's once for each of its query heads.

    Raises BadShape for latent attention, whose keys pass a norm that no weight can stand for.
    """
    found: dict[str, list[Tensor]] = {"q": [], "k": [], "v": [], "o": []}
    placement = lm.config.norm.placement
    for block in lm.on_cpu.network.blocks:
        attn = block.attn
        if not isinstance(attn, Attention):
            raise BadShape(
                f"{lm.name} makes keys and values from a latent that a norm stands in, so that no product of weights "
                "says how its heads compose; choose a model without latent attention."
            )
        weight: Tensor = attn.qkv.weight if placement in NO_NORM_BEFORE else attn.qkv.weight * block.norm1.weight
        split = rearrange(weight, "(h d) c -> h d c", d=attn.head_dim)
        q, k, v = split.split((attn.heads, attn.groups, attn.groups))
        of_q, of_k = _gains(attn)
        shared = attn.heads // attn.groups
        o = rearrange(attn.proj.weight, "c (h d) -> h c d", h=attn.heads)
        if placement in NORM_BEHIND:
            o = o * getattr(block, NORM_BEHIND[placement]).weight[:, None]
        k, v = ((k * of_k).repeat_interleave(shared, 0), v.repeat_interleave(shared, 0))
        for name, matrices in zip("qkvo", (q * of_q, k, v, o)):
            found[name].append(matrices)
    return HeadMatrices(**{name: torch.stack(matrices).float() for name, matrices in found.items()})


def _gains(attn: Any) -> tuple[Tensor | float, Tensor | float]:
    """What the norm of queries and keys multiplies each dimension of a head by; its scale cancels in every ratio."""
    norm = attn.qk_norm
    if isinstance(norm, HeadQKNorm):
        return norm.q.weight[:, None], norm.k.weight[:, None]
    if isinstance(norm, FullQKNorm):
        d = attn.head_dim
        return norm.q.weight.unflatten(0, (-1, d))[..., None], norm.k.weight.unflatten(0, (-1, d))[..., None]
    return 1.0, 1.0


@torch.inference_mode()
def composition(lm: LanguageModelLike) -> dict[str, Float[Tensor, "n n"]]:
    """Composition scores [writer, reader] of all pairs of heads, L H of them in order, for queries, keys and values.

    "k": ||W_QK W_OV|| / (||W_QK|| ||W_OV||), the share of what the writer writes that the reader's keys take up; "q"
    the same with W_QK transposed, "v" with the reader's W_OV in its place (Frobenius norms). 0 where the writer does
    not come before the reader. Two matrices without relation give about 1 / sqrt(C). RoPE, which turns with distance,
    and MLPs between are left out. Raises BadShape as `head_matrices` does.
    """
    heads = head_matrices(lm)
    layers, count = heads.q.shape[:2]
    flat = {name: getattr(heads, name).flatten(0, 1) for name in "qkvo"}
    grams = {name: flat[name] @ flat[name].mT for name in "qkv"}
    o_gram = flat["o"].mT @ flat["o"]
    norms = {
        "qk": (grams["q"] * grams["k"]).sum((-1, -2)).sqrt(),  # ||W_Q' W_K||: trace of a product of Gram matrices
        "ov": (o_gram * grams["v"]).sum((-1, -2)).sqrt(),
    }
    # What the reader reads by, and what stands on its other side.
    sides = {"q": ("q", grams["k"], "qk"), "k": ("k", grams["q"], "qk"), "v": ("v", o_gram, "ov")}
    layer_of = torch.arange(layers).repeat_interleave(count)
    later = layer_of[:, None] < layer_of  # [writer, reader]
    written = flat["o"], grams["v"] @ flat["o"].mT
    scores = {}
    for kind, (reads, other, own) in sides.items():
        squared = _overlaps(written, (flat[reads].mT, other @ flat[reads]))
        found = squared.clamp(min=0).sqrt() / (norms["ov"][:, None] * norms[own])
        scores[kind] = found.where(later, 0.0)
    return scores


def _overlaps(
    written: tuple[Float[Tensor, "n c e"], Float[Tensor, "n e c"]],
    read: tuple[Float[Tensor, "n c d"], Float[Tensor, "n d c"]],
) -> Float[Tensor, "n n"]:
    """The traces of all products of a writer's and a reader's Gram matrix [C, C], each given as two factors.

    ||A B||^2 = tr(A^T A B B^T), and of a symmetric matrix the upper half is enough. Block by block, as the Gram
    matrices of all heads of a large model together would fill the memory.
    """
    total = torch.zeros(len(written[0]), len(read[0]))
    width = written[0].shape[1]
    for start in range(0, width, BLOCK):
        rows = slice(start, start + BLOCK)
        left, right = (first[:, rows] @ second[:, :, start:] for first, second in (written, read))
        left[:, :, BLOCK:] *= 2  # what stands below the diagonal too
        total += left.flatten(1) @ right.flatten(1).T
    return total
