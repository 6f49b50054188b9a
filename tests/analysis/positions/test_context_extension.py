"""Losses under scaled RoPE against plain passes, a growing scale against brute force, and a change of scale in the
middle."""

import math

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.positions.context_extension import (
    RECOMPUTED,
    STORED,
    TURNED,
    frequency_ratios,
    inside_and_beyond,
    losses,
    losses_growing,
    switch,
)
from tlmviz.errors import BadShape, BadText
from tlmviz.layers.scaling import SCALINGS, NTKAware, scaled_rope


@pytest.fixture(scope="module")
def short(tokenizer):
    """One layer, trained on 40 tokens: its keys do not depend on any scale but through their rotation."""
    return tiny.language_model(tokenizer, n_layers=1, context=40)


def ids(count):
    return [(7 * i * i + 3 * i) % 300 for i in range(count)]


def plain(lm, tokens, positions=None):
    logits = lm(torch.tensor([tokens]), positions=positions)[0].double().log_softmax(-1)
    return np.array([-logits[t, tokens[t + 1]].item() for t in range(len(tokens) - 1)])


@pytest.mark.parametrize("name", [name for name in SCALINGS if name != "Dynamic NTK"])
def test_losses_are_those_of_one_pass(short, name):
    scheme = scaled_rope(short.config, name, 3.0)
    np.testing.assert_allclose(losses(short, ids(90), scheme), plain(short, ids(90), scheme), atol=2e-4)


@pytest.mark.parametrize("count", [1, 2, 39, 40, 41, 90])
def test_a_growing_scale_is_a_pass_per_block_under_the_scale_of_its_end(short, count):
    tokens, scheme, expected = ids(count), scaled_rope(short.config, "Dynamic NTK"), np.zeros(0)
    edges = [0, *range(min(40, count), count, 16), count]
    for start, stop in zip(edges, edges[1:]):
        ntk = NTKAware(8, short.config.positions.rope_base, max(1, stop / 40))
        expected = np.append(expected, plain(short, tokens[: stop + 1], ntk)[start:])
    found = losses_growing(short, tokens, scheme, block=16)
    assert len(found) == count - 1
    np.testing.assert_allclose(found, expected, atol=2e-4)


def test_a_dynamic_scale_is_read_as_it_grows_and_rotated_keys_fall_behind(short):
    tokens, scheme = ids(120), scaled_rope(short.config, "Dynamic NTK")
    grown, stale = losses_growing(short, tokens, scheme), losses_growing(short, tokens, scheme, rotated=True)
    np.testing.assert_array_equal(losses(short, tokens, scheme), grown)
    np.testing.assert_allclose(grown[:39], plain(short, tokens[:40]), atol=2e-4)
    np.testing.assert_allclose(stale[:39], grown[:39], atol=1e-5)
    assert np.abs(stale[40:] - grown[40:]).max() > 0.05


@pytest.mark.parametrize("length", [1, 2, 40, 41, 60])
def test_means_within_and_beyond(length):
    loss = np.arange(length - 1.0)
    inside, beyond = inside_and_beyond(loss, 40)
    assert (math.isnan(inside) and length < 2) or inside == loss[:39].mean()
    assert (math.isnan(beyond) and length < 41) or beyond == loss[39:].mean()


def test_ratios_of_frequencies(lm):
    ratios = frequency_ratios(lm.config, 4.0, 2 * lm.config.context)
    assert list(ratios) == list(SCALINGS)
    np.testing.assert_array_equal(ratios["Unscaled"], 1)
    np.testing.assert_allclose(ratios["Position interpolation"], 0.25)
    assert ratios["Dynamic NTK"][-1] == pytest.approx(0.5) and ratios["NTK-aware"][-1] == pytest.approx(0.25)


@pytest.mark.parametrize("name", ["Position interpolation", "NTK-aware", "YaRN"])
def test_unrotated_keys_follow_a_new_scale_and_rotated_ones_do_not(short, name):
    tokens, scheme = ids(80), scaled_rope(short.config, name, 4.0)
    found = switch(short, tokens, 40, scheme, count=6)
    np.testing.assert_allclose(found.losses[RECOMPUTED], plain(short, tokens, scheme)[39:], atol=2e-4)
    np.testing.assert_allclose(found.losses[TURNED], found.losses[RECOMPUTED], atol=2e-4)
    assert found.divergence[RECOMPUTED].max() == 0 and found.divergence[TURNED].max() < 1e-5
    assert found.divergence[STORED].mean() > 100 * found.divergence[TURNED].mean()
    assert found.texts[TURNED] == found.texts[RECOMPUTED]
    assert all(len(loss) == 40 for loss in found.losses.values())


def test_without_a_change_all_ways_are_one(lm):
    found = switch(lm, ids(60), 30, scaled_rope(lm.config, "YaRN", 1.0), count=5)
    for way in (TURNED, STORED):
        np.testing.assert_allclose(found.losses[way], found.losses[RECOMPUTED], atol=1e-4)
        assert found.texts[way] == found.texts[RECOMPUTED]


def test_the_text_goes_on_from_where_the_scale_changed(short):
    tokens, scheme = ids(50), scaled_rope(short.config, "NTK-aware", 2.0)
    read, new = tokens[:20], []
    for _ in range(5):
        new.append(int(short(torch.tensor([read + new]), positions=scheme)[0, -1].argmax()))
    assert switch(short, tokens, 20, scheme, count=5).texts[RECOMPUTED] == short.tokenizer.decode(new)


@pytest.mark.parametrize(
    "count, at, kind", [(2, 1, BadText), (10, 1, BadShape), (10, 10, BadShape), (10, -3, BadShape)]
)
def test_a_change_outside_the_text_is_a_sentence(lm, count, at, kind):
    with pytest.raises(kind) as error:
        switch(lm, ids(count), at, scaled_rope(lm.config, "YaRN"))
    tiny.sentence(error)


def test_the_smallest_change(lm):
    found = switch(lm, ids(3), 2, scaled_rope(lm.config, "YaRN"), count=1)
    assert all(loss.shape == (1,) for loss in found.losses.values())


@pytest.mark.quality
def test_scaling_repairs_a_trained_model():
    import tlmviz
    from tlmviz.analysis.samples import sample_text

    lm = tlmviz.load("zoo-rope")
    tokens = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(sample_text())][:768]
    found = {name: inside_and_beyond(losses(lm, tokens, scaled_rope(lm.config, name, 3.0)), 256) for name in SCALINGS}
    own = found["Unscaled"]
    assert own[1] > own[0] + 0.5
    assert all(found[name][1] < own[1] - 0.5 for name in SCALINGS if name != "Unscaled")
    assert found["Dynamic NTK"][0] == pytest.approx(own[0], abs=1e-4)
    assert found["Position interpolation"][0] > found["YaRN"][0] > found["NTK-aware"][0] > own[0]
