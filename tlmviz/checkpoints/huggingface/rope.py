"""RoPE as Hugging Face's configurations state it: base, scaling, and how many dimensions turn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .settings import Settings

Fields = dict[str, Any]  # of PositionsConfig
SCALING_KEYS = (
    "factor",
    "original_max_position_embeddings",
    "low_freq_factor",
    "high_freq_factor",
    "attention_factor",
    "truncate",
    "beta_fast",
    "beta_slow",
    "mscale",
    "mscale_all_dim",
)


def positions(settings: Settings, head_dim: int, base: float = 10000.0, share: float = 1.0) -> Fields:
    """The positions part of a configuration, from `rope_parameters`, or `rope_theta` and `rope_scaling` of older files.

    `base` and `share`, of the dimensions of a head that turn, are the family's where the file does not say. Raises
    BadCheckpoint for a scaling that is not reproduced.
    """
    theta = settings.number("rope_theta", base)
    share = settings.number("partial_rotary_factor", share)
    key = "rope_parameters" if settings.values.get("rope_parameters") is not None else "rope_scaling"
    settings.ignore("rope_parameters", "rope_scaling")
    fields = described(settings, settings.part(key), theta)
    share = fields.pop("share") or share
    rotary = int(head_dim * share)
    if rotary % 2 or not 0 < rotary <= head_dim:
        raise settings.wrong(
            "partial_rotary_factor", share, f"a share of the head's {head_dim} dimensions that gives pairs"
        )
    return fields if rotary == head_dim else {**fields, "rotary_dim": rotary}


def described(settings: Settings, rope: Settings, base: float) -> Fields:
    """Fields of PositionsConfig, and `share` (None: not said), of one object that describes a RoPE."""
    name = rope.take("rope_type", rope.take("type", "default"))
    if not isinstance(name, str) or name not in SCALINGS:
        raise rope.unknown("rope_type", name, ", ".join(SCALINGS))
    fields = {
        "kind": "rope",
        "layout": "half",
        "rope_base": rope.number("rope_theta", base),
        "share": rope.number("partial_rotary_factor", None),
        **SCALINGS[name](settings, rope),
    }
    rope.finish()
    return fields


def _default(settings: Settings, rope: Settings) -> Fields:
    rope.ignore(*SCALING_KEYS)  # left over from a scaling, they mean nothing without one
    return {}


def _linear(settings: Settings, rope: Settings) -> Fields:
    rope.ignore("original_max_position_embeddings")
    return {"scaling": "linear", "factor": rope.number("factor", least=1.0)}


def _llama3(settings: Settings, rope: Settings) -> Fields:
    slow, fast = rope.number("low_freq_factor"), rope.number("high_freq_factor")
    if not slow < fast:
        raise rope.wrong("low_freq_factor", slow, f"below high_freq_factor, {fast:g}")
    return {
        "scaling": "by-parts",
        "factor": rope.number("factor", least=1.0),
        "trained_context": _trained_context(settings, rope),
        "beta_slow": slow,
        "beta_fast": fast,
    }


def _yarn(settings: Settings, rope: Settings) -> Fields:
    rope.expect("truncate", True)
    rope.ignore("finetuned")
    trained = _trained_context(settings, rope)
    factor = rope.number("factor", None, least=1.0) or max(1.0, settings.count("max_position_embeddings") / trained)
    return {
        "scaling": "yarn",
        "factor": factor,
        "trained_context": trained,
        "beta_fast": rope.number("beta_fast", 32.0),
        "beta_slow": rope.number("beta_slow", 1.0),
        "attention_factor": rope.number("attention_factor", None) or _attention_factor(rope, factor),
    }


def _attention_factor(rope: Settings, factor: float) -> float:
    """What cos and sin are multiplied by; DeepSeek's releases give it as a quotient of two scales."""
    part, whole = rope.take("mscale", 0), rope.take("mscale_all_dim", 0)
    return mscale(factor, part) / mscale(factor, whole) if part and whole else mscale(factor, 1.0)


def mscale(factor: float, weight: float) -> float:
    """0.1 weight ln factor + 1, the square root of YaRN's temperature (Peng et al. 2023, section 3.4)."""
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0


def _trained_context(settings: Settings, rope: Settings) -> int:
    """Outside the object it counts for more, as in transformers."""
    outer = settings.count("original_max_position_embeddings", None)
    inner = rope.count("original_max_position_embeddings", None)
    return int(outer or inner or settings.count("max_position_embeddings"))


SCALINGS: dict[str, Callable[[Settings, Settings], Fields]] = {
    "default": _default,
    "linear": _linear,
    "llama3": _llama3,
    "yarn": _yarn,
}
