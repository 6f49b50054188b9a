"""Head scores that need a text of their own, and the logit lens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.streams.unrolled import final_streams, part_names, part_outputs, readout_coefficients
from tlmviz.protocols import LanguageModelLike
from tlmviz.trace import Trace

if TYPE_CHECKING:
    import pandas as pd


def head_scores(lm: LanguageModelLike, length: int = 64, repeats: int = 8, seed: int = 0) -> pd.DataFrame:
    """Previous-token and induction score of every head on random tokens that repeat once.

    Each of `repeats` texts is `length` random tokens twice over. previous: mean weight on the
    token before; induction: mean weight, in the second copy, on the token after the first
    copy of the current one (Olsson et al. 2022). Columns: layer, head, previous, induction.
    """
    generator = torch.Generator().manual_seed(seed)
    total: pd.DataFrame | None = None
    for _ in range(repeats):
        half = (torch.randperm(lm.config.vocab_size - 1, generator=generator)[:length] + 1).tolist()
        frame = _score_repeat(lm.trace_ids([lm.tokenizer.end_of_text, *half, *half]), length)
        total = frame if total is None else total + frame
    scores = total / repeats
    return scores.astype({"layer": int, "head": int})


def _score_repeat(trace: Trace, length: int) -> pd.DataFrame:
    import pandas as pd

    rows = []
    second = torch.arange(length + 1, 2 * length + 1)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            p = trace.attention(layer, head)
            induction = p[second, second - length + 1].mean().item()
            previous = p.diagonal(-1).mean().item()
            rows.append((layer, head, previous, induction))
    return pd.DataFrame(rows, columns=["layer", "head", "previous", "induction"])


def logit_lens(lm: LanguageModelLike, trace: Trace) -> Float[Tensor, "l_plus_1 t v"]:
    """Logits the head would give from the stream before the first and after each layer, [L + 1, T, V].

    Source: nostalgebraist 2020. With post-norm blocks the final norm is the identity.
    """
    names = ["blocks.0.resid_pre", *(f"blocks.{i}.resid_post" for i in range(trace.n_layers))]
    streams = trace.tensors(names)
    with torch.inference_mode():
        return torch.cat(
            [lm.network.head(lm.network.norm(lm.network.merge_streams(streams[name]))) for name in names]
        )


def logit_shares(lm: LanguageModelLike, trace: Trace, position: int, token: int) -> pd.DataFrame:
    """What the embedding and every sublayer add to one token's final logit at one position.

    The final norm is frozen at its actual scale, which makes the head linear in the stream, so
    the shares sum to the logit (direct logit attribution); with several streams every part comes with the coefficient
    that mixing left of it. Columns: part, share.
    Exact for pre-norm models; post-norm streams have no such sum, so the frame is empty for them.
    """
    import pandas as pd

    if lm.config.norm.placement != "pre":
        return pd.DataFrame(columns=["part", "share"])
    coefficients = readout_coefficients(trace)[:, position]
    parts = part_outputs(trace)[:, position] * coefficients[:, None]  # [1 + P, C]
    norm, direction = lm.network.norm, lm.network.head.weight[token]
    stream = final_streams(trace)[position].mean(0)
    with torch.inference_mode():
        if lm.config.norm.kind == "layernorm":
            scale = (stream.var(unbiased=False) + norm.eps).sqrt()
            parts, bias = parts - parts.mean(-1, keepdim=True), float(norm.bias @ direction)
        else:
            scale = (stream.square().mean() + norm.eps).sqrt()
            bias = 0.0
        shares = (parts / scale * norm.weight) @ direction
    frame = pd.DataFrame({"part": part_names(trace.n_layers), "share": shares.double().numpy()})
    if bias:
        frame.loc[len(frame)] = ["norm bias", bias]
    return frame


def kl_divergence(before: Float[Tensor, "t v"], after: Float[Tensor, "t v"]) -> Float[Tensor, " t"]:
    """KL(before || after) of next-token distributions given as logits, in nats per position, [T]."""
    p, q = before.float().log_softmax(-1), after.float().log_softmax(-1)
    return (p.exp() * (p - q)).sum(-1).clamp(min=0)


def score_gradient(p: Float[Tensor, "t s"], target: int) -> Float[Tensor, "t s"]:
    """The gradient p - y of cross-entropy with respect to each row's scores, y one-hot at `target` (000 Eq. 3)."""
    gradient = p.clone()
    gradient[:, target] -= 1
    return gradient
