"""Latents: a few learned rows read a picture, then one another; what that costs, and what else is called MLA."""

from pages.beyond.latents import controls, examples, words
from pages.beyond.latents.cost import view as cost
from pages.beyond.latents.reading import view as reading
from pages.beyond.latents.two_mlas import view as two_mlas
from tlmviz.ui import frame

VIEWS = dict(zip(controls.PARTS, (reading.show, cost.show, two_mlas.show)))


@frame.fragment
def show() -> None:
    """The chosen part of the page."""
    VIEWS[controls.choose_part()]()


frame.heading("Latents", words.CLAIM, examples.examples)
show()
