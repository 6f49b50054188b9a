"""Every kernel on an NVIDIA GPU: `python benchmarks/gpu.py [--only WORD] [--json FILE]`, one table.

For each row: relative root mean square error against float64 (on the last rows, or on a smaller input where float64
would not fit), median time by CUDA events with a cold L2, the best torch equivalent's time in the same run, what is
achieved, and the fraction of this device's own ceiling: the rate of a large matrix product in the row's type, or of a
large copy. Without a GPU it says so and exits with status 1.
"""
# ruff: noqa: B023 - a row is measured before its loop goes on, so its functions may read the loop's variables

from __future__ import annotations

import argparse
import functools
import itertools
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from tlmviz import kernels

BF16 = torch.bfloat16
SEEDS = itertools.count()


@dataclass
class Row:
    """One line of the table; `work` is in FLOPs or bytes, as `unit` says, per call."""

    name: str
    ours: Callable
    peers: dict[str, Callable]
    error: Callable[[], float]
    work: float
    unit: str  # "TFLOP/s" or "GB/s"
    target: str = ""


# --- measuring -----------------------------------------------------------------------------------


def median_ms(call: Callable, budget_ms: float = 400.0) -> float:
    """Median device time of one call; the cache is overwritten between calls."""
    call()
    torch.cuda.synchronize()
    cache = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
    times: list[float] = []
    while len(times) < 5 or (sum(times) < budget_ms and len(times) < 100):
        cache.zero_()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


def relative_error(found: torch.Tensor, exact: torch.Tensor) -> float:
    found, exact = found.double(), exact.double()
    return ((found - exact).norm() / exact.norm()).item()


