"""Computes what several views of the page Experts show, cached: passes with the routing changed, their arrays, identities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits, routing
from tlmviz.checks import Check, measure
from tlmviz.checks import experts as expert_checks
from tlmviz.routing import ROUTING
from tlmviz.trace import Trace
from tlmviz.ui import compute

from .controls import Reading

Experts = tuple[tuple[int, int], ...]  # (layer, expert)
BIAS = KEPT, REMOVED, MIXED = "as trained", "removed", "in the mix"
ROUTED = tuple(f".mlp.{part}" for part in (*ROUTING, "router_logits"))  # what a pass keeps of each layer
SENT = 1_350_000  # bytes of one picture


@dataclass(frozen=True)
class Change:
    """What is changed in the routing of a pass: experts muted and forced, the bias, and a capacity factor (None: no limit)."""

    muted: Experts = ()
    forced: Experts = ()
    bias: str = KEPT
    factor: float | None = None

    @property
    def nothing(self) -> bool:
        """Whether the model routes as it was trained to."""
        return self == Change()


@st.cache_resource(max_entries=48, show_spinner=False)
def passed(reading: Reading, change: Change) -> Trace:
    """A pass over the text with the routing changed. Raises BadConfig where a layer is left without experts.

    It keeps what the routers did, and no attention: that would take longer than the pass.
    """
    config = reading.lm.config
    parts = [edits.force_experts(config, change.forced), edits.mute_experts(config, change.muted)]
    if change.bias == REMOVED:
        parts.append(edits.without_bias(config))
    if change.bias == MIXED:
        parts.append(edits.bias_in_the_mix(config))
    if change.factor is not None:
        parts.append(edits.limit_capacity(config, change.factor))
    every = combine(*parts)
    return compute.run_in_worker(
        lambda: reading.lm.trace(reading.text, edit=every, keep=_is_kept), compute.about(reading.text)
    )


def _is_kept(name: str) -> bool:
    return name == "normed" or name.endswith(ROUTED)


@st.cache_data(max_entries=128, show_spinner=False)
def loss(reading: Reading, change: Change) -> np.ndarray:
    """The loss of each token but the first in such a pass, nats [T - 1]."""
    trace = passed(reading, change)
    return compute.run_in_worker(trace.loss_per_token, compute.about(reading.text)).numpy()


def shown(reading: Reading) -> int:
    """How many tokens a picture shows: a model of many layers and experts has too much to say of each for a long text."""
    part = reading.experts
    each = len(reading.layers) * (4 * part.count + 17 * part.chosen)
    return max(1, min(len(reading.tokens), SENT // each))


@st.cache_resource(max_entries=32, show_spinner=False)
def arrays(reading: Reading, change: Change) -> dict[str, np.ndarray]:
    """What the picture of a pass is sent, by the names of `component.payload`; the first `shown` tokens."""
    trace = passed(reading, change)
    found = compute.run_in_worker(lambda: _arrays(reading, trace), compute.about(reading.text))
    # What is no longer the router's own choice is not compared with it.
    return found if change.nothing else {**found, "plain": found["chosen"]}


def _arrays(reading: Reading, trace: Trace) -> dict[str, np.ndarray]:
    count = shown(reading)
    found: dict[str, list[np.ndarray]] = {}
    for layer in reading.layers:
        routed, mixes = trace.routing(layer), routing.mixing_readings(trace, layer)
        values = {
            "scores": routed.scores,
            "chosen": routed.chosen,
            "weights": routed.weights,
            "plain": routing.choice_without_bias(routed, reading.experts),
            "mixed": mixes.with_bias,
            "notes": mixes.notes,
            "kept": routed.weights > 0,
        }
        for name, value in values.items():
            found.setdefault(name, []).append(value[:count].numpy())
        found.setdefault("bias", []).append(routed.bias.numpy())
    return {name: np.stack(values) for name, values in found.items()}


@st.cache_data(max_entries=32, show_spinner=False)
def loads(reading: Reading) -> np.ndarray:
    """The share of the text's tokens that reach each expert [L, E]."""
    return routing.loads(passed(reading, Change())) / len(reading.tokens)


@st.cache_data(max_entries=32, show_spinner=False)
def opening(reading: Reading) -> tuple[int, int]:
    """The layer and the token that the page opens on: where the bias changed the choice and the chosen weigh most unequally."""
    found = arrays(reading, Change())
    turned = (np.sort(found["chosen"], -1) != np.sort(found["plain"], -1)).any(-1)  # [L, T]
    contrast = found["weights"].max(-1) - found["weights"].min(-1)
    place, token = np.unravel_index(int((contrast + turned).argmax()), turned.shape)
    return reading.layers[int(place)], int(token)


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(reading: Reading) -> list[Check]:
    """The identities of the model's experts, measured on the text."""
    lm, trace = reading.lm, passed(reading, Change())
    return compute.run_in_worker(lambda: measure(expert_checks, lm, trace), compute.about(reading.text))
