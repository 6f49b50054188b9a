"""Muting in the view "Streams": the pass again with one stream at zero, and what that costs."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from pages.streams.mhc import compute as stream_state
from pages.streams.mhc.words import wide
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures.streams import mixing as stream_mixing
from tlmviz.ui import compute, frame, inputs

AT_ONCE = 6_000  # tokens of all passes behind the map, up to which it is drawn unasked
POINTS = (
    "At the left of the map a stream never holds anything; further right it is silenced later. Where its row turns pale, "
    "what it held had been used by then, or other streams hold it too.",
    "Sublayers go on writing to the other streams. A small change means that the streams hold much the same, a large one that "
    "this stream held something no other did.",
    "H_pre, H_post and H_res are computed from the streams, so without one of them they change as well.",
)
EQUATION = (
    r"\tilde x^{(n)}_p = 0 \ \text{ for every } p \ge p_0,\qquad "
    r"\Delta = \frac{1}{T-1} \sum_{t} \log \frac{P(w_{t+1} \mid w_{\le t})}{\tilde P(w_{t+1} \mid w_{\le t})}"
)
SOURCE = (
    "Streams as in Transformer with PyTorch, Eq. 88–97. A tilde marks the pass in which stream n is set to zero at place p₀ and "
    "behind every later sublayer; the head's mean still divides by N, which its normalisation takes out."
)
SNIPPET = """\
import tlmviz
from tlmviz.analysis.streams.vectors import mute_stream
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({name!r})
text = {text!r}
before = lm.trace(text)
after = lm.trace(text, edit=mute_stream(lm.config.n_layers, stream={stream}, start={start}))  # {place}
change = (after.loss_per_token() - before.loss_per_token()).mean()
print("nats per token:", before.loss_per_token().mean(), "and muted:", after.loss_per_token().mean(), "change:", change)
losses = [trace.loss_per_token().numpy() for trace in (before, after)]
stream_mixing.losses(before.tokens, *losses, LIGHT, what="stream {stream} muted").show()
"""


@st.cache_resource(max_entries=64, show_spinner=False)
def muted(name: str, text: str, stream: int, start: int) -> np.ndarray:
    """Loss per token with a stream muted, [T - 1]."""
    lm = compute.model(name)
    edits = stream_vectors.mute_stream(lm.config.n_layers, stream, start)
    return compute.run_in_worker(
        lambda: lm.trace(text, edit=edits, keep="logits".__eq__).loss_per_token().numpy(), compute.about(text)
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def every(name: str, text: str) -> np.ndarray:
    """Mean loss with every stream muted from every place on, [N, places]."""
    lm, ids = compute.model(name), compute.trace(name, text).ids
    cases = [
        (stream, start)
        for stream in range(lm.config.connection.streams)
        for start in range(2 * lm.config.n_layers + 1)
    ]

    def work() -> torch.Tensor:
        return stream_vectors.muted_losses(lm, ids, cases).mean(-1)

    return compute.run_in_worker(work, compute.about(text)).view(lm.config.connection.streams, -1).numpy()


def show(name: str, text: str, middle, right) -> None:
    """Which stream, from where, and the loss of every token without it."""
    lm, trace, theme = compute.model(name), compute.trace(name, text), frame.theme()
    parts, count = part_names(lm.config.n_layers), lm.config.connection.streams
    streams, places = [f"Stream {n}" for n in range(count)], [f"from {part} on" for part in parts]
    for key, options in (("sxmute", streams), ("sxfrom", places)):
        if st.session_state.get(key, options[0]) not in options:
            del st.session_state[key]
    stream = streams.index(
        middle.selectbox(
            "Muted stream", streams, key="sxmute", bind="query-params", label_visibility="collapsed"
        )
    )
    start = places.index(
        right.selectbox("Muted", places, key="sxfrom", bind="query-params", label_visibility="collapsed")
    )
    before, after = trace.loss_per_token().numpy(), muted(name, text, stream, start)
    change = after - before
    worst = int(change.argmax())
    st.markdown(
        f"Mean loss **{before.mean():.4f}** nats per token with all streams, **{after.mean():.4f}** with stream {stream} muted: "
        f"**{change.mean():+.4f}**. Changed most for the worse: token {worst + 1} "
        f"`{inputs.readable(trace.tokens[worst + 1]).replace('`', 'ˋ')}`, {change[worst]:+.3f}."
    )
    with wide("sxwidelosses"):
        figure = stream_mixing.losses(trace.tokens, before, after, theme, what=f"stream {stream} muted")
        frame.chart(
            figure, key="sxlosses", alt=f"Loss of every token with all streams and with stream {stream} muted"
        )
    if count == 1:
        st.markdown(
            f"{name} has one stream: without it the head reads zeros, and every token costs the log of the vocabulary’s size, "
            f"{np.log(lm.config.vocab_size):.2f} nats. With several streams, what one loses another may keep."
        )
    if len(trace) * count * len(parts) <= AT_ONCE or st.toggle(
        f"Measure every stream from every place ({count * len(parts)} passes)",
        key="sxall",
        bind="query-params",
    ):
        with st.spinner(f"{count * len(parts)} passes …", show_time=True):
            means = every(name, text)
        figure = stream_mixing.muted_map(means - before.mean(), (stream, start), parts, theme)
        with wide("sxwidemuted"):
            frame.chart(
                figure,
                key="sxmutedmap",
                alt="Change of the mean loss for every stream muted from every place on",
            )
    frame.what_to_notice(*POINTS)
    frame.badges(stream_state.checks(name, text))
    frame.equation(EQUATION, SOURCE)
    frame.copy_as_python(
        SNIPPET.format(name=name, text=text, stream=stream, start=start, place=places[start])
    )
