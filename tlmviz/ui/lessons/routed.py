"""What the lesson "Experts" measures: who reads what, how the biases move, and what is lost without an expert."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from operator import itemgetter

import torch

from tlmviz.analysis.experts import survey, training
from tlmviz.analysis.experts.edits import mute_experts
from tlmviz.analysis.experts.routing import Size, size
from tlmviz.analysis.samples import sample_text
from tlmviz.facades.language_model import LanguageModel
from tlmviz.networks.transformer import feedforward_parameters
from tlmviz.training.loop import move_biases

from .measures import word

MODEL, DENSE = "stories-moe", "stories-dense"
STORY = "The dog saw a ball. The boy saw the dog. The"
NOUNS = ("dog", "ball", "boy")  # of the story
THIRD, LAST = 2, 3  # layers
FRAME = "Tom saw a {}"
ANIMALS = ("dog", "cat", "bird", "fish", "bear", "bunny", "frog", "duck")
THINGS = ("ball", "car", "doll", "truck", "toy", "box", "tree", "boat")
LIKE = ("red", "big", "little")
OTHERS = ("was", "the")  # words that other experts read
EARLY = 30  # steps of training
PRESSES, TIMES, RATE = 4, 10, 0.01  # each press moves the biases so many times by so much
Moved = list[tuple[list[int], list[float]]]  # how many words each expert has, and their biases, after each press


@dataclass(frozen=True)
class Found:
    """What routers do with the story, with other words and in training."""

    tokens: list[str]
    chosen: list[list[int]]  # the experts of each token in the third layer
    dog: list[int]  # and those of "dog" in another sentence
    who: int  # the expert that reads all nouns of the story
    load: float  # its share of all words of held-out stories
    shares: dict[str, float]  # and of words that it answers to there
    surveyed: int  # words that were counted
    elsewhere: dict[str, tuple[int, float]]  # who reads most of other words there, and how much of them
    read: dict[tuple[str, ...], int]  # how many of some words `who` reads
    early: list[list[float]]  # shares of all words in the last layer, before training and soon after
    moved: Moved  # in the last layer, on the story
    right: tuple[float, float]  # shares of next words of a story that are guessed, with `who` and without
    asked: int  # places where they were
    parts: list[int]  # numbers that work on a word: attention and rows for words, the network of all, the experts
    sizes: tuple[Size, Size]  # with experts and without, as the two below
    bits: tuple[float, float]

    @property
    def full(self) -> int:
        """Who gets most where biases are 0."""
        return max(range(len(self.early[0])), key=self.moved[0][0].__getitem__)


def measure(lms: Mapping[str, LanguageModel], text: str) -> Found:
    """All of it."""
    lm = lms[MODEL]

    def routed(text: str) -> list[list[int]]:
        return [sorted(each) for each in lm.trace(text).routing(THIRD).chosen.tolist()]

    trace, chosen, known = lm.trace(text), routed(text), survey.read(MODEL)
    (who,) = set.intersection(*({*chosen[at]} for at, each in enumerate(trace.tokens) if word(each) in NOUNS))
    there = known.experts[known.layers.index(THIRD)]
    shares = [{word(a.token): a.share for a in each.answers if a.token[0] == " "} for each in there]
    story, silent = lm.fit(sample_text())[0], mute_experts(lm.config, [(THIRD, who)])
    passes = lm.trace(story), lm.trace(story, edit=silent)
    right = [float((each.logits[:-1].argmax(-1) == torch.tensor(each.ids[1:])).float().mean()) for each in passes]
    moments = training.moments(MODEL)
    at = [moments.steps.tolist().index(step) for step in (0, EARLY)]
    sizes = size(lm.config, len(trace)), size(lms[DENSE].config, len(trace))
    feeds = _feeds(lm)
    log = {name: training.curves(name) for name in (MODEL, DENSE)}

    def last(name: str, column: str) -> float:
        return float(log[name][column].dropna().iloc[-1])

    return Found(
        list(trace.tokens),
        chosen,
        routed(FRAME.format("dog"))[-1],
        who,
        there[who].load,
        shares[who],
        known.tokens,
        {each: max(((n, of.get(each, 0.0)) for n, of in enumerate(shares)), key=itemgetter(1)) for each in OTHERS},
        {those: sum(who in routed(FRAME.format(each))[-1] for each in those) for those in (ANIMALS, THINGS, LIKE)},
        (moments.loads[at, LAST] * lm.config.experts.chosen).tolist(),
        _moved(lm, text),
        (right[0], right[1]),
        len(passes[0]) - 1,
        [sizes[0].active - sum(feeds), feeds[0], feeds[1]],
        sizes,
        (last(MODEL, "valid_bpb"), last(DENSE, "valid_bpb")),
    )


def _feeds(lm: LanguageModel) -> tuple[int, int]:
    """Numbers of the networks that read every word, with the routers, and of the experts that one word gets."""
    layers, experts = range(lm.config.n_layers), lm.config.experts
    met = [feedforward_parameters(lm.config, layer, active=True) for layer in layers]
    chosen = 3 * lm.config.d_model * experts.hidden * experts.chosen * len(layers)
    return sum(met) - chosen, chosen


def _moved(lm: LanguageModel, text: str) -> Moved:
    """The biases of all layers are moved from 0 by the rule of the training."""
    own, found = deepcopy(lm), Moved()
    biases = [own.network.get_parameter(f"blocks.{n}.mlp.choice_bias") for n in range(lm.config.n_layers)]
    for each in biases:
        each.data.zero_()
    for step in range(PRESSES * TIMES + 1):
        routings = [*map(own.trace(text).routing, range(len(biases)))]
        if step % TIMES == 0:
            found.append((routings[LAST].load.tolist(), biases[LAST].tolist()))
        move_biases(own.network, [each.chosen for each in routings], RATE)
    return found
