"""Relative positions in every kernel, against scores written cell by cell in float64."""

import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape
from tlmviz.kernels.attention import attention_backend
from tlmviz.kernels.reference import attention as reference

from .. import tiny
from ..tiny import sentence
from .triton_cases import assert_near, draw, ids, plain_attention, plain_scores, plain_softmax, qkv

R = 6
MASKS = {
    "causal": {},
    "all": dict(causal=False),
    "window": dict(window=3),
    "window beyond R": dict(window=9),
    "window, both sides": dict(window=4, causal=False),
    "alibi": dict(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625])),
    "scale": dict(scale=0.7),
}
masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Eight rows a tile, so that short inputs cross the tile edges that long ones do."""
    monkeypatch.setattr(reference, "TILE_ROWS", 8)


def case(queries, keys, groups=2, distances=R, dtype=torch.float32, batch=2, values=8):
    """q, k, v and relative."""
    inputs = qkv(queries, keys, heads=4, groups=groups, batch=batch, values=values, dtype=dtype)
    return *inputs, draw(distances, 8, seed=7, dtype=dtype)


def compare(inputs, tolerance=1e-5, **options):
    """Output, lse and all four gradients, the lse's share included, against autograd through float64 softmax."""
    found, exact = ([part.clone().requires_grad_() for part in inputs] for _ in range(2))
    out, lse = kernels.attention(*found[:3], relative=found[3], **options)
    wanted, wanted_lse = plain_attention(*exact[:3], relative=exact[3], **options)
    assert_near(out, wanted, tolerance)
    assert_near(lse, wanted_lse, tolerance)
    grad, grad_lse, seen = draw(*out.shape, seed=5), draw(*lse.shape, seed=6), ~lse.isinf()
    torch.autograd.backward([out, lse], [grad.to(out.dtype), (grad_lse * seen).to(lse.dtype)])
    ((wanted * grad).sum() + (wanted_lse[seen] * grad_lse[seen]).sum()).backward()
    for ours, theirs in zip(found, exact):
        assert ours.grad.dtype == ours.dtype
        assert_near(ours.grad, theirs.grad.nan_to_num(0.0), 2 * tolerance)
    return out, lse


def test_the_two_written_out_scores_agree():
    """Cell by cell, and by looking up all vectors at once: what the tests below rest on."""
    q, k, _, relative = case(5, 9)
    for mask in (dict(causal=False), dict(window=3)):
        assert_near(plain_scores(q, k, relative=relative, **mask), tiny.scores(q, k, relative=relative, **mask))


