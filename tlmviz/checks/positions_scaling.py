"""The identities of RoPE scalings, in the manner of `identities`: each measures an error on a trace of a model with
RoPE."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from .. import kernels
from ..layers.positions import RoPE
from ..layers.scaling import SCALINGS, YaRN, scaled_rope
from ..recording import recording
from ..tracing.trace import Trace
from .cases import has_rope, has_scaled_planes, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, beside_largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ = 128  # tokens of the text that a check looks at: its first
SCALE = 3.0
SHIFT = 499  # tokens; a prime, in which no period of a wrong table hides


@identity(
    "s = 1: unchanged",
    "with scale 1 every scheme gives the model's own logits",
    ROUNDING,
    OF_LARGEST,
    when=has_rope,
    inputs=reading,
)
def scale_of_one_is_rope(lm: LanguageModel, trace: Trace) -> float:
    """With scale 1 every scheme gives the model's own logits."""
    ids = _ids(trace)
    own = lm(ids)
    return max(beside_largest(lm(ids, positions=scaled_rope(lm.config, name, 1.0)), own) for name in SCALINGS)


@identity("PI = θ(t/s)", f"interpolation turns t by the angles of t / {SCALE:g}", 1e-6, when=has_rope, inputs=reading)
def interpolation_is_slower_time(lm: LanguageModel, trace: Trace) -> float:
    """Position interpolation turns position t by the angles of t / s (003 section 8)."""
    position_ids = torch.arange(len(trace))
    scheme = scaled_rope(lm.config, "Position interpolation", SCALE)
    slow = kernels.angle_table(position_ids.double() / SCALE, scheme.head_dim, scheme.base)
    return max(worst(one - other) for one, other in zip(scheme.cos_sin(position_ids), slow))


@identity(
    "Ends of the spectrum",
    "fast planes unchanged, slow ones interpolated",
    1e-12,
    "relative",
    when=has_rope,
    inputs=reading,
)
def ends_are_kept(lm: LanguageModel, trace: Trace) -> float:
    """NTK-aware: fastest plane as it was, slowest s times slower. YaRN: above beta_fast turns as it was, below
    beta_slow PI."""
    ntk, yarn = scaled_rope(lm.config, "NTK-aware", SCALE), cast(YaRN, scaled_rope(lm.config, "YaRN", SCALE))
    new, own = ntk.frequencies(1), ntk.unscaled()
    errors = [new[0] / own[0] - 1, new[-1] * SCALE / own[-1] - 1]
    ratio, turns = yarn.frequencies(1) / own, yarn.turns()
    errors += [*(ratio[turns > yarn.beta_fast] - 1), *(ratio[turns < yarn.beta_slow] * SCALE - 1)]
    return worst(torch.stack(errors))


@identity(
    "Distance alone, scaled",
    "moving query and key together moves no score",
    1e-5,
    "relative max abs",
    when=has_scaled_planes,
    inputs=reading,
)
def only_distance_counts(lm: LanguageModel, trace: Trace) -> float:
    """Under YaRN, moving a query and a key of layer 0 by the same number of tokens moves no score."""
    position_ids, scheme = torch.arange(_ids(trace).shape[1]), scaled_rope(lm.config, "YaRN", SCALE)
    q, k = (_unrotated(lm, trace, part) for part in ("q", "k"))
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    scores = []
    for start in (0, SHIFT):
        cos_sin = scheme.cos_sin(position_ids + start)
        scores.append(scheme.rotate(q, cos_sin) @ scheme.rotate(k, cos_sin).transpose(-1, -2))
    return worst(scores[1] - scores[0]) / max(1e-30, worst(scores[0]))


@identity(
    "Turned again = recomputed",
    "in layer 0, unrotated keys follow the new scale",
    1e-5,
    "relative max abs",
    when=has_scaled_planes,
    inputs=reading,
)
def unrotated_keys_follow(lm: LanguageModel, trace: Trace) -> float:
    """Layer 0: keys cached unrotated and turned under a new scale are the keys that a new pass under it makes."""
    ids, scheme = _ids(trace), scaled_rope(lm.config, "YaRN", SCALE)
    keys = []
    for cache, positions in ((lm.new_cache(rotated=False), None), (None, scheme)):
        with torch.inference_mode(), recording("blocks.0.attn.k".__eq__) as record:
            lm.network(ids, cache, positions)
        keys.append(record.values["blocks.0.attn.k"].cpu())
    turned = scheme.rotate(keys[0], scheme.cos_sin(torch.arange(ids.shape[1])))
    return worst(turned - keys[1]) / max(1e-30, worst(turned))


@identity(
    "Unrotated cache = full pass",
    "while the scale stays, both give the same",
    ROUNDING,
    OF_LARGEST,
    when=has_rope,
    inputs=reading,
)
def caches_agree(lm: LanguageModel, trace: Trace) -> float:
    """While the scale stays, a cache of unrotated keys gives the logits of a pass without one."""
    ids, scheme = _ids(trace), scaled_rope(lm.config, "YaRN", SCALE)
    cache, half = lm.new_cache(rotated=False), max(1, ids.shape[1] // 2)
    pieces = [part for part in (ids[:, :half], ids[:, half:]) if part.shape[1]]
    stepped = torch.cat([lm(part, cache, scheme) for part in pieces], 1)
    return beside_largest(stepped, lm(ids, positions=scheme))


# These turn queries and keys as a whole, which latent attention does not.
WHOLE = (only_distance_counts, unrotated_keys_follow)


def _ids(trace: Trace) -> Tensor:
    return torch.tensor([trace.ids[:READ]])


def _unrotated(lm: LanguageModel, trace: Trace, part: str) -> Tensor:
    """q or k of layer 0 as it is before rotation: turned back by the model's own angles."""
    own, position_ids = cast(RoPE, lm.network.positions), torch.arange(len(_ids(trace)[0]))
    return kernels.rope(trace[f"blocks.0.attn.{part}"][:, :, : len(position_ids)], -position_ids, own.base)
