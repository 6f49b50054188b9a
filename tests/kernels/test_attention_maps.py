"""Maps, pooled pictures and statistics: both backends against sums over a plain float64 softmax."""

import pytest
import torch
from torch.nn import functional as F

from tests.tiny import sentence
from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape
from tlmviz.kernels import attention_maps_triton
from tlmviz.kernels.reference import attention, attention_maps

from .triton_cases import BLOCK, SLOPES, assert_near, ids, plain_scores, plain_softmax, qkv, small_tiles

OPTIONS = {
    "causal": {},
    "window, both sides": dict(window=7, causal=False),
    "alibi": dict(slopes=SLOPES),
    "everything": dict(window=9, slopes=SLOPES, segments=ids(12, 9), lengths=torch.tensor([18])),
}
BOTH = pytest.mark.parametrize("backend", ["torch", "triton"])
masks = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


@pytest.fixture(autouse=True)
def tiles(monkeypatch):
    monkeypatch.setattr(attention, "TILE_ROWS", BLOCK)
    with small_tiles(monkeypatch):
        yield


def case(queries, keys, options, **sizes):
    """q, k, exact lse in float32 and the exact map in float64."""
    q, k, _ = qkv(queries, keys, heads=2 if "slopes" in options else 1, **sizes)
    scores = plain_scores(q, k, **options)
    return q, k, scores.logsumexp(-1).float(), scores, plain_softmax(scores)


@BOTH
@masks
def test_tiles_are_slices_of_the_whole(options, backend):
    q, k, lse, scores, p = case(21, 21, options)
    for rows, cols in ((slice(None), slice(None)), (slice(3, 20, 5), slice(-9, None, 2)), (slice(4, 4), slice(None))):
        tile = dict(rows=rows, cols=cols, backend=backend, **options)
        assert_near(kernels.attention_scores(q, k, **tile), scores[:, :, rows, cols])
        assert_near(kernels.attention_map(q, k, lse, **tile), p[:, :, rows, cols])


@BOTH
def test_rows_that_see_nothing_are_zero(backend):
    q, k, lse, _, p = case(20, 8, {})
    assert_near(kernels.attention_map(q, k, lse, backend=backend), p)
    assert not kernels.pooled_attention_map(q, k, lse, size=5, backend=backend)[:, :, :2].any()
    statistics = kernels.head_statistics(q, k, lse, bands=True, backend=backend)
    assert (statistics.pop("max_logit")[:, :, :12] == -torch.inf).all()
    assert not any(part[:, :, :12].any() for part in statistics.values())


