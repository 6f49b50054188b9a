"""Differences that rounding explains: weights kept in few bits, and attention computed in fewer than all else."""

from __future__ import annotations

import statistics

import torch

from tlmviz import kernels

from .evidence import CLEAR, ROUNDING, Evidence, Step, distance

COARSE = 0.25  # relative error up to which weights may have been rounded (INT4 rounds by about 0.1)
PRODUCTS = ("attn.fused", "attn.out", "mlp.pre", "mlp.out")
# What has weights beside them: factors of norms, vectors of tokens, the second half of a gate, the head.
BESIDE = ("embed", "logits", "normed", "normed_attn", "normed_mlp", "mlp.hidden", "attn.q", "attn.k")
# Relative error of products with weights that are rounded to a format, of which each number keeps so many bits.
STEPS = {"bfloat16": 8, "float16": 11}
NEAR = 1.6  # times either way: how far measured errors may be from a format's


def rounded_weights(evidence: Evidence, wrong: list[Step]) -> tuple[float, str] | None:
    """The usual error of products with weights, where nearly all of them have a similar one: weights kept in few
    bits."""
    if not evidence.asked:
        return None
    products = [step for step in evidence.steps if step.part in PRODUCTS]
    off = [step for step in products if step in wrong]
    if len(products) < 4 or len(off) < 0.9 * len(products):
        return None
    usual = statistics.median(step.error for step in off)
    alike = all(usual / 8 < step.error < usual * 8 for step in off)
    others = [step for step in wrong if step not in off and step.part not in BESIDE]
    # Norms' factors may have been rounded with the matrices, and then differ no more than these do.
    norms = [step for step in wrong if step.part.startswith(("normed", "attn.q", "attn.k"))]
    if not alike or usual >= COARSE or others or any(step.error > 2 * usual for step in norms):
        return None
    named = [name for name, bits in STEPS.items() if 1 / NEAR < usual / _of_format(bits) < NEAR]
    how = f"weights were rounded to {named[0]}" if named else "weights were rounded"
    said = f"every product with weights differs by about {usual:.2g} of its size, in all layers alike: {how}"
    return usual, said


def _of_format(bits: int) -> float:
    """Error of numbers rounded to so many bits, as a share of their size: half a step evenly spread, over all
    mantissas."""
    mantissas = torch.linspace(1, 2, 1025, dtype=torch.double)
    return float(2.0 ** (1 - bits) / 12**0.5 / mantissas.square().mean().sqrt())


def rounded_attention(evidence: Evidence, wrong: list[Step]) -> tuple[float, str] | None:
    """The largest error of attention, where queries, keys and values rounded to 16 bits explain all that differs."""
    if not evidence.asked or any(step.part not in ("attn.lse", "attn.z") for step in wrong):
        return None
    for dtype in (torch.bfloat16, torch.float16):
        if all(_explained(evidence, step, dtype) for step in wrong):
            largest, name = max(step.error for step in wrong), str(dtype).removeprefix("torch.")
            said = f"attention alone differs, as queries, keys and values rounded to {name} make it"
            return largest, f"{said}: {largest:.2g} at most"
    return None


def _explained(evidence: Evidence, step: Step, dtype: torch.dtype) -> bool:
    if step.error > CLEAR * ROUNDING[dtype]:
        return False
    names = [f"blocks.{step.layer}.attn.{part}" for part in "qkv"]
    q, k, v = (evidence.found(name) for name in names)
    if q is None or k is None or v is None or step.layer is None:
        return False
    spec = evidence.a.specs[step.layer]
    q, k, v = (part.to(dtype).float() for part in (q, k, v))
    z, lse = kernels.attention(q, k, v, spec.mask, scale=spec.scale)
    return distance(lse if step.part == "attn.lse" else z, step.found) < step.error / 2
