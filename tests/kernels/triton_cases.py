"""Small tiles, NaN-filled buffers and plain float64 attention, for the tests of the Triton attention kernels."""

import contextlib

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

from tlmviz.kernels import attention_maps_triton, decode_attention_triton, statistics_triton, tiles_triton

BLOCK = 16
SMALL = tiles_triton.Tile(BLOCK, BLOCK, 1, 1)
SLOPES = torch.tensor([0.5, 0.125])


@contextlib.contextmanager
def small_tiles(monkeypatch):
    """Tiles of 16 x 16, so that short inputs have whole, cut and skipped tiles; fresh memory holds NaN."""
    for table in ("FORWARD", "BACKWARD", "EXACT", "EXACT_BACKWARD"):
        monkeypatch.setattr(tiles_triton, table, {512: SMALL})
    monkeypatch.setattr(attention_maps_triton, "CELLS", SMALL)
    monkeypatch.setattr(attention_maps_triton, "_pool_tile", lambda *_: SMALL)
    monkeypatch.setattr(statistics_triton, "TILE", SMALL)
    monkeypatch.setattr(decode_attention_triton, "BLOCK", BLOCK)
    honest = torch.empty

    def spoiled(*shape, **options):
        return honest(*shape, **options).fill_(torch.nan)

    # The interpreter keeps bfloat16 as 16-bit integers and would multiply those.
    multiply = interpreter.InterpreterBuilder.create_dot

    def widened(handle):
        if handle.dtype.scalar != tl.bfloat16:
            return handle
        data = interpreter._convert_float(handle.data, tl.bfloat16, tl.float32, None).view(np.float32)
        return interpreter.TensorHandle(data, tl.float32)

    monkeypatch.setattr(
        interpreter.InterpreterBuilder,
        "create_dot",
        lambda self, a, b, *rest: multiply(self, widened(a), widened(b), *rest),
    )
    monkeypatch.setattr(torch, "empty", spoiled)
    monkeypatch.setattr(torch, "empty_like", lambda like: torch.full_like(like, torch.nan))
    yield


def draw(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape))).to(dtype)


def qkv(queries, keys, heads=2, groups=1, width=8, values=8, batch=1, dtype=torch.float32):
    return (
        draw(batch, heads, queries, width, seed=1, dtype=dtype),
        draw(batch, groups, keys, width, seed=2, dtype=dtype),
        draw(batch, groups, keys, values, seed=3, dtype=dtype),
    )


def plain_scores(q, k, causal=True, window=None, slopes=None, relative=None, scale=None, segments=None, lengths=None):
    """[B, H, T, S] in float64 from the definition, whole and untiled."""
    queries, keys = q.shape[2], k.shape[2]
    k = k.double().repeat_interleave(q.shape[1] // k.shape[1], 1)
    scores = q.double() @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    own, key = torch.arange(queries) + keys - queries, torch.arange(keys)
    distance = own[:, None] - key
    if slopes is not None:
        scores = scores - slopes.double()[:, None, None] * distance.abs()
    if relative is not None:
        vectors = relative.double()[distance.abs().clamp(max=len(relative) - 1)]  # [T, S, D]
        scores = scores + torch.einsum("bhtd, tsd -> bhts", q.double(), vectors)
    hidden = torch.zeros(q.shape[0], 1, queries, keys, dtype=torch.bool)
    if causal:
        hidden |= distance < 0
    if window is not None:
        hidden |= distance.abs() >= window
    if segments is not None:
        mine, theirs = (segments[:, keys - queries :], segments) if torch.is_tensor(segments) else segments
        hidden |= (mine[:, :, None] != theirs[:, None, :])[:, None]
    if lengths is not None:
        hidden |= (key >= lengths[:, None])[:, None, None]
    return scores.masked_fill(hidden, -torch.inf)


def plain_softmax(scores):
    return scores.softmax(-1).nan_to_num(0.0)


def plain_attention(q, k, v, **options):
    """out and lse in float64."""
    scores = plain_scores(q, k, **options)
    return plain_softmax(scores) @ v.double().repeat_interleave(q.shape[1] // v.shape[1], 1), scores.logsumexp(-1)


def assert_near(found, exact, tolerance=1e-5):
    """Largest absolute error and relative root mean square, both; infinities must be equal."""
    found, exact = found.detach().double(), exact.detach().double()
    assert found.shape == exact.shape
    assert torch.equal(found.isinf(), exact.isinf()) and not found.isnan().any()
    found, exact = (part.masked_fill(part.isinf(), 0.0) for part in (found, exact))
    if found.numel():
        assert (found - exact).abs().max() <= tolerance * max(1.0, exact.abs().max())
        # Where the exact value is 0 (the entropy of a single key), CPUs whose products are summed in another order
        # leave 1e-7.
        assert (found - exact).norm() <= tolerance * max(exact.norm(), 1e-2)


def ids(*counts):
    """Texts of these lengths packed into one row: 0, 0, 0, 1, 1, ..."""
    return torch.cat([torch.full((count,), number) for number, count in enumerate(counts)])[None]
