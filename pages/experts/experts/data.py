"""Everything that the page Experts shows: passes with changed routing, loads, losses, logs, sizes and identities."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits, losses, routing, survey, training
from tlmviz.analysis.experts.survey import Answer, Survey
from tlmviz.checks import Check, measure
from tlmviz.checks import experts as expert_checks
from tlmviz.config import ExpertsConfig
from tlmviz.errors import BadCheckpoint, BadConfig
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.experts.training import Curve, Moments
from tlmviz.routing import ROUTING
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached

from .state import MIXED, REMOVED, Change, Experts

FACTORS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
FAMILY = ("stories-moe", "stories-moe-aux", "stories-dense")  # trained beside one another
ROUTED = tuple(f".mlp.{part}" for part in (*ROUTING, "router_logits"))  # what a pass keeps of each layer
SENT = 1_350_000  # bytes of one picture
MOST_PASSES = 6_000  # tokens of all passes behind the map, up to which it is measured without being asked for
LARGEST, HELD_OUT = "largest", "held out"
OFTEN = 0.9  # of the held-out places of a word that an expert with a taste for it reads


@dataclass(frozen=True)
class Cost:
    """A model's size, its loss on held-out stories (None where nothing was logged) and on the text, bits per byte."""

    model: str
    size: routing.Size
    held_out: float | None
    here: float


@dataclass(frozen=True)
class Taste:
    """An expert, its share of all held-out tokens, and the words of the text that it answers to there."""

    layer: int
    expert: int
    load: float
    words: tuple[Answer, ...]


