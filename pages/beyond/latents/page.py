"""Latents: a few learned rows read a picture, then one another; what that costs, and what else is called MLA."""

from pages import IN
from pages.beyond.latents.cost import page as cost
from pages.beyond.latents.cost.state import Cost
from pages.beyond.latents.examples import examples
from pages.beyond.latents.reading import page as reading
from pages.beyond.latents.reading.state import Reading
from pages.beyond.latents.state import COST, READING, TWO_MLAS, Latents
from pages.beyond.latents.two_mlas import page as two_mlas
from tlmviz.ui import frame

PARTS = {READING: reading.show, COST: cost.show, TWO_MLAS: two_mlas.show}


@frame.fragment
def show() -> None:
    """The open part."""
    part = Latents.part.draw()
    Latents.of_session()
    PARTS[part]()


frame.heading(IN["beyond/latents"], examples, Latents, Reading, Cost)
show()