class TestAttention:
    @pytest.mark.parametrize("groups", [1, 2, 4])
    @pytest.mark.parametrize(
        "size", [(1, 1), (R - 1, R - 1), (R, R), (R + 1, R + 1), (17, 17), (4, 11), (9, 4)], ids=str
    )
    def test_equals_the_definition(self, size, groups):
        q, k, v, relative = case(*size, groups=groups)
        out, lse = kernels.attention(q, k, v, relative=relative)
        assert_near(out, tiny.probabilities(q, k, relative=relative) @ v.double().repeat_interleave(4 // groups, 1))
        assert_near(lse, tiny.scores(q, k, relative=relative).logsumexp(-1))

    @masks
    @pytest.mark.parametrize("size", [(19, 19), (5, 12), (12, 5)], ids=str)
    @pytest.mark.parametrize("distances", [1, 3, R, 40])
    def test_output_and_gradients(self, size, mask, distances):
        compare(case(*size, distances=distances), **mask)

    def test_values_of_another_width_and_packed_texts(self):
        compare(case(21, 21, batch=1, values=5), window=9, segments=ids(12, 9), lengths=torch.tensor([18]))

    @pytest.mark.parametrize(
        "dtype, tolerance", [(torch.float64, 1e-12), (torch.float16, 4e-3), (torch.bfloat16, 3e-2)], ids=str
    )
    def test_other_types(self, dtype, tolerance):
        out, lse = compare(case(20, 20, dtype=dtype), tolerance)
        assert out.dtype == dtype and lse.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)

    def test_lse_and_map_agree_in_sixteen_bits(self):
        """A bias rounded to 16 bits in one of the two would leave rows that do not sum to 1."""
        q, k, v, relative = case(20, 20, dtype=torch.bfloat16)
        lse = kernels.attention(q, k, v, relative=10 * relative)[1]
        assert_near(kernels.attention_map(q, k, lse, relative=10 * relative).sum(-1), torch.ones(2, 4, 20), 1e-4)

    @pytest.mark.parametrize("mask", [{}, dict(causal=False), dict(window=3)], ids=str)
    @pytest.mark.parametrize("queries, keys", [(9, 9), (5, 8), (8, 5)])
    def test_gradcheck(self, queries, keys, mask, monkeypatch):
        monkeypatch.setattr(reference, "TILE_ROWS", 4)
        inputs = [
            part.requires_grad_() for part in case(queries, keys, distances=3, dtype=torch.float64, batch=1, values=3)
        ]

        def finite(q, k, v, relative):
            out, lse = kernels.attention(q, k, v, relative=relative, **mask)
            return out, lse.masked_fill(lse == -torch.inf, 0.0)

        assert torch.autograd.gradcheck(finite, inputs)

    @pytest.mark.parametrize("wanted", range(4))
    def test_a_gradient_for_any_one_alone(self, wanted):
        inputs = list(case(9, 9))
        inputs[wanted] = inputs[wanted].requires_grad_()
        kernels.attention(*inputs[:3], relative=inputs[3])[0].sum().backward()
        assert [part.grad is not None for part in inputs] == [i == wanted for i in range(4)]

    @given(
        size=st.integers(1, 20),
        distances=st.integers(1, 8),
        window=st.none() | st.integers(1, 9),
        seed=st.integers(0, 99),
    )
    def test_a_vector_added_to_every_distance_changes_nothing(self, size, distances, window, seed):
        """It adds q_i . c to all scores of row i, and the softmax is shift invariant."""
        q, k, v, relative = case(size, size, distances=distances, dtype=torch.float64)
        c = draw(8, seed=seed, dtype=torch.float64)
        out, lse = kernels.attention(q, k, v, relative=relative, window=window)
        moved, moved_lse = kernels.attention(q, k, v, relative=relative + c, window=window)
        torch.testing.assert_close(moved, out, atol=1e-12, rtol=0)
        torch.testing.assert_close(moved_lse, lse + q @ c, atol=1e-12, rtol=0)

    def test_zeros_are_no_positions_and_inputs_stay_as_they_are(self):
        q, k, v, relative = case(20, 20)
        copies = [part.clone() for part in (q, k, v, relative)]
        assert_near(kernels.attention(q, k, v, relative=0 * relative)[0], kernels.attention(q, k, v)[0])
        lse = kernels.attention(q, k, v, relative=relative)[1]
        kernels.head_statistics(q, k, lse, relative=relative)
        assert all(torch.equal(part, copy) for part, copy in zip((q, k, v, relative), copies))


class TestMap:
    @masks
    @pytest.mark.parametrize("rows", [slice(None), slice(2, 5), slice(-3, None), slice(0, 12, 5), slice(4, 4)], ids=str)
    @pytest.mark.parametrize("cols", [slice(None), slice(1, 2), slice(0, 15, 4)], ids=str)
    def test_a_tile_is_a_slice_of_the_whole(self, mask, rows, cols):
        q, k, v, relative = case(12, 15)
        lse = kernels.attention(q, k, v, relative=relative, **mask)[1]
        options = dict(rows=rows, cols=cols, relative=relative, **mask)
        assert_near(
            kernels.attention_scores(q, k, **options), plain_scores(q, k, relative=relative, **mask)[:, :, rows, cols]
        )
        exact = tiny.probabilities(q, k, relative=relative, **mask)[:, :, rows, cols]
        assert_near(kernels.attention_map(q, k, lse, **options), exact)

    @masks
    @pytest.mark.parametrize("length", [1, R - 1, R, R + 1, 21])
    def test_pooled_pictures_and_statistics(self, length, mask):
        q, k, v, relative = case(length, length, dtype=torch.float64)
        options = dict(relative=relative, **mask)
        lse = kernels.attention(q, k, v, **options)[1]
        p = plain_softmax(plain_scores(q, k, **options))
        for size in (1, 4):
            picture = kernels.pooled_attention_map(q, k, lse, size=size, **options)
            assert_near(picture, torch.nn.functional.adaptive_max_pool2d(p, size), 1e-12)
        found, where = kernels.head_statistics(q, k, lse, **options), torch.arange(length)
        assert_near(found["entropy"], -torch.xlogy(p, p).sum(-1), 1e-10)
        assert_near(found["distance"], (p * (where[:, None] - where)).sum(-1), 1e-10)
        assert_near(found["previous"][:, :, 1:], p.diagonal(-1, 2, 3), 1e-12)

    @pytest.mark.parametrize("mask", [{}, dict(window=3, causal=False)], ids=str)
    def test_gradcheck(self, mask):
        q, k, v, relative = (part.requires_grad_() for part in case(6, 7, distances=3, dtype=torch.float64, batch=1))
        lse = kernels.attention(q, k, v, relative=relative, **mask)[1].detach().requires_grad_()

        def finite(q, k, relative):  # hidden cells are -inf, whose differences are NaN
            scores = kernels.attention_scores(q, k, relative=relative, **mask)
            return scores.masked_fill(scores == -torch.inf, 0.0)

        assert torch.autograd.gradcheck(finite, (q, k, relative))
        rows = dict(rows=slice(1, 6, 2), cols=slice(0, 6), **mask)
        assert torch.autograd.gradcheck(
            lambda q, k, lse, relative: kernels.attention_map(q, k, lse, relative=relative, **rows),
            (q, k, lse, relative),
        )


class TestDecoding:
    @pytest.mark.parametrize("options", [{}, dict(window=4), dict(slopes=MASKS["alibi"]["slopes"], scale=0.3)], ids=str)
    @pytest.mark.parametrize("keys", [1, R - 1, R, R + 1, 20])
    def test_is_the_last_row_of_full_attention(self, keys, options):
        q, k, v, relative = case(keys, keys)
        out, lse = kernels.attention(q, k, v, relative=relative, **options)
        step, step_lse = kernels.decode_attention(q[:, :, -1:], k, v, relative=relative, **options)
        assert_near(step, out[:, :, -1:])
        assert_near(step_lse, lse[:, :, -1:])

    def test_rows_of_their_own_length_and_pages(self):
        q, k, v, relative = case(1, 12)
        lengths = torch.tensor([12, 5])
        rows = [
            plain_attention(*(part[b : b + 1, :, :n] for part in (q, k, v)), relative=relative)
            for b, n in enumerate(lengths)
        ]
        table = torch.tensor([[3, 0, 2], [1, 4, -9]])
        pages = [torch.full((5, 2, 4, 8), torch.nan) for _ in "kv"]
        for store, part in zip(pages, (k, v)):
            for b, n in ((0, 3), (1, 2)):
                store[table[b, :n]] = part[b].unflatten(1, (3, 4)).transpose(0, 1)[:n]
        for found in (
            kernels.decode_attention(q, k, v, lengths=lengths, relative=relative),
            kernels.decode_attention(q, *pages, table=table, lengths=lengths, relative=relative),
        ):
            for part, exact in zip(found, zip(*rows)):
                assert_near(part, torch.cat(exact))


def calls(q, k, v, relative, backend):
    lse = torch.zeros(q.shape[:3])
    options = dict(relative=relative, backend=backend)
    return (
        lambda: kernels.attention(q, k, v, **options),
        lambda: kernels.attention_scores(q, k, **options),
        lambda: kernels.attention_map(q, k, lse, **options),
        lambda: kernels.pooled_attention_map(q, k, lse, **options),
        lambda: kernels.head_statistics(q, k, lse, **options),
        lambda: kernels.decode_attention(q[:, :, :1], k, v, **options),
    )


@pytest.mark.parametrize("shape", [(4,), (0, 8), (4, 7), (2, 4, 8)], ids=str)
def test_tables_that_do_not_fit_are_refused_everywhere(shape):
    for call in calls(*case(3, 3)[:3], torch.zeros(shape), "auto"):
        with pytest.raises(BadShape) as error:
            call()
        assert f"relative {list(shape)}" in sentence(error) and "[R, 8]" in sentence(error)


def test_triton_has_none_and_says_so_everywhere():
    for call in calls(*case(3, 3), "triton"):
        with pytest.raises(BadBackend, match="relative positions.*use 'auto' or 'torch'") as error:
            call()
        assert "no_grad" not in sentence(error)


def test_auto_is_torch_where_triton_would_run(monkeypatch):
    module = sys.modules["tlmviz.kernels.attention"]  # the package exports the function of that name
    monkeypatch.setattr(module, "backend_for", lambda tensor, backend: "triton")
    q, _, _, relative = case(3, 3)
    assert attention_backend(q, "auto", kernels.AttentionMask(relative=relative)) == "torch"
    assert attention_backend(q, "auto") == "triton"
