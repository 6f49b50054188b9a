"""The needle test: its texts, its gain against plain passes, and how far it says that names were found."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.analysis.kernels import needle
from tlmviz.errors import BadText
from tlmviz.layers import sparse


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


def test_both_texts_differ_in_the_first_needle_only(lm):
    told, untold, size = needle.texts(lm, 64)
    names = lm.tokenizer.encode(needle.NEEDLE)
    assert size == len(names) and len(told) == len(untold)
    assert told[-size:] == untold[-size:] == names and told[1 : size + 1] == names
    assert told[size + 1 :] == untold[size + 1 :] and untold[1 : size + 1] != names
    assert len(told) == 1 + 2 * size + 64


def test_the_gain_is_that_of_two_plain_passes(lm):
    told, untold, size = needle.texts(lm, 32)
    logp = []
    for ids in (told, untold):
        scores = lm(torch.tensor([ids]))[0].log_softmax(-1)
        logp.append(np.mean([float(scores[i - 1, ids[i]]) for i in range(len(ids) - size + 1, len(ids))]))
    assert needle.gain(lm, None, 32) == pytest.approx(logp[0] - logp[1], abs=1e-3)


def test_full_attention_finds_what_a_narrow_window_does_not(lm):
    assert needle.gain(lm, None, 64) > needle.FOUND
    assert needle.gain(lm, sparse.Window(32), 64) < needle.FOUND
    whole = needle.gain(lm, sparse.Window(1024), 64)
    assert whole == pytest.approx(needle.gain(lm, None, 64), abs=1e-3)


def test_reach_ends_at_the_first_distance_that_fails():
    assert needle.reach(np.array([2, 1, 0.1, 3, 0])) == needle.DISTANCES[1]
    assert needle.reach(np.array([0.1, 1, 1, 1, 1])) is None
    assert needle.reach(np.full(5, 2.0)) == needle.DISTANCES[-1]


def test_a_short_context_is_one_sentence(tokenizer):
    with pytest.raises(BadText, match="too few"):
        needle.gain(tiny.language_model(tokenizer), None, 256)
