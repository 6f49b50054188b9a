"""Draws the views of the page Experts that are charts: loads, training and cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import streamlit as st

from tlmviz.analysis.experts.survey import Answer
from tlmviz.analysis.experts.training import LOOKED_AT
from tlmviz.figures import number, readable
from tlmviz.figures.experts.costs import Panel, cost_bars
from tlmviz.figures.experts.loads import load_maps
from tlmviz.figures.experts.training import balance
from tlmviz.ui import frame
from tlmviz.ui.language import _

from .data import HELD_OUT, LARGEST, Data
from .state import Experts

FEW = 8  # tokens that are named for an expert


def load(data: Data) -> None:
    """The loads on the text and on held-out stories."""
    maps = {_("on your text"): data.loads}
    if data.survey is not None:
        maps[_("on {n:,} held-out tokens", n=data.survey.tokens)] = np.array(
            [[each.load for each in layer] for layer in data.survey.experts]
        )
    title = _("Share of the tokens that each expert reads (even: {share:.3g}%)", share=100 * data.even)
    with frame.wide("xloadwide", 760):
        figure = load_maps(maps, data.layers, data.even, frame.theme(), title=title)
        frame.chart(figure, key="xload", alt=_("Share of the tokens that reach each expert of each layer"))


def readers(data: Data) -> None:
    """The menu of layers, and what each expert of the chosen one answers to."""
    Experts.layer.draw(options=data.layers, unchosen=data.opening[0])
    found, place = data.survey, data.layers.index(data.layer)
    rows: list[dict[str, object]] = []
    for expert, tokens in enumerate(data.readers):
        row: dict[str, object] = {
            "expert": expert,
            "your text": float(data.loads[place, expert]),
            "reads in your text": _few([readable(token) for token in tokens]),
        }
        if found is not None:
            there = found.experts[found.layers.index(data.layer)][expert]
            row["held out"] = there.load
            row["answers to (held out)"] = _few([_answer(each) for each in there.answers])
        rows.append(row)
    helps = {
        "your text": _("Share of your text's tokens that this expert reads."),
        "reads in your text": _("Your tokens that it reads, those with the largest weight first."),
        "held out": _("Share of the tokens of held-out stories that it reads."),
        "answers to (held out)": _(
            "Tokens that it reads more often than its load would make it; in brackets of what share, where not of all."
        ),
    }
    share = "{:.1%}".format
    frame.table(rows, {"your text": share, "held out": share}, helps=helps)
    if found is None:
        st.caption(
            _(
                "{model} brings no count of held-out stories, so what its experts answer to is known of your text "
                "alone.",
                model=data.chosen.model,
            )
        )


def _answer(each: Answer) -> str:
    share = number(100 * each.share, ".0f")
    return readable(each.token) if share == "100" else f"{readable(each.token)} ({share}%)"


def _few(names: Sequence[str]) -> str:
    return " · ".join(names[:FEW]) + (" …" if len(names) > FEW else "")


def training(data: Data) -> None:
    """The balance of the model and of those that it was trained beside, walked by a slider."""
    for error in data.unlogged:
        st.info(frame.worded(error))
    if not data.moments:
        return
    titles = {
        LARGEST: _("largest load by step, on {n:,} held-out tokens (1: even)", n=prod(LOOKED_AT)),
        HELD_OUT: _("held-out stories by step (bits per byte)"),
    }
    panels = {titles[name]: curves for name, curves in data.curves.items() if curves}
    with frame.wide("xtrainwide", 800):
        figure = balance(data.moments, panels, data.layers, data.even, frame.theme())
        alt = _("Largest load and loss over training steps, and loads and biases of all experts at a moment")
        frame.chart(figure, key="xtraining", alt=alt)


def cost(data: Data) -> None:
    """Parameters, operations and losses, side by side."""
    costs, million = data.costs, 1e6
    sizes = [each.size for each in costs]
    panels = [
        Panel(
            _("Parameters (million)"),
            [each.total / million for each in sizes],
            ".2f",
            [each.active / million for each in sizes],
        ),
        Panel(
            _("FLOPs per token (million)"),
            [each.dense_flops / million for each in sizes],
            ".2f",
            [each.flops / million for each in sizes],
        ),
    ]
    if all(each.held_out is not None for each in costs):
        panels.append(Panel(_("Held out (bits per byte)"), [each.held_out for each in costs], ".3f"))
    if len(data.tokens) > 1:
        panels.append(Panel(_("Your text (bits per byte)"), [each.here for each in costs], ".3f"))
    with frame.wide("xcostwide", 760):
        figure = cost_bars([each.model for each in costs], panels, frame.theme())
        alt = _("Active and total parameters, operations per token and losses of each model")
        frame.chart(figure, key="xcost", alt=alt)


def snippet_of_load(data: Data) -> str:
    """The loads with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import routing

lm = tlmviz.load({data.chosen.model!r})
trace = lm.trace({data.chosen.text!r})
shares = routing.loads(trace) / len(trace)  # [layers with experts, E]; a row sums to k
print(shares.round(3))
for layer in trace.expert_layers:
    print(layer, routing.balance(trace.routing(layer).load.numpy()))
"""


def snippet_of_training(data: Data) -> str:
    """The logs with the public API."""
    return f"""\
from tlmviz.analysis.experts import training

for name in {list(data.moments)!r}:
    moments = training.moments(name)  # load and bias: [moments, layers, experts]
    share = moments.loads / moments.loads.sum(-1, keepdims=True)
    for step, each in zip(moments.steps, share):
        print(name, int(step), "largest load over the mean:", (each * each.shape[-1]).max().round(2))
"""


def snippet_of_cost(data: Data) -> str:
    """The sizes with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import routing

lm = tlmviz.load({data.chosen.model!r})
size = routing.size(lm.config, length={len(data.tokens)})
print("parameters:", size.total, "active:", size.active)
print("FLOPs of a token:", size.flops, "if every expert read it:", size.dense_flops)
"""
