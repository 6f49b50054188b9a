"""The examples of the page Formats: numbers that formats treat differently."""

from __future__ import annotations

from tlmviz.ui import gallery, inputs
from tlmviz.ui.gallery import Card

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
        {"nfmt": "fp16", "nnum": "70000"},
        "Sixteen bits: an exponent of ones, a mantissa of zeros",
    ),
    Card(
        "A gradient that vanishes",
        "1e-8 is zero in FP16: below half of its smallest number. BF16 keeps it.",
        {"nfmt": "fp16", "nnum": "1e-8"},
        "A dashed line left of where the 16 bits of FP16 begin",
    ),
    Card(
        "All ones, and not infinite",
        "0x7f in E4M3 is NaN; one below it is 448, the largest. It has no infinity.",
        {"nnum": "0x7f"},
        "Seven bits that are 1",
    ),
    Card(
        "Where gradients fall",
        "Of this text's gradients an eighth is subnormal in FP16, and E4M3 loses more than half: why a loss is scaled.",
        {"nfmt": "fp16"},
        "Three hills of sizes, the gradients' partly left of the format's normal numbers",
    ),
)


def examples() -> None:
    """Cards, and texts to start from."""
    gallery.menu(__file__, CARDS, inputs.example_texts)
