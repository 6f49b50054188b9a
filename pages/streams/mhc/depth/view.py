"""Draws the view Depth of the page mHC: products of mixing matrices, passes through the streams, and a simulation."""

from __future__ import annotations

from dataclasses import fields, replace

import streamlit as st

from pages.streams.mhc.state import AVERAGE, BACKWARD, FORWARD, ONE, Streams
from pages.streams.mhc.view import note_missing, walked
from tlmviz.analysis.streams.depth import Depth
from tlmviz.figures import token_labels
from tlmviz.figures.streams import depth as figures
from tlmviz.figures.streams import passes as pass_figures
from tlmviz.ui import frame
from tlmviz.ui.language import N_, _

from . import claims
from .data import RUNS, Deep

BUDGET = 1_250_000  # characters of frames that a browser may be sent; a longer text is walked by the server
GAIN = {
    FORWARD: N_("Forward gain of every product of H_res, {of}"),
    BACKWARD: N_("Backward gain of every product of H_res, {of}"),
}
SIMULATED = {FORWARD: N_("Simulated forward gain"), BACKWARD: N_("Simulated backward gain")}
PASSES = (  # field of a Passed, title, unit, description of the lines
    (
        "signal",
        N_("Signal: RMS of the streams"),
        "RMS",
        N_("RMS of the residual streams at every depth, one line per kind of connection"),
    ),
    (
        "gradient",
        N_("Gradient of the loss by the streams: norm"),
        "norm",
        N_("Norm of the loss's gradient at every depth, one line per kind of connection"),
    ),
)
EQUATION = (
    r"X_L = \Big(\prod_{i=1}^{L-l} H^{res}_{L-i}\Big) X_l + \dots \qquad "
    r"\text{forward gain} = \max_a \sum_b \Big|\prod H^{res}\Big|_{ab} \qquad "
    r"\text{backward gain} = \max_b \sum_a \Big|\prod H^{res}\Big|_{ab}",
    "Transformer with PyTorch, section 5, Eq. 99–103; the two gains as in Xie et al. 2025, "
    "Manifold-Constrained Hyper-Connections. Hyper-connections: Zhu et al. 2024. The dots are what sublayers l to L − "
    "1 wrote.",
    "The sum of Eq. 99 is printed from i = 1, and must start at i = l as that of Eq. 98 does.",
)


def show(model: str, text: str) -> None:
    """Products of mixing matrices for the whole family, what passed through the streams, and a simulation."""
    left, right = st.columns([0.58, 0.42])
    Streams.over.draw(left)
    Streams.gain.draw(right)
    data = Deep(Streams.of_session(model=model, text=text))
    said = st.container()
    with frame.wide("spwide", 800):
        picture = st.container()
    data = _products(data, picture)
    with said:
        frame.claim(claims.CLAIMS, data)
    frame.next_step(claims.HINTS, data)
    note_missing(data)
    frame.claims(claims.CLAIMS, data, more=claims.NOTICE, maths=claims.MATHS)
    badges = st.container()
    _passes(data)
    _simulation(data)
    with badges:  # last: they take the longest to measure
        frame.badges(data.checks)


def _products(data: Deep, place) -> Deep:
    """The picture of all products, with a slider of tokens where they are drawn for one token; the data of where it
    stands."""
    chosen, depths, start = data.chosen, data.depths, 0
    labels = [f"{number} · {name}" for number, name in enumerate(token_labels(data.tokens))]
    if chosen.over != ONE:
        depths = {kind: depth.mean() if chosen.over == AVERAGE else depth.max() for kind, depth in depths.items()}
        labels = [_("mean over tokens") if chosen.over == AVERAGE else _("largest over tokens")]
        of = labels[0]
    elif sum(_characters(depth) for depth in depths.values() if depth.singular.shape[-1] > 1) > BUDGET:
        token = _choose_token(data)
        depths, labels = {kind: depth.at(token) for kind, depth in depths.items()}, [labels[token]]
        of = _("token {token}", token=labels[0])
    else:
        of = _("the token at the slider")
        walk = walked("spproducts", data, (chosen.gain,))
        data, start = walk.data, walk.start
    figure = figures.products(
        {kind: _arrays(depth, chosen.gain) for kind, depth in depths.items()},
        data.sublayers,
        labels,
        start,
        frame.theme(),
        title=_(GAIN[chosen.gain], of=of),
        what=chosen.gain,
        height=515,
    )
    alt = _("Gain from every sublayer to every later one, singular values, identity")
    with place:
        frame.chart(figure, key="spproducts", alt=alt)
    return data


