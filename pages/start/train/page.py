"""Train a transformer: a small network learns in the reader's browser, from random numbers to heads that do
something."""

from pages import IN
from pages.start.train import claims, view
from pages.start.train.data import Data
from pages.start.train.examples import examples
from pages.start.train.state import Choice
from tlmviz.ui.part import EQUATION, Part, page

PART = Part(
    Choice,
    Data,
    claims.CLAIMS,
    (),
    view.runs,
    controls=view.controls,
    equation=view.EQUATION,
    beneath=(view.further, view.words, EQUATION),
)

if __name__ == "__main__":
    page(IN["start/train"], PART, examples)
