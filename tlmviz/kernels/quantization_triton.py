"""Numbers of 8 and 4 bits in Triton.

FP8 is encoded and decoded by integer arithmetic on the float's bits, which runs on every GPU (Ampere has
no E4M3) and gives the same codes as torch, bit for bit. Letters: R rows, one group each, of N columns.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from .quantized import Quantized
from .reference import quantization as reference

TILE = 4096  # elements one program holds
WIDEST = 4096  # columns read at once
# Mantissa bits and exponent bias of each FP8 format; integers have none.
SHAPES = {"fp8_e4m3": (3, 7), "fp8_e5m2": (2, 15), "int8": (0, 0), "int4": (0, 0)}


@triton.jit
def _encode_fp8(y, MANTISSA: tl.constexpr, BIAS: tl.constexpr):
    """The byte of the nearest FP8 number to y, which is in range."""
    DROPPED: tl.constexpr = 23 - MANTISSA
    bits = y.to(tl.int32, bitcast=True)
    magnitude = bits & 0x7FFFFFFF
    # Adding just under half of what is cut off, and one more if the last kept bit is odd, rounds ties to even.
    rounded = magnitude + ((1 << (DROPPED - 1)) - 1) + ((magnitude >> DROPPED) & 1)
    normal = (rounded >> DROPPED) - ((127 - BIAS) << MANTISSA)
    # Below the normal range steps are equal; adding a number whose last bit is one step rounds to them.
    LIFT: tl.constexpr = 2.0 ** (23 + 1 - BIAS - MANTISSA)
    subnormal = (tl.abs(y) + LIFT).to(tl.int32, bitcast=True) - tl.full((1,), LIFT, tl.float32).to(
        tl.int32, bitcast=True
    )
    code = tl.where(magnitude < ((128 - BIAS) << 23), subnormal, normal)
    return (code | ((bits >> 24) & 0x80)).to(tl.uint8)


@triton.jit
def _decode_fp8(code, MANTISSA: tl.constexpr, BIAS: tl.constexpr):
    """The number a byte stands for."""
    code = code.to(tl.int32)
    magnitude = code & 0x7F
    normal = ((magnitude << (23 - MANTISSA)) + ((127 - BIAS) << 23)).to(tl.float32, bitcast=True)
    subnormal = magnitude.to(tl.float32) * (2.0 ** (1 - BIAS - MANTISSA))
    y = tl.where(magnitude >= (1 << MANTISSA), normal, subnormal)
    return tl.where(code >= 128, -y, y)


@triton.jit
def _round(y):
    """Nearest integer, ties to even, for |y| < 2^22: the sum has no bits left below one."""
    return (y + 12582912.0) - 12582912.0


@triton.jit
def _store(
    values,
    y,
    row,
    start,
    rows,
    length,
    LIMIT: tl.constexpr,
    MANTISSA: tl.constexpr,
    BIAS: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Clamp, round and write columns start to start + BLOCK_N; MANTISSA is 0 for integers, LIMIT 7 for int4."""
    y = tl.minimum(tl.maximum(y, -LIMIT), LIMIT)
    inside = row[:, None] < rows
    if LIMIT == 7:
        pairs = tl.reshape(_round(y).to(tl.int32), (BLOCK_R, BLOCK_N // 2, 2))
        low, high = tl.split(pairs)
        width = (length + 1) // 2
        col = start // 2 + tl.arange(0, BLOCK_N // 2)[None, :]
        packed = ((low & 15) | ((high & 15) << 4)).to(tl.uint8)
        tl.store(values + row[:, None].to(tl.int64) * width + col, packed, mask=inside & (col < width))
    else:
        col = start + tl.arange(0, BLOCK_N)[None, :]
        code = _encode_fp8(y, MANTISSA, BIAS) if MANTISSA > 0 else _round(y).to(tl.int8)
        tl.store(values + row[:, None].to(tl.int64) * length + col, code, mask=inside & (col < length))


@triton.jit
def _load(x, row, start, rows, length, BLOCK_N: tl.constexpr):
    col = start + tl.arange(0, BLOCK_N)[None, :]
    where = row[:, None].to(tl.int64) * length + col
    return tl.load(x + where, mask=(row[:, None] < rows) & (col < length), other=0.0).to(tl.float32)


@triton.jit
def _largest(y):
    """Largest magnitude of each row; NaN, which a maximum may pass over, counts as infinity."""
    return tl.max(tl.where(y == y, tl.abs(y), float("inf")), 1)


@triton.jit
def absmax_kernel(x, largest, rows, length, BLOCK_R: tl.constexpr, BLOCK_N: tl.constexpr):
    """Largest magnitude of each row, walked block by block."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    top = tl.zeros((BLOCK_R,), tl.float32)
    for start in range(0, length, BLOCK_N):
        top = tl.maximum(top, _largest(_load(x, row, start, rows, length, BLOCK_N)))
    tl.store(largest + row, top, mask=row < rows)


@triton.jit
def quantize_rows_kernel(
    x,
    values,
    scale,
    rows,
    length,
    LIMIT: tl.constexpr,
    SMALLEST: tl.constexpr,
    MANTISSA: tl.constexpr,
    BIAS: tl.constexpr,
    ONE_BLOCK: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Scale and values of each row; rows wider than a block are read twice."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    if ONE_BLOCK:
        y = _load(x, row, 0, rows, length, BLOCK_N)
        step = tl.maximum(tl.div_rn(_largest(y), LIMIT), SMALLEST)
        _store(values, tl.div_rn(y, step[:, None]), row, 0, rows, length, LIMIT, MANTISSA, BIAS, BLOCK_R, BLOCK_N)
    else:
        top = tl.zeros((BLOCK_R,), tl.float32)
        for start in range(0, length, BLOCK_N):
            top = tl.maximum(top, _largest(_load(x, row, start, rows, length, BLOCK_N)))
        step = tl.maximum(tl.div_rn(top, LIMIT), SMALLEST)
        for start in range(0, length, BLOCK_N):
            y = tl.div_rn(_load(x, row, start, rows, length, BLOCK_N), step[:, None])
            _store(values, y, row, start, rows, length, LIMIT, MANTISSA, BIAS, BLOCK_R, BLOCK_N)
    tl.store(scale + row, step, mask=row < rows)


@triton.jit
def quantize_scaled_kernel(
    x,
    values,
    scale,
    rows,
    length,
    LIMIT: tl.constexpr,
    MANTISSA: tl.constexpr,
    BIAS: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Values of a tile, with one scale known beforehand for the whole tensor."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    start = tl.program_id(1) * BLOCK_N
    y = tl.div_rn(_load(x, row, start, rows, length, BLOCK_N), tl.load(scale))
    _store(values, y, row, start, rows, length, LIMIT, MANTISSA, BIAS, BLOCK_R, BLOCK_N)


@triton.jit
def dequantize_kernel(
    values,
    scale,
    out,
    rows,
    length,
    groups,
    block,
    LIMIT: tl.constexpr,
    MANTISSA: tl.constexpr,
    BIAS: tl.constexpr,
    BLOCK_R: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """A tile of numbers; column j of a row has scale j // block of its `groups` (0 groups: one scale for all)."""
    row = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)[:, None].to(tl.int64)
    start = tl.program_id(1) * BLOCK_N
    col = start + tl.arange(0, BLOCK_N)[None, :]
    inside = (row < rows) & (col < length)
    if LIMIT == 7:
        width = (length + 1) // 2
        byte = start // 2 + tl.arange(0, BLOCK_N // 2)[None, :]
        packed = tl.load(values + row * width + byte, mask=(row < rows) & (byte < width), other=0).to(tl.int32)
        codes = tl.reshape(tl.join(packed & 15, packed >> 4), (BLOCK_R, BLOCK_N))
        y = ((codes ^ 8) - 8).to(tl.float32)  # the sign bit of a half is worth -8
    else:
        codes = tl.load(values + row * length + col, mask=inside, other=0)
        y = _decode_fp8(codes, MANTISSA, BIAS) if MANTISSA > 0 else codes.to(tl.float32)
    step = tl.load(scale + row * groups + (col // block) * (groups > 0), mask=inside, other=0.0)
    tl.store(out + row * length + col, (y * step).to(out.dtype.element_ty), mask=inside)


def quantize(x: Tensor, format: str, per: str, block: int, *, widest: int = WIDEST) -> tuple[Tensor, Tensor]:
    """Values and scales; see `kernels.quantize`. `widest` is the widest block of columns."""
    limit, columns = reference.LIMITS[format], x.shape[-1]
    if per == "block" and columns % block:
        # Zeros never raise a maximum; what they become is cut off again.
        padded = torch.nn.functional.pad(x, (0, -columns % block))
        values, scale = quantize(padded, format, per, block, widest=widest)
        return values[..., : (columns + 1) // 2 if format == "int4" else columns].contiguous(), scale
    x = x.contiguous()
    kind = dict(LIMIT=limit, MANTISSA=SHAPES[format][0], BIAS=SHAPES[format][1])
    stored = torch.int8 if format == "int8" else torch.uint8
    values = torch.empty(
        *x.shape[:-1], (columns + 1) // 2 if format == "int4" else columns, dtype=stored, device=x.device
    )
    groups = {"tensor": (), "channel": (*x.shape[:-1], 1), "block": (*x.shape[:-1], columns // block)}[per]
    scale = torch.empty(groups, dtype=torch.float32, device=x.device)
    if x.numel() == 0:
        scale.fill_(reference.SMALLEST)
    elif per == "tensor":
        scale = reference.scale_of(absmax(x, widest), format)
        rows, length, sizes = plan(x, columns, widest)
        grid = triton.cdiv(rows, sizes["BLOCK_R"]), triton.cdiv(length, sizes["BLOCK_N"])
        with torch.cuda.device_of(x):
            quantize_scaled_kernel[grid](x, values, scale, rows, length, **kind, **sizes)
    else:
        rows, length, sizes = plan(x, block if per == "block" else columns, widest)
        with torch.cuda.device_of(x):
            quantize_rows_kernel[(triton.cdiv(rows, sizes["BLOCK_R"]),)](
                x,
                values,
                scale,
                rows,
                length,
                SMALLEST=reference.SMALLEST,
                ONE_BLOCK=length <= sizes["BLOCK_N"],
                **kind,
                **sizes,
            )
    return values if format == "int8" else values.view(reference.STORED[format]), scale


def absmax(x, widest):
    """Largest magnitude of a whole tensor: of pieces first, so that many programs share it."""
    piece = 4 * widest
    pieces = triton.cdiv(x.numel(), piece)
    # The rows are the pieces; the last one is short, and reads past the end are masked by a length of its own.
    whole, rest = divmod(x.numel(), piece)
    largest = torch.empty(pieces, dtype=torch.float32, device=x.device)
    flat = x.view(-1)
    with torch.cuda.device_of(x):
        if whole:
            absmax_kernel[(whole,)](flat, largest, whole, piece, BLOCK_R=1, BLOCK_N=widest)
        if rest:
            absmax_kernel[(1,)](flat[whole * piece :], largest[whole:], 1, rest, BLOCK_R=1, BLOCK_N=widest)
    return largest.amax()


def dequantize(quantized: Quantized, *, widest: int = WIDEST) -> Tensor:
    """See `kernels.dequantize`."""
    values, shape, format = quantized.values, quantized.shape, quantized.format
    out = torch.empty(shape, dtype=quantized.dtype, device=values.device)
    if out.numel() == 0:
        return out
    rows, length, sizes = plan(out, shape[-1], widest)
    codes = values.contiguous().view(torch.int8 if format == "int8" else torch.uint8)
    groups = 0 if quantized.per == "tensor" else quantized.scale.shape[-1]
    with torch.cuda.device_of(values):
        dequantize_kernel[triton.cdiv(rows, sizes["BLOCK_R"]), triton.cdiv(length, sizes["BLOCK_N"])](
            codes,
            quantized.scale.contiguous(),
            out,
            rows,
            length,
            groups,
            quantized.block if quantized.per == "block" else length,
            LIMIT=reference.LIMITS[format],
            MANTISSA=SHAPES[format][0],
            BIAS=SHAPES[format][1],
            **sizes,
        )
    return out


def plan(x, length, widest):
    """Rows of the given length in x, and the kernel's sizes."""
    width = max(2, min(triton.next_power_of_2(length), widest))
    return x.numel() // length, length, dict(BLOCK_R=max(1, TILE // width), BLOCK_N=width)
