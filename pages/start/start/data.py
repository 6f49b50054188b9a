"""Everything that the page Start shows: two heads on the sentence, and one small picture for each chapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch

import tlmviz
from tlmviz import digits, figures
from tlmviz.analysis.caches.cost import Shape, token_bytes
from tlmviz.analysis.cost import parameters
from tlmviz.analysis.numbers import logits
from tlmviz.analysis.positions import rope_planes
from tlmviz.analysis.streams import mixing
from tlmviz.analysis.workbench.comparing import Comparison
from tlmviz.checkpoints import registry
from tlmviz.figures.start import small
from tlmviz.tokens import BYTES, characters, output_names, spelled
from tlmviz.ui import compute as shared
from tlmviz.ui import translation, words

from .state import Start

MODEL = shared.DEFAULT_MODEL
MOST = 60  # tokens of the sentence that the picture shows
KEPT = ("zoo-rope", "zoo-gqa", "zoo-mla", "zoo-mqa")
PLOTTED = 150  # words
HELD_OUT = 1.05  # bits per byte of held-out stories: models/stories-rope/card.md
FINDER, BACK = "finder", "back"  # the head that shows most, and the one that looks one back
# The two texts that the Workbench's picture compares.
COMPARED = ("Lily had a red ball. One day, Lily lost the red", "Lily had a red hat. One day, Lily lost the red")
Arrays = np.ndarray


@dataclass(frozen=True)
class Head:
    """One head on the sentence: where it is, its weights [N, N], the row that it opens on and the tag that says why."""

    layer: int
    head: int
    weights: np.ndarray
    row: int
    tag: str = ""


class Next(NamedTuple):
    """The token that is likeliest to come next: its id, how it reads, its probability."""

    id: int
    token: str
    p: float


@dataclass(frozen=True)
class Reading:
    """What the model makes of a sentence, as far as the picture shows it: `tokens`, of which those that spell one
    character are one, with their `places` in the trace, two heads on them, and what is expected behind each.

    Such a character is looked at as much as all of its tokens, and looks from the last.
    """

    ids: list[int]
    tokens: list[str]
    places: list[range]
    heads: dict[str, Head]
    expected: list[Next]


@dataclass(frozen=True)
class Data:
    """What the page shows of a sentence."""

    chosen: Start

    @property
    def length(self) -> int:
        """Tokens of the sentence."""
        return len(shared.trace(MODEL, self.chosen.text))

    @property
    def tokens(self) -> list[str]:
        """What the picture shows of them."""
        return reading(self.chosen.text).tokens

    @property
    def places(self) -> list[range]:
        """Their places among all tokens."""
        return reading(self.chosen.text).places

    @property
    def cost(self) -> float:
        """What the sentence costs the model, in bits per byte."""
        return shared.bits_per_byte(MODEL, self.chosen.text)

    @property
    def bytes(self) -> int:
        """How many tokens of the sentence are a part of a character."""
        return sum(bool(BYTES.fullmatch(token)) for token in shared.trace(MODEL, self.chosen.text).tokens)

    def word(self, position: int) -> str:
        """A token as a reader meets it here."""
        return word(self.tokens[position])

    @property
    def words(self) -> list[str]:
        """These tokens as a reader meets them here."""
        return list(map(word, self.tokens))

    @property
    def next_words(self) -> list[tuple[str, float]]:
        """What is expected behind each, likewise, with its probability."""
        return [(word(each.token), each.p) for each in self.expected]

    def picture(self, chapter: str, theme: figures.Theme) -> str:
        """A chapter's picture of the sentence as SVG."""
        return picture(chapter, self.chosen.text, theme)

    @property
    def heads(self) -> dict[str, Head]:
        """The two heads, by FINDER and BACK."""
        return reading(self.chosen.text).heads

    @property
    def expected(self) -> list[Next]:
        """What is expected behind each of these tokens."""
        return reading(self.chosen.text).expected

    def expects(self, row: int, key: int) -> bool:
        """Whether the token at `key` is what is expected behind the one at `row`."""
        return len(self.places[key]) == 1 and self.expected[row].id == reading(self.chosen.text).ids[key]


def word(token: str) -> str:
    """A token as a reader meets it here: a space before it goes, unless it is nothing else; a part of a character is a
    byte."""
    return "⟨byte⟩" if BYTES.fullmatch(token) else figures.readable(token).lstrip("␣") or "␣"


