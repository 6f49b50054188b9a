"""Everything the page RoPE planes computes, cached: rotations of one head, passes with other positions, identities.

Each cache names the fields of the Choice that its function reads: no other control makes it compute again.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import numpy as np
import streamlit as st
import torch

from tlmviz import kernels
from tlmviz.analysis.positions import rope_planes, rope_runs
from tlmviz.analysis.positions.rope_planes import Clocks, Rotation
from tlmviz.checks import Check, measure, positions_planes
from tlmviz.checks import positions as position_checks
from tlmviz.tokens import output_names
from tlmviz.trace import Trace
from tlmviz.ui.compute import about, run_in_worker

from .controls import CLOCKS, HEADS, LAYOUTS, NOTES_BASE, STEPS, Choice

CONTINUED = 16  # tokens
BY_TEXT = {Choice: attrgetter("model", "text")}
BY_HEAD = {Choice: attrgetter("model", "text", "head")}
BY_BASE = {Choice: attrgetter("model", "text", "base")}
BY_SCOPE = {Choice: attrgetter("model", "text", "head", "base", "everywhere")}


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_HEAD)
def vectors(choice: Choice) -> tuple[torch.Tensor, torch.Tensor]:
    """The head's queries and keys before RoPE, [T, D] each."""
    trace, base = choice.trace, choice.own_base
    return run_in_worker(lambda: rope_planes.head_vectors(trace, *choice.head, base), about(choice.text))


def clocks(choice: Choice) -> Clocks:
    """The query and the key at every step of the slider."""
    (q, k), (query, key) = vectors(choice), choice.pair
    return rope_planes.clocks(
        q[query],
        k[key],
        choice.pair,
        choice.base,
        scale=choice.trace.specs[choice.head[0]].scale,
        moves=choice.moves,
        stride=choice.stride,
    )


def model_score(choice: Choice) -> float:
    """The model's own scaled score of the pair, from the kernel that draws its maps; no mask."""
    q, k, _ = choice.trace.qk(*choice.head)
    rows, cols = (slice(at, at + 1) for at in choice.pair)
    scale = choice.trace.specs[choice.head[0]].scale
    return kernels.attention_scores(
        q[None, None], k[None, None], rows=rows, cols=cols, causal=False, scale=scale
    ).item()


def rotation(choice: Choice) -> Rotation:
    """Every matrix between the queries of the rows that are drawn and their rotation."""
    q, _ = vectors(choice)
    return rope_planes.rotation(q[choice.rows], choice.base, choice.layout, choice.rows.start)


def run(choice: Choice, how: str) -> Trace:
    """A real pass with other positions (see `rope_runs.variants`); "own" is the pass that all pages share."""
    return choice.trace if how == "own" else _run(_with_base_of(choice, how), how)


@st.cache_resource(max_entries=12, show_spinner=False, hash_funcs=BY_BASE)
def _run(choice: Choice, how: str) -> Trace:
    lm = choice.lm
    positions = rope_runs.variants(lm, choice.base)[how]
    return run_in_worker(lambda: lm.trace(choice.text, positions=positions), about(choice.text))


def mean_loss(choice: Choice, how: str) -> float:
    """The mean loss of such a pass in nats per token; NaN for a text of one token."""
    losses = run(choice, how).loss_per_token()
    return losses.mean().item() if len(losses) else float("nan")


def agreement(choice: Choice, how: str) -> float:
    """Share of the positions whose most probable next token is that of the model as trained."""
    return float((run(choice, how).logits.argmax(-1) == choice.trace.logits.argmax(-1)).float().mean())


def next_tokens(choice: Choice, count: int = 5) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The likeliest tokens after the query, with their probabilities [count] under the right and the wrong layout."""
    p, q = (run(choice, how).probabilities(choice.pair[0]) for how in ("own", "half"))
    ids = (p + q).topk(count).indices.tolist()
    return output_names(choice.lm.tokenizer, ids), p[ids].numpy(), q[ids].numpy()


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=BY_TEXT)
def continued(choice: Choice, how: str) -> str:
    """What the model writes next with such positions, always taking the most probable token."""
    lm, trace = choice.lm, choice.trace
    positions = rope_runs.variants(lm, NOTES_BASE)[how]
    ids = run_in_worker(
        lambda: rope_runs.continue_greedily(lm, trace.ids, positions, CONTINUED), about(choice.text)
    )
    return lm.tokenizer.decode(ids)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_TEXT)
def energy(choice: Choice) -> np.ndarray:
    """How far each plane of each head could move a score, [L, H, P]."""
    trace = choice.trace
    return run_in_worker(lambda: rope_planes.energy(trace), about(choice.text))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_HEAD)
def spread(choice: Choice) -> np.ndarray:
    """How far each plane of the head tells keys apart, [P]."""
    trace = choice.trace
    return run_in_worker(lambda: rope_planes.spread(trace, *choice.head), about(choice.text))


def by_distance(choice: Choice, how: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean score by distance of the text's own pairs and of all its pairs at every distance, [N] each.

    Rotation is exchanged in the head, which keeps its queries and keys, or in every layer of a real pass.
    """
    return _by_distance(_with_base_of(choice, how), how)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=BY_SCOPE)
def _by_distance(choice: Choice, how: str) -> tuple[np.ndarray, np.ndarray]:
    own = choice.own_base
    base = {"own": own, "off": None, "base": choice.base}[how]
    trace = run(choice, how) if choice.everywhere else choice.trace
    spec, length = trace.specs[choice.head[0]], len(trace)
    scale, window = spec.scale, spec.mask.window

    def work() -> tuple[np.ndarray, np.ndarray]:
        q, k = rope_planes.head_vectors(trace, *choice.head, base if choice.everywhere else own)
        every = rope_planes.mean_of_all_pairs(q, k, base, min(window or length, length), scale)
        return rope_planes.mean_by_distance(*rope_planes.turned(q, k, base), scale, window), every

    return run_in_worker(work, about(choice.text))


def checks(choice: Choice) -> list[Check]:
    """The identity of the chosen part, and those of RoPE on this text."""
    return [*_OF_PART[choice.part](choice), *_checks_of_text(choice)]


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=BY_TEXT)
def _checks_of_text(choice: Choice) -> list[Check]:
    lm, trace = choice.lm, choice.trace
    return run_in_worker(lambda: measure(position_checks, lm, trace), about(choice.text))


def _planes_are_the_score(choice: Choice) -> list[Check]:
    """At the true positions and with the model's own base, whatever the slider moves."""
    here = clocks(replace(choice, base=choice.own_base, moves="both", stride=1))
    return [positions_planes.planes_are_the_score(here, model_score(choice))]


def _steps_are_the_kernel(choice: Choice) -> list[Check]:
    """On all rows, not only on those that are drawn."""
    q, _ = vectors(choice)
    return [positions_planes.steps_are_the_kernel(q, choice.base, choice.layout)]


def _reordered_rows_are_right(choice: Choice) -> list[Check]:
    return [positions_planes.reordered_rows_are_right(run(choice, "own"), run(choice, "permuted"))]


_OF_PART = {
    CLOCKS: _planes_are_the_score,
    STEPS: _steps_are_the_kernel,
    LAYOUTS: _reordered_rows_are_right,
    HEADS: lambda choice: [],
}


def _with_base_of(choice: Choice, how: str) -> Choice:
    """The choice with the base that `how` uses: a pass that uses none is kept once for all of them."""
    return choice if how == "base" else replace(choice, base=choice.own_base)