def ceilings() -> dict[str, float]:
    """What this device reaches: TFLOP/s of a large bfloat16 product, GB/s of a large copy."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=BF16) for _ in range(2))
    product = 2 * 8192**3 / median_ms(lambda: a @ b) / 1e9
    source = torch.empty(2**30, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    return {"TFLOP/s": product, "GB/s": 2 * source.numel() / median_ms(lambda: target.copy_(source)) / 1e6}


def draw(*shape: int, dtype=BF16) -> torch.Tensor:
    """Normal numbers, other ones at every call: queries that equal their keys would saturate the softmax."""
    generator = torch.Generator(device="cuda").manual_seed(next(SEEDS))
    return torch.randn(shape, generator=generator, device="cuda", dtype=torch.float32).to(dtype)


# --- attention -----------------------------------------------------------------------------------


def sdpa(q, k, v, **options) -> dict[str, Callable]:
    """Every fused backend of scaled_dot_product_attention that takes these inputs."""
    backends = dict(
        flash=SDPBackend.FLASH_ATTENTION, cudnn=SDPBackend.CUDNN_ATTENTION, efficient=SDPBackend.EFFICIENT_ATTENTION
    )

    def run(backend):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, **options)

    return {name: functools.partial(run, backend) for name, backend in backends.items()}


def last_rows(q, k, v, count: int = 64, window: int | None = None, slopes=None) -> torch.Tensor:
    """The last rows of causal attention in float64."""
    keys = torch.arange(k.shape[2], device=q.device)
    distance = keys[-count:, None] - keys
    scores = q[:, :, -count:].double() @ k.double().mT * q.shape[-1] ** -0.5
    if slopes is not None:
        scores -= slopes.double()[:, None, None] * distance
    hidden = (distance < 0) | (distance >= (window or k.shape[2]))
    return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v.double()


def attention_flops(batch: int, heads: int, length: int, width: int) -> float:
    return 4 * batch * heads * width * length**2 / 2  # a causal mask leaves half


def forward() -> Iterator[Row]:
    for width in (64, 128):
        for length in (4096, 8192, 16384, 32768):
            batch, heads = max(1, 16384 // length), 2048 // width
            q, k, v = (draw(batch, heads, length, width) for _ in range(3))
            yield Row(
                f"attention forward, causal, d {width}, T {length}",
                lambda: kernels.attention(q, k, v),
                sdpa(q, k, v, is_causal=True),
                lambda: relative_error(
                    kernels.attention(q, k, v)[0][:1, :2, -64:], last_rows(q[:1, :2], k[:1, :2], v[:1, :2])
                ),
                attention_flops(batch, heads, length, width),
                "TFLOP/s",
                "0.8 x best",
            )


def backward() -> Iterator[Row]:
    for width in (64, 128):
        for length in (4096, 16384):
            batch, heads = max(1, 16384 // length), 2048 // width
            q, k, v = (draw(batch, heads, length, width).requires_grad_() for _ in range(3))
            grad = draw(batch, heads, length, width)
            out = kernels.attention(q, k, v)[0]
            peers = {}
            for name, call in sdpa(q, k, v, is_causal=True).items():
                try:
                    peers[name] = functools.partial(gradients, call(), (q, k, v), grad)
                except RuntimeError:
                    continue  # this backend does not take these inputs
            yield Row(
                f"attention backward, causal, d {width}, T {length}",
                lambda: gradients(out, (q, k, v), grad),
                peers,
                lambda: backward_error(width),
                2.5 * attention_flops(batch, heads, length, width),
                "TFLOP/s",
                "0.7 x best",
            )


def gradients(out, inputs, grad):
    return torch.autograd.grad(out, inputs, grad, retain_graph=True)


def backward_error(width: int, length: int = 1024) -> float:
    parts = [draw(1, 2, length, width).requires_grad_() for _ in range(3)]
    exact = [part.detach().double().requires_grad_() for part in parts]
    grad = draw(1, 2, length, width)
    found = torch.autograd.grad(kernels.attention(*parts)[0], parts, grad)
    wanted = torch.autograd.grad(last_rows(*exact, count=length), exact, grad.double())
    return max(relative_error(a, b) for a, b in zip(found, wanted))


def masked() -> Iterator[Row]:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    flex = torch.compile(flex_attention, dynamic=False)
    length, heads, width, window = 16384, 16, 64, 1024
    q, k, v = (draw(1, heads, length, width) for _ in range(3))
    slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1, device="cuda") / heads)

    def causal(b, h, i, j):
        return i >= j

    def near(b, h, i, j):
        return (i >= j) & (i - j < window)

    def alibi(score, b, h, i, j):
        return score - slopes[h] * (i - j)

    block = functools.partial(create_block_mask, B=None, H=None, Q_LEN=length, KV_LEN=length, device="cuda")
    cells = dict(window=length * window - window**2 / 2, alibi=length**2 / 2)
    for name, options, mask, score in (
        ("window", dict(window=window), block(near), None),
        ("alibi", dict(slopes=slopes), block(causal), alibi),
    ):
        yield Row(
            f"attention forward, {name}, d {width}, T {length}",
            functools.partial(kernels.attention, q, k, v, **options),
            {"flex": functools.partial(flex, q, k, v, score_mod=score, block_mask=mask)},
            lambda options=options: relative_error(
                kernels.attention(q, k, v, **options)[0][:, :, -64:], last_rows(q, k, v, **options)
            ),
            4 * heads * width * cells[name],
            "TFLOP/s",
        )


def decoding() -> Iterator[Row]:
    heads, groups, width = 32, 8, 128
    for batch, length in ((1, 32768), (16, 8192), (64, 2048)):
        q, k, v = (draw(batch, heads, 1, width), draw(batch, groups, length, width), draw(batch, groups, length, width))
        page = 64
        count = length // page
        table = torch.randperm(batch * count, device="cuda").view(batch, count).int()
        pages = []
        for cache in (k, v):
            stored = torch.empty(batch * count, groups, page, width, device="cuda", dtype=BF16)
            stored[table.long()] = cache.unflatten(2, (count, page)).transpose(1, 2)
            pages.append(stored)
        peers = {name: call for name, call in sdpa(q, k, v, enable_gqa=True).items()}
        expanded = [part.repeat_interleave(heads // groups, 1) for part in (k, v)]
        for name, options in (("contiguous", {}), ("paged", dict(table=table))):
            cache = (k, v) if name == "contiguous" else pages
            call = functools.partial(kernels.decode_attention, q, *cache, **options)
            yield Row(
                f"decode, {name}, B {batch}, S {length}",
                call,
                peers,
                lambda call=call: relative_error(call()[0], last_rows(q, *expanded, count=1)),
                2 * k.numel() * k.element_size(),
                "GB/s",
            )


def maps() -> Iterator[Row]:
    length, heads, width = 32768, 32, 64
    q, k, v = (draw(1, heads, length, width) for _ in range(3))
    lse = kernels.attention(q, k, v)[1]
    small = [part[:, :2, :2048] for part in (q, k)]
    small_lse = kernels.attention(*small, v[:, :2, :2048])[1]
    exact = torch.eye(2048, device="cuda", dtype=torch.float64)[None, None].expand(1, 2, -1, -1)
    yardstick = {"attention forward": lambda: kernels.attention(q, k, v)}
    for reduce in kernels.REDUCTIONS:
        pool = dict(max=lambda p: F.adaptive_max_pool2d(p, 64), mean=lambda p: F.adaptive_avg_pool2d(p, 64))
        pool["sum"] = lambda p: F.adaptive_avg_pool2d(p, 64) * 32**2
        yield Row(
            f"pooled map, {reduce}, {heads} heads, T {length}",
            functools.partial(kernels.pooled_attention_map, q, k, lse, reduce=reduce),
            yardstick,
            lambda reduce=reduce, pool=pool: relative_error(
                kernels.pooled_attention_map(*small, small_lse, reduce=reduce),
                pool[reduce](last_rows(*small, exact, 2048)),
            ),
            attention_flops(1, heads, length, width) / 2,
            "TFLOP/s",
            "1.6 x attention",
        )
    yield Row(
        f"head statistics with bands, {heads} heads, T {length}",
        lambda: kernels.head_statistics(q, k, lse, bands=True),
        yardstick,
        lambda: relative_error(
            kernels.head_statistics(*small, small_lse)["entropy"],
            -torch.special.xlogy(p := last_rows(*small, exact, 2048), p).sum(-1),
        ),
        attention_flops(1, heads, length, width) / 2,
        "TFLOP/s",
    )


# --- the other families --------------------------------------------------------------------------


def compiled(function: Callable, *inputs) -> Callable:
    return functools.partial(torch.compile(function, dynamic=False), *inputs)


def rows() -> Iterator[Row]:
    count, width = 16384, 4096
    x, weight, bias = draw(count, width), draw(width), draw(width)
    part = x[:256].double()
    size = 2 * x.numel() * x.element_size()  # read once, written once
    rms = functools.partial(F.rms_norm, normalized_shape=(width,), eps=1e-5)
    cases = {
        "rms_norm": (
            lambda a: kernels.rms_norm(a, weight, 1e-5),
            lambda a: rms(a, weight=weight),
            lambda: rms(part, weight=weight.double()),
        ),
        "layer_norm": (
            lambda a: kernels.layer_norm(a, weight, bias, 1e-5),
            lambda a: F.layer_norm(a, (width,), weight, bias, 1e-5),
            lambda: F.layer_norm(part, (width,), weight.double(), bias.double(), 1e-5),
        ),
        "softmax": (kernels.softmax, lambda a: a.softmax(-1), lambda: part.softmax(-1)),
    }
    for name, (ours, theirs, exact) in cases.items():
        yield Row(
            f"{name}, {count} x {width}",
            functools.partial(ours, x),
            {"compiled": compiled(theirs, x), "eager": functools.partial(theirs, x)},
            lambda: relative_error(ours(x[:256]), exact()),
            size,
            "GB/s",
            "0.85 of copy",
        )


def rope() -> Iterator[Row]:
    x, where = draw(1, 32, 16384, 128), torch.arange(16384, device="cuda")
    cos, sin = (part.to(x) for part in kernels.angle_table(where, 128))

    def plain(a, cos, sin):
        even, odd = a[..., 0::2], a[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

    def exact():
        angle = where[-64:, None].double() * 10000.0 ** (-torch.arange(64, device="cuda").double() / 64)
        return plain(x[:, :, -64:].double(), angle.cos(), angle.sin())

    yield Row(
        "rope, 32 heads, T 16384, d 128",
        lambda: kernels.rope(x, where),
        {"compiled": compiled(plain, x, cos, sin)},
        lambda: relative_error(kernels.rope(x, where)[:, :, -64:], exact()),
        2 * x.numel() * x.element_size(),
        "GB/s",
        "0.85 of copy",
    )


def sinkhorn() -> Iterator[Row]:
    logits = draw(65536, 4, 4, dtype=torch.float32)

    def divisions(logits):
        matrix = (logits - logits.amax((-2, -1), keepdim=True)).exp()
        for _ in range(20):
            matrix = matrix / matrix.sum(-1, keepdim=True)
            matrix = matrix / matrix.sum(-2, keepdim=True)
        return matrix

    yield Row(
        "sinkhorn, 20 iterations, 65536 of 4 x 4",
        lambda: kernels.sinkhorn(logits, iterations=20),
        {"eager": lambda: divisions(logits), "compiled": compiled(divisions, logits)},
        lambda: relative_error(kernels.sinkhorn(logits, iterations=20), divisions(logits.double())),
        2 * logits.numel() * 4,
        "GB/s",
        "10 x eager",
    )


def indexer() -> Iterator[Row]:
    heads, length, width = 4, 8192, 32
    q, k, w = draw(1, heads, length, width), draw(1, length, width), draw(1, length, heads)
    hidden = torch.ones(length, length, dtype=torch.bool, device="cuda").triu(1)

    def plain(q, k, w, hidden):
        return ((q @ k[:, None].mT).relu() * w.mT[..., None]).sum(1).masked_fill(hidden, -torch.inf)

    def error():
        small = (q[:, :, :512], k[:, :512], w[:, :512])
        exact = plain(*(part.double() for part in small), hidden[:512, :512])
        found = kernels.index_scores(*small).masked_fill(hidden[:512, :512], 0.0)
        return relative_error(found, exact.masked_fill(hidden[:512, :512], 0.0))

    yield Row(
        f"index_scores, {heads} heads, T {length}, d {width}",
        lambda: kernels.index_scores(q, k, w),
        {"compiled": compiled(plain, q, k, w, hidden)},
        error,
        length**2 * 4,
        "GB/s",
    )


def numbers() -> Iterator[Row]:
    x = draw(16384, 4096)

    def plain(x):
        scale = x.abs().amax(-1, keepdim=True).float() / 448.0
        return (x.float() / scale).to(torch.float8_e4m3fn), scale

    def error():  # against the input: the format's own rounding, about 0.02
        return relative_error(kernels.dequantize(kernels.quantize(x[:256], per="channel", check=False)), x[:256])

    yield Row(
        "quantize, FP8 E4M3 per channel, 16384 x 4096",
        lambda: kernels.quantize(x, per="channel", check=False),
        {"compiled": compiled(plain, x)},
        error,
        x.numel() * 3,
        "GB/s",
    )


FAMILIES = (forward, backward, masked, decoding, maps, rows, rope, sinkhorn, indexer, numbers)


# --- the table -----------------------------------------------------------------------------------


def measure(row: Row, ceiling: dict[str, float]) -> dict:
    ours, peers = median_ms(row.ours), {}
    for name, call in row.peers.items():
        try:
            peers[name] = median_ms(call)
        except Exception as error:  # a peer that refuses these inputs is left out, with a word on stderr
            print(f"{row.name}: {name} left out: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    best = min(peers, key=peers.get, default=None)
    rate = row.work / ours / (1e9 if row.unit == "TFLOP/s" else 1e6)
    return dict(
        name=row.name,
        error=row.error(),
        ms=ours,
        peers=peers,
        best=best,
        speed=peers[best] / ours if best else math.nan,
        rate=rate,
        unit=row.unit,
        fraction=rate / ceiling[row.unit],
        target=row.target,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="families whose name contains this word")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("This benchmark needs an NVIDIA GPU, and torch finds none here.")
        return 1
    torch.backends.cuda.matmul.allow_tf32 = False
    ceiling, lines = ceilings(), []
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, kernels by {kernels.backend_for(draw(1))}")
    print(f"measured ceilings: {ceiling['TFLOP/s']:.0f} TFLOP/s (bfloat16 product), {ceiling['GB/s']:.0f} GB/s (copy)")
    print(
        f"{'kernel':46} {'error':>8} {'ms':>9} {'best peer':>20} {'ms':>9} {'speed':>6} {'rate':>14} {'of max':>6}  "
        "target"
    )
    for family in FAMILIES:
        if options.only not in family.__name__:
            continue
        for row in family():
            try:
                line = measure(row, ceiling)
            except Exception as error:  # one broken kernel must not hide the others' numbers
                print(f"{row.name:46} failed: {str(error).splitlines()[0][:120]}")
                lines.append(dict(name=row.name, failed=str(error)))
                continue
            lines.append(line)
            best = line["best"]
            print(
                f"{line['name']:46} {line['error']:8.1e} {line['ms']:9.3f} "
                f"{best or '-':>20} {line['peers'].get(best, math.nan):9.3f} "
                f"{line['speed']:6.2f} {line['rate']:6.0f} {line['unit']:7} {line['fraction']:6.2f}  {line['target']}"
            )
            torch.cuda.empty_cache()
    if options.json:
        options.json.write_text(
            json.dumps(dict(device=torch.cuda.get_device_name(), ceilings=ceiling, rows=lines), indent=1)
        )
    return int(any("failed" in line for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