@st.cache_resource(max_entries=32, show_spinner=False)
def reading(text: str) -> Reading:
    """The tokens, what is expected behind each, and two heads: the one that shows most, and the one that looks one
    back."""
    trace, back = shared.trace(MODEL, text), shared.previous_head(MODEL, text)
    row, last, tokenizer = (
        shared.striking_row(MODEL, text, back),
        min(len(trace), MOST),
        shared.model(MODEL).tokenizer,
    )
    places = characters(tokenizer, trace.ids[:last])
    ends = [each.stop - 1 for each in places]

    def work() -> Reading:
        def made(layer: int, head: int, at: int, tag: str = "") -> Head:
            weights = trace.attention(layer, head)[ends, :last].numpy()
            weights = np.add.reduceat(weights, [each.start for each in places], 1)
            return Head(layer, head, weights, int(np.searchsorted(ends, min(at, last - 1))), tag)

        both = {FINDER: made(row.layer, row.head, row.query, row.tag), BACK: made(*back, last - 1)}
        likeliest = trace.logits_at(ends).softmax(-1).max(-1)
        ids = likeliest.indices.tolist()
        names = output_names(tokenizer, ids)
        expected = [Next(*each) for each in zip(ids, names, likeliest.values.tolist(), strict=True)]
        tokens = [spelled(tokenizer, trace.ids[each.start : each.stop]) for each in places]
        return Reading([trace.ids[each.start] for each in places], tokens, places, both, expected)

    return shared.run_in_worker(work, len(trace))


def _attention(text: str) -> Arrays:
    return reading(text).heads[FINDER].weights


def _positions(text: str) -> Arrays:
    trace, lm = shared.trace(MODEL, text), shared.model(MODEL)
    layer, head = shared.previous_head(MODEL, text)

    def work() -> Arrays:
        base = rope_planes.own_base(lm.config)
        q, k = rope_planes.head_vectors(trace, layer, head, base)
        return rope_planes.mean_of_all_pairs(q, k, base, 24, trace.specs[layer].scale)

    return np.asarray([shared.run_in_worker(work, len(trace))])


def _caches(text: str) -> Arrays:
    return np.array([token_bytes(Shape.of(registry.language_config(name))) for name in KEPT])


def _translation(text: str) -> Arrays:
    return translation.translation(translation.DEFAULT_MODEL, translation.DEFAULT_SENTENCE).attention


def _beyond(text: str) -> Arrays:
    reader = tlmviz.load("digits-perceiver")
    grid = digits.held_out().images[3:12].reshape(3, 3, 8, 8)
    maps = shared.run_in_worker(lambda: reader.classify(grid)).maps[-1]  # [M, pixels]
    return np.asarray(maps.reshape(-1, 3, 8, 3, 8).sum((2, 4)).reshape(-1, 9))  # by latent and cell


def _streams(text: str) -> Arrays:
    trace = shared.trace(shared.DEFAULT_STREAM_MODEL, text)
    # The first sublayer's. The product of all has nothing to see: it shares out evenly.
    return shared.run_in_worker(lambda: mixing.mixing_of(trace).res[0].mean(0)).numpy()


def _words(text: str) -> Arrays:
    vectors = words.model(words.DEFAULT_MODEL).space[:PLOTTED].double()
    _, _, axes = torch.linalg.svd(vectors - vectors.mean(0), full_matrices=False)
    return ((vectors - vectors.mean(0)) @ axes[:2].T).detach().numpy()


def _numbers(text: str) -> Arrays:
    trace = shared.trace(MODEL, text)
    found = shared.run_in_worker(lambda: logits.growth(*trace.qk(0, 4)[:2]))
    grown = np.asarray(found.by_dimensions())
    return np.asarray([grown, np.linspace(0, 1, len(grown)) * found.of_one * len(grown)])


def _cost(text: str) -> Arrays:
    return np.array(list(parameters.by_part(parameters.parameters(shared.model(MODEL))).values()), float)


def _workbench(text: str) -> Arrays:
    a, b = (shared.trace(MODEL, each) for each in COMPARED)
    return shared.run_in_worker(lambda: Comparison(a, b).difference(2, 0))


HEAT, SIGNED, BARS, LINES, DOTS = "heat", "signed", "bars", "lines", "dots"
PICTURES: dict[str, tuple[str, Callable[[str], Arrays]]] = {
    "Attention": (HEAT, _attention),
    "Positions": (LINES, _positions),
    "Caches": (BARS, _caches),
    "Translation": (HEAT, _translation),
    "Beyond decoders": (HEAT, _beyond),
    "Streams and experts": (HEAT, _streams),
    "Words": (DOTS, _words),
    "Numbers": (LINES, _numbers),
    "Cost and kernels": (BARS, _cost),
    "Workbench": (SIGNED, _workbench),
}


def values(chapter: str, text: str) -> Arrays:
    """The numbers that a chapter's picture is drawn from."""
    return PICTURES[chapter][1](text)


@st.cache_resource(max_entries=64, show_spinner=False)
def picture(chapter: str, text: str, theme: figures.Theme) -> str:
    """A chapter's picture as SVG."""
    found, kind = values(chapter, text), PICTURES[chapter][0]
    if kind in (HEAT, SIGNED):
        return small.heat(found, theme, signed=kind == SIGNED)
    if kind == DOTS:
        return small.dots(found, theme)
    return small.bars(found.tolist(), theme) if kind == BARS else small.lines(found.tolist(), theme)
