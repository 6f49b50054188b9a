"""The examples of the page Doctor."""

from __future__ import annotations

from tlmviz.ui import gallery
from tlmviz.ui.gallery import Card

from .state import MODELS, TWO_WAYS, Doctor, Sizes

CARDS = (
    Card(
        "Another RoPE base",
        "One layer of six turns by the base 2,500 instead of 10,000: found in layer 3, its base measured to four "
        "digits.",
        {},
        "Two curves of angles that part from each other",
    ),
    Card(
        "Keys in noise",
        "1% of noise on W_K of one layer, 0.4% of its product: named, while W_Q and W_V of the same product stay "
        "clean.",
        Doctor.link(fault="W_K noise") | Sizes.link(w_k_noise=1),
        "A curve with one peak at a layer",
    ),
    Card(
        "A window of six",
        "One layer sees the last six tokens only: 253 cells less, all of them on the far side of a diagonal.",
        Doctor.link(fault="Window"),
        "A triangle of cells, of which only a band along the diagonal is seen by both",
    ),
    Card(
        "Padded, and healthy",
        "Five tokens of padding in front, in a batch with a longer text: no step differs by more than a millionth.",
        Doctor.link(view=TWO_WAYS),
        "A heat map in which every cell is pale",
    ),
    Card(
        "INT4, and no fault",
        "Weights in four bits: every product is off by about 9%, in all layers alike. Rounding, says the doctor, not a "
        "fault.",
        Doctor.link(view=TWO_WAYS, way="int4"),
        "A heat map in which whole columns are coloured",
    ),
    Card(
        "Trained apart",
        "stories-rope and stories-gpt part at the very first step, and nearly everywhere: two models, and not one with "
        "a fault.",
        Doctor.link(view=MODELS),
        "A heat map that is dark in most steps",
    ),
)


def examples() -> None:
    """The cards."""
    gallery.menu(__file__, CARDS)
