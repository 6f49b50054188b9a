"""What the page "The attention family" keeps: the models it can show, and cached measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.caches import projections, redundancy, weight_absorption
from tlmviz.analysis.caches.family import largest_family
from tlmviz.analysis.caches.redundancy import Losses
from tlmviz.analysis.caches.similarity import SIMILARITIES
from tlmviz.checkpoints.registry import language_config
from tlmviz.checks import Check, caches_family, measure
from tlmviz.config import ModelConfig
from tlmviz.layers.positions import alibi_slopes
from tlmviz.ui import compute, inputs

READ = 128  # tokens of the text that redundancy is measured on: hundreds of passes
CORNER = 64  # rows and columns that are drawn of a product for each distance
SHOWN = 48  # bins, or tokens, along the side of a small map
SCORED = 160  # tokens along the side of a map of scores
TRAIN = "`python -m tlmviz.training zoo --data DIR`"


@st.cache_data(show_spinner=False)
def configs() -> dict[str, ModelConfig]:
    """The bundled models' configurations, without their weights."""
    return {name: language_config(name) for name in compute.models()}


def family(name: str) -> list[str]:
    """Models that differ in their attention alone: this one's, or the largest such family there is."""
    found = largest_family(configs(), name)
    return found if len(found) > 1 else []


def latent_models() -> list[str]:
    """The bundled models with latent attention."""
    return [name for name, config in configs().items() if config.attention.latent_dim is not None]


# --- computed once ----------------------------------------------------------------------------------


def shortened(name: str, text: str) -> str:
    """The part of a text that a model other than the loaded one reads; a sentence says what was cut."""
    part, tokens = compute.model(name).fit(text)
    if part != text:
        limit = compute.model(name).config.context
        st.warning(
            f"This text has {tokens:,} tokens and {name} reads {limit:,}: the first {limit:,} are shown."
        )
    return part


