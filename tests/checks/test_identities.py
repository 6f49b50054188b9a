"""The identities hold on healthy models, and each one notices what it is there to notice."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from tests import tiny
from tests.tiny import TEXT
from tlmviz import checks, kernels
from tlmviz.caches import ContiguousCache
from tlmviz.checks import attention, measure
from tlmviz.tracing.trace import Recording


@pytest.fixture
def model(tokenizer):
    """A model of the test's own, to break."""
    return tiny.language_model(tokenizer)


def failed(lm, trace=None):
    return {result.name for result in measure(attention, lm, trace or lm.trace(TEXT)) if not result.passed}


class TestHealthy:
    def test_every_variant_passes(self, variant):
        assert not failed(variant)

    def test_texts_of_one_and_two_tokens_pass(self, variant):
        for ids in ([5], [5, 6]):
            assert not failed(variant, variant.trace_ids(ids))

    def test_a_text_longer_than_one_block_of_rows_passes(self, tokenizer):
        model = tiny.language_model(tokenizer, context=300, n_layers=1)
        assert not failed(model, model.trace_ids([i % 300 for i in range(270)]))

    def test_the_bundled_model_passes(self, stories):
        assert not failed(stories, stories.trace("Once upon a time there was a little girl named Lily."))

    def test_results_say_what_was_measured(self, lm):
        results = measure(attention, lm, lm.trace(TEXT))
        assert len({result.name for result in results}) == len(results)
        assert all(result.claim and result.unit and math.isfinite(result.error) for result in results)


class TestBroken:
    @pytest.mark.parametrize("change", [lambda lse: lse + 0.01, lambda lse: lse * math.nan])
    def test_a_wrong_lse(self, model, change):
        trace = model.trace(TEXT, edit={"blocks.1.attn.lse": lambda lse, record: change(lse)})
        assert {"Rows sum to 1", "Map = softmax"} <= failed(model, trace)

    def test_one_wrong_row_of_one_head(self, model):
        def edit(lse, record):
            lse = lse.clone()
            lse[0, 2, 3] = math.nan
            return lse

        trace = model.trace(TEXT, edit={"blocks.0.attn.lse": edit})
        assert {"Rows sum to 1", "Map = softmax"} <= failed(model, trace)

    def test_a_mask_that_lets_the_future_through(self, model, monkeypatch):
        honest = kernels.attention
        monkeypatch.setattr(
            kernels, "attention", lambda q, k, v, mask, **o: honest(q, k, v, replace(mask, causal=False), **o)
        )
        assert {"No look ahead", "Rows sum to 1"} <= failed(model)

    def test_a_map_with_another_mask_than_the_pass(self, model, monkeypatch):
        honest = kernels.attention_map
        monkeypatch.setattr(
            kernels, "attention_map", lambda q, k, lse, mask, **o: honest(q, k, lse, replace(mask, window=4), **o)
        )
        assert {"Map = softmax", "Rows sum to 1"} <= failed(model)

    def test_a_map_without_the_relative_positions_of_the_pass(self, tokenizer, monkeypatch):
        model, honest = tiny.language_model(tokenizer, positions="relative"), kernels.attention_map
        monkeypatch.setattr(
            kernels, "attention_map", lambda q, k, lse, mask, **o: honest(q, k, lse, replace(mask, relative=None), **o)
        )
        assert {"Map = softmax", "Rows sum to 1"} <= failed(model)

    def test_a_map_that_is_normalised_but_wrong(self, model, monkeypatch):
        """Rows still sum to one, so only the comparison with a softmax can tell."""
        honest = kernels.attention_map
        monkeypatch.setattr(
            kernels, "attention_map", lambda *a, **o: (p := honest(*a, **o)) * 0.9 + 0.1 * p.mean(-1, keepdim=True)
        )
        assert failed(model) == {"Map = softmax"}

    def test_a_cache_that_drops_a_position(self, model):
        class Forgetful(ContiguousCache):
            def append(self, layer, k, v):
                k, v = super().append(layer, k, v)
                return (k, v) if k.shape[2] == self.length else (k[:, :, 1:], v[:, :, 1:])

        class Blurred(ContiguousCache):
            def append(self, layer, k, v):
                start = self._lengths[layer]
                k, v = super().append(layer, k, v)
                return (k * 1.01, v) if start else (k, v)

        for broken in (Forgetful, Blurred):
            model.new_cache = lambda broken=broken: broken(2)
            assert failed(model) == {"Cache = full pass"}

    def test_a_tap_that_changes_what_passes(self, model, monkeypatch):
        honest = Recording.visit
        monkeypatch.setattr(Recording, "visit", lambda self, name, value: honest(self, name, value) * (1 + 1e-6))
        assert "Taps are neutral" in failed(model)

    def test_parameters_nobody_counted(self, model):
        model.network.extra = nn.Parameter(torch.zeros(3), requires_grad=False)
        assert failed(model) == {"Parameter formula"}
        assert attention.parameters_match_formula(model).error == 3


@pytest.mark.parametrize(
    "error, passed", [(0.0, True), (0.5, True), (0.51, False), (math.inf, False), (math.nan, False)]
)
def test_passing_means_within_the_tolerance(error, passed):
    assert checks.Check("a", "b", error, 0.5).passed == passed
