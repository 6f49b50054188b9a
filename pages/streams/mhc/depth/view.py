"""The view "Depth" of the page mHC."""

from __future__ import annotations

import zlib
from dataclasses import fields

import streamlit as st
import torch

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.words import absent, wide
from tlmviz.analysis.streams import depth as analysis
from tlmviz.analysis.streams import mixing as streams
from tlmviz.figures import token_label
from tlmviz.figures.streams import depth as figures
from tlmviz.figures.streams import passes as stream_passes
from tlmviz.ui import compute, frame
from tlmviz.ui.components import frame_listener as stream_walk

TOKEN, MEAN, MAX = OVER = ("One token", "Mean over tokens", "Largest over tokens")
FORWARD, BACKWARD = GAINS = ("Forward gain", "Backward gain")
BUDGET = 1_250_000  # characters of frames that a browser may be sent; a longer text is walked by the server
RUNS = 200  # stacks drawn by the simulation
QUANTILES = (0.1, 0.5, 0.9)
POINTS = (
    "A gain of 1 has the colour of the page. Plain residuals have it everywhere, their one stream is carried on as it is. "
    "Products of doubly stochastic matrices are doubly stochastic, so mHC keeps it at any depth, up to what Sinkhorn's "
    "iterations leave; nothing keeps HC's.",
    "The largest singular value of mHC is 1: the mean over streams is carried on whole. The others shrink from product to "
    "product: what tells the streams apart is forgotten.",
    "Where mHC's solid lines meet, at 1/N (dotted), every stream has become the mean of all. What differs from there on was "
    "written by sublayers on the way.",
)
EQUATION = (
    r"X_L = \Big(\prod_{i=1}^{L-l} H^{res}_{L-i}\Big) X_l + \dots \qquad "
    r"\text{forward gain} = \max_a \sum_b \Big|\prod H^{res}\Big|_{ab} \qquad "
    r"\text{backward gain} = \max_b \sum_a \Big|\prod H^{res}\Big|_{ab}"
)
SOURCE = (
    "Transformer with PyTorch, section 5, Eq. 99–103; the two gains as in Xie et al. 2025, "
    "Manifold-Constrained Hyper-Connections. Hyper-connections: Zhu et al. 2024."
)
SNIPPET = """\
import tlmviz
from tlmviz.analysis.streams import depth as stream_depth, mixing as streams

text = {text!r}
for connection, name in stream_depth.relatives({name!r}).items():
    lm = tlmviz.load(name)
    trace = lm.trace(text)
    res = streams.mixing_of(trace).res  # [sublayers, tokens, streams, streams]
    depth = stream_depth.depth(res){over}
    gain = depth.{gain}[{frame}]  # from sublayer i (row) to j (column)
    print(connection, gain[0, -1], depth.singular[{frame}, -1], depth.own[{frame}, -1], depth.other[{frame}, -1])
    passed = stream_depth.passed(lm, trace.ids)
    print(passed.loss, passed.signal, passed.gradient)  # nats; RMS and norm at every depth
    forward, backward = stream_depth.simulated(res, sublayers={sublayers}, runs={runs}, seed={seed})
    print(forward[:, -1].quantile(0.5), backward[:, -1].quantile(0.5))  # log10
"""


@st.cache_resource(max_entries=9, show_spinner=False)
def depth(name: str, text: str) -> analysis.Depth:
    """Every product of a model's mixing matrices on a text."""
    mixing = stream_state.mixing(name, text)
    return compute.run_in_worker(lambda: analysis.depth(mixing.res), compute.about(text))


@st.cache_resource(max_entries=18, show_spinner=False)
def passed(name: str, text: str) -> analysis.Passed:
    """The forward and backward pass of a model on a text."""
    lm, ids = compute.model(name), compute.trace(name, text).ids
    return compute.run_in_worker(lambda: analysis.passed(lm, ids), compute.about(text), gradients=True)


