"""Text and image: a picture laid out digit by digit, a question about it, and who looks where, both ways round."""

from pages import IN
from pages.beyond.text_and_image import claims, view
from pages.beyond.text_and_image.data import Data
from pages.beyond.text_and_image.examples import examples
from pages.beyond.text_and_image.state import Scene
from tlmviz.ui.part import CLAIMS, Part, later, page

PART = Part(
    Scene,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    beneath=(CLAIMS, later("beneath-scene", view.quality, view.words)),
)

if __name__ == "__main__":
    page(IN["beyond/text_and_image"], PART, examples)
