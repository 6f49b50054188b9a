"""A latent layer taken apart: its matrices, the two parts of its scores, and what folding costs."""

import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches import weight_absorption
from tlmviz.errors import UnknownName

CASES = [{}, dict(window=5), dict(rope_dim=0, positions="none"), dict(query_latent_dim=10)]


@pytest.fixture(scope="module", params=CASES, ids=str)
def latent(request, tokenizer):
    return tiny.language_model(tokenizer, **{"latent_dim": 12, "rope_dim": 4, **request.param})


def queries_from(lm, trace, layer):
    """What W_Q is multiplied with, [T, E]: c_Q, or the normed state."""
    taps = (f"blocks.{layer}.attn.query_input.latent", f"blocks.{layer}.normed_attn")
    return trace[next(name for name in taps if name in lm.network.tap_names())][0]


def test_a_head_s_matrices_make_its_queries_keys_and_output(latent):
    trace = latent.trace(tiny.TEXT)
    found = weight_absorption.folding(latent, 1, 2)
    x, c = queries_from(latent, trace, 1), trace["blocks.1.attn.latent"][0, 0, :, :12]
    q, k, _ = trace.qk(1, 2)
    torch.testing.assert_close(x @ found.query, q[:, :8], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(c @ found.up_k.T, k[:, :8], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(c @ found.up_v, trace["blocks.1.attn.v"][0, 2], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found.query @ found.up_k, found.score)
    torch.testing.assert_close(found.up_v @ found.out, found.value)


def test_all_heads_values_through_w_o_are_the_layer_s_output(latent):
    trace = latent.trace(tiny.TEXT)
    c = trace["blocks.0.attn.latent"][0, 0, :, :12]
    out = sum(trace.attention(0, head) @ c @ weight_absorption.folding(latent, 0, head).value for head in range(4))
    torch.testing.assert_close(out, trace["blocks.0.attn.out"][0], atol=1e-4, rtol=1e-4)


def test_both_parts_add_up_to_the_scores_and_the_content_part_knows_no_positions(latent):
    trace = latent.trace(tiny.TEXT)
    content, rotary = weight_absorption.score_parts(latent, trace, 1, 3)
    seen = torch.isfinite(trace.scores(1, 3, "masked"))
    torch.testing.assert_close((content + rotary)[seen], trace.scores(1, 3, "masked")[seen], atol=1e-4, rtol=1e-4)
    found, x = weight_absorption.folding(latent, 1, 3), queries_from(latent, trace, 1)
    c = trace["blocks.1.attn.latent"][0, 0, :, :12]
    torch.testing.assert_close(x @ found.score @ c.T * trace.specs[1].scale, content, atol=1e-4, rtol=1e-4)
    if not latent.config.attention.rope_dim:
        assert (rotary == 0).all()


def test_shares_are_of_the_variance_within_rows(latent):
    trace = latent.trace(tiny.TEXT)
    shares = weight_absorption.part_shares(latent, trace, 1)
    window = latent.config.attention.window or len(trace)
    for head in range(4):
        spread = []
        for part in weight_absorption.score_parts(latent, trace, 1, head):
            rows = [part[t, max(0, t - window + 1) : t + 1].double() for t in range(len(trace))]
            spread.append(sum(((row - row.mean()) ** 2).sum() for row in rows))
        assert shares[head] == pytest.approx(float(spread[1] / (spread[0] + spread[1])), abs=1e-4)


def test_folded_matrices_give_the_output_of_every_layer(latent):
    errors = weight_absorption.absorbed_errors(latent, latent.trace(tiny.TEXT))
    assert len(errors) == 2 and max(errors) < 1e-5


def test_an_error_in_the_fold_is_measured(latent, monkeypatch):
    trace, honest = latent.trace(tiny.TEXT), weight_absorption.absorbed
    monkeypatch.setattr(weight_absorption, "absorbed", lambda *args: 1.01 * honest(*args))
    assert min(weight_absorption.absorbed_errors(latent, trace)) == pytest.approx(0.01, rel=0.01)


def test_products_are_larger_than_their_factors(latent):
    found = weight_absorption.folding(latent, 0, 0)
    apart, together = weight_absorption.folded_counts(latent)
    assert apart == sum(m.numel() for m in (found.query, found.up_k, found.up_v, found.out))
    assert together == found.score.numel() + found.value.numel()


@pytest.mark.parametrize(
    "layer, head, sentence", [(2, 0, "layers 0 to 1"), (-1, 0, "no layer -1"), (0, 4, "heads 0 to 3")]
)
def test_what_does_not_exist_is_named(latent, layer, head, sentence):
    with pytest.raises(UnknownName) as error:
        weight_absorption.folding(latent, layer, head)
    assert sentence in tiny.sentence(error)


def test_a_model_without_a_latent_is_named(lm):
    with pytest.raises(UnknownName) as error:
        weight_absorption.absorbed_errors(lm, lm.trace(tiny.TEXT))
    assert "tiny has no latent attention" in tiny.sentence(error)
