"""Draws the parts Layouts and Heads of the page RoPE planes: a model run with other rotations, its heads."""

from __future__ import annotations

import functools
from collections.abc import Callable

import streamlit as st

from tlmviz.analysis.positions import rope_planes
from tlmviz.figures.positions import rope_planes as figures
from tlmviz.ui import frame
from tlmviz.ui.language import N_, _

from .data import CONTINUED, Data
from .state import BASE, HALF, OFF, OWN, PERMUTED

RUNS = {
    OWN: N_("Interleaved, as trained"),
    HALF: N_("Half-split: wrong"),
    PERMUTED: N_("Half-split, W_Q and W_K reordered"),
}


def shown(draw: Callable[[Data], None]) -> Callable[[Data], None]:
    """The same picture, below why the base that was chosen is not in it; while the model reads a sentence says so."""

    @functools.wraps(draw)
    def drawn(data: Data) -> None:
        if data.refused:
            st.warning(_("{why} {base} is used instead.", why=frame.worded(data.refused), base=f"{data.base:,.6g}"))
        said = _("{model} reads the text …", model=data.chosen.model)
        with st.spinner(said, show_time=True):  # with other rotations too, and writes on
            draw(data)

    return drawn


@shown
def layouts(data: Data) -> None:
    """Which dimensions turn together, the loss and the next tokens of both layouts, and a table of the runs."""
    left, middle, right = st.columns([0.32, 0.4, 0.28], gap="small")
    dim, theme, after = data.lm.config.head_dim, frame.theme(), data.chosen.pair[0]
    kinds = {_("Interleaved: (2j, 2j + 1)"): "interleaved", _("Half-split: (j, j + d/2)"): HALF}
    pairs = {name: rope_planes.plane_dimensions(dim, layout) for name, layout in kinds.items()}
    names = _("right layout"), _("wrong layout")
    with left:
        alt = _("Which dimensions turn together in either layout")
        frame.chart(figures.pairs(pairs, theme), key="pairs", alt=alt)
    with middle:
        lines = {name: data.run(how).loss_per_token().numpy() for name, how in zip(names, (OWN, HALF))}
        alt = _("Loss of each token with the right and the wrong layout")
        frame.chart(figures.losses(data.trace.tokens, lines, theme), key="layoutloss", alt=alt)
    with right:
        tokens, *both = data.next_tokens
        figure = figures.next_tokens(tokens, dict(zip(names, both)), data.trace.tokens[after], theme)
        alt = _("Next token after position {query} with the right and the wrong layout", query=after)
        frame.chart(figure, key="layoutnext", alt=alt)
    _runs(data)


def _runs(data: Data) -> None:
    """Loss and agreement of each run at once, what each writes when it is known."""
    place = st.empty()
    loss, same, writes = (
        _("nats per token"),
        _("same choice"),
        _("writes next ({count} tokens, most probable)", count=CONTINUED),
    )
    helps = {
        loss: _("Mean loss of this text"),
        same: _("Share of the positions whose most probable next token is that of the model as trained"),
    }
    rows = [
        {_("run"): _(name), loss: data.mean_loss(how), same: data.agreement(how), writes: "…"}
        for how, name in RUNS.items()
    ]
    with place:
        frame.table(rows, {loss: ".4f", same: ".0%"}, helps)
    for row, how in zip(rows, RUNS):
        row[writes] = _visible(data.continued(how))
    with place:
        frame.table(rows, {loss: ".4f", same: ".0%"}, helps)


def _visible(text: str) -> str:
    """What a model wrote, in one line; also where that is nothing but spaces and line ends."""
    return text.replace("\n", "⏎").replace("\t", "⇥") if text.strip(" ") else _("(the end of the text)")


@shown
def heads(data: Data) -> None:
    """Each plane's share of every head, the chosen head's planes, and its scores by distance."""
    left, middle, right = st.columns([0.34, 0.28, 0.38], gap="small")
    (layer, head), theme = data.chosen.head, frame.theme()
    name = _("L{layer}H{head}", layer=layer, head=head)
    with left:
        figure = figures.energy(data.energy, data.wavelength, (layer, head), theme)
        frame.chart(figure, key="energy", alt=_("Share of each plane, for every head"))
    with middle:
        title, energy = _("{head}: its planes", head=name), data.energy[layer, head]
        figure = figures.uses(energy, data.spread, data.wavelength, title, theme)
        alt = _("{head}: how far each plane can move a score, and tells keys apart", head=name)
        frame.chart(figure, key="uses", alt=alt)
    with right:
        names = {OWN: _("RoPE on"), OFF: _("off"), BASE: _("base {base}", base=f"{data.base:,.6g}")}
        curves = {names[how]: curve for how, curve in data.by_distance.items()}
        figure = figures.by_distance(curves, _("{head}: mean score by distance", head=name), theme)
        alt = _("Mean score by distance with RoPE on, off and with another base")
        frame.chart(figure, key="distance", alt=alt)


def start(data: Data, analysis: str, figures: str = "") -> str:
    """What every snippet begins with; one that draws names its `figures`."""
    drawn = f"from tlmviz.figures import LIGHT\nfrom tlmviz.figures.positions import {figures} as figures\n"
    return f"""\
import tlmviz
from tlmviz.analysis.positions import {analysis}
{drawn if figures else ""}
lm = tlmviz.load({data.chosen.model!r})
trace = lm.trace({data.chosen.text!r})"""


def layouts_snippet(data: Data) -> str:
    """The model with either layout: loss and what it writes."""
    return f"""\
{start(data, "rope_runs", "rope_planes")}
runs, losses = rope_runs.variants(lm, base=lm.config.positions.rope_base), {{}}
for how in ("own", "half", "permuted"):
    run = lm.trace_ids(trace.ids, positions=runs[how])
    losses[how] = run.loss_per_token().numpy()
    new = rope_runs.continue_greedily(lm, trace.ids, runs[how], count={CONTINUED})
    print(how, losses[how].mean(), repr(lm.tokenizer.decode(new)))
figures.losses(trace.tokens, losses, LIGHT).show()
"""


def heads_snippet(data: Data) -> str:
    """Energy per plane and mean score by distance."""
    (layer, head), own, base = data.chosen.head, data.own_base, data.base
    return f"""\
{start(data, "rope_planes", "rope_planes")}
energy = rope_planes.energy(trace)  # [L, H, P]
spread = rope_planes.spread(trace, {layer}, {head})  # [P]
q, k = rope_planes.head_vectors(trace, {layer}, {head}, base={own!r})
spec, curves = trace.specs[{layer}], {{}}
for name, base in (("on", {own!r}), ("off", None), ("base {base:g}", {base!r})):
    measured = rope_planes.mean_by_distance(*rope_planes.turned(q, k, base), spec.scale, spec.mask.window)
    every = rope_planes.mean_of_all_pairs(q, k, base, len(measured), spec.scale)
    curves[name] = (measured, every)
figures.by_distance(curves, "L{layer}H{head}", LIGHT).show()
"""
