"""The words of the part "Through depth" of the view "Streams"."""

from __future__ import annotations

from .controls import Choice

NOTICE = (
    "All streams begin as copies of the embedding: one length, cosine 1. Where the lines part, streams begin to hold "
    "different things.",
    "*H_pre* is a weight, *share* what it came to: how much of what was read points the way that stream does. A large weight "
    "on a short stream gives little; a share below 0 means that the stream worked against the sum.",
    "Orange cells are negative. HC may subtract a stream; in mHC *H_pre* stays between 0 and 1 and *H_post* between 0 and 2.",
)
EQUATION = (
    r"x^{pre}_p = \sum_{n} H^{pre}_{p,n}\, x^{(n)}_p,\qquad "
    r"x^{(n)}_{p+1} = \sum_{m} H^{res}_{p,nm}\, x^{(m)}_p + H^{post}_{p,n}\, F_p(x^{pre}_p),\qquad "
    r"\text{share}_n = \frac{H^{pre}_{p,n}\, x^{(n)}_p \cdot x^{pre}_p}{\lVert x^{pre}_p \rVert^2}",
    "Transformer with PyTorch, section 5, Eq. 88–97. Sublayers p are attention 0, MLP 0, attention 1 and so on.",
)
SHOW_ALT = "Lengths and cosines of the streams through depth, what was read and written"


def one_stream(model: str) -> str:
    """What one stream means."""
    return f"{model} has a plain residual connection: one stream, read, written and carried on whole. Every weight is 1."


def window(choice: Choice) -> str:
    """Which tokens the slider reaches."""
    first, last = choice.window.start, choice.window.stop - 1
    return (
        f"The slider walks tokens {first} to {last} of {len(choice.reading.tokens)}; "
        "the menu above moves it elsewhere."
    )


def snippet(choice: Choice) -> str:
    """Python that draws the streams of one token through depth."""
    return f"""\
import tlmviz
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({choice.reading.model!r})
trace = lm.trace({choice.reading.text!r})
journey = stream_vectors.journey(trace)
pairs = stream_vectors.pairs(journey.norms.shape[2])
print("lengths:", journey.norms[:, {choice.token}])  # [places, streams]: behind the embedding and every sublayer
print("shares:", journey.share[:, {choice.token}])  # [sublayers, streams]
parts = part_names(trace.n_layers)
stream_mixing.through_depth(journey, pairs, parts, trace.tokens, {choice.token}, LIGHT).show()
"""
