"""Attention forward and backward: Triton in the interpreter and the torch reference against plain float64 softmax."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiny import sentence
from tlmviz import kernels
from tlmviz.errors import BadBackend, BadShape
from tlmviz.kernels import attention_triton
from tlmviz.kernels.reference import attention as reference

from .triton_cases import BLOCK, SLOPES, assert_near, draw, ids, plain_attention, qkv, small_tiles

OPTIONS = {
    "causal": {},
    "all": dict(causal=False),
    "window": dict(window=20),
    "window, both sides": dict(window=5, causal=False),
    "alibi": dict(slopes=SLOPES),
    "negative scale": dict(scale=-0.4),
}
BOTH = pytest.mark.parametrize("backend", ["torch", "triton"])


@pytest.fixture(autouse=True)
def tiles(monkeypatch):
    monkeypatch.setattr(reference, "TILE_ROWS", BLOCK)
    with small_tiles(monkeypatch):
        yield


def compare(q, k, v, backend, tolerance=1e-5, gradients=True, **options):
    """Output, lse and all three gradients, the lse's share included, against autograd through float64 softmax."""
    found, exact = ([part.clone().requires_grad_(gradients) for part in (q, k, v)] for _ in range(2))
    out, lse = kernels.attention(*found, backend=backend, **options)
    wanted, wanted_lse = plain_attention(*exact, **options)
    assert_near(out, wanted, tolerance)
    assert_near(lse, wanted_lse, tolerance)
    if gradients:
        grad, grad_lse = draw(*out.shape, seed=5), draw(*lse.shape, seed=6)
        seen = ~lse.isinf()
        torch.autograd.backward([out, lse], [grad.to(out.dtype), (grad_lse * seen).to(lse.dtype)])
        ((wanted * grad).sum() + (wanted_lse[seen] * grad_lse[seen]).sum()).backward()
        for ours, theirs in zip(found, exact):
            assert_near(ours.grad, theirs.grad.nan_to_num(0.0), 2 * tolerance)
    return out, lse


@BOTH
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_equals_plain_softmax(options, backend):
    compare(*qkv(2 * BLOCK + 1, 2 * BLOCK + 5, heads=2 if "slopes" in options else 1, values=12), backend, **options)


@BOTH
@pytest.mark.parametrize(
    "queries, keys", [(1, 1), (BLOCK - 1, BLOCK - 1), (BLOCK, BLOCK), (BLOCK + 1, BLOCK + 1), (1, 23)]
)
def test_sizes_around_a_tile(queries, keys, backend):
    compare(*qkv(queries, keys, heads=1), backend)
    compare(*qkv(queries, keys, heads=1), backend, causal=False, gradients=False)


@BOTH
@pytest.mark.parametrize("width, values", [(8, 20), (20, 8), (16, 16)])
def test_widths_of_keys_and_values_are_free(width, values, backend):
    compare(*qkv(19, 19, heads=2, groups=2, width=width, values=values), backend, window=9)


@BOTH
def test_rows_that_see_nothing_give_zero_and_no_gradient(backend):
    out, lse = compare(*qkv(21, 9), backend)
    assert (out[:, :, :12] == 0).all() and (lse[:, :, :12] == -torch.inf).all()


@BOTH
def test_other_requests_are_invisible(backend):
    """Leakage is exactly zero: changing one text moves not a bit of the others."""
    q, k, v = qkv(21, 21)
    segments = ids(10, 3, 8)
    before, _ = compare(q, k, v, backend, segments=segments)
    changed = [part.clone() for part in (q, k, v)]
    for part in changed:
        part[:, :, 10:13] += 100
    after = kernels.attention(*changed, segments=segments, backend=backend)[0]
    same = torch.ones(21, dtype=torch.bool)
    same[10:13] = False
    assert torch.equal(after[:, :, same], before[:, :, same])
    alone = kernels.attention(q[:, :, 13:], k[:, :, 13:], v[:, :, 13:], backend=backend)[0]
    assert_near(before[:, :, 13:], alone)


@BOTH
def test_requests_may_be_a_pair(backend):
    pair = torch.tensor([[0, 2, 1, 5]]), ids(6, 5, 7)  # nothing has the id 5
    out, lse = compare(*qkv(4, 18), backend, segments=pair, causal=False)
    assert (lse[:, :, 3] == -torch.inf).all() and (out[:, :, 3] == 0).all()


@BOTH
def test_keys_beyond_the_length_are_never_read(backend):
    q, k, v = qkv(18, 18, batch=2)
    lengths = torch.tensor([7, 0])
    out, lse = compare(q, k, v, backend, lengths=lengths)
    k[0, :, 7:], v[0, :, 7:] = torch.nan, torch.inf
    k[1], v[1] = torch.nan, torch.nan
    again, again_lse = kernels.attention(q, k, v, lengths=lengths, backend=backend)
    assert torch.equal(again, out) and torch.equal(again_lse, lse)


@BOTH
def test_everything_at_once(backend):
    compare(*qkv(25, 33, batch=1), backend, window=18, slopes=SLOPES, segments=ids(14, 19), lengths=torch.tensor([29]))


@BOTH
def test_large_inputs_stay_finite(backend):
    q, k, v = (part * 1e4 for part in qkv(19, 19))
    out, lse = kernels.attention(q, k, v, backend=backend)
    assert torch.isfinite(out).all() and torch.isfinite(lse).all()
    assert_near(out, plain_attention(q, k, v)[0], 1e-4)


