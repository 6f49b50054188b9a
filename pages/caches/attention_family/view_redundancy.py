"""Draws the part Redundancy of the page Attention family: similar heads, head ablation, and shared keys and values."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.caches.similarity import most_alike
from tlmviz.errors import UnknownName
from tlmviz.figures.caches import redundancy as figures
from tlmviz.ui import frame, patience

from . import compute_redundancy as compute
from . import controls, words
from .compute_redundancy import Sharing
from .controls import Ablation, Choice, Reading

PAIRS = 6


def redundancy(choice: Choice) -> None:
    """Similarity beside ablation, then sharing."""
    reading = choice.reading
    if len(reading.trace) < 2:
        st.info(words.TOO_SHORT)
        return
    ablation = controls.choose_ablation()
    left, right = st.columns([0.42, 0.58])
    with left:
        _similarity(reading, ablation.similarity)
    with right:
        if not _accepted(reading, ablation):
            return
        with st.spinner(words.mutes(reading), show_time=True):
            _ablation(reading, ablation)
    texts = len(compute.other_texts(reading))
    st.caption(words.redundancy_source(reading, len(compute.sample(reading).ids), texts))
    try:
        with st.spinner(words.merges(reading), show_time=True):
            sharing = compute.sharing(reading, ablation.similarity)
    except UnknownName as error:  # this model shares all already: the other pictures stay
        st.info(str(error))
    else:
        _sharing(reading, ablation.similarity, sharing)
    st.markdown(words.reused(compute.reused(compute.sample(reading)).tolist()))
    frame.measured(lambda: compute.shipped_check(compute.sample(reading), ablation.how))
    frame.copy_as_python(words.redundancy_snippet(reading, ablation, compute.READ))


def _accepted(reading: Reading, ablation: Ablation) -> bool:
    """Whether ablation and sharing take seconds, or were asked for."""
    return patience.accepted(
        ("redundancy", reading, ablation.order),
        compute.seconds(reading, ablation.order),
        words.takes_long(reading),
        "Mute them anyway",
    )


def _similarity(reading: Reading, measure: str) -> None:
    """Every head against every other."""
    config = reading.lm.config
    values = compute.similarity(reading, measure)
    pairs = most_alike(values, PAIRS)
    figure = figures.similarity(
        values.numpy(), config.n_layers, [pair[:2] for pair in pairs], measure, frame.theme()
    )
    frame.chart(figure, key="alike", alt=words.alike_alt(measure))
    st.caption(words.most_alike(pairs[:3], config.n_heads))


def _ablation(reading: Reading, ablation: Ablation) -> None:
    """Each head's own effect, and the loss as heads are ablated one by one."""
    theme, sample, how = frame.theme(), compute.sample(reading), ablation.how
    effects = compute.effects(sample, how)
    figure = figures.effects(effects, theme, 44 + 34 * len(effects))
    frame.chart(figure, key="effects", alt=words.EFFECTS_ALT)
    order = compute.pruning_order(sample, ablation.order, how)
    random = compute.pruning_order(sample, "random", how)
    losses = compute.pruned(reading, order, how)
    lines = {
        "this text": _change(losses.here),
        "other texts": _change(losses.elsewhere),
        words.OTHER_TEXTS: _change(compute.pruned(reading, random, how).elsewhere),
    }
    labels = ["no head muted"]
    labels += [f"{step} muted, last {layer}.{head}" for step, (layer, head) in enumerate(order, start=1)]
    title = words.PRUNE_TITLE
    marks = _affordable(losses.elsewhere)
    figure = figures.steps(lines, labels, theme, title=title, x="heads muted", height=300, marks=marks)
    frame.chart(figure, key="prune", alt=words.PRUNE_ALT)


def _change(loss: tuple[float, ...]) -> np.ndarray:
    return np.array(loss) - loss[0]


def _affordable(loss: tuple[float, ...]) -> dict[int, str]:
    """The last step whose loss is at most 0.1 nats above that of all heads."""
    steps = [step for step, value in enumerate(loss) if value <= loss[0] + 0.1]
    return {steps[-1]: f"{steps[-1]} heads cost 0.1 nats"} if steps and steps[-1] else {}


def _sharing(reading: Reading, measure: str, sharing: Sharing) -> None:
    """Keys and values of the most similar heads merged."""
    left, right = st.columns([0.42, 0.58])
    with left:
        _pairs(measure, sharing)
    with right:
        _merges(reading, sharing)


def _pairs(measure: str, sharing: Sharing) -> None:
    """Similarity and change of loss of every pair that is merged alone."""
    labels = [f"layer {layer}, key/value heads {a} and {b}" for layer, a, b in sharing.pairs]
    alike, change = np.array(sharing.alike), np.array(list(sharing.pairs.values()))
    figure = figures.pairs(alike, change, labels, measure, frame.theme())
    frame.chart(figure, key="kvpairs", alt="Pairs merged alone")
    correlation = _correlation(alike, change)
    if correlation is not None:
        st.caption(words.pairs_caption(len(labels), correlation))


def _merges(reading: Reading, sharing: Sharing) -> None:
    """The loss as key/value heads are merged one by one."""
    layers, count = reading.lm.config.n_layers, reading.lm.config.n_layers * reading.lm.config.n_kv_heads
    labels = [f"{count} key/value heads"]
    labels += [
        f"{count - step} left: layer {layer}, {b} joins {a}"
        for step, (layer, a, b) in enumerate(sharing.order, start=1)
    ]
    losses = sharing.losses
    lines = {"this text": _change(losses.here), "other texts": _change(losses.elsewhere)}
    figure = figures.steps(
        lines,
        labels,
        frame.theme(),
        title=words.MERGE_TITLE,
        height=320,
        x=words.merges_axis(layers),
    )
    frame.chart(figure, key="merge", alt=words.MERGE_ALT)


def _correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    """Pearson's, over pairs where both are finite; None where it does not exist."""
    finite = np.isfinite(x) & np.isfinite(y)
    if finite.sum() < 3 or np.ptp(x[finite]) == 0 or np.ptp(y[finite]) == 0:
        return None
    return float(np.corrcoef(x[finite], y[finite])[0, 1])
