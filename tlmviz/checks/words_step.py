"""The identities behind one step of training: what the pictures compute is what moving the vectors gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.analysis.words import one_step
from tlmviz.analysis.words.one_step import Step

from .registry import identity
from .words import is_words, reading

if TYPE_CHECKING:
    from ..facades.word_vectors import WordVectors

METHODS = ("skipgram", "negative", "cbow", "hierarchical")
SEED, RATE = 0, 1.0


def steps(model: Any) -> bool:
    """Whether the model is trained by one of the steps that are looked into."""
    return is_words(model) and model.kind in METHODS


@identity(
    "After the step = moved vectors",
    "the scores after a step, computed from the scores before it, are those of the vectors once they are moved",
    1e-9,
    when=steps,
    inputs=reading,
)
def after_is_moved(wv: WordVectors, words: list[str]) -> float:
    """(u + rate e v)·(v + rate g) multiplied out, beside the products of the moved vectors, for the first two words."""
    step = step_of(wv, words[0], words[1])
    v, outputs = step.moved(RATE)
    return float(np.abs(outputs @ v - step.moved_scores(RATE)).max())


@identity(
    "Small step = rate · |g|²",
    "for a rate of 1e-6 the loss falls by the rate times the squared length of the gradient",
    1e-4,
    "relative",
    when=steps,
    inputs=reading,
)
def small_steps_are_downhill(wv: WordVectors, words: list[str]) -> float:
    """The first-order term of the loss where v moves alone: what makes g the gradient (004 Eq. 12)."""
    rate, step = 1e-6, step_of(wv, words[0], words[1])
    expected = rate * step.lift * float(step.gradient @ step.gradient)
    fell = _loss(wv, step, words[1], step.scores) - _loss(wv, step, words[1], step.moved_scores(rate, everything=False))
    return fell / expected - 1 if expected else fell


def step_of(wv: WordVectors, center: str, context: str) -> Step:
    """The step of a model's own method for a pair; with its own number of draws, of the first throw."""
    if wv.kind == "skipgram":
        return one_step.softmax_step(wv, center, context)
    if wv.kind == "hierarchical":
        return one_step.tree_step(wv, center, context)
    _, drawn = one_step.draws(wv.counts, wv.config.power, wv.config.negatives, SEED)
    v, lift = one_step.bag(wv, [center])
    rows = np.array([wv.index(context), *drawn])
    return one_step.sampled_step(v, wv.context_vectors[rows].double().numpy(), rows, lift)


def _loss(wv: WordVectors, step: Step, context: str, scores: np.ndarray) -> float:
    if wv.kind == "skipgram":
        return one_step.softmax_loss(scores, wv.index(context))
    signs = one_step.path_signs(wv, context) if wv.kind == "hierarchical" else one_step.signs_of(step.rows)
    return one_step.logistic_loss(scores, signs)
