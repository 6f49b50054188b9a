"""The examples of the page mHC: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .state import DEPTH, DIAL, MATRICES, MUTE, OWN, STREAMS, TRAINING, Streams

CARDS = (
    Card(
        "Four streams, shared out",
        "Doubly stochastic matrices mix them: at a sublayer a stream keeps 34% of itself, on average over this text.",
        {},
        "Four streams flowing through the sublayers of a model, one beside the other",
    ),
    Card(
        "Nothing binds them",
        "Free hyper-connections: one row sums to 5.52, another to −1.54, and products over depth grow.",
        {"smodel": "stories-hc", **Streams.link(view=MATRICES)},
        "Matrices of every sublayer in strong colours",
    ),
    Card(
        "Row sums that never reach 1",
        "Two rows share one column: no scaling exists, and Sinkhorn's iterations never settle.",
        Streams.link(view=DIAL, source=OWN, matrix="1 2 3\n0 4 0\n0 5 0"),
        "A matrix on Sinkhorn's dial with its row and column sums",
    ),
    Card(
        "One stream holds the story",
        "Mute stream 1 of the deep model, and the loss rises from 2.04 to 8.84 nats per token.",
        {"smodel": "stories-deep-mhc", **Streams.link(view=STREAMS, part=MUTE)},
        "The loss of each token with and without one stream",
    ),
    Card(
        "24 layers deep",
        "Over 24 layers free matrices amplify up to 154,000 times on this text, doubly stochastic ones by 1% at most.",
        {"smodel": "stories-deep-hc", **Streams.link(view=DEPTH)},
        "Triangles of gains of every product of mixing matrices",
    ),
    Card(
        "The training, replayed",
        "From their start to what they are: matrices, loss and gains, moment by moment.",
        Streams.link(view=TRAINING),
        "Curves of loss and gains with a slider through training",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
