"""The torch kernels against attention written cell by cell, torch's own, and complex numbers."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape, UnknownName
from tlmviz.kernels.reference import attention as reference
from tlmviz.kernels.reference import attention_maps

from ..tiny import bias, probabilities, scores, sentence

MASKS = {
    "causal": {},
    "all": dict(causal=False),
    "window": dict(window=3),
    "window 1": dict(window=1),
    "window, both sides": dict(window=3, causal=False),
    "alibi": dict(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625])),
    "alibi, both sides": dict(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625]), causal=False),
    "alibi, window": dict(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625]), window=5),
    "scale": dict(scale=0.7),
}
SIZES = [(1, 1), (1, 9), (7, 7), (8, 8), (9, 9), (17, 17), (4, 11), (16, 19)]
ATOL = {torch.float32: 1e-5, torch.float64: 1e-12}

masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")


@pytest.fixture
def small_tiles(monkeypatch):
    """Eight rows a tile, so that short inputs cross the tile edges that long ones do."""
    monkeypatch.setattr(reference, "TILE_ROWS", 8)


def qkv(queries, keys, groups=4, dtype=torch.float32, seed=0, value_dim=8):
    generator = torch.Generator().manual_seed(seed)
    shapes = ((2, 4, queries, 8), (2, groups, keys, 8), (2, groups, keys, value_dim))
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def expected(q, k, v, scale=None, **mask):
    """Torch's scaled_dot_product_attention in float64, with the mask spelled out."""
    k, v = (part.double().repeat_interleave(q.shape[1] // k.shape[1], 1) for part in (k, v))
    added = bias(q.shape[2], k.shape[2], heads=q.shape[1], **mask)
    return F.scaled_dot_product_attention(q.double(), k, v, attn_mask=added, scale=scale)


@pytest.mark.usefixtures("small_tiles")
class TestAttention:
    @pytest.mark.parametrize("dtype", ATOL, ids=str)
    @pytest.mark.parametrize("groups", [1, 2, 4])
    @masks
    @sizes
    def test_equals_torch(self, size, mask, groups, dtype):
        q, k, v = qkv(*size, groups, dtype)
        out, lse = kernels.attention(q, k, v, **mask)
        assert out.dtype == lse.dtype == dtype
        torch.testing.assert_close(out.double(), expected(q, k, v, **mask), atol=ATOL[dtype], rtol=0)
        torch.testing.assert_close(lse.double(), scores(q, k, **mask).logsumexp(-1), atol=ATOL[dtype], rtol=0)

    @pytest.mark.parametrize("mask", [{}, dict(causal=False), dict(window=2)])
    def test_values_may_have_another_width(self, mask):
        q, k, v = qkv(11, 11, value_dim=3)
        out, _ = kernels.attention(q, k, v, **mask)
        torch.testing.assert_close(out.double(), probabilities(q, k, **mask) @ v.double(), atol=1e-5, rtol=0)

    @pytest.mark.parametrize(
        "mask", [{}, dict(window=2), dict(slopes=torch.full((4,), 0.5)), dict(window=2, causal=False)]
    )
    def test_rows_before_the_first_key_are_zero_and_never_nan(self, mask):
        q, k, v = qkv(20, 4)
        out, lse = kernels.attention(q, k, v, **mask)
        p = kernels.attention_map(q, k, lse, **mask)
        exact = probabilities(q, k, **mask)
        empty = exact.sum(-1) == 0
        assert empty[:, :, 0].all() and not empty[:, :, -1].any()
        assert (lse[empty] == -torch.inf).all() and torch.isfinite(lse[~empty]).all()
        assert (out[empty] == 0).all() and (p[empty] == 0).all()
        torch.testing.assert_close(p.double(), exact, atol=1e-5, rtol=0)
        torch.testing.assert_close(out.double(), exact @ v.double(), atol=1e-5, rtol=0)

    @masks
    def test_no_queries_and_no_keys(self, mask):
        """The fused kernel underneath would end the process on an empty tensor."""
        q, k, v = qkv(3, 0)
        out, lse = kernels.attention(q, k, v, **mask)
        assert out.shape == (2, 4, 3, 8) and (out == 0).all() and (lse == -torch.inf).all()
        q, k, v = qkv(0, 3)
        out, lse = kernels.attention(q, k, v, **mask)
        assert out.shape == (2, 4, 0, 8) and lse.shape == (2, 4, 0)

    @masks
    def test_inputs_may_be_strided_and_stay_as_they_are(self, mask):
        q, k, v = qkv(13, 13)
        strided = [part.transpose(1, 2).contiguous().transpose(1, 2) for part in (q, k, v)]
        strided[1] = torch.cat([strided[1], torch.full_like(k, torch.nan)], -1)[..., :8]
        assert not any(part.is_contiguous() for part in strided)
        copies = [part.clone() for part in strided]
        out, lse = kernels.attention(*strided, **mask)
        kernels.pooled_attention_map(*strided[:2], lse, size=5, **mask)
        kernels.head_statistics(*strided[:2], lse, ids=torch.arange(13), **mask)
        assert all(torch.equal(part, copy) for part, copy in zip(strided, copies))
        torch.testing.assert_close(out, kernels.attention(q, k, v, **mask)[0], atol=1e-5, rtol=0)

    @masks
    def test_large_inputs_stay_finite(self, mask):
        q, k, v = (part * 1e4 for part in qkv(19, 19))
        out, lse = kernels.attention(q, k, v, **mask)
        assert torch.isfinite(out).all() and torch.isfinite(lse).all()
        torch.testing.assert_close(out.double(), expected(q, k, v, **mask), atol=1e-1, rtol=1e-4)
        equal = kernels.attention(torch.full_like(q, 1e4), torch.full_like(k, 1e4), v, **mask | dict(slopes=None))[0]
        even = probabilities(torch.zeros_like(q), torch.zeros_like(k), **mask | dict(slopes=None)) @ v.double()
        torch.testing.assert_close(equal.double(), even, atol=1e-1, rtol=1e-4)

    @pytest.mark.parametrize("mask", [{}, dict(causal=False), dict(window=2), MASKS["alibi"]])
    @pytest.mark.parametrize("value_dim", [8, 3])
    def test_gradient(self, mask, value_dim):
        inputs = [part[:1, :, :, :].requires_grad_() for part in qkv(9, 9, 2, torch.float64, value_dim=value_dim)]
        assert torch.autograd.gradcheck(lambda q, k, v: kernels.attention(q, k, v, **mask)[0], inputs, fast_mode=True)


@pytest.mark.parametrize("length", [1, 255, 256, 257])
@pytest.mark.parametrize("mask", [{}, dict(window=100), dict(slopes=torch.tensor([0.1, 0.01]))])
def test_sizes_around_a_tile(length, mask):
    assert reference.TILE_ROWS == 256
    q, k, v = (torch.randn(1, 2, length, 4, generator=torch.Generator().manual_seed(i)) for i in range(3))
    out, lse = kernels.attention(q, k, v, **mask)
    row = torch.arange(length)
    distance = (row[:, None] - row).double()
    added = torch.zeros(2, length, length).double()
    if "slopes" in mask:
        added = -mask["slopes"].double()[:, None, None] * distance
    added = added.masked_fill((distance < 0) | (distance >= mask.get("window", length)), -torch.inf)
    exact = q.double() @ k.double().mT * 0.5 + added
    torch.testing.assert_close(lse.double(), exact.logsumexp(-1), atol=1e-5, rtol=0)
    torch.testing.assert_close(out.double(), exact.softmax(-1) @ v.double(), atol=1e-5, rtol=0)
    torch.testing.assert_close(kernels.attention_map(q, k, lse, **mask).double(), exact.softmax(-1), atol=1e-5, rtol=0)


@pytest.mark.usefixtures("small_tiles")
class TestMap:
    @masks
    @sizes
    def test_equals_softmax(self, size, mask):
        q, k, v = qkv(*size, groups=2)
        lse = kernels.attention(q, k, v, **mask)[1]
        exact = probabilities(q, k, **mask)
        torch.testing.assert_close(kernels.attention_map(q, k, lse, **mask).double(), exact, atol=1e-5, rtol=0)

    @masks
    @pytest.mark.parametrize("rows", [slice(None), slice(2, 5), slice(-3, None), slice(0, 12, 5), slice(4, 4)])
    @pytest.mark.parametrize("cols", [slice(None), slice(1, 2), slice(-4, -1), slice(0, 15, 4)])
    def test_a_tile_is_a_slice_of_the_whole(self, mask, rows, cols):
        q, k, v = qkv(12, 15, groups=2)
        lse = kernels.attention(q, k, v, **mask)[1]
        exact = probabilities(q, k, **mask)[:, :, rows, cols]
        torch.testing.assert_close(
            kernels.attention_map(q, k, lse, rows=rows, cols=cols, **mask).double(), exact, atol=1e-5, rtol=0
        )
        torch.testing.assert_close(
            kernels.attention_scores(q, k, rows=rows, cols=cols, **mask).double(),
            scores(q, k, **mask)[:, :, rows, cols],
            atol=1e-5,
            rtol=0,
        )


POOLS = {"max": lambda p, n: F.adaptive_max_pool2d(p, n), "mean": lambda p, n: F.adaptive_avg_pool2d(p, n)}


def pooled_sum(p, size):
    """Every bin's sum, one bin at a time."""

    def span(i, length):
        return slice(i * length // size, -(-(i + 1) * length // size))

    return torch.stack(
        [
            torch.stack([p[:, :, span(i, p.shape[2]), span(j, p.shape[3])].sum((2, 3)) for j in range(size)], -1)
            for i in range(size)
        ],
        -2,
    )


class TestPooled:
    @pytest.mark.parametrize("reduce", ["max", "mean", "sum"])
    @masks
    @settings(max_examples=12)
    @given(
        queries=st.integers(1, 40), extra=st.integers(0, 9), size=st.integers(1, 12), tile=st.sampled_from([4, 8, 256])
    )
    def test_equals_pooling_the_exact_map(self, mask, reduce, queries, extra, size, tile):
        q, k, v = qkv(queries, queries + extra, groups=2, dtype=torch.float64)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reference, "TILE_ROWS", tile)
            lse = kernels.attention(q, k, v, **mask)[1]
            picture = kernels.pooled_attention_map(q, k, lse, size=size, reduce=reduce, **mask)
        exact = kernels.attention_map(q, k, lse, **mask)
        pool = POOLS.get(reduce, pooled_sum)
        torch.testing.assert_close(picture, pool(exact, size), atol=1e-12, rtol=0)

    def test_the_sum_over_equal_bins_counts_every_row_once(self):
        q, k, v = qkv(24, 24)
        lse = kernels.attention(q, k, v)[1]
        picture = kernels.pooled_attention_map(q, k, lse, size=8, reduce="sum")
        torch.testing.assert_close(picture.sum((-1, -2)), torch.full((2, 4), 24.0))

    @pytest.mark.parametrize("reduce", ["max", "mean", "sum"])
    def test_rows_that_see_nothing_are_black(self, reduce):
        q, k, v = qkv(12, 4)
        lse = kernels.attention(q, k, v)[1]
        picture = kernels.pooled_attention_map(q, k, lse, size=6, reduce=reduce)
        assert (picture[:, :, :4] == 0).all() and (picture[:, :, -1] > 0).any() and torch.isfinite(picture).all()


@pytest.mark.usefixtures("small_tiles")
class TestHeadStatistics:
    @masks
    @pytest.mark.parametrize("size", [(1, 1), (8, 8), (19, 19), (5, 12), (9, 4)], ids=str)
    def test_equals_sums_over_the_exact_map(self, size, mask):
        queries, keys = size
        q, k, v = qkv(*size, groups=2, dtype=torch.float64)
        ids = torch.randint(0, 3, (keys,), generator=torch.Generator().manual_seed(1))
        lse = kernels.attention(q, k, v, **mask)[1]
        found = kernels.head_statistics(q, k, lse, ids=ids, **mask)
        exact, logits = probabilities(q, k, **mask), scores(q, k, **mask)
        for t in range(queries):
            own, p = t + keys - queries, exact[:, :, t]
            copies = [s for s in range(1, own + 1) if ids[s - 1] == ids[own]] if own >= 0 else []
            wanted = {
                "entropy": -torch.xlogy(p, p).sum(-1),
                "peak": p.max(-1).values,
                "max_logit": logits[:, :, t].max(-1).values,
                "sink": p[..., 0],
                "self": p[..., own] if own >= 0 else p[..., 0] * 0,
                "previous": p[..., own - 1] if own >= 1 else p[..., 0] * 0,
                "distance": sum(p[..., s] * (own - s) for s in range(keys)),
                "induction": sum(p[..., s] for s in copies) if copies else torch.full_like(p[..., 0], torch.nan),
            }
            for name, value in wanted.items():
                if name == "induction" and own < 0:
                    continue  # a query before the first key has no token
                torch.testing.assert_close(found[name][:, :, t], value, atol=1e-10, rtol=0, equal_nan=True, msg=name)

    @given(data=st.data())
    @settings(max_examples=30, deadline=None)
    def test_any_sizes_and_masks(self, data):
        """Grouped heads, windows, ALiBi, packed and padded rows, more queries than keys: within 1e-10 of the full
        maps."""
        queries, keys = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
        q, k, v = qkv(queries, keys, groups=data.draw(st.sampled_from([1, 2, 4])), dtype=torch.float64)
        options = data.draw(
            st.fixed_dictionaries(
                {"causal": st.booleans()},
                optional={
                    "window": st.integers(1, 12),
                    "slopes": st.just(torch.tensor([0.5, 0.25, 0.1, 0.0], dtype=torch.float64)),
                    "lengths": st.just(torch.tensor([max(1, keys - 3), keys])),
                    "softcap": st.just(2.0),
                    "sinks": st.just(torch.tensor([0.0, 1.0, -1.0, 2.0], dtype=torch.float64)),
                },
            )
        )
        lse = kernels.attention(q, k, v, **options)[1]
        p = kernels.attention_map(q, k, lse, **options)
        logits = kernels.attention_scores(q, k, **options)
        back = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)
        wanted = {
            "entropy": -torch.xlogy(p, p).sum(-1),
            "peak": p.amax(-1),
            "sink": p[..., 0],
            "self": (p * (back == 0)).sum(-1),
            "previous": (p * (back == 1)).sum(-1),
            "distance": (p * back).sum(-1),
            "max_logit": logits.amax(-1),
        }
        found = kernels.head_statistics(q, k, lse, **options)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            torch.testing.assert_close(found[name], value, atol=1e-10, rtol=0, msg=name)

    def test_a_strip_of_scores_is_all_the_memory(self, monkeypatch):
        """No tile of scores holds more than a strip of rows, whatever the length."""
        tiles, ask = [], attention_maps.attention_scores
        monkeypatch.setattr(reference, "TILE_ROWS", 256)
        monkeypatch.setattr(
            attention_maps, "attention_scores", lambda *given: tiles.append(ask(*given).shape) or ask(*given)
        )
        q, k, v = (torch.zeros(1, 2, 4096, 4),) * 3
        kernels.head_statistics(q, k, kernels.attention(q, k, v)[1])
        assert max(shape.numel() for shape in tiles) <= attention_maps.CELLS_AT_ONCE

    def test_induction_needs_ids(self):
        q, k, v = qkv(5, 5)
        assert "induction" not in kernels.head_statistics(q, k, kernels.attention(q, k, v)[1])


class TestRope:
    @pytest.mark.parametrize("base", [10000.0, 10.0])
    def test_is_multiplication_by_unit_complex_numbers(self, base):
        x, where = torch.randn(2, 3, 6, 8, dtype=torch.float64), torch.tensor([0, 1, 2, 5, 70, 9000])
        turn = torch.polar(torch.ones(6, 4).double(), where[:, None] * base ** (-torch.arange(4).double() / 4))
        exact = torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (4, 2)).contiguous()) * turn).flatten(-2)
        torch.testing.assert_close(kernels.rope(x, where, base), exact, atol=1e-5, rtol=0)

    def test_layouts_are_one_rotation_in_two_orders(self):
        x, where = torch.randn(5, 8), torch.arange(5)
        order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # pairs (2j, 2j+1) become (j, j + 4)
        half = kernels.rope(x[:, order], where, layout="half")
        torch.testing.assert_close(half, kernels.rope(x, where)[:, order], atol=1e-5, rtol=0)

    @pytest.mark.parametrize("layout", kernels.LAYOUTS)
    @given(m=st.integers(0, 5000), n=st.integers(0, 5000), shift=st.integers(0, 5000))
    def test_products_depend_on_distance_only(self, layout, m, n, shift):
        q, k = torch.randn(2, 1, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

        def product(i, j):
            turned = [kernels.rope(x, torch.tensor([at]), layout=layout) for x, at in ((q, i), (k, j))]
            return (turned[0] * turned[1]).sum()

        torch.testing.assert_close(product(m, n), product(m + shift, n + shift), atol=2e-6, rtol=0)

    @pytest.mark.parametrize("layout", kernels.LAYOUTS)
    def test_norms_stay_and_position_zero_is_the_identity(self, layout):
        x = torch.randn(2, 7, 8)
        turned = kernels.rope(x, torch.arange(7), layout=layout)
        torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
        torch.testing.assert_close(turned[:, 0], x[:, 0])
        assert (turned[:, 1:] - x[:, 1:]).abs().max() > 0.1

    def test_far_angles_keep_their_digits(self):
        """t * frequency formed in float32 would be wrong in the third digit here."""
        cos, sin = kernels.angle_table(torch.tensor([1_000_003]), 4, 10000.0)
        exact = torch.tensor([1_000_003.0, 10_000.03], dtype=torch.float64)
        torch.testing.assert_close(cos[0].double(), exact.cos(), atol=1e-5, rtol=0)
        torch.testing.assert_close(sin[0].double(), exact.sin(), atol=1e-5, rtol=0)


def z(*shape):
    return torch.zeros(shape)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: kernels.attention(z(4, 5, 8), z(1, 4, 5, 8), z(1, 4, 5, 8)), ("[4, 5, 8]", "[1, 4, 5, 8]")),
        (lambda: kernels.attention(z(1, 4, 5, 8), z(1, 3, 5, 8), z(1, 3, 5, 8)), ("[1, 4, 5, 8]", "[1, 3, 5, 8]")),
        (lambda: kernels.attention(z(1, 4, 5, 8), z(1, 4, 5, 6), z(1, 4, 5, 6)), ("[1, 4, 5, 8]", "[1, 4, 5, 6]")),
        (lambda: kernels.attention(z(2, 4, 5, 8), z(1, 4, 5, 8), z(1, 4, 5, 8)), ("[2, 4, 5, 8]", "[1, 4, 5, 8]")),
        (lambda: kernels.attention(z(1, 4, 5, 8), z(1, 2, 5, 8), z(1, 2, 6, 8)), ("[1, 2, 5, 8]", "[1, 2, 6, 8]")),
        (lambda: kernels.attention(z(1, 4, 5, 8), z(1, 4, 5, 8), z(1, 4, 5, 8), slopes=z(3)), ("[3]", "4")),
        (lambda: kernels.attention(z(1, 4, 5, 8), z(1, 4, 5, 8), z(1, 4, 5, 8), window=0), ("window is 0",)),
        (lambda: kernels.attention_map(z(1, 4, 5, 8), z(1, 4, 5, 8), z(1, 4, 6)), ("[1, 4, 6]", "[1, 4, 5]")),
        (lambda: kernels.pooled_attention_map(z(1, 1, 5, 8), z(1, 1, 5, 8), z(1, 1, 5), size=0), ("size is 0",)),
        (lambda: kernels.head_statistics(z(1, 4, 5, 8), z(1, 4, 5, 8), z(4, 5)), ("[4, 5]", "[1, 4, 5]")),
        (lambda: kernels.rope(z(5, 7), torch.arange(5)), ("7 is odd",)),
        (lambda: kernels.rope(z(5, 8), torch.arange(4)), ("[4]", "5 positions")),
    ],
)
def test_shapes_that_do_not_fit_are_both_named(call, words):
    with pytest.raises(BadShape) as error:
        call()
    text = sentence(error)
    assert all(word in text for word in words)


