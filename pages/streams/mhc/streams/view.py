"""The view "Streams" of the page mHC: streams through depth, the unrolled sum, and passes with a stream muted."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.words import wide
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.analysis.streams.vectors import Journey
from tlmviz.figures.streams import graph as stream_graph
from tlmviz.figures.streams import mixing as stream_mixing
from tlmviz.ui import compute, frame, inputs
from tlmviz.ui.components import frame_listener as stream_walk

from . import muting as stream_muting
from . import unrolled as stream_unrolled

DEPTH, SUM, MUTE = PARTS = ("Through depth", "Unrolled sum", "Mute")
POINTS = (
    "All streams begin as copies of the embedding: one length, cosine 1. Where the lines part, streams begin to hold "
    "different things.",
    "*H_pre* is a weight, *share* what it came to: how much of what was read points the way that stream does. A large weight "
    "on a short stream gives little; a share below 0 means that the stream worked against the sum.",
    "Orange cells are negative. HC may subtract a stream; in mHC *H_pre* stays between 0 and 1 and *H_post* between 0 and 2.",
)
EQUATION = (
    r"x^{pre}_p = \sum_{n} H^{pre}_{p,n}\, x^{(n)}_p,\qquad "
    r"x^{(n)}_{p+1} = \sum_{m} H^{res}_{p,nm}\, x^{(m)}_p + H^{post}_{p,n}\, F_p(x^{pre}_p),\qquad "
    r"\text{share}_n = \frac{H^{pre}_{p,n}\, x^{(n)}_p \cdot x^{pre}_p}{\lVert x^{pre}_p \rVert^2}"
)
SOURCE = "Transformer with PyTorch, section 5, Eq. 88–97. Sublayers p are attention 0, MLP 0, attention 1 and so on."
SNIPPET = """\
import tlmviz
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({name!r})
trace = lm.trace({text!r})
walk = stream_vectors.journey(trace)
pairs = stream_vectors.pairs(walk.norms.shape[2])
print("lengths:", walk.norms[:, {token}])  # [places, streams]: behind the embedding and every sublayer
print("shares:", walk.share[:, {token}])  # [sublayers, streams]
stream_mixing.through_depth(walk, pairs, part_names(trace.n_layers), trace.tokens, {token}, LIGHT).show()
"""


@st.cache_resource(max_entries=16, show_spinner=False)
def journey(name: str, text: str) -> Journey:
    """The streams of a text, from a pass of its own: a shared trace would hold every layer's vectors."""
    lm = compute.model(name)
    names = set(stream_vectors.journey_taps(lm.config.n_layers, lm.config.connection.kind != "residual"))
    return compute.run_in_worker(
        lambda: stream_vectors.journey(lm.trace(text, keep=names.__contains__)), compute.about(text)
    )


@frame.fragment
def show(name: str, text: str) -> None:
    """Part and token, and the chosen part."""
    tokens, layers = compute.trace(name, text).tokens, compute.model(name).config.n_layers
    left, middle, right = st.columns([0.36, 0.24, 0.4], vertical_alignment="center")
    body, ear = st.container(), st.container()
    part = left.segmented_control(
        "Part",
        PARTS,
        default=PARTS[0],
        key="sxpart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if part == MUTE:
        with body:
            stream_muting.show(name, text, middle, right)
        return
    reader = stream_unrolled.reader(name, right) if part == SUM else 0
    chart = "sxfans" if part == SUM else "sxdepth"
    each = stream_unrolled.token_bytes(name) if part == SUM else _token_bytes(name)
    with ear:
        at, drawn, seen = walked(
            f"{name}\0{text}\0{reader}\0{frame.theme().name}", chart, len(tokens), 2 * layers, each
        )
    st.session_state["_sxtok"] = at
    middle.selectbox(
        "Token",
        range(len(tokens)),
        key="_sxtok",
        on_change=_moved,
        args=(len(tokens), 2 * layers),
        format_func=lambda i: f"{i}: “{inputs.readable(tokens[i])}”",
        label_visibility="collapsed",
    )
    with body:
        if part == DEPTH:
            through_depth(name, text, at, drawn, seen)
        else:
            stream_unrolled.show(name, text, reader, at, drawn, seen)


def walked(picture: str, chart: str, tokens: int, sublayers: int, each: int) -> tuple[int, int, range]:
    """The token looked at, the one that the picture was drawn at, and those that its slider reaches, of `each` bytes.

    A walk in the browser moves the first of them when it is left. The picture stays as it was drawn: drawn anew at every stop,
    its slider would jump back under a hand that moves on.
    """
    at, sublayer = stream_state.place(tokens, sublayers)
    shown, drawn, known, moves = st.session_state.get("_sxdrawn", (None, at, at, 0))
    if (
        shown != (picture, chart) or known != at
    ):  # another picture, or a token chosen elsewhere: the picture starts there
        drawn, known, moves = at, at, moves + 1
    seen = stream_graph.window(tokens, drawn, each)
    left = stream_walk.left_at(chart, f"sxwalk{moves}")
    if left is not None and left < len(seen) and seen.start + left != known:
        at = known = seen.start + left
        stream_state.remember(at, sublayer)
    st.session_state["_sxdrawn"] = (picture, chart), drawn, known, moves
    return at, drawn, seen


def through_depth(name: str, text: str, at: int, drawn: int, seen: range) -> None:
    """Lengths, cosines, what was read and what was written, token by token."""
    tokens, parts = compute.trace(name, text).tokens, part_names(compute.model(name).config.n_layers)
    walk = journey(name, text)
    streams = walk.norms.shape[2]
    figure = stream_mixing.through_depth(
        walk.at(slice(seen.start, seen.stop)),
        stream_vectors.pairs(streams),
        parts,
        tokens[seen.start : seen.stop],
        drawn - seen.start,
        frame.theme(),
        offset=seen.start,
    )
    with wide("sxwide", 940):
        frame.chart(
            figure,
            key="sxdepth",
            alt="Lengths and cosines of the streams through depth, what was read and written",
        )
    stream_unrolled.reach(seen, len(tokens))
    if streams == 1:
        plain(name)
    else:
        frame.what_to_notice(*POINTS)
    frame.badges(stream_state.checks(name, text))
    frame.equation(EQUATION, SOURCE)
    frame.copy_as_python(SNIPPET.format(name=name, text=text, token=at))


def _token_bytes(name: str) -> int:
    config = compute.model(name).config
    return stream_mixing.depth_bytes(2 * config.n_layers + 1, config.connection.streams)


def plain(name: str) -> None:
    """What one stream means, and the way to a model with several."""
    st.markdown(
        f"{name} has a plain residual connection: one stream, read, written and carried on whole. Every weight is 1."
    )
    other = stream_state.family(name).get("manifold")
    if other and st.button(f"Show {other}", on_click=_choose, args=(other,), key="sxother"):
        st.rerun(scope="app")


def _choose(name: str) -> None:
    st.session_state["smodel"] = name


def _moved(tokens: int, sublayers: int) -> None:
    stream_state.remember(st.session_state["_sxtok"], stream_state.place(tokens, sublayers)[1])
