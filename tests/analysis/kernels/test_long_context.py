"""Long texts: strips against wholes, a survey against the exact maps, and the model's own stories."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.analysis.kernels import long_context
from tlmviz.analysis.kernels.long_context import (
    band_names,
    long_trace,
    loss_along,
    rows_read,
    strongest,
    survey,
    write_stories,
)
from tlmviz.errors import BadText
from tlmviz.layers import sparse


def ids(count):
    return [(7 * i * i + 3 * i) % 300 for i in range(count)]


def test_a_trace_beyond_the_context_keeps_no_logits_and_gives_the_same_loss(variant):
    length = variant.config.context + (0 if variant.config.positions.kind == "learned" else 40)
    trace = long_trace(variant, ids(length))
    assert len(trace) == length and not any("logits" in name for name in trace._record.values)
    plain = variant.trace_ids(ids(length)).loss_per_token()
    torch.testing.assert_close(loss_along(variant, trace, strip=33), plain, atol=1e-4, rtol=1e-4)


def test_learned_positions_refuse_in_a_sentence(tokenizer):
    model = tiny.language_model(tokenizer, **tiny.VARIANTS["notes"])
    with pytest.raises(BadText) as error:
        long_trace(model, ids(model.config.context + 1))
    tiny.sentence(error)


@pytest.mark.parametrize("count", [1, 2])
def test_the_shortest_texts(lm, count):
    trace = long_trace(lm, ids(count))
    assert len(loss_along(lm, trace)) == count - 1
    found = survey(trace, 0, context=160)
    assert found.pictures.shape == (4, count, count) and np.isfinite(found.distance).all()


@given(length=st.integers(1, 5000), limit=st.integers(1, 2000), few=st.integers(1, 1000))
def test_rows_are_spread_and_end_with_the_last(length, limit, few):
    rows = range(length)[rows_read(length, limit, few)]
    assert rows[-1] == length - 1 and len(rows) <= max(limit, few)
    assert length > limit or len(rows) == length


@pytest.mark.parametrize("strip", [100, 2**21])
@pytest.mark.parametrize("length", [50, 131])
def test_a_survey_says_what_the_exact_maps_say(variant, length, strip, monkeypatch):
    monkeypatch.setattr(sparse, "STRIP", strip)
    trace = variant.trace_ids(ids(length))
    table, every = trace.head_statistics(), trace.overview(48)
    back = torch.arange(length)[:, None] - torch.arange(length)
    for layer in range(2):
        found = survey(trace, layer, context=20)
        np.testing.assert_allclose(found.pictures, every[layer].numpy(), atol=1e-5)
        rows = table[table["layer"] == layer]
        for ours, theirs in (("first", "sink"), ("own", "self"), ("previous", "previous")):
            np.testing.assert_allclose(getattr(found, ours), rows[theirs], atol=1e-5)
        np.testing.assert_allclose(found.distance, rows["distance"], atol=1e-3)
        for head in range(4):
            p = trace.attention(layer, head).double()[1:]
            assert found.beyond[head] == pytest.approx((p * (back[1:] >= 20)).sum(-1).mean().item(), abs=1e-5)
            edges = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]
            for n, mass in enumerate(found.bands[head]):
                inside = (back[1:] >= edges[n]) & (back[1:] < edges[n + 1])
                assert mass == pytest.approx((p * inside).sum(-1).mean().item(), abs=1e-5)
        np.testing.assert_allclose(found.bands.sum(-1), 1, atol=1e-5)


def test_a_survey_of_some_rows_is_their_mean(lm):
    trace = lm.trace_ids(ids(150))
    rows = slice(2, None, 7)
    found = survey(trace, 1, context=30, rows=rows)
    p = trace.attention(1, 2)[rows][1:]  # the first of the rows read is left out
    assert found.first[2] == pytest.approx(p[:, 0].mean().item(), abs=1e-6)
    assert found.queries == len(range(150)[rows])
    assert (found.pictures <= survey(trace, 1, context=30).pictures + 1e-6).all()


@pytest.mark.parametrize("count, names", [(1, ["0"]), (2, ["0", "1"]), (4, ["0", "1", "2–3", "4–7"])])
def test_bands_are_named(count, names):
    assert band_names(count) == names


def test_the_strongest_cells_of_a_tile():
    tile = torch.tensor([[0.0, 0.2], [0.5, 0.0]])
    assert [(r, c) for r, c, _ in strongest(tile)] == [(1, 0), (0, 1)]
    assert strongest(torch.zeros(3, 2)) == []


@pytest.mark.slow
def test_stories_have_the_length_asked_for_and_repeat_with_their_seed(stories):
    first, again, other = (write_stories(stories, 120, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert 100 <= len(stories.tokenizer.encode(first)) <= 125


def test_a_model_that_only_stops_writes_something(lm, monkeypatch):
    def stops(ids, cache=None):
        logits = torch.full((*ids.shape, lm.config.vocab_size), -100.0)
        logits[..., lm.tokenizer.end_of_text] = 100.0
        return logits

    silent = type(
        "Silent",
        (),
        {
            "tokenizer": lm.tokenizer,
            "config": lm.config,
            "new_cache": lm.new_cache,
            "__call__": lambda self, *args: stops(*args),
        },
    )()
    assert write_stories(silent, 20).startswith("The end.")
    assert long_context.LONGEST == 16_384
