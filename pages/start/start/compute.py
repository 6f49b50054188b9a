"""What the page Start computes, cached: two heads on the sentence, and one small picture for each chapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
from tlmviz.ui import compute, translation, words

from .words import COMPARED

MODEL = compute.DEFAULT_MODEL
MOST = 60  # tokens of the sentence that the picture shows
KEPT = ("zoo-rope", "zoo-gqa", "zoo-mla", "zoo-mqa")
PLOTTED = 150  # words
Arrays = np.ndarray


@dataclass(frozen=True)
class Head:
    """One head on the sentence: where it is, its weights [T, T], and the row that it opens on."""

    layer: int
    head: int
    weights: np.ndarray
    row: int


@st.cache_resource(max_entries=32, show_spinner=False)
def heads(text: str) -> tuple[list[str], dict[str, Head]]:
    """The tokens as they read, and two heads: the one that shows most on this text, and the one that looks one back."""
    trace, row = compute.trace(MODEL, text), compute.striking_row(MODEL, text)
    back, last = compute.previous_head(MODEL, text), min(len(trace), MOST)

    def work() -> dict[str, Head]:
        def made(layer: int, head: int, at: int) -> Head:
            return Head(layer, head, trace.attention(layer, head)[:last, :last].numpy(), min(at, last - 1))

        return {"finder": made(row.layer, row.head, row.query), "back": made(*back, last - 1)}

    return trace.tokens[:last], compute.run_in_worker(work, len(trace))


def _attention(text: str) -> Arrays:
    return heads(text)[1]["finder"].weights


def _positions(text: str) -> Arrays:
    trace, lm = compute.trace(MODEL, text), compute.model(MODEL)
    layer, head = compute.previous_head(MODEL, text)

    def work() -> Arrays:
        base = rope_planes.own_base(lm.config)
        q, k = rope_planes.head_vectors(trace, layer, head, base)
        return rope_planes.mean_of_all_pairs(q, k, base, 24, trace.specs[layer].scale)

    return np.asarray([compute.run_in_worker(work, len(trace))])


def _caches(text: str) -> Arrays:
    return np.array([token_bytes(Shape.of(registry.language_config(name))) for name in KEPT])


def _translation(text: str) -> Arrays:
    return translation.translation(translation.DEFAULT_MODEL, translation.DEFAULT_SENTENCE).attention


def _beyond(text: str) -> Arrays:
    reader = tlmviz.load("digits-perceiver")
    found = compute.run_in_worker(lambda: reader.classify(digits.held_out().images[3]))
    return np.asarray(found.maps[0])


def _streams(text: str) -> Arrays:
    trace = compute.trace(compute.DEFAULT_STREAM_MODEL, text)
    res = compute.run_in_worker(lambda: mixing.composite(mixing.mixing_of(trace).res).mean(0))
    return res.numpy()


def _experts(text: str) -> Arrays:
    trace = compute.trace(compute.DEFAULT_EXPERT_MODEL, text)
    loads = compute.run_in_worker(lambda: [trace.routing(layer).load for layer in trace.expert_layers])
    return np.asarray([np.asarray(load) for load in loads])


def _words(text: str) -> Arrays:
    vectors = words.model(words.DEFAULT_MODEL).space[:PLOTTED].double()
    _, _, axes = torch.linalg.svd(vectors - vectors.mean(0), full_matrices=False)
    return ((vectors - vectors.mean(0)) @ axes[:2].T).detach().numpy()


def _numbers(text: str) -> Arrays:
    trace = compute.trace(MODEL, text)
    found = compute.run_in_worker(lambda: logits.growth(*trace.qk(0, 4)[:2]))
    grown = np.asarray(found.by_dimensions())
    return np.asarray([grown, np.linspace(0, 1, len(grown)) * found.of_one * len(grown)])


def _cost(text: str) -> Arrays:
    return np.array(list(parameters.by_part(parameters.parameters(compute.model(MODEL))).values()), float)


def _kernels(text: str) -> Arrays:
    trace = compute.trace(MODEL, text)
    row = compute.run_in_worker(lambda: trace.scores(2, 2, "scaled")[-1])
    scores = row.numpy()
    return np.asarray([np.maximum.accumulate(scores), scores])


def _notation(text: str) -> Arrays:
    trace = compute.trace(MODEL, text)
    layer, head = compute.striking_row(MODEL, text).layer, compute.striking_row(MODEL, text).head

    def work() -> Arrays:
        values = trace[f"blocks.{layer}.attn.v"][0]  # [G, T, D]
        v = values[head * len(values) // trace.n_heads]
        return torch.linalg.svdvals((trace.attention(layer, head) @ v).float())[:16].numpy()

    return compute.run_in_worker(work, len(trace))


def _models(text: str) -> Arrays:
    names = [name for name in compute.configs() if name.startswith("zoo-")]
    return np.array([token_bytes(Shape.of(compute.configs()[name])) for name in sorted(names)])


def _workbench(text: str) -> Arrays:
    a, b = (compute.trace(MODEL, each) for each in COMPARED)
    return compute.run_in_worker(lambda: Comparison(a, b).difference(2, 0))


HEAT, SIGNED, BARS, LINES, DOTS = "heat", "signed", "bars", "lines", "dots"
PICTURES: dict[str, tuple[str, Callable[[str], Arrays]]] = {
    "Attention": (HEAT, _attention),
    "Positions": (LINES, _positions),
    "Caches": (BARS, _caches),
    "Translation": (HEAT, _translation),
    "Beyond decoders": (HEAT, _beyond),
    "Streams": (HEAT, _streams),
    "Experts": (HEAT, _experts),
    "Words": (DOTS, _words),
    "Numbers": (LINES, _numbers),
    "Cost": (BARS, _cost),
    "Kernels": (LINES, _kernels),
    "Notation": (BARS, _notation),
    "Models": (BARS, _models),
    "Workbench": (SIGNED, _workbench),
}


@st.cache_data(max_entries=64, show_spinner=False)
def values(chapter: str, text: str) -> Arrays:
    """The numbers that a chapter's picture is drawn from."""
    return PICTURES[chapter][1](text)


def picture(chapter: str, text: str, theme: figures.Theme) -> str:
    """A chapter's picture as SVG."""
    found, kind = values(chapter, text), PICTURES[chapter][0]
    if kind in (HEAT, SIGNED):
        return small.heat(found, theme, signed=kind == SIGNED)
    if kind == DOTS:
        return small.dots(found, theme)
    return small.bars(found.tolist(), theme) if kind == BARS else small.lines(found.tolist(), theme)
