"""Encoder & decoder: the three attentions of a translating Transformer, the shifted target, and what leaks without the
mask."""

from pages import IN
from pages.translation.encoder_decoder import claims, view
from pages.translation.encoder_decoder.data import Data
from pages.translation.encoder_decoder.examples import examples
from pages.translation.encoder_decoder.state import Decoding
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later, page

PART = Part(
    Decoding,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.maps,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.wait,),
    beneath=(later("beneath-decoding", view.leak, CLAIMS, view.parts, BADGES, EQUATION, CODE, seen=False),),
)

if __name__ == "__main__":
    page(IN["translation/encoder_decoder"], PART, examples)