@st.cache_resource(max_entries=18, show_spinner=False)
def simulated(name: str, text: str, sublayers: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Quantiles of log10 gains of drawn stacks, [3, S] forward and backward."""
    res, share = stream_state.mixing(name, text).res, torch.tensor(QUANTILES, dtype=torch.float64)
    gains = compute.run_in_worker(lambda: analysis.simulated(res, sublayers, RUNS, seed), compute.about(text))
    return tuple(gain.quantile(share, 0) for gain in gains)


def show(name: str, text: str) -> None:
    """Products of mixing matrices for the whole family, what really passed through the streams, and a simulation."""
    members = stream_state.family(name)
    left, right = st.columns([0.58, 0.42])
    over = left.segmented_control(
        "Of",
        OVER,
        default=TOKEN,
        key="spof",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    way = right.segmented_control(
        "Gain",
        GAINS,
        default=FORWARD,
        key="spway",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    products(name, members, text, over, way)
    absent(members)
    frame.what_to_notice(*POINTS)
    measured = st.container()
    passes(members, text)
    simulation(name, text)
    with measured:
        frame.badges(stream_state.checks(name, text))
    frame.equation(EQUATION, SOURCE)
    frame.copy_as_python(snippet(name, text, over, way))


def products(name: str, members: dict[str, str], text: str, over: str, way: str) -> None:
    """The picture of all products."""
    tokens, room = compute.trace(name, text).tokens, wide("spwide")
    every = {kind: depth(member, text) for kind, member in members.items()}
    first = next(iter(every.values()))
    at, sublayer = stream_state.place(len(tokens), first.own.shape[1])
    labels = [f"{number} “{token_label(token)}”" for number, token in enumerate(tokens)]
    size = sum(_sent(each) for each in every.values() if each.singular.shape[-1] > 1)
    words = over.lower()
    if over != TOKEN:
        every = {kind: each.mean() if over == MEAN else each.max() for kind, each in every.items()}
        labels = [over]
    elif size > BUDGET:
        st.session_state["sptok"] = at
        st.slider(
            "Token",
            0,
            len(tokens) - 1,
            key="sptok",
            help="Longer texts are walked one token at a time.",
            on_change=lambda: stream_state.remember(st.session_state["sptok"], sublayer),
        )
        every, labels = {kind: each.at(at) for kind, each in every.items()}, [labels[at]]
        words = f"token {labels[0]}"
    else:
        at = walked(f"{name}\0{text}\0{way}", at, sublayer)
        words = "the token at the slider"
    figure = figures.products(
        {kind: _arrays(each, way) for kind, each in every.items()},
        streams.sublayers(first.own.shape[1] // 2),
        labels,
        at if len(labels) > 1 else 0,
        frame.theme(),
        title=f"{way} of every product of H_res, {words}",
        what=way.split()[0].lower(),
    )
    with room:
        frame.chart(
            figure,
            key="spproducts",
            alt=f"{way} from every sublayer to every later one, singular values, identity",
        )


def walked(picture: str, at: int, sublayer: int) -> int:
    """The token a picture is drawn at: where the user was when it was opened. Where its walk is left is remembered.

    Drawn anew at every stop of the walk, the slider would jump back under a hand that moves on.
    """
    key = f"spwalk{zlib.crc32(picture.encode())}"
    left, (known, drawn) = stream_walk.left_at("spproducts", key), st.session_state.get("_spdrawn", ("", 0))
    if left is None or known != key:
        st.session_state["_spdrawn"] = key, at
        return at
    stream_state.remember(left, sublayer)
    return drawn


def _sent(each: analysis.Depth) -> float:
    """About how many characters a walk through all tokens of one model takes: 6.5 a number, and what stands around them."""
    numbers = each.forward[0].numel() + each.singular[0].numel() + 3 * each.own[0].numel()
    return len(each.own) * (6.5 * numbers + 1600)


def _arrays(each: analysis.Depth, way: str) -> figures.Products:
    parts = {field.name: getattr(each, field.name).numpy() for field in fields(each)}
    gain = parts.pop("forward"), parts.pop("backward")
    return figures.Products(gain=gain[GAINS.index(way)], **parts)


def passes(members: dict[str, str], text: str) -> None:
    """Signals and gradients of a forward and a backward pass over the text."""
    st.markdown("#### Your text, forward and backward")
    every = {kind: passed(name, text) for kind, name in members.items()}
    layers = compute.model(next(iter(members.values()))).config.n_layers
    depths = ["before all", *(f"behind {sublayer}" for sublayer in streams.sublayers(layers))]
    theme, (left, right) = frame.theme(), st.columns(2)
    with left:
        lines = {kind: each.signal.numpy() for kind, each in every.items()}
        figure = stream_passes.norms(lines, depths, theme, title="Signal: RMS of the streams", unit="RMS")
        frame.chart(
            figure,
            key="spsignal",
            alt="RMS of the residual streams at every depth, one line per kind of connection",
        )
    with right:
        lines = {kind: each.gradient.numpy() for kind, each in every.items()}
        figure = stream_passes.norms(
            lines, depths, theme, title="Gradient of the loss by the streams: norm", unit="norm"
        )
        frame.chart(
            figure,
            key="spgradient",
            alt="Norm of the loss's gradient at every depth, one line per kind of connection",
        )
    losses = ", ".join(f"{figures.NAMES[kind]} {each.loss:.3f}" for kind, each in every.items())
    st.caption(
        f"Mean loss per token (nats): {losses}. One backward pass through the weights as they are. The head reads the mean over "
        "N streams, so behind all sublayers each gets an Nth of one stream's gradient: the norm over all is √N times smaller."
    )


@frame.fragment
def simulation(name: str, text: str) -> None:
    """Deeper stacks, drawn at random from the matrices of each model on this text."""
    st.markdown("#### Simulation: deeper than any of these models")
    left, right, _ = st.columns([0.4, 0.2, 0.4])
    layers = left.slider("Layers, simulated", 64, 256, 128, 16, key="spdeep", bind="query-params")
    seed = right.number_input("Seed", 0, 9999, 0, key="spseed", bind="query-params")
    members, theme = stream_state.family(name), frame.theme()
    trained = 2 * compute.model(name).config.n_layers
    bands = {kind: simulated(member, text, 2 * layers, seed) for kind, member in members.items()}
    for place, title, which in zip(st.columns(2), GAINS, (0, 1)):
        with place:
            figure = stream_passes.quantiles(
                {kind: band[which].numpy() for kind, band in bands.items()},
                trained,
                theme,
                title=f"Simulated {title.lower()}",
            )
            frame.chart(
                figure,
                key=f"spsim{which}",
                alt=f"{title} of simulated stacks against depth: median and 80 % band",
            )
    st.caption(
        f"A simulation, not a trained network: {RUNS} stacks per model, each matrix drawn at random, with replacement, from all "
        "sublayers and tokens of the trained model on your text, and multiplied. Median, and the band between 10 % and 90 %; "
        "the dotted line is where the trained models end."
    )


def snippet(name: str, text: str, over: str, way: str) -> str:
    """Code that makes every number of the view."""
    state, mixing = st.session_state, stream_state.mixing(name, text)
    at, _ = stream_state.place(mixing.res.shape[1], len(mixing.res))
    return SNIPPET.format(
        name=name,
        text=text,
        over={TOKEN: "", MEAN: ".mean()", MAX: ".max()"}[over],
        gain=way.split()[0].lower(),
        frame=at if over == TOKEN else 0,
        sublayers=2 * state["spdeep"],
        runs=RUNS,
        seed=state["spseed"],
    )
