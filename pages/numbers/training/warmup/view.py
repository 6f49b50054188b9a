"""Draws the part Warm-up: the first steps of logged runs, and the gradient of a text's loss through two networks."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import compute, frame, inputs, menu
from tlmviz.ui.language import N_, _

from . import claims
from .data import MODELS, POST, PRE, Data
from .state import BEFORE, STREAM, TRAINED, Warmup

EQUATION = (
    r"\text{pre: } x_{l+1}=x_l+F_l(\mathrm{norm}(x_l)),\quad \frac{\partial x_{l+1}}{\partial x_l}=1+\ldots\qquad "
    r"\text{post: } x_{l+1}=\mathrm{norm}(x_l+F_l(x_l)),\quad \frac{\partial x_{l+1}}{\partial x_l}=J_{\mathrm{norm}}\,"
    r"(1+\ldots)",
    "LLM notes, section 3.7; Xiong et al. 2020, On Layer Normalization in the Transformer Architecture.",
    "The notes say that pre-norm needs no warm-up and that post-norm “often needed warm-up tricks”: in these runs it "
    "depends on the rate. They also say that pre-norm's residual paths carry unit-variance, zero-mean activations: the "
    "branches read such, but the stream itself is not normalised and grows with depth. The networks here have RMSNorm, "
    "which takes no mean off.",
)
NAMES = {PRE: N_("zoo-rope: norm before"), POST: N_("zoo-post: norm after")}
AXIS = N_("length of the gradient")


def controls() -> Warmup:
    """Rate, step, and what the gradient is taken by, in logged runs; the text is read below."""
    menu.unread("text")
    with frame.after_picture(name="runs"):
        left, middle, right = st.columns([0.34, 0.36, 0.3], vertical_alignment="center")
        Warmup.rate.draw(left)
        Warmup.moment.draw(middle)
        Warmup.of.draw(right)
    return Warmup.of_session(text=inputs.TEXT.get() or None)


def picture(data: Data) -> None:
    """Losses of four runs, and their gradients through depth at one step."""
    chosen, theme, lines = data.chosen, frame.theme(), {}
    left, right = st.columns(2)
    with left:
        title = _("Logged: first steps at a rate of {rate}, the loss", rate=chosen.rate)
        figure = figures.first_steps(data.runs, chosen.moment, theme, title=title)
        alt = _("Training loss of four runs with norms before and after, with and without warm-up")
        frame.chart(figure, key="firststeps", alt=alt)
    with right:
        for run in data.runs:
            name, line = figures.run_style(run, theme)
            lines[name] = data.gradient(run), line
        title = _("Logged: gradient {of} after step {step}", of=_of(data), step=chosen.moment)
        size = next(iter(lines.values()))[0].size
        figure = figures.through_depth(lines, _places(size), theme, title=title, y=_(AXIS))
        alt = _("Length of the gradient from the first sublayer to the last, run by run")
        frame.chart(figure, key="rundepth", alt=alt)
    frame.caption(claims.logged(data))


def own(data: Data) -> None:
    """The gradient of an own text through both networks."""
    st.markdown("#### " + _("The gradient of your own text"))
    left, right = st.columns([0.4, 0.6], vertical_alignment="center")
    when = Warmup.when.draw(left)
    Warmup.layers.draw(right, disabled=when == TRAINED)
    text = inputs.text_box(compute.model(PRE))
    if text is not None:
        data = Data(Warmup.of_session(text=text))
        _flows(data)
        frame.caption(claims.first_over_last(data))
        frame.measured(lambda: data.checks)


def _flows(data: Data) -> None:
    theme, chosen = frame.theme(), data.chosen
    colors = dict(zip(MODELS, (theme.accent, theme.warm)))
    lines = {
        _(NAMES[name]): (flow.stream if chosen.of == STREAM else flow.weights, {"color": colors[name], "width": 2.5})
        for name, flow in data.flows.items()
    }
    fresh = _("before training, {layers} layers", layers=chosen.layers)
    which = fresh if chosen.when == BEFORE else _("trained")
    title = _("Gradient {of} of this text's loss, {which}", of=_of(data), which=which)
    size = next(iter(lines.values()))[0].size
    figure = figures.through_depth(lines, _places(size), theme, title=title, y=_(AXIS))
    alt = _("Length of the gradient of this text's loss through two networks")
    frame.chart(figure, key="owndepth", alt=alt)


def _of(data: Data) -> str:
    return _("by the stream") if data.chosen.of == STREAM else _("by the weights")


def _places(size: int) -> list[str]:
    """Names of so many sublayers, or of the stream behind the embedding and behind each of them."""
    kinds = _("attention"), _("feed-forward")
    parts = [f"{at // 2} {kinds[at % 2]}" for at in range(size - size % 2)]
    return [_("embedding"), *parts] if size % 2 else parts


def snippet(data: Data) -> str:
    """The logged runs and the gradient of the text, with the public API."""
    text = data.chosen.text
    own = f"""
for name in ({PRE!r}, {POST!r}):
    lm = tlmviz.load(name)
    ids = lm.encode(lm.fit({text!r})[0])
    found = norm_depth.flow(lm.network, ids)
    print(name, found.loss, found.weights, found.stream)
    print(norm_depth.flow(norm_depth.before_training(lm.config, 16), ids).weights)
"""
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import norm_depth, warmup

runs = [run for run in warmup.read() if run.peak == {data.chosen.rate}]
for run in runs:
    print(run.placement, run.warmup, run.loss[-10:].mean(), run.weights[list(run.moments).index({data.chosen.moment})])
{own if text is not None else ""}"""
