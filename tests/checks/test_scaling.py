"""The identities of RoPE scalings hold on healthy models, and each notices what it is there to notice."""

import pytest
import torch

from tests import tiny
from tlmviz.checks import measure, positions_scaling
from tlmviz.layers import scaling
from tlmviz.layers.positions import RoPE

NAMES = {
    "s = 1: unchanged",
    "PI = θ(t/s)",
    "Ends of the spectrum",
    "Distance alone, scaled",
    "Turned again = recomputed",
    "Unrotated cache = full pass",
}


def failed(lm, trace):
    return {result.name for result in measure(positions_scaling, lm, trace) if not result.passed}


@pytest.mark.parametrize("changes", [{}, dict(n_kv_heads=1), dict(window=5), dict(norm_place="post", norm="layernorm")])
def test_every_model_with_rope_passes(tokenizer, changes):
    model = tiny.language_model(tokenizer, **changes)
    for trace in (model.trace(tiny.TEXT), model.trace_ids([5]), model.trace_ids([5, 6])):
        assert {result.name for result in measure(positions_scaling, model, trace)} == NAMES
        assert not failed(model, trace)


def test_the_bundled_model_passes(stories):
    assert not failed(stories, stories.trace("Once upon a time there was a little girl named Lily."))


@pytest.mark.parametrize(
    "kind, name",
    [
        (scaling.Interpolated, "PI = θ(t/s)"),
        (scaling.NTKAware, "Ends of the spectrum"),
        (scaling.YaRN, "Ends of the spectrum"),
    ],
)
def test_wrong_frequencies_are_noticed(lm, monkeypatch, kind, name):
    honest = kind.frequencies
    monkeypatch.setattr(kind, "frequencies", lambda self, length: honest(self, length) * 1.001)
    assert {name, "s = 1: unchanged"} <= failed(lm, lm.trace(tiny.TEXT))


def test_an_angle_that_is_not_linear_in_the_position_is_noticed(lm, monkeypatch):
    honest = scaling.ScaledRoPE.cos_sin
    monkeypatch.setattr(scaling.ScaledRoPE, "cos_sin", lambda self, where: honest(self, where + where // 10))
    assert {"Distance alone, scaled", "PI = θ(t/s)"} <= failed(lm, lm.trace(tiny.TEXT))


def test_a_cache_that_turns_keys_at_once_is_noticed(lm, monkeypatch):
    honest = type(lm).new_cache
    monkeypatch.setattr(type(lm), "new_cache", lambda self, rotated=True: honest(self, True))
    assert failed(lm, lm.trace(tiny.TEXT)) == {"Turned again = recomputed"}


def test_keys_read_unturned_are_noticed(lm, monkeypatch):
    honest = RoPE.rotate

    def first_half_only(self, x, table):  # a rotation that leaves late keys alone
        turned = honest(self, x, table)
        return torch.where(torch.arange(x.shape[2])[:, None] < 8, turned, x) if x.shape[2] != 1 else turned

    trace = lm.trace(tiny.TEXT)
    monkeypatch.setattr(RoPE, "rotate", first_half_only)
    assert "Unrotated cache = full pass" in failed(lm, trace)
