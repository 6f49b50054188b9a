"""The identities of recurrent attention hold for every score, and notice what they are there to notice."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.translation import score_steps
from tlmviz.checks import measure
from tlmviz.checks import translation_scores as scores

KINDS = [kind for kind in tiny.TRANSLATORS if kind != "transformer"]


@pytest.fixture(scope="module")
def passes(tokenizer):
    found = {}
    for kind in KINDS:
        mt = tiny.translator(tokenizer, kind)
        found[kind] = (
            mt,
            score_steps.read(mt, "Lily had a red ball.", [*mt.encode_target("Tom saw."), mt.tokenizer.end_of_text]),
        )
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_identity_holds(passes, kind):
    results = measure(scores, *passes[kind])
    assert all(result.passed for result in results), results
    assert len(results) == (5 if kind in ("dot", "general") else 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "part, check",
    [("a", "Steps sum to 1"), ("scores", "Score = formula"), ("scores", "a = softmax"), ("context", "c = Σ a z")],
)
def test_a_spoilt_number_is_noticed(passes, kind, part, check):
    mt, steps = passes[kind]
    wrong = np.array(getattr(steps, part))
    wrong[0, 0] += 0.01
    results = {result.name: result for result in measure(scores, mt, replace(steps, **{part: wrong}))}
    assert not results[check].passed


def test_another_scale_is_noticed(passes):
    mt, steps = passes["dot"]
    assert not scores.sdpa_is_the_same(mt, replace(steps, h=steps.h * np.float32(steps.h.shape[1] ** -0.5))).passed
