"""Formats: the bits of FP32 down to INT4, and what a model loses in them when a scale serves many numbers or few."""

from pages import IN
from pages.numbers.formats.bits import part as bits
from pages.numbers.formats.examples import examples
from pages.numbers.formats.product import part as product
from pages.numbers.formats.state import BITS, PRODUCT, WHOLE, Part, Rounding
from pages.numbers.formats.whole import part as whole
from tlmviz.ui.part import Parts, page

PART = Parts(Part, "part", {BITS: bits.PART, PRODUCT: product.PART, WHOLE: whole.PART}, also=(Rounding,))

if __name__ == "__main__":
    page(IN["numbers/formats"], PART, examples)
