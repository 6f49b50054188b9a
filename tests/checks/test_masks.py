"""The identities of the three attentions hold on a healthy model, and notice what they are there to notice."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tlmviz.checks import measure, translation_cases
from tlmviz.checks import translation_masks as masks
from tlmviz.layers.attention import CrossAttention

TEXT = "Lily had a red ball."


@pytest.fixture
def mt(tokenizer):
    return tiny.translator(tokenizer)


def case(mt, target="Tom saw a dog."):
    return translation_cases.attentions(mt, TEXT, (*mt.encode_target(target), mt.tokenizer.end_of_text))


@pytest.mark.parametrize("target", ["Tom saw a dog.", "", "<b> 😀 $x$"], ids=repr)
def test_every_identity_holds(mt, target):
    given = case(mt, target)
    results = measure(masks, mt, given)
    assert all(result.passed for result in results) and len({result.name for result in results}) == 4


def test_a_row_too_heavy_is_noticed(mt):
    given = case(mt)
    wrong = replace(given, maps=replace(given.maps, cross=given.maps.cross * 1.01))
    assert not masks.rows_sum_to_one(mt, wrong).passed


def test_a_look_ahead_is_noticed(mt):
    given = case(mt)
    leaking = given.maps.decoder.copy()
    leaking[0, 0, 0, -1] = np.float32(1e-7)
    assert not masks.forbidden_is_zero(mt, replace(given, maps=replace(given.maps, decoder=leaking))).passed


def test_keys_that_know_the_target_are_noticed(mt, monkeypatch):
    """The second reading of a memory gives other keys: what a cache that was not emptied would do."""
    given, plain, seen = case(mt), CrossAttention.keys_values, []

    def stale(self, memory):
        seen.append(self)
        k, v = plain(self, memory)
        return (self.k(k + len(seen)), v)

    monkeypatch.setattr(CrossAttention, "keys_values", stale)
    assert not masks.memory_is_the_source_s(mt, given).passed


def test_a_loss_that_used_the_future_is_noticed(mt):
    given = case(mt)
    cheated = replace(given, maps=replace(given.maps, logp=given.maps.logp + np.float32(0.01)))
    assert not masks.writing_needs_no_mask(mt, cheated).passed
