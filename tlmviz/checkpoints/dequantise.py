"""Quantised tensors of GGUF files as float32: the common quantisations in torch, the others by the `gguf` package.

A block is 32 weights (or more) with their scale: Q4_1 is w = d q + m with a float16 d and m and four bits for each q.
Source: ggml's block structures (ggml-common.h).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tlmviz.errors import BadCheckpoint

BLOCKS_AT_ONCE = 16_384  # 2 MB of weights, which stay in a processor's cache between the steps
F32, F16, Q4_0, Q4_1, Q8_0, BF16 = 0, 1, 2, 3, 8, 30


def stored_bytes(kind: int, shape: tuple[int, ...], what: str) -> int:
    """Bytes that a tensor takes in the file. Raises BadCheckpoint for a quantisation that is not known."""
    import gguf  # late: only GGUF files need it

    try:
        block, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(kind)]
    except (ValueError, KeyError) as error:
        raise BadCheckpoint(
            f"{what} has the quantisation number {kind}, which is not known; convert the model to F16 or Q8_0."
        ) from error
    if not shape or shape[-1] % block:
        raise BadCheckpoint(f"{what} has rows of {shape[-1:]}, no multiple of its blocks of {block}.")
    return math.prod(shape) // block * size


def dequantise(raw: Tensor, kind: int, out: Tensor) -> None:
    """Write the weights whose bytes are `raw` [N], uint8, into `out`, float32. Raises BadCheckpoint."""
    fast = FAST.get(kind)
    if fast is None:
        _by_package(raw, kind, out)
    else:
        fast(raw, out)


def _by_package(raw: Tensor, kind: int, out: Tensor) -> None:
    import gguf

    rows = raw.view(len(out) if out.ndim > 1 else 1, -1).numpy()
    quantisation = gguf.GGMLQuantizationType(kind)
    try:
        values = gguf.dequantize(rows, quantisation)
    except NotImplementedError as error:
        raise BadCheckpoint(
            f"The quantisation {quantisation.name} cannot be read; convert the model to F16 or Q8_0."
        ) from error
    out.copy_(torch.from_numpy(values).view(out.shape))


def _float(dtype: torch.dtype) -> Callable[[Tensor, Tensor], None]:
    def copy(raw: Tensor, out: Tensor) -> None:
        out.copy_(raw.view(dtype).view(out.shape))

    return copy


def _half(raw: Tensor) -> Tensor:
    """Columns of bytes as float16, widened: [blocks, 1]."""
    return raw.contiguous().view(torch.float16).float()


def _four_bits(blocks: Tensor, scale: Tensor, offset: Tensor, out: Tensor) -> None:
    """scale * q + offset: a block's first half lies in the low four bits of its bytes, the second in the high ones."""
    whole = out.view(-1, 32)
    for start in range(0, len(blocks), BLOCKS_AT_ONCE):
        part = slice(start, start + BLOCKS_AT_ONCE)
        whole[part, :16] = blocks[part] & 15
        whole[part, 16:] = blocks[part] >> 4
        whole[part].mul_(scale[part]).add_(offset[part])


def _q4_0(raw: Tensor, out: Tensor) -> None:
    blocks = raw.view(-1, 18)
    scale = _half(blocks[:, :2])
    _four_bits(blocks[:, 2:], scale, -8 * scale, out)


def _q4_1(raw: Tensor, out: Tensor) -> None:
    blocks = raw.view(-1, 20)
    _four_bits(blocks[:, 4:], _half(blocks[:, :2]), _half(blocks[:, 2:4]), out)


def _q8_0(raw: Tensor, out: Tensor) -> None:
    blocks = raw.view(-1, 34)
    torch.mul(blocks[:, 2:].view(torch.int8), _half(blocks[:, :2]), out=out.view(-1, 32))


# The number of a quantisation -> its torch code: (bytes, out).
FAST: dict[int, Callable[[Tensor, Tensor], None]] = {
    F32: _float(torch.float32),
    F16: _float(torch.float16),
    BF16: _float(torch.bfloat16),
    Q4_0: _q4_0,
    Q4_1: _q4_1,
    Q8_0: _q8_0,
}
