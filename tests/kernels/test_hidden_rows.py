"""Rows that a mask hides as a whole by finite numbers: a softmax gives each key its part, however large the numbers
are."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz import kernels
from tlmviz.errors import BadShape
from tlmviz.kernels import AttentionMask
from tlmviz.kernels.reference import attention as reference

from ..tiny import sentence
from .triton_cases import qkv

LOWEST = torch.finfo(torch.float32).min
NUMBERS = [LOWEST, -1e9, -65504.0, -1e4, 1e9, 3e5]


@given(
    number=st.sampled_from(NUMBERS),
    queries=st.integers(1, 6),
    keys=st.integers(1, 9),
    hidden=st.integers(0, 5),
    sinks=st.booleans(),
    tile=st.sampled_from([1, 2, 256]),
)
@settings(max_examples=60, deadline=None)
def test_weights_and_statistics_are_the_softmax(number, queries, keys, hidden, sinks, tile):
    q, k, v = qkv(batch=2, heads=4, groups=2, queries=queries, keys=keys, width=8)
    bias = torch.zeros(1, 1, queries, keys)
    bias[:, :, min(hidden, queries - 1)] = number
    mask = AttentionMask(causal=False, bias=bias, sinks=torch.tensor([0.5, -2.0, 3.0, 0.0]) if sinks else None)
    scores = (q * 8**-0.5) @ k.repeat_interleave(2, 1).transpose(-1, -2) + bias
    joined = scores
    if sinks:
        joined = torch.cat([scores, mask.sinks[:, None, None].expand(2, 4, queries, 1)], -1)
    exact = joined.softmax(-1)[..., :keys]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "TILE_ROWS", tile)
        out, lse = kernels.attention(q, k, v, mask)
        found = kernels.attention_map(q, k, lse, mask)
        part = kernels.attention_map(q, k, lse, mask, rows=slice(0, None, 2), cols=slice(0, 1))
        pooled = kernels.pooled_attention_map(q, k, lse, mask, size=1, reduce="sum")
        statistics = kernels.head_statistics(q, k, lse, mask, bands=True)
    # In float32 a score beside -65504 is a multiple of 1/256, and one beside -1e9 is lost.
    near = dict(atol=6e-3, rtol=0)
    torch.testing.assert_close(found, exact, **near)
    torch.testing.assert_close(part, exact[:, :, ::2, :1], **near)
    torch.testing.assert_close(pooled[..., 0, 0], exact.sum((-1, -2)), atol=2e-2, rtol=0)
    torch.testing.assert_close(out, exact @ v.repeat_interleave(2, 1), atol=2e-2, rtol=0)
    torch.testing.assert_close(statistics["peak"], exact.amax(-1), **near)
    torch.testing.assert_close(statistics["sink"], exact[..., 0], **near)
    torch.testing.assert_close(statistics["bands"].sum(-1), exact.sum(-1), **near)
    torch.testing.assert_close(statistics["entropy"], torch.special.entr(exact).sum(-1), atol=3e-2, rtol=0)
    torch.testing.assert_close(statistics["max_logit"], scores.amax(-1), atol=6e-3, rtol=1e-6)


@pytest.mark.parametrize("dim", [8, 4], ids=["fused kernel", "formula"])
def test_gradients_are_the_softmaxs(dim):
    """With values of another length than the queries there is no fused kernel."""
    q, k, v = (part.requires_grad_() for part in qkv(batch=1, heads=2, groups=2, queries=3, keys=5, width=8))
    values = v[..., :dim]
    bias = torch.zeros(1, 1, 3, 5)
    bias[:, :, 1] = LOWEST
    found = kernels.attention(q, k, values, AttentionMask(causal=False, bias=bias))[0]
    exact = ((q * 8**-0.5) @ k.transpose(-1, -2) + bias).softmax(-1) @ values
    torch.testing.assert_close(found, exact)
    own, theirs = (torch.autograd.grad(out.square().sum(), (q, k, v)) for out in (found, exact))
    torch.testing.assert_close(own, theirs)


def test_a_decoding_step():
    q, k, v = qkv(batch=2, heads=4, groups=2, queries=1, keys=5, width=8)
    bias = torch.full((1, 1, 1, 5), LOWEST)
    out, _ = kernels.decode_attention(q, k, v, AttentionMask(bias=bias))
    torch.testing.assert_close(out, v.mean(2, keepdim=True).repeat_interleave(2, 1))


@pytest.mark.parametrize("kind", [torch.bool, torch.int64], ids=str)
def test_a_bias_that_is_not_added_is_refused(kind):
    """Functions disagree on whether True hides or shows; added, it would be 1."""
    seen = torch.ones(1, 1, 4, 4, dtype=kind).tril()
    for make in (lambda: AttentionMask(bias=seen), lambda: AttentionMask(bias=seen.numpy())):
        with pytest.raises(BadShape, match=r"bias is a .*floating-point.*torch\.where") as error:
            make()
        assert sentence(error)


def test_a_tensor_in_place_of_a_mask_is_refused():
    q, k, v = qkv(batch=1, heads=2, groups=2, queries=4, keys=4, width=8)
    seen = torch.ones(4, 4, dtype=torch.bool).tril()
    for call in (
        lambda: kernels.attention(q, k, v, seen),
        lambda: kernels.attention(q, k, v, seen, scale=1.0),
        lambda: kernels.head_statistics(q, k, q[..., 0], seen),
        lambda: kernels.decode_attention(q[:, :, :1], k, v, seen),
    ):
        with pytest.raises(BadShape, match="mask is a Tensor of bool.*AttentionMask") as error:
            call()
        assert sentence(error)
