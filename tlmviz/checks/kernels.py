"""The identities behind long contexts, in the manner of `identities`: each measures an error on a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .. import kernels
from ..layers.linear import Performer, parallel, recurrent
from ..layers.sparse import Window, attend
from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity
from .result import Measured, largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 512  # tokens of the text that a check looks at: its first, and enough to reach every branch


@identity(
    "Window = slicing",
    "a window of W equals attention over W sliced keys",
    1e-5,
    when=is_language_model,
    inputs=reading,
)
def window_is_slicing(lm: LanguageModel, trace: Trace) -> Measured:
    """A window of W equals attention over the last W keys alone, row by row."""
    q, k, v = _first(trace)
    window, length = max(1, q.shape[2] // 3), q.shape[2]
    out, _ = kernels.attention(q, k, v, window=window)
    errors = []
    for row in range(0, length, max(1, length // 24)):
        keys = slice(max(0, row - window + 1), row + 1)
        alone, _ = kernels.attention(q[:, :, row : row + 1], k[:, :, keys], v[:, :, keys], causal=False)
        errors.append(worst(out[:, :, row : row + 1] - alone))
    return Measured(largest(errors), f"W = {window}")


@identity("Mask = kernel", "masking cells equals the kernel's own window", 1e-5, when=is_language_model, inputs=reading)
def mask_is_window(lm: LanguageModel, trace: Trace) -> float:
    """Attention under a mask of cells equals the kernel that was written for the pattern."""
    q, k, v = _first(trace)
    window = max(1, q.shape[2] // 3)
    return worst(attend(q, k, v, Window(window))[0] - kernels.attention(q, k, v, window=window)[0])


@identity(
    "Pooled = pooling", "the pooled map equals pooling the exact map", 1e-6, when=is_language_model, inputs=reading
)
def pooled_is_pooling(lm: LanguageModel, trace: Trace) -> float:
    """The pooled map, made without the map, equals pooling the exact map."""
    q, k, _ = _first(trace)
    _, lse = kernels.attention(q, k, k)
    length, size = q.shape[2], min(48, q.shape[2])
    pooled, exact = kernels.pooled_attention_map(q, k, lse, size=size), kernels.attention_map(q, k, lse)
    edges = [slice(i * length // size, -(-(i + 1) * length // size)) for i in range(size)]
    again = torch.stack([torch.stack([exact[:, :, a, b].amax((2, 3)) for b in edges], -1) for a in edges], -2)
    return worst(pooled - again)


@identity(
    "No leak between requests", "other requests in the batch move nothing", 0.0, when=is_language_model, inputs=reading
)
def requests_do_not_leak(lm: LanguageModel, trace: Trace) -> float:
    """Three texts packed into one row: changing one moves no number of the others (003 section 4.5)."""
    q, k, v = _first(trace)
    segments = torch.arange(q.shape[2])[None] % 3
    theirs = (segments != 0)[0]
    before, _ = kernels.attention(q, k, v, segments=segments)
    changed_k, changed_v = (part.masked_fill(theirs[:, None], 7.0) for part in (k, v))
    after, _ = kernels.attention(q, changed_k, changed_v, segments=segments)
    return worst((before - after)[:, :, ~theirs])


@identity(
    "Recurrent = parallel",
    "linear attention's two forms agree",
    1e-4,
    "relative max abs",
    when=is_language_model,
    inputs=reading,
)
def linear_forms_agree(lm: LanguageModel, trace: Trace) -> float:
    """Linear attention token by token, with a state of fixed size, equals its parallel form."""
    q, k, v = _first(trace, 256)
    k, v = (part.repeat_interleave(q.shape[1] // part.shape[1], 1) for part in (k, v))
    phi_q, phi_k = Performer().features(q, k, q.shape[-1] ** -0.5)
    whole, stepped = parallel(phi_q, phi_k, v), recurrent(phi_q, phi_k, v)
    return worst(whole - stepped) / max(1e-30, worst(whole))


def _first(trace: Trace, length: int = READ) -> tuple[Tensor, Tensor, Tensor]:
    """q, k and v of the first layer at the first positions."""
    q, k, v = (trace[f"blocks.0.attn.{part}"][:, :, :length] for part in ("q", "k", "v"))
    return q, k, v