def pooled(p, size, reduce):
    """Bin by bin, as the docstring says."""

    def bins(length):
        return [slice(i * length // size, -(-(i + 1) * length // size)) for i in range(size)]

    reductions = dict(
        max=lambda cells: cells.amax((2, 3)), mean=lambda cells: cells.mean((2, 3)), sum=lambda c: c.sum((2, 3))
    )
    rows = [torch.stack([reductions[reduce](p[:, :, r, c]) for c in bins(p.shape[3])], -1) for r in bins(p.shape[2])]
    return torch.stack(rows, -2)


@BOTH
@pytest.mark.parametrize("reduce", kernels.REDUCTIONS)
@pytest.mark.parametrize(
    "queries, keys, size", [(1, 1, 2), (2 * BLOCK, 2 * BLOCK, 2), (19, 19, 3), (17, 33, 1), (5, 9, 6)]
)
def test_pooling_equals_pooling_the_exact_map(queries, keys, size, reduce, backend):
    q, k, lse, _, p = case(queries, keys, {})
    assert_near(
        kernels.pooled_attention_map(q, k, lse, size=size, reduce=reduce, backend=backend), pooled(p, size, reduce)
    )


@BOTH
@masks
def test_pooling_under_every_mask(options, backend):
    q, k, lse, _, p = case(21, 21, options)
    for size in (2, 4):
        found = kernels.pooled_attention_map(q, k, lse, size=size, backend=backend, **options)
        assert_near(found, F.adaptive_max_pool2d(p, size))


@pytest.mark.parametrize("length, size", [(64, 3), (4097, 64), (100, 100), (32768, 64), (5, 64)])
def test_the_widest_bin_holds_every_bin(length, size):
    edges = range(size)
    widest = max(-(-(i + 1) * length // size) - i * length // size for i in edges)
    assert widest <= attention_maps_triton._widest(length, size) <= widest + 1


def exact_statistics(p, tokens, scores):
    queries, keys = p.shape[2:]
    own, key = torch.arange(queries) + keys - queries, torch.arange(keys)
    distance = own[:, None] - key
    digits = torch.tensor([[int(abs(d)).bit_length() for d in row] for row in distance.tolist()])
    follows = (key >= 1) & (distance >= 0) & (tokens[key - 1] == tokens[own.clamp(min=0)][:, None])
    count = (max(queries, keys) - 1).bit_length() + 1
    return {
        "entropy": -torch.xlogy(p, p).sum(-1),
        "peak": p.amax(-1),
        "sink": p[..., 0],
        "self": (p * (distance == 0)).sum(-1),
        "previous": (p * (distance == 1)).sum(-1),
        "distance": (p * distance).sum(-1),
        "max_logit": scores.amax(-1),
        "induction": (p * follows).sum(-1).masked_fill(~follows.any(-1), -1.0),
        "bands": torch.stack([(p * (digits == band)).sum(-1) for band in range(count)], -1),
    }


@BOTH
@masks
def test_statistics_equal_sums_over_the_map(options, backend):
    q, k, lse, scores, p = case(21, 21, options)
    tokens = torch.arange(21) % 4
    found = kernels.head_statistics(q, k, lse, ids=tokens, bands=True, backend=backend, **options)
    assert_near(found["bands"].sum(-1), p.sum(-1))
    found["induction"] = found["induction"].nan_to_num(-1.0)
    exact = exact_statistics(p, tokens, scores)
    assert found.keys() == exact.keys()
    for name, value in exact.items():
        assert_near(found[name], value, 2e-5)


@BOTH
@pytest.mark.parametrize("queries, keys", [(1, 1), (BLOCK - 1, BLOCK + 1), (3, 40)])
def test_statistics_of_other_sizes(queries, keys, backend):
    q, k, lse, scores, p = case(queries, keys, {})
    found = kernels.head_statistics(q, k, lse, bands=True, backend=backend)
    exact = exact_statistics(p, torch.arange(keys), scores)
    assert list(found) == ["entropy", "peak", "sink", "self", "previous", "distance", "max_logit", "bands"]
    for name in found:
        assert_near(found[name], exact[name], 2e-5)


@BOTH
@pytest.mark.parametrize("dtype, tolerance", [(torch.float16, 3e-3), (torch.bfloat16, 1e-2)], ids=str)
def test_sixteen_bits_give_float32(dtype, tolerance, backend):
    q, k, lse, scores, p = case(18, 18, {}, dtype=dtype)
    assert_near(kernels.attention_scores(q, k, backend=backend), scores, tolerance)
    assert_near(kernels.attention_map(q, k, lse, backend=backend), p, tolerance)
    picture = kernels.pooled_attention_map(q, k, lse, size=2, backend=backend)
    assert picture.dtype == torch.float32
    assert_near(picture, F.adaptive_max_pool2d(p, 2), tolerance)


def test_the_backend_asked_for_is_the_one_that_runs(monkeypatch):
    ran = []
    q, k, lse, *_ = case(3, 3, {})
    answer = torch.zeros(*q.shape[:3], k.shape[2])
    for name, module in (("triton", attention_maps_triton), ("torch", attention_maps)):
        monkeypatch.setattr(module, "attention_map", lambda *_, _name=name: ran.append(_name) or answer)
    for backend in ("torch", "auto", "triton"):
        kernels.attention_map(q, k, lse, backend=backend)
    assert ran == ["torch", "torch", "triton"]


def test_a_gradient_that_triton_lacks_is_never_dropped():
    q, k, lse, *_ = case(3, 3, {})
    q.requires_grad_()
    with pytest.raises(BadBackend, match="no gradient") as error:
        kernels.attention_scores(q, k, backend="triton")
    sentence(error)
    with torch.no_grad():
        kernels.attention_scores(q, k, backend="triton")


def test_tokens_must_fit_the_keys():
    q, k, lse, *_ = case(3, 5, {})
    with pytest.raises(BadShape, match=r"\[3\].*\[1, 1, 5, 8\]") as error:
        kernels.head_statistics(q, k, lse, ids=torch.arange(3))
    sentence(error)
