"""The unrolled sum: coefficients against products written out, and against what the model computed."""

import pytest
import torch

from tests import tiny
from tlmviz.analysis.streams import unrolled
from tlmviz.analysis.streams.mixing import Mixing, mixing_of

KINDS = {
    "residual": {},
    "hyper": dict(connection="hyper", streams=3),
    "manifold": dict(connection="manifold", streams=4),
    "one": dict(connection="manifold", streams=1),
    "deep": dict(connection="hyper", streams=2, n_layers=6),
}


@pytest.fixture(scope="module", params=KINDS)
def trace(request, tokenizer):
    return tiny.language_model(tokenizer, **KINDS[request.param]).trace(tiny.TEXT)


def product(res, first):
    """H_res of the last sublayer times ... times H_res of number `first`, [T, N, N]."""
    result = torch.eye(res.shape[-1], dtype=torch.float64).expand(res.shape[1:])
    for matrix in res[first:]:
        result = matrix.double() @ result
    return result


def test_coefficients_are_products_of_later_matrices(trace):
    mixed = mixing_of(trace)
    found = unrolled.unroll(mixed)
    for p in range(len(mixed.post)):
        wanted = (product(mixed.res, p + 1) @ mixed.post[p].double()[..., None])[..., 0]
        torch.testing.assert_close(found.final[p + 1].double(), wanted, rtol=1e-5, atol=1e-6)
        whole = Mixing(mixed.pre[:p], mixed.post[:p], mixed.res[:p])
        before = unrolled.unroll(whole).final.double() if p else torch.ones_like(found.final[:1]).double()
        wanted = (before * mixed.pre[p]).sum(-1)  # what the streams hold before p, weighted by H_pre
        torch.testing.assert_close(found.read[p, : p + 1].double(), wanted, rtol=1e-5, atol=1e-5)
        assert not found.read[p, p + 1 :].any()
    torch.testing.assert_close(found.final[0].double(), product(mixed.res, 0).sum(-1), rtol=1e-5, atol=1e-6)


def test_the_sum_is_what_the_model_computed(trace):
    assert unrolled.unrolled_error(trace) < 1e-4
    coefficients, outputs = unrolled.readout_coefficients(trace), unrolled.part_outputs(trace)
    assert coefficients.shape == (1 + 2 * trace.n_layers, len(trace)) == outputs.shape[:2]
    mean = (coefficients[..., None] * outputs).sum(0)
    torch.testing.assert_close(
        mean, unrolled.final_streams(trace).mean(1), rtol=1e-4, atol=1e-4 * mean.abs().max().item()
    )


def test_what_sublayers_read_is_their_sum_too(trace):
    found, outputs = unrolled.unrolled_of(trace), unrolled.part_outputs(trace)
    for p in range(2 * trace.n_layers):
        layer, part = divmod(p, 2)
        name = f"blocks.{layer}.{'join_mlp' if part else 'join_attn'}.read"
        name = name if name in trace.tap_names else f"blocks.{layer}.{'resid_mid' if part else 'resid_pre'}"
        made = (found.read[p][..., None] * outputs).sum(0)
        torch.testing.assert_close(made, trace[name][0], rtol=1e-4, atol=1e-4 * made.abs().max().item())


def test_an_edited_pass_is_found_out(tokenizer):
    lm = tiny.language_model(tokenizer, **KINDS["manifold"])
    edited = lm.trace(tiny.TEXT, edit={"blocks.1.resid_mid": lambda x, record: x * 1.5})
    assert unrolled.unrolled_error(edited) > 1e-2


def test_the_identity_path_holds_without_streams_and_with_doubly_stochastic_mixing(tokenizer):
    plain = unrolled.readout_coefficients(tiny.language_model(tokenizer).trace(tiny.TEXT))
    assert (plain == 1).all()
    trace = tiny.language_model(tokenizer, **KINDS["manifold"], sinkhorn=200).trace(tiny.TEXT)
    coefficients = unrolled.readout_coefficients(trace)
    assert torch.allclose(coefficients[0], torch.ones(len(trace)), atol=1e-4)
    # the mean over streams is carried on whole, so what is written is what arrives
    assert torch.allclose(coefficients[1:], mixing_of(trace).post.mean(-1), atol=1e-4)
    free = unrolled.readout_coefficients(tiny.language_model(tokenizer, **KINDS["hyper"]).trace(tiny.TEXT))
    assert (free[0] - 1).abs().max() > 0.05
    assert unrolled.part_names(1) == ["embedding", "attention 0", "MLP 0"]
