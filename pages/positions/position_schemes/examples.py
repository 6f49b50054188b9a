"""The examples of the page Position schemes: links to what stands out, and texts to start from."""

from __future__ import annotations

from tlmviz.ui import compute, gallery, inputs, long_text
from tlmviz.ui.gallery import Card

from .extension.state import DYNAMIC, Extension
from .schemes.state import ADDED, BY_DISTANCE, SIMILARITY, Schemes
from .state import EXTENSION, Reading

_EXTENSION = Reading.link(part=EXTENSION) | {"model": compute.DEFAULT_MODEL}
CARDS = (
    Card(
        "Beyond what training showed",
        "Trained on 256 tokens, read on 1,024: RoPE's loss climbs above 4 nats, ALiBi's and relative vectors' stay "
        "near 2.",
        {},
        "Lines of the loss along a text, fanning out after the training length",
    ),
    Card(
        "What each adds",
        "Two schemes add a vector to the embedding; three act where queries meet keys; one adds nothing.",
        Schemes.link(view=ADDED),
        "Six heat maps of what each scheme adds",
    ),
    Card(
        "Stripes or a blur",
        "RoPE and sinusoids look the same along every diagonal: distances. Learned vectors only tell early from late.",
        Schemes.link(view=SIMILARITY),
        "Six maps of how alike positions are",
    ),
    Card(
        "Eight heads, eight reaches",
        "ALiBi's slopes give each head a reach: from 2 tokens back on average to over 50.",
        Schemes.link(view=BY_DISTANCE),
        "Weight by distance, six schemes side by side",
    ),
    Card(
        "Four ways past the limit",
        "After the training length the unscaled loss climbs; NTK-aware scaling and YaRN hold it down without training.",
        _EXTENSION | Extension.link(schemes=("Position interpolation", "NTK-aware", DYNAMIC, "YaRN")),
        "Lines of the loss along a text of three times the training length",
    ),
    Card(
        "The price of interpolating",
        "Position interpolation alone: without training it costs a nat per token, most of it where nothing was wrong.",
        _EXTENSION | Extension.link(schemes=("Position interpolation",), difference=True),
        "The change of the loss against the unscaled model, high from the first token on",
    ),
)


def _use(text: str) -> None:
    Reading.own.set(text)
    Reading.source.set(long_text.OWN)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, lambda: inputs.text_buttons(inputs.EXAMPLES, "example", _use))
