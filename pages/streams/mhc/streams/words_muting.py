"""The words of the part "Mute" of the view "Streams"."""

from __future__ import annotations

import numpy as np

from pages.streams.mhc.controls import Reading
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures import number, readable

from .controls import Muting

NOTICE = (
    "At the left of the map a stream never holds anything; further right it is set to zero later. Where its row is pale, "
    "what it held had been used by then, or other streams hold it too.",
    "Sublayers go on writing to the other streams. A small change means that the streams hold much the same, a large one that "
    "this stream held something no other did.",
    "H_pre, H_post and H_res are computed from the streams, so without one of them they change as well.",
)
EQUATION = (
    r"\tilde x^{(n)}_p = 0 \ \text{ for every } p \ge p_0,\qquad "
    r"\Delta = \frac{1}{T-1} \sum_{t} \log \frac{P(w_{t+1} \mid w_{\le t})}{\tilde P(w_{t+1} \mid w_{\le t})}",
    "Streams as in Transformer with PyTorch, Eq. 88–97. A tilde marks the pass in which stream n is set to zero at place p₀ and "
    "behind every later sublayer; the head's mean still divides by N, which its normalisation takes out.",
)
SXMUTEDMAP_ALT = "Change of the mean loss for every stream muted from every place on"


def cost(muting: Muting, before: np.ndarray, after: np.ndarray) -> str:
    """The losses per token [T - 1] before and after, and the token that lost most."""
    change = after - before
    worst = int(change.argmax())
    token = readable(muting.reading.tokens[worst + 1]).replace("`", "ˋ")
    return (
        f"Mean loss **{before.mean():.4f}** nats per token with all streams, **{after.mean():.4f}** with stream {muting.stream} "
        f"muted: **{number(change.mean(), '+.4f')}**. Changed most for the worse: token {worst + 1} `{token}`, "
        f"{number(change[worst], '+.3f')}."
    )


def one_stream(reading: Reading) -> str:
    """What is left of a plain residual without its only stream."""
    return (
        f"{reading.model} has one stream: without it the head reads zeros, and every token costs the log of the vocabulary’s "
        f"size, {np.log(reading.lm.config.vocab_size):.2f} nats. With several streams, what one loses another may keep."
    )


def sxlosses_alt(stream: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Loss of every token with all streams and with stream {stream} muted"


def snippet(muting: Muting) -> str:
    """Python that measures what muting a stream costs."""
    reading, stream = muting.reading, muting.stream
    part = part_names(reading.lm.config.n_layers)[muting.start]
    return f"""\
import tlmviz
from tlmviz.analysis.streams.vectors import mute_stream
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({reading.model!r})
text = {reading.text!r}
before = lm.trace(text)
after = lm.trace(text, edit=mute_stream(lm.config.n_layers, stream={stream}, start={muting.start}))  # from {part} on
change = (after.loss_per_token() - before.loss_per_token()).mean()
print("nats per token:", before.loss_per_token().mean(), "and muted:", after.loss_per_token().mean(), "change:", change)
losses = [trace.loss_per_token().numpy() for trace in (before, after)]
stream_mixing.losses(before.tokens, *losses, LIGHT, what="stream {stream} muted").show()
"""
