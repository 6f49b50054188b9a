"""Scores counted one by one, and times that are times."""

import pytest

from tlmviz.analysis.beyond.latent_cost import latent_scores, self_scores, time_both


@pytest.mark.parametrize("inputs, latents", [(1, 1), (5, 2), (64, 8), (3, 7)])
def test_scores_are_pairs(inputs, latents):
    assert self_scores(inputs) == sum(1 for _ in range(inputs) for _ in range(inputs))
    reading = sum(1 for _ in range(latents) for _ in range(inputs))
    assert latent_scores(inputs, latents) == reading + sum(1 for _ in range(latents) for _ in range(latents))


def test_latents_pay_off_for_long_inputs():
    timing = time_both(2048, 16, repeats=2)
    assert (timing.inputs, timing.latents) == (2048, 16)
    assert 0 < timing.by_latents < timing.among_inputs
