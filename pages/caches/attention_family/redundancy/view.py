"""Draws the part Redundancy: similar heads, head ablation, and shared keys and values."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.caches import redundancy as figures
from tlmviz.ui import confirm_long_run, frame, inputs
from tlmviz.ui.language import _

from .claims import AFFORDED, affordable, correlation
from .data import READ, Data, Sharing
from .state import Ablation

EQUATION = (
    r"\mathrm{CKA}(X, Y) = \frac{\lVert Y^\top X \rVert_F^2}{\lVert X^\top X \rVert_F\, \lVert Y^\top Y \rVert_F}"
    r"\ \text{(centred)},\qquad K_a, K_b \to \tfrac12 (K_a + K_b)",
    "Attention, “Redundancy Among Heads” and “Pruning or Tying Heads”; Kornblith et al. 2019, Song et al. 2012 "
    "(unbiased); Michel et al. 2019 (pruning); Ainslie et al. 2023, section 2.1 (GQA by averaging the heads of MHA, "
    "then training on).",
)


def controls(model: str, text: str) -> Ablation:
    """Draw the controls; what they say."""
    left, middle, right = st.columns([0.3, 0.32, 0.38], vertical_alignment="center")
    Ablation.similarity.draw(left)
    Ablation.order.draw(middle)
    how = inputs.replacement_menu(
        right, label_visibility="collapsed", format_func=lambda how: _("mute to {value}", value=how)
    )
    return Ablation.of_session(model=model, text=text, how=how)


def accepted(data: Data) -> bool:
    """Whether ablation and sharing take seconds, or were asked for."""
    config, chosen = data.reading.config, data.chosen
    said = _(
        "{model} has {heads} heads: to mute each alone and all one by one, and to merge its key/value heads, takes "
        "{{time}} on a CPU. stories-rope shows the same in seconds.",
        model=data.reading.model,
        heads=config.n_layers * config.n_heads,
    )
    about = "redundancy", data.reading, chosen.order
    return confirm_long_run.accepted(about, data.seconds, said, _("Mute them anyway"))


def similarity(data: Data) -> None:
    """Every head against every other."""
    measure = data.chosen.similarity
    circled = [pair[:2] for pair in data.pairs]
    figure = figures.similarity(data.similar.numpy(), data.reading.config.n_layers, circled, measure, frame.theme())
    frame.chart(figure, key="alike", alt=_("{measure} of every two heads", measure=measure))


def ablation(data: Data) -> None:
    """Each head's own effect, and the loss as heads are ablated one by one."""
    theme = frame.theme()
    figure = figures.effects(data.effects, theme, 44 + 34 * len(data.effects))
    frame.chart(figure, key="effects", alt=_("Change of loss with each head muted"))
    lines = {
        _("this text"): _change(data.losses.here),
        _("other texts"): _change(data.losses.elsewhere),
        _("other texts, drawn order (seed 0)"): _change(data.by_chance.elsewhere),
    }
    labels = [_("no head muted")]
    labels += [
        _("{step} muted, last {head}", step=step, head=f"L{layer}H{head}")
        for step, (layer, head) in enumerate(data.order, start=1)
    ]
    count = affordable(data.losses.elsewhere)
    marks = {count: _("{count} heads cost {nats} nats", count=count, nats=AFFORDED)} if count else {}
    title, axis = _("Heads muted one by one (Δ loss, nats per token)"), _("heads muted")
    figure = figures.steps(lines, labels, theme, title=title, x=axis, height=300, marks=marks)
    frame.chart(figure, key="prune", alt=_("Loss against the number of heads muted"))


def _change(loss: tuple[float, ...]) -> np.ndarray:
    return np.array(loss) - loss[0]


def sharing(data: Data, shared: Sharing) -> None:
    """Keys and values of the most similar heads merged: every pair alone, and one by one."""
    left, right = st.columns([0.42, 0.58])
    with left:
        labels = [
            _("layer {layer}, key/value heads {a} and {b}", layer=layer, a=a, b=b) for layer, a, b in shared.pairs
        ]
        change = np.array(list(shared.pairs.values()))
        figure = figures.pairs(np.array(shared.alike), change, labels, data.chosen.similarity, frame.theme())
        frame.chart(figure, key="kvpairs", alt=_("Pairs merged alone"))
        if said := correlation(shared):
            st.caption(said)
    with right:
        config = data.reading.config
        count = config.n_layers * config.n_kv_heads
        labels = [_("{count} key/value heads", count=count)]
        labels += [
            _("{left} left: layer {layer}, {b} joins {a}", left=count - step, layer=layer, a=a, b=b)
            for step, (layer, a, b) in enumerate(shared.order, start=1)
        ]
        lines = {_("this text"): _change(shared.losses.here), _("other texts"): _change(shared.losses.elsewhere)}
        title = _("Key/value heads merged one by one (Δ loss, nats per token)")
        axis = _("merges, until each of {layers} layers has one head", layers=config.n_layers)
        figure = figures.steps(lines, labels, frame.theme(), title=title, height=320, x=axis)
        frame.chart(figure, key="merge", alt=_("Loss against the number of merged key/value heads"))


def snippet(data: Data) -> str:
    """Similarity, ablation and sharing."""
    reading, chosen, config = data.reading, data.chosen, data.reading.config
    snippet = f"""\
import tlmviz
from tlmviz.analysis.caches import redundancy
from tlmviz.analysis.caches.similarity import SIMILARITIES

lm = tlmviz.load({reading.model!r})
trace = lm.trace({reading.text!r})
ids = trace.ids[:{READ}]
similarity = SIMILARITIES[{chosen.similarity!r}](trace)  # [L * H, L * H]
order = redundancy.pruning_order(lm, ids, {data.asked!r}, {chosen.how!r})  # (layer, head), least effect first
losses = redundancy.prune(lm, ids, order, {chosen.how!r})
print(order[:5], losses.here[:5])
"""
    if config.attention.latent_dim is None and config.n_kv_heads > 1:
        snippet += """\
merges = redundancy.sharing_order(lm, similarity)
shared = redundancy.share(lm, ids, merges)
print(merges[:5], shared.here[:5])
"""
    return snippet
