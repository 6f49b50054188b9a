"""A trained model whose every kernel is Triton, in the interpreter, beside the same model in torch."""

import torch

import tlmviz
from tlmviz.kernels import attention_triton, backends, tiles_triton

from .triton_cases import SMALL

TEXT = "Tom saw a dog."


def test_a_trace_through_the_triton_kernels_is_torchs(monkeypatch):
    lm = tlmviz.load("zoo-rope", device="cpu")
    plain, ran, forward = lm.trace(TEXT), [], attention_triton.forward_kernel
    maps = plain.attention(2, 3), plain.pooled(2, 3, 3), plain.head_statistics()

    class Counted:
        def __getitem__(self, grid):
            ran.append(grid)
            return forward[grid]

    monkeypatch.setattr(backends, "_on_card", lambda tensor: True)
    monkeypatch.setattr(attention_triton, "forward_kernel", Counted())
    monkeypatch.setattr(tiles_triton, "EXACT", {512: SMALL})
    trace = lm.trace(TEXT)
    again = trace.attention(2, 3), trace.pooled(2, 3, 3), trace.head_statistics()
    assert len(ran) == lm.config.n_layers
    for name in ("q", "k", "v", "lse"):
        for layer in range(lm.config.n_layers):
            tap = f"blocks.{layer}.attn.{name}"
            torch.testing.assert_close(trace[tap], plain[tap], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(trace.logits, plain.logits, atol=1e-5, rtol=1e-5)
    for one, other in zip(again[:2], maps[:2]):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    assert (again[2] - maps[2]).abs().max().max() < 1e-4
