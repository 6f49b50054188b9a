"""The streams themselves against plain loops, and muting against edits written out."""

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.streams import vectors
from tlmviz.analysis.streams.mixing import mixing_of
from tlmviz.errors import UnknownName

KINDS = {
    "residual": {},
    "hyper": dict(connection="hyper", streams=3),
    "manifold": dict(connection="manifold", streams=4),
    "one": dict(connection="hyper", streams=1),
}


@pytest.fixture(scope="module", params=KINDS)
def lm(request, tokenizer):
    return tiny.language_model(tokenizer, **KINDS[request.param])


def test_the_matrices_of_the_streams_cost_no_further_pass(lm, monkeypatch):
    trace = lm.trace(tiny.TEXT)
    monkeypatch.setattr(trace, "_rerun", None)
    assert mixing_of(trace).res.shape[:2] == (2 * trace.n_layers, len(trace))


def test_lengths_cosines_shares_and_what_was_added(lm):
    trace = lm.trace(tiny.TEXT)
    walk, n, token = vectors.journey(trace), lm.config.connection.streams, 3
    assert walk.cosines.shape[2] == n * (n - 1) // 2 == len(vectors.pairs(n))
    states = [
        trace["blocks.0.resid_pre"],
        *(trace[f"blocks.{layer}.resid_{where}"] for layer in range(trace.n_layers) for where in ("mid", "post")),
    ]
    for place, state in enumerate(states):
        streams = state[0, token].view(n, -1).double().numpy()
        np.testing.assert_allclose(walk.norms[place, token], np.sqrt((streams**2).sum(-1)), rtol=1e-5)
        for pair, (a, b) in enumerate(vectors.pairs(n)):
            cosine = streams[a] @ streams[b] / np.sqrt((streams[a] ** 2).sum() * (streams[b] ** 2).sum())
            assert walk.cosines[place, token, pair] == pytest.approx(cosine, abs=1e-5)
    np.testing.assert_allclose(walk.share.sum(-1), 1, atol=1e-3)
    for p in range(2 * trace.n_layers):
        output = trace[f"blocks.{p // 2}.{'mlp' if p % 2 else 'attn'}.out"][0, token].double().norm().item()
        np.testing.assert_allclose(walk.added[p, token], np.abs(walk.post[p, token]) * output, rtol=1e-5)
    some = walk.at(slice(2, 5))
    assert some.share.shape[1] == 3 and np.array_equal(some.norms[:, 1], walk.norms[:, token])


def test_a_pass_that_keeps_only_what_is_read_gives_the_same(lm):
    names = set(vectors.journey_taps(lm.config.n_layers, lm.config.connection.kind != "residual"))
    kept, whole = (
        vectors.journey(trace) for trace in (lm.trace(tiny.TEXT, keep=names.__contains__), lm.trace(tiny.TEXT))
    )
    np.testing.assert_allclose(kept.share, whole.share, atol=1e-6)


def test_a_muted_stream_is_zero_from_its_place_on(lm):
    stream, start = lm.config.connection.streams - 1, 2
    trace = lm.trace(tiny.TEXT, edit=vectors.mute_stream(lm.config.n_layers, stream, start))
    lengths = vectors.journey(trace).norms
    assert not lengths[start:, :, stream].any() and lengths[:start].all()
    if lm.config.connection.streams > 1:
        assert lengths[start:, :, :stream].all()
        assert (trace.logits - lm.trace(tiny.TEXT).logits).abs().max() > 1e-3


def test_many_muted_passes_at_once_are_the_single_ones(lm, monkeypatch):
    ids = lm.encode(tiny.TEXT)
    monkeypatch.setattr(vectors, "BATCH_TOKENS", 3 * len(ids))  # several passes, the last one smaller
    cases = [
        (stream, start) for stream in range(lm.config.connection.streams) for start in range(2 * lm.config.n_layers + 1)
    ]
    found = vectors.muted_losses(lm, ids, cases)
    for (stream, start), losses in zip(cases, found, strict=True):
        edits = vectors.mute_stream(lm.config.n_layers, stream, start)
        torch.testing.assert_close(losses, lm.trace(tiny.TEXT, edit=edits).loss_per_token(), rtol=1e-4, atol=1e-4)


def test_what_does_not_exist_is_refused_in_a_sentence(lm):
    with pytest.raises(UnknownName) as error:
        vectors.mute_stream(lm.config.n_layers, 0, 2 * lm.config.n_layers + 1)
    assert "places 0 to 4" in tiny.sentence(error)
    with pytest.raises(UnknownName) as error:
        lm.trace(tiny.TEXT, edit=vectors.mute_stream(lm.config.n_layers, lm.config.connection.streams))
    assert f"streams 0 to {lm.config.connection.streams - 1}" in tiny.sentence(error)