@st.cache_resource(max_entries=32, show_spinner=False)
def pictures(name: str, text: str, layer: int) -> np.ndarray:
    """One layer's maps, pooled to at most SHOWN bins, [H, n, n]."""
    trace = compute.trace(name, text)
    size, heads = min(SHOWN, len(trace)), range(trace.n_heads)
    return compute.run_in_worker(
        lambda: torch.stack([trace.pooled(layer, head, size) for head in heads]).numpy(), compute.about(text)
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(name: str, text: str) -> list[Check]:
    """The identities behind this page, on this text."""
    lm, trace = compute.model(name), compute.trace(name, text)
    return compute.run_in_worker(lambda: measure(caches_family, lm, trace), compute.about(text))


@dataclass(frozen=True)
class Turning:
    """What RoPE between W_Q and W_K' does to their product: see `analysis.projections`."""

    matrices: np.ndarray  # [N, C, E], at most CORNER rows and columns
    whole: tuple[int, int]  # C, E
    distances: list[int]
    moved: np.ndarray  # [M]
    missed: float

    def name(self, product: str) -> str:
        """The product with the part of it that is drawn."""
        drawn = self.matrices.shape[1:]
        return (
            product
            if drawn == self.whole
            else "{}, first {} × {} of {} × {}".format(product, *drawn, *self.whole)
        )


@st.cache_resource(max_entries=32, show_spinner=False)
def turning(name: str, text: str, layer: int, head: int) -> Turning:
    """One head's product under RoPE at distances 0, 1, 2, 4 ... of the model's context."""
    lm, trace = compute.model(name), compute.trace(name, text)

    def work() -> Turning:
        heads, length = projections.heads_of(lm, trace, layer), lm.config.context
        distances = [0, *(2**power for power in range(length.bit_length()) if 2**power < length)]
        base = lm.config.positions.rope_base
        matrices = projections.turned_products(heads, head, distances, base).float().numpy()
        corner = np.ascontiguousarray(matrices[:, :CORNER, :CORNER])
        moved, missed = projections.turning(heads, head, length, base)
        return Turning(corner, matrices.shape[1:], distances, moved.float().numpy(), missed)

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def absorbed_errors(name: str, text: str) -> list[float]:
    """Per layer: how far the folded matrices' output lies from the layer's own, relative."""
    lm, trace = compute.model(name), compute.trace(name, text)
    return compute.run_in_worker(lambda: weight_absorption.absorbed_errors(lm, trace), compute.about(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def latent_parts(name: str, text: str, layer: int, head: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Content and rotary part of a head's scores with NaN where it may not look, and its weights.

    [n, n] each, of the last n tokens, at most SCORED: four exact maps of more would be slow to send.
    """
    lm, trace = compute.model(name), compute.trace(name, text)

    def work() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        hidden = trace.scores(layer, head, "masked") == -torch.inf
        parts = [
            part.masked_fill(hidden, torch.nan)
            for part in weight_absorption.score_parts(lm, trace, layer, head)
        ]
        return tuple(part[-SCORED:, -SCORED:].numpy() for part in (*parts, trace.attention(layer, head)))

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def rotary_shares(name: str, text: str) -> np.ndarray:
    """The rotary part's share of every head's variance, [L, H]."""
    lm, trace = compute.model(name), compute.trace(name, text)
    layers = range(lm.config.n_layers)
    return compute.run_in_worker(
        lambda: torch.stack([weight_absorption.part_shares(lm, trace, layer) for layer in layers]).numpy(),
        compute.about(text),
    )


CONDITIONS = ("as trained", "one W_Q, W_K", "… with ALiBi", "… with RoPE", "same M, RoPE")


@st.cache_resource(max_entries=32, show_spinner=False)
def collapsed(name: str, text: str, layer: int) -> tuple[np.ndarray, list[float]]:
    """One layer's maps in each of CONDITIONS, [5, H, n, n], and how far the logits of its heads lie apart."""
    lm, trace = compute.model(name), compute.trace(name, text)

    def work() -> tuple[np.ndarray, list[float]]:
        heads = projections.heads_of(lm, trace, layer).until(SHOWN)
        first, count, base = heads.as_first(), len(heads.w_q), lm.config.positions.rope_base
        length = len(heads.x_q)
        own = torch.stack([trace.scores(layer, head)[:length, :length] for head in range(count)]).double()
        slopes = alibi_slopes(count)
        logits = [
            own,
            first.logits(),
            first.logits(slopes=slopes),
            first.logits(base),
            heads.refactored().logits(base),
        ]
        seen = torch.ones(length, length).tril().bool()
        apart = [((part - part[:1]) * seen).abs().max().item() for part in logits]
        maps = torch.stack(logits).masked_fill(~seen, -torch.inf).softmax(-1)
        return maps.float().numpy(), apart

    return compute.run_in_worker(work, compute.about(text))


def ids(name: str, text: str) -> tuple[int, ...]:
    """The tokens that redundancy is measured on."""
    return tuple(compute.trace(name, text).ids[:READ])


@st.cache_data(show_spinner=False, max_entries=64)
def others(name: str, text: str) -> tuple[tuple[int, ...], ...]:
    """The app's example texts but this one, as tokens: they had no say in what is pruned or merged."""
    lm = compute.model(name)
    return tuple(tuple(lm.encode(example)) for example in inputs.EXAMPLES.values() if example != text)


@st.cache_resource(max_entries=32, show_spinner=False)
def similarity(name: str, text: str, which: str) -> torch.Tensor:
    """Similarity of every two heads, [L * H, L * H]."""
    trace = compute.trace(name, text)
    return compute.run_in_worker(lambda: SIMILARITIES[which](trace), compute.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def effects(name: str, tokens: tuple[int, ...], how: str) -> np.ndarray:
    """What muting each head alone adds to the loss, [L, H]."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: redundancy.single_effects(lm, tokens, how).numpy())


@st.cache_data(max_entries=2048, show_spinner=False)
def greedy_step(
    name: str, tokens: tuple[int, ...], how: str, muted: tuple[tuple[int, int], ...]
) -> tuple[int, int]:
    """The head missed least beside the muted ones."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: redundancy.greedy_step(lm, tokens, muted, how))


def pruning_order(name: str, tokens: tuple[int, ...], order: str, how: str) -> tuple[tuple[int, int], ...]:
    """The order of ablation. The greedy search goes step by step, so that others get their turn and a bar moves."""
    lm = compute.model(name)
    if order != "greedy":
        return _order(name, tokens, order, how)
    count, muted, place = lm.config.n_layers * lm.config.n_heads, (), st.empty()
    for step in range(count):
        place.progress(step / count, f"Greedy: {step} of {count} heads chosen")
        muted = (*muted, greedy_step(name, tokens, how, muted))
    place.empty()
    return muted


@st.cache_data(max_entries=64, show_spinner=False)
def _order(name: str, tokens: tuple[int, ...], order: str, how: str) -> tuple[tuple[int, int], ...]:
    lm = compute.model(name)
    return tuple(compute.run_in_worker(lambda: redundancy.pruning_order(lm, tokens, order, how)))


@st.cache_data(max_entries=64, show_spinner=False)
def pruned(
    name: str, text: str, tokens: tuple[int, ...], order: tuple[tuple[int, int], ...], how: str
) -> Losses:
    """Loss along an order of pruning, here and on the other examples."""
    lm, rest = compute.model(name), others(name, text)
    return compute.run_in_worker(lambda: redundancy.prune(lm, tokens, order, how, rest))


@dataclass(frozen=True)
class Sharing:
    """Every pair of key/value heads merged alone, and the walk from MHA to one head per layer."""

    pairs: dict[tuple[int, int, int], float]
    alike: list[float]
    order: list[tuple[int, int, int]]
    losses: Losses


@st.cache_data(max_entries=32, show_spinner=False)
def shared(name: str, text: str, tokens: tuple[int, ...], which: str) -> Sharing:
    """Keys and values merged by similarity. Raises UnknownName where there are none to merge."""
    lm, rest = compute.model(name), others(name, text)
    redundancy.shareable(lm)
    alike = similarity(name, text, which)

    def work() -> Sharing:
        pairs, near = redundancy.pair_effects(lm, tokens), redundancy.kv_similarity(lm, alike)
        order = redundancy.sharing_order(lm, alike)
        return Sharing(
            pairs, [near[pair].item() for pair in pairs], order, redundancy.share(lm, tokens, order, rest)
        )

    return compute.run_in_worker(work)


def _alone(text: str, work):
    def without_grad():
        with torch.inference_mode():
            return work()

    return compute.run_in_worker(without_grad, compute.about(text))
