"""The identities of hyper-connections hold on healthy models, and each notices what it is there to notice."""

import pytest
import torch

from tests.tiny import TEXT, VARIANTS, language_model
from tlmviz import kernels
from tlmviz.checks import measure, streams
from tlmviz.layers.streams import ManifoldHyperConnection


@pytest.fixture(scope="module")
def constrained(tokenizer):
    return language_model(tokenizer, **VARIANTS["manifold"], sinkhorn=200)


def results(lm, trace):
    return measure(streams, lm, trace)


def failed(lm, trace):
    return {result.name for result in results(lm, trace) if not result.passed}


def test_every_kind_passes_what_applies_to_it(tokenizer, lm, constrained):
    free, post = (language_model(tokenizer, **VARIANTS[name]) for name in ("hyper", "post-sinusoidal"))
    for model, count in ((constrained, 9), (free, 1), (lm, 1), (post, 0)):
        for trace in (model.trace(TEXT), model.trace_ids([5])):
            found = results(model, trace)
            assert len(found) == count and all(result.passed for result in found), found


def edited(lm, name, change):
    """A trace in which the matrices of one kind were changed in every sublayer."""
    taps = [tap for tap in lm.network.tap_names() if tap.endswith(name) and ".join_" in tap]
    return lm.trace(TEXT, edit=dict.fromkeys(taps, lambda value, record: change(value)))


def test_rows_that_do_not_sum_to_one_are_noticed(constrained):
    names = failed(constrained, edited(constrained, ".res", lambda res: 1.05 * res))
    assert names == {"Columns sum to 1", "Rows reach 1", "Product stays", "Spectral norm 1", "Mean carried on"}


def test_columns_that_do_not_sum_to_one_are_noticed(constrained):
    def rows_alone(res):
        logits = res.log() + torch.arange(4.0)
        return logits.softmax(-1)

    names = failed(constrained, edited(constrained, ".res", rows_alone))
    assert {"Columns sum to 1", "Mean carried on", "Product stays"} <= names


def test_a_negative_entry_is_noticed(constrained):
    names = failed(constrained, edited(constrained, ".pre", lambda pre: pre - 2))
    assert names - {"Rows reach 1"} == {"Nothing negative"}  # other streams give other logits


@pytest.fixture
def hasty(tokenizer):
    return language_model(tokenizer, **VARIANTS["manifold"], sinkhorn=1)


def test_rows_that_few_iterations_leave_wrong_are_noticed(hasty):
    assert failed(hasty, hasty.trace(TEXT)) == {"Rows reach 1", "Product stays", "Spectral norm 1"}


def test_logits_without_a_limit_are_noticed(constrained):
    """Two rows that only look at one column: no scaling makes both sum to 1."""

    def one_column(logits):
        logits = logits.clone()
        logits[..., :2, 1:] = -torch.inf
        return logits

    assert "Rows reach 1" in failed(constrained, edited(constrained, ".logits", one_column))


def test_a_residual_that_rises_is_noticed(constrained, monkeypatch):
    trace, honest = constrained.trace(TEXT), kernels.sinkhorn_iterates
    monkeypatch.setattr(kernels, "sinkhorn_iterates", lambda *given: honest(*given).flip(0))
    assert failed(constrained, trace) == {"More is closer"}


def test_a_wrong_gradient_is_noticed(constrained, monkeypatch):
    trace, honest = constrained.trace(TEXT), kernels.sinkhorn
    monkeypatch.setattr(kernels, "sinkhorn", lambda x, n: honest(x, n).detach() + 0 * x + (x - x.detach()))
    assert failed(constrained, trace) == {"Gradient = differences"}


def test_a_single_stream_that_is_no_residual_is_noticed(lm, monkeypatch):
    trace, honest = lm.trace(TEXT), ManifoldHyperConnection.matrices
    monkeypatch.setattr(ManifoldHyperConnection, "matrices", lambda self, x: [1.1 * part for part in honest(self, x)])
    assert failed(lm, trace) == {"mHC, n = 1 = residual"}


def test_a_sum_that_lacks_a_part_is_noticed(tokenizer):
    """An output changed behind its tap is in the streams, and not in the sum."""
    free = language_model(tokenizer, **VARIANTS["hyper"])
    changed = free.trace(TEXT, edit={"blocks.1.resid_mid": lambda value, record: 1.1 * value})
    assert failed(free, changed) == {"Unrolled sum"}
