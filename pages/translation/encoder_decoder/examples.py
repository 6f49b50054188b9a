"""The examples of the page Encoder & decoder: links to what stands out, and sentences to start from."""

from __future__ import annotations

from tlmviz.ui import gallery, translation
from tlmviz.ui.gallery import Card

from .state import LEARNED, REMOVED, ROTATED, Decoding

CARDS = (
    Card(
        "Three attentions, one mask",
        "Only the decoder's map has an empty half. This head puts over half of its weight on the token before.",
        {},
        "The encoder's, the decoder's and the cross-attention map side by side",
    ),
    Card(
        "Peeking one word ahead",
        "Trained on without the mask, a head lies on the diagonal beyond it: 99% of its weight is on the next word, "
        "the answer.",
        Decoding.link(kind=LEARNED),
        "A decoder map whose bright diagonal lies one place in the future",
    ),
    Card(
        "The mask taken away",
        "The same weights, free to look ahead: they never learned what to do there, and the loss doubles.",
        Decoding.link(kind=REMOVED),
        "A decoder map with weight in the half that the mask used to hide",
    ),
    Card(
        "Positions between two languages",
        "RoPE put into cross-attention as well: what lies at like places is hardly turned, and the translation stays "
        "the same.",
        Decoding.link(kind=ROTATED),
        "Three maps, the cross map nearly as without rotation",
    ),
    Card(
        "Read a wrong translation",
        "The decoder reads “Le président mange la lune.” in place of its own words.",
        Decoding.link(french="Le président mange la lune."),
        "Three maps of a source sentence and a translation that does not belong to it",
    ),
)


def examples() -> None:
    """Cards, and sentences to start from."""
    gallery.menu(__file__, CARDS, translation.example_sentences)
