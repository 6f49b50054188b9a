"""Head scores that need a text of their own, and the logit lens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.streams.unrolled import final_streams, part_names, part_outputs, readout_coefficients
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

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
    lead, special = lm.tokenizer.lead, lm.tokenizer.special
    words = torch.tensor([i for i in range(lm.tokenizer.vocab_size) if i not in special])
    for _ in range(repeats):
        half = words[torch.randperm(len(words), generator=generator)[:length]].tolist()
        frame = _score_repeat(lm.trace_ids([*lead, *half, *half]), len(lead), length)
        total = frame if total is None else total + frame
    assert total is not None  # of one text at least
    scores: pd.DataFrame = total / repeats
    return scores.astype({"layer": int, "head": int})


def _score_repeat(trace: Trace, lead: int, length: int) -> pd.DataFrame:
    import pandas as pd

    rows = []
    second = torch.arange(lead + length, lead + 2 * length)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            p = trace.attention(layer, head)
            induction = p[second, second - length + 1].mean().item()
            previous = p.diagonal(-1).mean().item()
            rows.append((layer, head, previous, induction))
    return pd.DataFrame(rows, columns=["layer", "head", "previous", "induction"])


def logit_lens(lm: LanguageModelLike, trace: Trace, rows: slice = slice(None)) -> Iterator[Float[Tensor, "t v"]]:
    """Logits the head would give from the stream before the first and after each layer: L + 1 tensors [T, V], one by
    one.

    All at once they would be gigabytes for a large vocabulary. Source: nostalgebraist 2020. With post-norm blocks the
    final norm is the identity.
    """
    names = ["blocks.0.resid_pre", *(f"blocks.{i}.resid_post" for i in range(trace.n_layers))]
    streams, network = trace.tensors(names), lm.on_cpu.network
    for name in names:
        with torch.inference_mode():
            yield network.unembed(network.norm(network.merge_streams(streams[name][:, rows])))[0]


def logit_shares(lm: LanguageModelLike, trace: Trace, position: int, token: int) -> pd.DataFrame:
    """What the embedding and every sublayer add to one token's final logit at one position.

    The final norm is frozen at its actual scale, which makes the head linear in the stream, so
    the shares sum to the logit (direct logit attribution); with several streams every part comes with the coefficient
    that mixing left of it. A head's bias is a part, and so is what the bound on logits takes off. Columns: part, share.
    Exact where the stream is a sum; with post-norm blocks it is none, so the frame is empty for them.
    """
    import pandas as pd

    if not lm.config.norm.final:
        return pd.DataFrame(columns=["part", "share"])
    coefficients = readout_coefficients(trace)[:, position]
    parts = part_outputs(trace)[:, position] * coefficients[:, None]  # [1 + P, C]
    network = lm.on_cpu.network
    norm, direction = network.norm, network.head.weight[token]
    stream = final_streams(trace)[position].mean(0)
    with torch.inference_mode():
        if lm.config.norm.kind == "layernorm":
            scale = (stream.var(unbiased=False) + norm.eps).sqrt()
            parts, bias = parts - parts.mean(-1, keepdim=True), float(norm.bias @ direction)
        else:
            scale = (stream.square().mean() + norm.eps).sqrt()
            bias = 0.0
        shares = (parts / scale * norm.weight) @ direction
        total = shares.sum() + bias + (0.0 if network.head.bias is None else network.head.bias[token])
        others = {
            "norm bias": bias,
            "head bias": 0.0 if network.head.bias is None else float(network.head.bias[token]),
            "bound": float(network.bound(total) - total),
        }
    frame = pd.DataFrame({"part": part_names(trace.n_layers), "share": shares.double().numpy()})
    for name, share in others.items():
        if share:
            frame.loc[len(frame)] = [name, share]
    return frame


def kl_divergence(before: Float[Tensor, "t v"], after: Float[Tensor, "*r t v"]) -> Float[Tensor, "*r t"]:
    """KL(before || after) of next-token distributions given as logits, in nats per position, [T], of each run in
    `after`."""
    p, q = before.float().log_softmax(-1), after.float().log_softmax(-1)
    return (p.exp() * (p - q)).sum(-1).clamp(min=0)


def score_gradient(p: Float[Tensor, "*t s"], target: int) -> Float[Tensor, "*t s"]:
    """The gradient p - y of cross-entropy with respect to the logits z of p = softmax(z), y one-hot at `target` (000
    Eq. 3).

    Positive entries are logits that a step of gradient descent lowers; the entries sum to 0.
    """
    gradient = p.clone()
    gradient[..., target] -= 1
    return gradient