def _arrays(depth: Depth, gain: str) -> figures.Products:
    """Products as they are drawn, coloured by a gain."""
    found = {field.name: getattr(depth, field.name).numpy() for field in fields(depth)}
    gains = {FORWARD: found.pop("forward"), BACKWARD: found.pop("backward")}
    return figures.Products(gain=gains[gain], **found)


def _choose_token(data: Deep) -> int:
    """A slider of tokens that asks the server at every stop, for texts whose frames are too many to send."""
    st.session_state["sptok"] = data.token
    return st.slider(
        _("Token"),
        0,
        len(data.tokens) - 1,
        key="sptok",
        help=_("Longer texts are walked one token at a time."),
        on_change=lambda: Streams.token.set(st.session_state["sptok"]),
    )


def _characters(depth: Depth) -> float:
    """About how many characters the frames of all tokens of one model take: 6.5 a number, and what stands around
    them."""
    numbers = depth.forward[0].numel() + depth.singular[0].numel() + 3 * depth.own[0].numel()
    return len(depth.own) * (6.5 * numbers + 1600)


def _passes(data: Deep) -> None:
    """Signals and gradients of a forward and a backward pass over the text."""
    st.markdown(f"#### {_('Your text, forward and backward')}")
    depths = [_("before all"), *(_("after {sublayer}", sublayer=name) for name in data.sublayers)]
    for column, (measure, title, unit, alt) in zip(st.columns(2), PASSES):
        lines = {kind: getattr(passed, measure).numpy() for kind, passed in data.passed.items()}
        with column:
            figure = pass_figures.norms(lines, depths, frame.theme(), title=_(title), unit=unit)
            frame.chart(figure, key=f"sp{measure}", alt=_(alt))
    st.caption(claims.backward())


@frame.fragment
def _simulation(data: Deep) -> None:
    """Deeper stacks, drawn at random from the matrices of each model on this text; and what ends the page with them."""
    st.markdown(f"#### {_('Simulation: deeper than any of these models')}")
    left, right, _room = st.columns([0.4, 0.2, 0.4])
    chosen = replace(data.chosen, layers=Streams.layers.draw(left), seed=Streams.seed.draw(right))
    for field in (Streams.layers, Streams.seed):
        field.put()
    data = replace(data, chosen=chosen)
    quantiles = data.simulated()
    for column, gain, index in zip(st.columns(2), (FORWARD, BACKWARD), (0, 1)):
        title = _(SIMULATED[gain])
        lines = {kind: both[index] for kind, both in quantiles.items()}
        with column:
            figure = pass_figures.quantiles(lines, len(data.sublayers), frame.theme(), title=title)
            alt = _("{title} of stacks against depth: median and 80% band", title=title)
            frame.chart(figure, key=f"spsim{index}", alt=alt)
    st.caption(claims.simulation())
    frame.equation(*EQUATION)
    frame.copy_as_python(snippet(data))


def snippet(data: Deep) -> str:
    """Python that makes every number of the view."""
    chosen = data.chosen
    at = data.token if chosen.over == ONE else 0
    selection = {ONE: "", AVERAGE: ".mean()"}.get(chosen.over, ".max()")
    return f"""\
import tlmviz
from tlmviz.analysis.streams import depth as stream_depth, mixing as streams

text = {chosen.text!r}
for connection, name in stream_depth.relatives({chosen.model!r}).items():
    lm = tlmviz.load(name)
    trace = lm.trace(text)
    res = streams.mixing_of(trace).res  # [sublayers, tokens, streams, streams]
    depth = stream_depth.depth(res){selection}
    gain = depth.{chosen.gain}[{at}]  # from sublayer i (row) to j (column)
    print(connection, gain[0, -1], depth.singular[{at}, -1], depth.own[{at}, -1], depth.other[{at}, -1])
    passed = stream_depth.passed(lm, trace.ids)
    print(passed.loss, passed.signal, passed.gradient)  # nats; RMS and norm at every depth
    forward, backward = stream_depth.simulated(res, sublayers={2 * chosen.layers}, runs={RUNS}, seed={chosen.seed})
    print(forward[:, -1].quantile(0.5), backward[:, -1].quantile(0.5))  # log10
"""
