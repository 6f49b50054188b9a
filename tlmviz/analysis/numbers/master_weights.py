"""Weights kept in few bits: what becomes of a training step's updates when they are added to them.

Sources: LLM notes, section 6 (master weights); Decoder-Only Transformers in Einstein Notation, section 7; Micikevicius et al.
2018, section 3.1; Gupta et al. 2015 for stochastic rounding.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

STORED = {"bf16": torch.bfloat16, "fp16": torch.float16}
CUT = 16  # bits of FP32 that BF16 does without


def stochastic_bf16(x: Float[Tensor, "*n"], generator: torch.Generator) -> Float[Tensor, "*n"]:
    """Finite numbers as BF16 keeps them, in their own dtype float32, rounded up or down by a die: right in the mean.

    Up with a probability that is the share of the step to the next number that is cut off. What BF16 holds stays as it is.
    """
    bits = x.float().contiguous().view(torch.int32)
    drawn = torch.randint(0, 1 << CUT, bits.shape, generator=generator, dtype=torch.int32)
    # Sign and magnitude: adding to the bits moves away from zero, whatever the sign.
    return ((bits + drawn) >> CUT << CUT).view(torch.float32)