def test_unknown_options_are_refused():
    q = z(1, 1, 2, 4)
    with pytest.raises(UnknownName, match="max, mean, sum"):
        kernels.pooled_attention_map(q, q, z(1, 1, 2), reduce="median")
    with pytest.raises(UnknownName, match="interleaved, half"):
        kernels.rope(q, torch.arange(2), layout="spiral")


@pytest.mark.parametrize("backend, word", [("triton", "CUDA"), ("cuda", "auto, torch, triton"), ("", "auto")])
def test_a_backend_that_cannot_run_is_refused_everywhere(backend, word, monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET")
    q, lse, where = z(1, 1, 2, 4), z(1, 1, 2), torch.arange(2)
    for call in (
        lambda: kernels.attention(q, q, q, backend=backend),
        lambda: kernels.attention_scores(q, q, backend=backend),
        lambda: kernels.attention_map(q, q, lse, backend=backend),
        lambda: kernels.pooled_attention_map(q, q, lse, backend=backend),
        lambda: kernels.head_statistics(q, q, lse, backend=backend),
        lambda: kernels.rope(q, where, backend=backend),
    ):
        with pytest.raises(BadBackend, match=word) as error:
            call()
        sentence(error)


@pytest.mark.parametrize("backend", ["auto", "torch"])
def test_on_a_cpu_torch_runs(backend):
    assert kernels.backend_for(z(1), backend) == "torch"
