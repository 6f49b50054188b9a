"""The identities of the collapse lemma hold on healthy models, and each notices what it is there to notice."""

import pytest
import torch

from tests.tiny import TEXT
from tlmviz.analysis.caches.projections import Heads
from tlmviz.checks import measure
from tlmviz.checks import notation_collapse as lemma


def failed(lm, trace):
    return {result.name for result in measure(lemma, lm, trace) if not result.passed}


def test_every_variant_passes(variant):
    for trace in (variant.trace(TEXT), variant.trace_ids([5]), variant.trace_ids([5, 6]), variant.trace_ids([3] * 90)):
        assert not failed(variant, trace)


@pytest.mark.parametrize(
    "change, names",
    [
        (lambda logits: logits + torch.arange(len(logits))[:, None, None], {"One M, one map", "RoPE: equal at t = s"}),
        (lambda logits: logits[:1].expand_as(logits), {"ALiBi breaks it", "RoPE breaks it"}),
    ],
)
def test_wrong_logits_are_noticed(lm, monkeypatch, change, names):
    trace, honest = lm.trace(TEXT), Heads.logits
    monkeypatch.setattr(Heads, "logits", lambda self, *args, **options: change(honest(self, *args, **options)))
    assert names <= failed(lm, trace)


def test_small_logits_are_not_equal_ones(lm, monkeypatch):
    """A head that some tokens hardly ask and hardly answer: their logits are tiny, and differ all the same."""
    trace, honest = lm.trace(TEXT), Heads.logits
    tiny = torch.ones(len(trace), dtype=torch.float64)
    tiny[::2] = 1e-4
    monkeypatch.setattr(
        Heads, "logits", lambda self, *args, **options: honest(self, *args, **options) * torch.outer(tiny, tiny)
    )
    assert "RoPE breaks it" not in failed(lm, trace)


def test_values_that_do_not_add_up_are_noticed(lm, monkeypatch):
    trace, honest = lm.trace(TEXT), Heads.like
    # Head 1's weights are no longer head 0's: one head cannot do both heads' work.
    monkeypatch.setattr(
        Heads,
        "like",
        lambda self, head, count=None: (
            Heads(self.x_q, self.x_k, self.w_q, self.w_k, self.scale) if count is None else honest(self, head, count)
        ),
    )
    assert "Collapsed = one head" in failed(lm, trace)
