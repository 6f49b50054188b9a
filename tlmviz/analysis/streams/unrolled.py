"""The unrolled sum (000 Eq. 98-99): what each stream holds, as the embedding and every sublayer's output times
coefficients.

X_P = (H_res ... H_res) X_0 + sum over p of (H_res behind p ...) H_post(p) F_p. A part is the embedding (0) or sublayer
p's output (p + 1). With a plain residual connection every coefficient is 1: that is the identity path of Eq. 98.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.tracing.trace import Trace

from .mixing import Mixing, mixing_of, sublayers


@dataclass(frozen=True)
class Unrolled:
    """Coefficients of P + 1 parts, the embedding first: in what each of P sublayers reads, and in each of N final
    streams."""

    read: Float[Tensor, "p parts t"]  # 0 for parts that do not exist yet when a sublayer reads
    final: Float[Tensor, "parts t n"]

    @property
    def mean(self) -> Float[Tensor, "parts t"]:
        """Coefficients in the mean over streams, which the head reads."""
        return self.final.mean(-1)


def part_names(layers: int) -> list[str]:
    """What the parts are called, in order."""
    return ["embedding", *sublayers(layers)]


def unroll(mixed: Mixing) -> Unrolled:
    """Every part's coefficients, followed sublayer by sublayer: read by H_pre, mixed by H_res, written by H_post."""
    pre, post, res = (part.double() for part in (mixed.pre, mixed.post, mixed.res))
    count, tokens, n = pre.shape
    held = pre.new_zeros(count + 1, tokens, n)  # of each part in each stream, so far
    held[0] = 1.0
    read = pre.new_zeros(count, count + 1, tokens)
    for p in range(count):
        read[p] = (held * pre[p]).sum(-1)
        held = (res[p] @ held[..., None])[..., 0]
        held[p + 1] = post[p]
    return Unrolled(read.float(), held.float())


def unrolled_of(trace: Trace) -> Unrolled:
    """The coefficients of a traced text."""
    return unroll(mixing_of(trace))


def readout_coefficients(trace: Trace) -> Float[Tensor, "parts t"]:
    """Each part's coefficient in the mean over streams that the head reads, [1 + P, T], the embedding first."""
    return unrolled_of(trace).mean


def state_taps(layers: int) -> list[str]:
    """Taps of the streams, [B, T, N, C] or [B, T, C]: at the start and behind every sublayer."""
    return ["blocks.0.resid_pre", *(f"blocks.{i}.resid_{where}" for i in range(layers) for where in ("mid", "post"))]


def output_taps(layers: int) -> list[str]:
    """Taps of what each sublayer gives, [B, T, C], before H_post."""
    return [f"blocks.{i}.{part}.out" for i in range(layers) for part in ("attn", "mlp")]


def added_taps(trace: Trace) -> list[str]:
    """Taps of what each sublayer adds to the stream: its output, or what a norm makes of that."""
    return [
        added if (added := f"blocks.{layer}.added_{part}") in trace.tap_names else f"blocks.{layer}.{part}.out"
        for layer in range(trace.n_layers)
        for part in ("attn", "mlp")
    ]


def part_outputs(trace: Trace) -> Float[Tensor, "parts t c"]:
    """What the coefficients multiply: the embedding, and what every sublayer adds."""
    names = ["embed", *added_taps(trace)]
    found = trace.tensors(names)
    return torch.cat([found[name] for name in names])


def final_streams(trace: Trace) -> Float[Tensor, "t n c"]:
    """The streams behind the last sublayer; a plain residual connection has one."""
    last = trace[state_taps(trace.n_layers)[-1]][0]
    return last if last.ndim == 3 else last[:, None]


def unrolled_error(trace: Trace) -> float:
    """How far the sums of coefficient x output are from the actual final streams and from their mean: the largest
    difference, relative to the largest number. The trace must come from an unedited pass."""
    outputs, final = part_outputs(trace).double(), final_streams(trace).double()
    made = torch.einsum("ptn,ptc->tnc", unrolled_of(trace).final.double(), outputs)
    pairs = ((made, final), (made.mean(1), final.mean(1)))
    return max(((sum_ - actual).abs().max() / actual.abs().max().clamp(min=1e-30)).item() for sum_, actual in pairs)
