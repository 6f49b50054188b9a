"""Recurrent attention step by step, against a whole pass and against NumPy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.analysis.translation import score_steps
from tlmviz.errors import BadShape, BadText

TEXT = "Lily had a red ball."
KINDS = [kind for kind in tiny.TRANSLATORS if kind != "transformer"]


@pytest.fixture(scope="module")
def passes(tokenizer):
    found = {}
    for kind in KINDS:
        mt = tiny.translator(tokenizer, kind)
        translation = [*mt.encode_target("Tom saw a dog."), mt.tokenizer.end_of_text]
        found[kind] = mt, translation, score_steps.read(mt, TEXT, translation)
    return found


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_those_of_one_whole_pass(passes, kind):
    mt, translation, steps = passes[kind]
    source, target = (torch.tensor([mt.encode(TEXT)]), torch.tensor([[mt.tokenizer.end_of_text, *translation[:-1]]]))
    with torch.inference_mode():
        logits, paid = mt.network(source, target)
    np.testing.assert_allclose(steps.a, paid[0], atol=1e-6)
    logp = logits[0].double().log_softmax(-1)[torch.arange(len(translation)), torch.tensor(translation)]
    np.testing.assert_allclose(steps.logp, logp, atol=1e-5)
    np.testing.assert_allclose(steps.a, softmax(steps.scores), atol=1e-6)
    size = len(mt.encode(TEXT)), mt.config.hidden
    assert steps.z.shape == size and steps.h.shape == (len(translation), size[1])
    assert steps.product == (kind in ("dot", "general"))


@pytest.mark.parametrize("kind", KINDS)
def test_shares_add_up_to_the_context(passes, kind):
    steps = passes[kind][2]
    for t in range(len(steps.a)):
        np.testing.assert_allclose(steps.shares(t).sum(0), steps.context[t], atol=1e-5)


@pytest.mark.parametrize("kind", ["dot", "general"])
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_attention_computes_the_same(passes, kind, scale):
    mt, _, steps = passes[kind]
    matrix = np.eye(mt.config.hidden) if kind == "dot" else mt.network.score.w.weight.double().numpy()
    weights = softmax(scale * (steps.h.astype(np.float64) @ matrix @ steps.z.T))
    mixture, found = score_steps.as_attention(steps, scale)
    np.testing.assert_allclose(found, weights, atol=1e-5)
    np.testing.assert_allclose(mixture, weights @ steps.z, atol=1e-5)
    assert (np.abs(mixture - steps.context).max() < 1e-5) == (scale == 1)


def test_an_additive_score_is_no_product(passes):
    with pytest.raises(BadShape) as error:
        score_steps.as_attention(passes["additive"][2])
    tiny.sentence(error)


@given(st.integers(1, 40))
def test_entropy_lies_between_one_token_and_all(size):
    assert score_steps.entropy(np.eye(size)) == pytest.approx(np.zeros(size))
    assert score_steps.entropy(np.full((1, size), 1 / size)) == pytest.approx([np.log2(size)])


def test_a_larger_scale_looks_sharper(passes):
    steps = passes["dot"][2]
    bits = score_steps.entropy_at(steps, np.array([0.0, 0.1, 0.5, 1.0, 5.0]))
    assert bits[0] == pytest.approx(np.log2(len(steps.z))) and (np.diff(bits) < 0).all()
    assert bits[3] == pytest.approx(steps.entropy.mean(), abs=1e-5)


def test_models_are_timed_in_turns_after_rounds_that_do_not_count(passes, monkeypatch):
    log: list = []
    monkeypatch.setattr(score_steps, "_works", lambda mt, steps: (lambda: log.append(mt), lambda: log.append(steps)))
    found = score_steps.times([("a", "step a"), ("b", "step b")], rounds=2)
    assert log == ["a", "step a", "b", "step b"] * (2 + score_steps.WARM)
    assert len(found) == 2 and all(len(each.prepare) == len(each.step) == 2 for each in found)
    monkeypatch.undo()
    for times in score_steps.times([(passes[kind][0], passes[kind][2]) for kind in KINDS], rounds=3):
        assert (times.prepare >= 0).all() and (times.step > 0).all()


def test_one_token_is_enough_and_an_empty_sentence_is_not(passes):
    mt = passes["coverage"][0]
    steps = score_steps.read(mt, "a", [mt.tokenizer.end_of_text])
    assert steps.a.shape == (1, 1) and steps.a[0, 0] == 1 and steps.entropy[0] == 0
    with pytest.raises(BadText):
        score_steps.read(mt, " ", [1])
