"""A trained latent layer taken apart: what is multiplied beforehand, and the two parts of its score.

Source: 000 sections 3.2 and 3.4 (Eq. 41 to 46, 60 to 68); DeepSeek-V2, section 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import UnknownName
from tlmviz.layers.latent import LatentAttention, absorbed, fold
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .projections import attention_input


@dataclass(frozen=True)
class Folding:
    """One head's matrices as the notes multiply them (000 Eq. 41 and 46), for the content part of the score.

    query = W_Q [E, D] and up_k = W_upK' [D, R] become score [E, R]; up_v = W_upV [R, D] and out = W_O [D, C] become
    value [R, C]. E is C, or the size of c_Q where queries are made from that: W_Q is W_upQ then.
    """

    query: Float[Tensor, "e d"]
    up_k: Float[Tensor, "d r"]
    score: Float[Tensor, "e r"]
    up_v: Float[Tensor, "r d"]
    out: Float[Tensor, "d c"]
    value: Float[Tensor, "r c"]


def latent_layer(lm: LanguageModelLike, layer: int) -> LatentAttention:
    """A layer's latent attention. Raises UnknownName for a model that has none, and for a layer that does not exist."""
    if lm.config.attention.latent_dim is None:
        raise UnknownName(
            f"{lm.name} has no latent attention: its keys and values are made per head. Choose a model with MLA."
        )
    if not 0 <= layer < lm.config.n_layers:
        raise UnknownName(f"There is no layer {layer}; {lm.name} has layers 0 to {lm.config.n_layers - 1}.")
    return lm.on_cpu.network.blocks[layer].attn


def folding(lm: LanguageModelLike, layer: int, head: int) -> Folding:
    """The matrices of one head. Raises UnknownName."""
    module = latent_layer(lm, layer)
    if not 0 <= head < module.heads:
        raise UnknownName(f"There is no head {head}; {lm.name} has heads 0 to {module.heads - 1}.")
    (w_k, w_v), (score, value) = module.up_matrices(), fold(module)
    w_q = rearrange(module.query.weight, "(h d) e -> h e d", h=module.heads)[head, :, : module.head_dim]
    w_o = rearrange(module.proj.weight, "c (h d) -> h d c", h=module.heads)[head]
    return Folding(w_q, w_k[head].T, score[head], w_v[head], w_o, value[head])


@torch.inference_mode()
def absorbed_errors(lm: LanguageModelLike, trace: Trace) -> list[float]:
    """Per layer: how far the folded matrices' output lies from the layer's own, max abs, relative to its largest
    number."""
    errors, positions = [], lm.on_cpu.network.positions
    cos_sin = positions.cos_sin(torch.arange(len(trace)))
    for layer in range(lm.config.n_layers):
        module, own = latent_layer(lm, layer), trace[f"blocks.{layer}.attn.out"]
        again = absorbed(module, attention_input(lm, trace, layer)[None], positions, cos_sin)
        errors.append(((again - own).abs().max() / own.abs().max().clamp(min=1e-30)).item())
    return errors


def score_parts(
    lm: LanguageModelLike, trace: Trace, layer: int, head: int
) -> tuple[Float[Tensor, "t t"], Float[Tensor, "t t"]]:
    """A head's scaled scores as content q^C . k^C and rotary q^R . k^R, [T, T] each; their sum is what the softmax
    sees."""
    size = latent_layer(lm, layer).head_dim
    q, k, _ = trace.qk(layer, head)
    scale = trace.specs[layer].scale
    return q[:, :size] @ k[:, :size].T * scale, q[:, size:] @ k[:, size:].T * scale


def part_shares(lm: LanguageModelLike, trace: Trace, layer: int) -> Float[Tensor, " h"]:
    """The rotary part's share of the variance that each head's scores have within a row, [H]; rows of one cell have
    none.

    Var(content) and Var(rotary) are compared, each about its row's mean over the cells that the query sees.
    """
    seen = torch.ones(len(trace), len(trace)).tril()
    if lm.config.attention.window is not None:
        seen = seen.triu(1 - lm.config.attention.window)
    shares = []
    for head in range(lm.config.n_heads):
        parts = [part * seen for part in score_parts(lm, trace, layer, head)]
        spread = [
            ((part - part.sum(1, keepdim=True) / seen.sum(1, keepdim=True)) * seen).square().sum() for part in parts
        ]
        shares.append(spread[1] / (spread[0] + spread[1]).clamp(min=1e-30))
    return torch.stack(shares)


def folded_counts(lm: LanguageModelLike) -> tuple[int, int]:
    """Numbers of one head's four matrices apart, and folded into two: folding saves work per token, not memory."""
    module = latent_layer(lm, 0)
    wide, narrow, rank = module.query.in_features + lm.config.d_model, module.head_dim, module.rank
    return wide * narrow + 2 * narrow * rank, wide * rank
