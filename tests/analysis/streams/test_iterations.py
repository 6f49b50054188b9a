"""A model run with other Sinkhorn iterations: against its own pass, and against matrices made by hand."""

import pytest
import torch

import tlmviz
from tlmviz.analysis.streams import iterations, mixing
from tlmviz.analysis.streams.unrolled import unroll

TEXT = "Tom saw a big dog. Anna saw the dog too."


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-mhc")


def test_as_many_iterations_as_in_training_change_nothing(lm):
    trace = lm.trace(TEXT)
    run = iterations.rerun(lm, TEXT, lm.config.connection.iterations)
    assert run.loss == pytest.approx(float(trace.loss_per_token().mean()), abs=1e-6)
    assert torch.allclose(run.mixing.res, mixing.mixing_of(trace).res, atol=1e-6)
    expected = lm.generate(TEXT, max_new_tokens=8, temperature=0.0)
    assert iterations.written(lm, TEXT, lm.config.connection.iterations, 8) == expected


@pytest.mark.parametrize("count", [0, 1, 3])
def test_matrices_are_scaled_so_often(lm, count):
    """Of the first sublayer: its logits do not depend on the iterations."""
    logits = lm.trace(TEXT)["blocks.0.join_attn.logits"][0].double()
    expected = logits.exp()
    for _ in range(count):
        expected = expected / expected.sum(-1, keepdim=True)
        expected = expected / expected.sum(-2, keepdim=True)
    run = iterations.rerun(lm, TEXT, count)
    assert torch.allclose(run.mixing.res[0].double(), expected, atol=1e-5)
    assert run.iterations == count


def test_without_scaling_the_deep_model_amplifies_and_loses():
    deep = tlmviz.load("stories-deep-mhc")
    none, usual = iterations.rerun(deep, TEXT, 0), iterations.rerun(deep, TEXT, 20)
    assert usual.forward == pytest.approx(1, abs=0.02) and none.forward > 10
    assert none.loss > usual.loss + 0.1


def test_the_gain_is_that_of_the_embeddings_coefficients_where_all_are_positive(lm):
    """Row sums of the product are what is left of the embedding in each stream."""
    run = iterations.rerun(lm, TEXT, 0)
    assert run.forward == pytest.approx(float(unroll(run.mixing).final[0].max()), rel=1e-5)
