"""The residual stream of one text: how long it grows, and what the head reads from it at each depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from tlmviz.analysis.streams.mixing import stream, sublayers
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .heads import logit_lens


def stream_names(layers: int) -> frozenset[str]:
    """Tapped tensors of the residual stream and of what each sublayer adds."""
    parts = ("resid_mid", "resid_post", "attn.out", "mlp.out", "added_attn", "added_mlp")
    ends = ("embed", "logits", "blocks.0.resid_pre", "blocks.0.attn.q")
    return frozenset((*ends, *(f"blocks.{layer}.{part}" for layer in range(layers) for part in parts)))


def stream_norms(trace: Trace) -> tuple[list[str], Float[np.ndarray, "n t"]]:
    """Length of every position's stream vector, or mean of streams, after the embedding and each sublayer: names, [2L +
    1, T]."""
    names = ["embed", *(f"blocks.{i}.{part}" for i in range(trace.n_layers) for part in ("resid_mid", "resid_post"))]
    lengths = torch.stack([stream(trace, name).norm(dim=-1) for name in names])
    return ["embedding", *sublayers(trace.n_layers)], lengths.float().numpy()


@dataclass(frozen=True)
class Lens:
    """The logit lens, reduced: the K best tokens before the first and after each layer, [L + 1, T, K]."""

    tokens: np.ndarray
    probabilities: np.ndarray


def lens(lm: LanguageModelLike, trace: Trace, rows: slice = slice(None), best: int = 5) -> Lens:
    """The most probable next tokens read from the stream at each depth (nostalgebraist 2020), at the positions
    `rows`."""
    with torch.inference_mode():
        tops = [logits.softmax(-1).topk(best, -1) for logits in logit_lens(lm, trace, rows)]
    probabilities, tokens = (torch.stack(part) for part in zip(*tops))
    return Lens(tokens.numpy().astype(np.int32), probabilities.float().numpy())
