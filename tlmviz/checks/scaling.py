"""The identities of RoPE scalings, in the manner of `identities`: each measures an error on a trace of a model with RoPE."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .. import kernels
from ..layers.scaling import SCALINGS, scaled_rope
from ..recording import recording
from ..trace import Trace
from .result import Check, worst

READ = 128  # tokens of the text that a check looks at: its first
SCALE = 3.0
SHIFT = 499  # tokens; a prime, in which no period of a wrong table hides


def scale_of_one_is_rope(lm, trace: Trace) -> Check:
    """With scale 1 every scheme gives the model's own logits."""
    ids = _ids(trace)
    own = lm(ids)
    error = max(worst(lm(ids, positions=scaled_rope(lm.config, name, 1.0)) - own) for name in SCALINGS)
    return Check("s = 1: unchanged", "with scale 1 every scheme gives the model's own logits", error, 1e-4)


def interpolation_is_slower_time(lm, trace: Trace) -> Check:
    """Position interpolation turns position t by the angles of t / s (003 section 8)."""
    where = torch.arange(len(trace))
    scheme = scaled_rope(lm.config, "Position interpolation", SCALE)
    slow = kernels.angle_table(where.double() / SCALE, scheme.head_dim, scheme.base)
    error = max(worst(one - other) for one, other in zip(scheme.table(where), slow))
    return Check("PI = θ(t/s)", f"interpolation turns t by the angles of t / {SCALE:g}", error, 1e-6)


def ends_are_kept(lm, trace: Trace) -> Check:
    """NTK-aware: fastest plane as it was, slowest s times slower. YaRN: above beta_fast turns as it was, below beta_slow PI."""
    ntk, yarn = (scaled_rope(lm.config, name, SCALE) for name in ("NTK-aware", "YaRN"))
    new, own = ntk.frequencies(1), ntk.unscaled()
    errors = [new[0] / own[0] - 1, new[-1] * SCALE / own[-1] - 1]
    ratio, turns = yarn.frequencies(1) / own, yarn.turns()
    errors += [*(ratio[turns > yarn.beta_fast] - 1), *(ratio[turns < yarn.beta_slow] * SCALE - 1)]
    error = worst(torch.stack(errors))
    return Check(
        "Ends of the spectrum", "fast planes unchanged, slow ones interpolated", error, 1e-12, "relative"
    )


def only_distance_counts(lm, trace: Trace) -> Check:
    """Under YaRN, moving a query and a key of layer 0 by the same number of tokens moves no score."""
    where, scheme = torch.arange(_ids(trace).shape[1]), scaled_rope(lm.config, "YaRN", SCALE)
    q, k = (_unrotated(lm, trace, part) for part in ("q", "k"))
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    scores = []
    for start in (0, SHIFT):
        table = scheme.table(where + start)
        scores.append(scheme.rotate(q, table) @ scheme.rotate(k, table).transpose(-1, -2))
    error = worst(scores[1] - scores[0]) / max(1e-30, worst(scores[0]))
    return Check(
        "Distance alone, scaled",
        "moving query and key together moves no score",
        error,
        1e-5,
        "relative max abs",
    )


def unrotated_keys_follow(lm, trace: Trace) -> Check:
    """Layer 0: keys cached unrotated and turned under a new scale are the keys that a new pass under it makes."""
    ids, scheme = _ids(trace), scaled_rope(lm.config, "YaRN", SCALE)
    keys = []
    for cache, positions in ((lm.new_cache(rotated=False), None), (None, scheme)):
        with torch.inference_mode(), recording("blocks.0.attn.k".__eq__) as record:
            lm.network(ids, cache, positions)
        keys.append(record.values["blocks.0.attn.k"])
    turned = scheme.rotate(keys[0], scheme.table(torch.arange(ids.shape[1])))
    error = worst(turned - keys[1]) / max(1e-30, worst(turned))
    return Check(
        "Turned again = recomputed",
        "in layer 0, unrotated keys follow the new scale",
        error,
        1e-5,
        "relative max abs",
    )


def caches_agree(lm, trace: Trace) -> Check:
    """While the scale stays, a cache of unrotated keys gives the logits of a pass without one."""
    ids, scheme = _ids(trace), scaled_rope(lm.config, "YaRN", SCALE)
    cache, half = lm.new_cache(rotated=False), max(1, ids.shape[1] // 2)
    pieces = [part for part in (ids[:, :half], ids[:, half:]) if part.shape[1]]
    stepped = torch.cat([lm(part, cache, scheme) for part in pieces], 1)
    error = worst(stepped - lm(ids, positions=scheme))
    return Check("Unrotated cache = full pass", "while the scale stays, both give the same", error, 1e-4)


CHECKS_SCALING: tuple[Callable[..., Check], ...] = (
    scale_of_one_is_rope,
    interpolation_is_slower_time,
    ends_are_kept,
    only_distance_counts,
    unrotated_keys_follow,
    caches_agree,
)
WHOLE = (
    only_distance_counts,
    unrotated_keys_follow,
)  # these turn queries and keys as a whole, which latent attention does not


def for_model(lm) -> tuple[Callable[..., Check], ...]:
    """The checks that this model can be put to; none without RoPE, or with a single plane, which NTK-aware scaling refuses."""
    config = lm.config
    if config.positions.kind != "rope" or (config.attention.rope_dim or config.head_dim) < 4:
        return ()
    return tuple(
        check for check in CHECKS_SCALING if config.attention.latent_dim is None or check not in WHOLE
    )


def _ids(trace: Trace) -> Tensor:
    return torch.tensor([trace.ids[:READ]])


def _unrotated(lm, trace: Trace, part: str) -> Tensor:
    """q or k of layer 0 as it is before rotation: turned back by the model's own angles."""
    own, where = lm.network.positions, torch.arange(len(_ids(trace)[0]))
    return kernels.rope(trace[f"blocks.0.attn.{part}"][:, :, : len(where)], -where, own.base)