@dataclass(frozen=True)
class Data:
    """What the page shows; what only one view needs is computed when that asks for it."""

    chosen: Experts
    change: Change  # of the pass that is shown
    refused: BadConfig | None  # why what was chosen is not shown

    @property
    def lm(self) -> LanguageModel:
        return computing.model(self.chosen.model)

    @property
    def experts(self) -> ExpertsConfig:
        return self.lm.config.experts

    @property
    def layers(self) -> list[int]:
        """The model's layers that have experts."""
        return edits.expert_layers(self.lm.config)

    @property
    def even(self) -> float:
        """The share of the tokens that would reach each expert if all had the same."""
        return self.experts.chosen / self.experts.count

    @cached_property
    def tokens(self) -> list[str]:
        """The text's tokens [T]."""
        return [self.lm.tokenizer.name(each) for each in self.lm.encode(self.chosen.text)]

    @property
    def key(self) -> tuple[str, str]:
        return self.chosen.model, self.chosen.text

    def passed(self, change: Change | None = None) -> Trace:
        """A pass over the text with the routing changed, as it is shown or otherwise."""
        return _passed(*self.key, self.change if change is None else change)

    def loss(self, change: Change | None = None) -> np.ndarray:
        """The loss of each token but the first in such a pass, nats [T - 1]."""
        return _loss(*self.key, self.change if change is None else change)

    @property
    def count(self) -> int:
        """How many tokens the picture shows: a model of many layers and experts has too much to say of each for a long
        text."""
        each = len(self.layers) * (4 * self.experts.count + 17 * self.experts.chosen)
        return max(1, min(len(self.tokens), SENT // each))

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """What the picture of the pass is sent: `scores` [L, T, E] before the bias, `bias` [L, E], and [L, T, k]
        `chosen`, their `weights`, `plain` (chosen without the bias), `mixed` and `notes` (weights if the bias entered
        the mix: into the scores, or as the notes write it) and `kept` (False: dropped); the first `count` tokens."""
        return self.arrays_of(self.change)

    def arrays_of(self, change: Change) -> dict[str, np.ndarray]:
        """`arrays` of a pass that is changed otherwise."""
        found = _arrays(*self.key, change, self.count)
        # What is no longer the router's own choice is not compared with it.
        return found if change.nothing else {**found, "plain": found["chosen"]}

    @cached_property
    def turned(self) -> np.ndarray:
        """Where the bias changed what the routers as trained choose [L, T]."""
        found = self.arrays_of(Change())
        return (np.sort(found["chosen"], -1) != np.sort(found["plain"], -1)).any(-1)

    @cached_property
    def opening(self) -> tuple[int, int]:
        """Layer and token that the page opens on: the word that weighs most for the expert with a taste; in a text that
        shows none, where the bias changed the choice, and the chosen weigh most unequally."""
        if found := self.taste:
            words = {each.token for each in found.words}
            mixing = self.passed(Change()).routing(found.layer).mixing[:, found.expert].tolist()
            places = [place for place in range(self.count) if self.tokens[place] in words]
            if places:
                return found.layer, max(places, key=lambda place: mixing[place])
        weights = self.arrays_of(Change())["weights"]
        contrast = weights.max(-1) - weights.min(-1)
        place, token = np.unravel_index(int((contrast + self.turned).argmax()), self.turned.shape)
        return self.layers[int(place)], int(token)

    @property
    def layer(self) -> int:
        """The layer that is looked at."""
        return self.chosen.layer if self.chosen.layer in self.layers else self.opening[0]

    @property
    def token(self) -> int:
        """The token that is looked at."""
        return min(self.opening[1] if self.chosen.token is None else self.chosen.token, self.count - 1)

    @cached_property
    def loads(self) -> np.ndarray:
        """The share of the text's tokens that reach each expert of the model as trained [L, E]."""
        return routing.loads(self.passed(Change())) / len(self.tokens)

    @cached_property
    def specialist(self) -> tuple[int, int, str, int] | None:
        """Layer, expert, token and how often it stands in the text, of the expert that reads it each time and little
        else; a word before a mark; None where no token stands there twice, or none is always read by one expert that
        leaves out half of the text."""
        names, found = np.array(self.tokens, object).astype(str), []
        for place, layer in enumerate(self.layers):
            read = self.passed(Change()).routing(layer).mixing.numpy() > 0  # [T, E]
            for name in np.unique(names):
                times = int((names == name).sum())
                for expert in np.flatnonzero(read[names == name].all(0)) if times > 1 and name.strip() else ():
                    if self.loads[place, expert] < 0.5:
                        telling = times * -math.log(self.loads[place, expert])
                        found.append((name.strip().isalpha(), telling, -place, -int(expert), name, times))
        if not found:
            return None
        _word, _telling, place, expert, name, times = max(found)
        return self.layers[-place], -expert, name, times

    @cached_property
    def taste(self) -> Taste | None:
        """The expert whose words this text shows: it reads them at nearly all of their held-out places, and at each one
        here.

        Of several the one with most such words, each divided by how many experts answer to it: what all answer to tells
        nothing of one. None where no expert has two, or nothing was counted.
        """
        if (found := self.survey) is None:
            return None
        heard = Counter(answer.token for layer in found.experts for one in layer for answer in one.answers)
        names, best = np.array(self.tokens, object), []
        for layer, experts in zip(found.layers, found.experts, strict=True):
            read = self.passed(Change()).routing(layer).mixing.numpy() > 0  # [T, E]
            for expert, one in enumerate(experts):
                words = tuple(
                    answer
                    for answer in one.answers
                    if answer.share >= OFTEN
                    and _is_word(answer.token)
                    and answer.token in self.tokens
                    and read[names == answer.token, expert].all()
                )
                if len(words) > 1:
                    telling = sum(1 / heard[answer.token] for answer in words)
                    best.append((telling, -layer, -expert, Taste(layer, expert, one.load, words)))
        return max(best, key=lambda each: each[:3])[-1] if best else None

    @cached(8)
    def survey(model: str) -> Survey | None:
        """What was counted on held-out stories; None for a model that brings no such count."""
        try:
            return survey.read(model)
        except BadCheckpoint:
            return None

    @cached_property
    def readers(self) -> list[list[str]]:
        """Of each expert of the layer looked at the text's tokens that it reads, those with the largest weight in sum
        first."""
        mixing = self.passed(Change()).routing(self.layer).mixing.numpy()  # [T, E]
        kinds, place = np.unique(np.array(self.tokens, object).astype(str), return_inverse=True)
        sums = np.zeros((len(kinds), mixing.shape[1]))
        np.add.at(sums, place, mixing)
        return [[str(kinds[i]) for i in np.argsort(-each, kind="stable") if each[i] > 0] for each in sums.T]

    @property
    def passes(self) -> int:
        """What the map of every expert muted alone takes."""
        return len(self.layers) * self.experts.count

    @property
    def is_long(self) -> bool:
        """Whether that map is measured only when the user asks for it."""
        return len(self.tokens) * self.passes > MOST_PASSES

    @cached_property
    def each_muted(self) -> np.ndarray | None:
        """Change of the text's mean loss with each expert muted alone, nats per token [L, E]; None while nobody asked
        for what takes long."""
        waits = self.is_long and not self.chosen.every
        return None if len(self.tokens) < 2 or waits else _each_muted(*self.key)

    @property
    def room(self) -> int:
        """How many tokens an expert reads at this capacity."""
        return edits.capacity(len(self.tokens), self.experts.chosen, self.experts.count, self.chosen.factor)

    @cached_property
    def dropped(self) -> np.ndarray:
        """Choices of each token that find their expert full [T]."""
        trace = self.passed()
        return sum((trace.routing(layer).weights == 0).sum(-1) for layer in self.layers).numpy()

    @property
    def choices(self) -> int:
        """All choices of all layers."""
        return len(self.tokens) * self.experts.chosen * len(self.layers)

    @cached_property
    def by_factor(self) -> tuple[list[float], list[float]]:
        """At each of FACTORS the dropped choices in per cent, and the text's mean loss in nats per token."""
        full = [Data(self.chosen, Change(factor=factor), None) for factor in FACTORS]
        return [100 * float(each.dropped.sum()) / self.choices for each in full], [
            float(each.loss().mean()) for each in full
        ]

    @cached(8)
    def logged(model: str) -> dict[str, training.Moments | BadCheckpoint]:
        """What was logged of the training of this model and of those beside it that have experts, or why it is not
        known."""
        found: dict[str, training.Moments | BadCheckpoint] = {}
        for name in _family(model):
            if computing.model(name).config.experts.count:
                try:
                    found[name] = training.moments(name)
                except BadCheckpoint as error:
                    found[name] = error
        return found

    @cached_property
    def moments(self) -> dict[str, Moments]:
        """Loads, in shares of the tokens, and biases through training, of this model and of those beside it that have
        experts."""
        found = {}
        for name, logged in self.logged.items():
            if isinstance(logged, training.Moments):
                part = computing.model(name).config.experts
                load = part.chosen * logged.loads / logged.loads.sum(-1, keepdims=True)
                found[name] = Moments(logged.steps, load, logged.bias if part.bias else None)
        return found

    @property
    def unlogged(self) -> list[BadCheckpoint]:
        """Why the training of some of them is not shown."""
        return [each for each in self.logged.values() if isinstance(each, BadCheckpoint)]

    @cached(8)
    def held_out(model: str) -> dict[str, Curve]:
        """The loss on held-out stories over steps, bits per byte, of those of the family that logged it."""
        found = {}
        for name in _family(model):
            try:
                log = training.curves(name)[["step", "valid_bpb"]].dropna()
            except BadCheckpoint:
                continue
            if len(log):
                found[name] = Curve(log["step"].to_numpy(), log["valid_bpb"].to_numpy())
        return found

    @cached_property
    def curves(self) -> dict[str, dict[str, Curve]]:
        """Over steps, by model: LARGEST, the largest load of any expert over the mean, and HELD_OUT, bits per byte."""
        return {
            LARGEST: {name: Curve(each.steps, worst(each)) for name, each in self.moments.items()},
            HELD_OUT: self.held_out,
        }

    @cached(32)
    def costs(model: str, text: str) -> list[Cost]:
        """What each model of the family costs, on a token at the end of the text."""
        length, curves = len(computing.model(model).encode(text)), Data.held_out(model)

        def work(name: str) -> Cost:
            lm = computing.model(name)
            here = float(lm.bits_per_byte(text)) if length > 1 else math.nan
            held_out = float(curves[name].values[-1]) if name in curves else None
            return Cost(name, routing.size(lm.config, length), held_out, here)

        about = computing.about(text)
        return [computing.run_in_worker(lambda name=name: work(name), about) for name in _family(model)]

    @cached(64)
    def checks(model: str, text: str) -> list[Check]:
        """The identities of the model's experts, measured on the text."""
        lm, trace = computing.model(model), _passed(model, text, Change())
        return computing.run_in_worker(lambda: measure(expert_checks, lm, trace), computing.about(text))


def compute(chosen: Experts) -> Data:
    """The data of a state; where all experts of a layer are muted, or too many forced, the routing as trained is
    shown."""
    part, layers = (
        computing.model(chosen.model).config.experts,
        edits.expert_layers(computing.model(chosen.model).config),
    )
    change = chosen.change

    def known(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple(pair for pair in pairs if pair[0] in layers and pair[1] < part.count)

    change = replace(change, muted=known(change.muted), forced=known(change.forced))
    if not part.bias:
        change = replace(change, bias=Change.bias)
    try:
        _passed(chosen.model, chosen.text, change)
    except BadConfig as error:
        return Data(chosen, Change(), error)
    return Data(chosen, change, None)


def _is_word(token: str) -> bool:
    """Whether a token is a word by itself, not a mark, an end, or the first letters of one."""
    return token.startswith(" ") and token[1:].isalpha() and len(token) > 3


def worst(each: Moments) -> np.ndarray:
    """The largest load of any expert over the mean of its layer, at each moment [M]."""
    return (each.load / each.load.mean(-1, keepdims=True)).max((-1, -2))


def _family(model: str) -> tuple[str, ...]:
    return tuple(name for name in FAMILY if name in computing.models()) if model in FAMILY else (model,)


@st.cache_resource(max_entries=48, show_spinner=False)
def _passed(model: str, text: str, change: Change) -> Trace:
    """It keeps what the routers did, and no attention: that would take longer than the pass. Raises BadConfig."""
    lm = computing.model(model)
    parts = [edits.force_experts(lm.config, change.forced), edits.mute_experts(lm.config, change.muted)]
    if change.bias == REMOVED:
        parts.append(edits.without_bias(lm.config))
    if change.bias == MIXED:
        parts.append(edits.bias_in_the_mix(lm.config))
    if change.factor is not None:
        parts.append(edits.limit_capacity(lm.config, change.factor))
    every = combine(*parts)
    return computing.run_in_worker(
        lambda: lm.trace(text, edit=every, keep=lambda name: name == "normed" or name.endswith(ROUTED)),
        computing.about(text),
    )


@st.cache_data(max_entries=128, show_spinner=False)
def _loss(model: str, text: str, change: Change) -> np.ndarray:
    return computing.run_in_worker(_passed(model, text, change).loss_per_token, computing.about(text)).numpy()


@st.cache_resource(max_entries=32, show_spinner=False)
def _arrays(model: str, text: str, change: Change, count: int) -> dict[str, np.ndarray]:
    trace, part = _passed(model, text, change), computing.model(model).config.experts

    def work() -> dict[str, np.ndarray]:
        found: dict[str, list[np.ndarray]] = {}
        for layer in trace.expert_layers:
            routed, mixes = trace.routing(layer), routing.mixing_readings(trace, layer)
            values = {
                "scores": routed.scores,
                "chosen": routed.chosen,
                "weights": routed.weights,
                "plain": routing.choice_without_bias(routed, part),
                "mixed": mixes.with_bias,
                "notes": mixes.notes,
                "kept": routed.weights > 0,
            }
            for name, value in values.items():
                found.setdefault(name, []).append(value[:count].numpy())
            found.setdefault("bias", []).append(routed.bias.numpy())
        return {name: np.stack(values) for name, values in found.items()}

    return computing.run_in_worker(work, computing.about(text))


@st.cache_data(max_entries=16, show_spinner=False)
def _each_muted(model: str, text: str) -> np.ndarray:
    lm, trace = computing.model(model), _passed(model, text, Change())
    return computing.run_in_worker(lambda: losses.ablation(lm, trace), computing.about(text))
