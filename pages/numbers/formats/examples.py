"""The examples of the page Formats: numbers that formats treat differently, and products and passes in which scales
decide."""

from __future__ import annotations

from tlmviz.analysis.numbers.scaling import TENSOR
from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

from .bits.state import Bits
from .state import PRODUCT, WHOLE, Part, Rounding
from .whole.state import Whole

_ONE = Part.link(part=PRODUCT)
CARDS = (
    Card(
        "Nobody has 0.1",
        "Not one of nine formats keeps 0.1 exactly; E4M3 makes it 0.1015625, integers 0.",
        {},
        "Eight bits, and nine formats' versions of 0.1",
    ),
    Card(
        "Too large for FP16",
        "70000 is infinite in FP16. BF16 has as many bits and keeps it, as 70144.",
        Bits.link(format="fp16", number="70000"),
        "Sixteen bits: an exponent of ones, a mantissa of zeros",
    ),
    Card(
        "A gradient that vanishes",
        "1e-8 is zero in FP16: below half of its smallest number. BF16 keeps it.",
        Bits.link(format="fp16", number="1e-8"),
        "A dashed line left of where the 16 bits of FP16 begin",
    ),
    Card(
        "One loud channel",
        "Layer 2's down reads a channel 48 times as loud as the median one. One scale leaves X 19 dB, one per 32 "
        "numbers 39.",
        _ONE,
        "A map of X, and two clouds of dots: the lower one falls to the left",
    ),
    Card(
        "Four bits, one scale",
        "INT4 with one scale for all of X rounds 99.5% of it to 0: only the loud are left.",
        _ONE | Rounding.link(format="int4", per=TENSOR),
        "Dots that lie at 0 dB but for the loudest",
    ),
    Card(
        "Down is what breaks",
        "The whole model in INT4, one scale each: 0.10 bits per byte worse. With down left out, no worse on this text.",
        Part.link(part=WHOLE)
        | Rounding.link(format="int4", per=TENSOR)
        | Whole.link(parts=("q", "k", "v", "o", "gate", "up", "head")),
        "Bars along the text, and all matrices but one chosen",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
