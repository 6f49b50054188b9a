"""Formats: the bits of FP32 down to INT4, and what a model loses in them when a scale serves many numbers or few."""

import streamlit as st

from pages import IN
from pages.numbers.formats.bits import page as bits
from pages.numbers.formats.bits.state import Bits
from pages.numbers.formats.examples import examples
from pages.numbers.formats.product import page as product
from pages.numbers.formats.product.state import Product
from pages.numbers.formats.state import BITS, PRODUCT, WHOLE, Part, Rounding
from pages.numbers.formats.whole import page as whole
from pages.numbers.formats.whole.state import Whole
from tlmviz.ui import frame

PARTS = {BITS: bits.show, PRODUCT: product.show, WHOLE: whole.show}


@frame.fragment
def show(model: str) -> None:
    """The part's menu, and the chosen part."""
    part = Part.part.draw()
    Part.of_session()
    PARTS[part](model)


frame.heading(IN["numbers/formats"], examples, Part, Bits, Rounding, Product, Whole)
show(st.session_state["model"])