@BOTH
def test_strided_inputs_stay_as_they_are(backend):
    q, k, v = qkv(17, 17, heads=2, groups=2)
    strided = [part.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) for part in (q, k, v)]
    copies = [part.clone() for part in strided]
    assert not any(part.is_contiguous() for part in strided)
    compare(*strided, backend)
    assert all(torch.equal(part, copy) for part, copy in zip(strided, copies))


@BOTH
@pytest.mark.parametrize("dtype, tolerance", [(torch.float16, 3e-3), (torch.bfloat16, 2e-2)], ids=str)
def test_sixteen_bits(dtype, tolerance, backend):
    out, lse = compare(*qkv(20, 20, dtype=dtype), backend, tolerance)
    assert out.dtype == dtype and lse.dtype == torch.float32


def test_a_bias_keeps_its_digits_in_sixteen_bits():
    """Rounded to bfloat16, penalties near 1 would be off by up to 0.004."""
    q, k, v = qkv(30, 30, dtype=torch.bfloat16)
    lse = kernels.attention(q, k, v, slopes=SLOPES * 0.7)[1]
    assert_near(lse, plain_attention(q, k, v, slopes=SLOPES * 0.7)[1], 1e-4)


@BOTH
def test_empty_inputs(backend):
    out, lse = kernels.attention(*qkv(3, 0), backend=backend)
    assert (out == 0).all() and (lse == -torch.inf).all()
    assert kernels.attention(*qkv(0, 3), backend=backend)[0].shape == (1, 2, 0, 8)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("queries, keys", [(9, 9), (5, 8), (8, 5)])
def test_the_reference_passes_gradcheck(queries, keys, options, monkeypatch):
    monkeypatch.setattr(reference, "TILE_ROWS", 4)
    inputs = [part.double().requires_grad_() for part in qkv(queries, keys, width=4, values=3)]

    def finite(*parts):
        out, lse = kernels.attention(*parts, **options)
        return out, lse.masked_fill(lse == -torch.inf, 0.0)

    assert torch.autograd.gradcheck(finite, inputs)


@settings(max_examples=30)
@given(
    queries=st.integers(1, 40),
    extra=st.integers(-5, 9),
    window=st.none() | st.integers(1, 50),
    causal=st.booleans(),
    alibi=st.booleans(),
    packed=st.booleans(),
    length=st.none() | st.integers(0, 40),
    same_width=st.booleans(),
)
def test_any_mask_in_the_reference(queries, extra, window, causal, alibi, packed, length, same_width):
    keys = max(1, queries + extra)
    pair = torch.arange(queries)[None] // 7, torch.arange(keys)[None] // 7
    compare(
        *qkv(queries, keys, values=8 if same_width else 5),
        "torch",
        causal=causal,
        window=window,
        slopes=SLOPES if alibi else None,
        segments=pair if packed else None,
        lengths=None if length is None else torch.tensor([length]),
    )


@settings(max_examples=5)
@given(
    queries=st.integers(1, 20),
    extra=st.integers(-5, 9),
    window=st.none() | st.integers(1, 50),
    causal=st.booleans(),
    length=st.none() | st.integers(0, 40),
    packed=st.booleans(),
)
def test_any_mask_in_triton(queries, extra, window, causal, length, packed):
    keys = max(1, queries + extra)
    pair = torch.arange(queries)[None] // 7, torch.arange(keys)[None] // 7
    compare(
        *qkv(queries, keys, heads=1),
        "triton",
        causal=causal,
        window=window,
        segments=pair if packed else None,
        lengths=None if length is None else torch.tensor([length]),
    )


def test_long_hidden_stretches_in_the_fused_cpu_kernel(monkeypatch):
    """Whole inner blocks of torch's kernel are hidden here before the first visible key."""
    monkeypatch.setattr(reference, "TILE_ROWS", 256)
    compare(*qkv(1300, 1300, heads=1), "torch", segments=ids(1200, 100), gradients=False)


def test_the_backend_asked_for_is_the_one_that_runs(monkeypatch):
    ran = []
    for name, module in (("triton", attention_triton), ("torch", reference)):
        honest = module.attention
        monkeypatch.setattr(
            module, "attention", lambda *args, _name=name, _honest=honest: (ran.append(_name), _honest(*args))[1]
        )
    for backend in ("torch", "auto", "triton"):
        kernels.attention(*qkv(3, 3), backend=backend)
    assert ran == ["torch", "torch", "triton"]


def test_triton_refuses_what_it_cannot_do_exactly():
    with pytest.raises(BadBackend, match="float64") as error:
        kernels.attention(*qkv(3, 3, dtype=torch.float64), backend="triton")
    sentence(error)


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(segments=torch.zeros(1, 4, dtype=torch.long)), ("[1, 4]", "[1, 5]")),
        (dict(segments=(torch.zeros(1, 5), torch.zeros(2, 5))), ("[2, 5]", "[1, 5]")),
        (dict(lengths=torch.tensor([1, 2])), ("[2]", "1")),
        (dict(lengths=torch.tensor([1.5])), ("float32",)),
        (dict(window=0), ("window is 0",)),
    ],
)
def test_masks_that_do_not_fit_are_refused(options, words):
    with pytest.raises(BadShape) as error:
        kernels.attention(*qkv(5, 5), **options)
    assert all(word in sentence(error) for word in words)


def test_non_finite_inputs_are_reported():
    q, k, _ = qkv(3, 3)
    kernels.check_finite(q=q, k=k)
    k[0, 0, 1, 2] = torch.nan
    with pytest.raises(BadShape, match=r"k \[1, 1, 3, 8\] holds 1 .*\[0, 0, 1, 2\]: nan") as error:
        kernels.check_finite(q=q, k=k)
    sentence(error)
