"""Latents: a few learned rows read a picture, then one another; what that costs, and what else is called MLA."""

from pages import IN
from pages.beyond.latents.cost import part as cost
from pages.beyond.latents.examples import examples
from pages.beyond.latents.reading import part as reading
from pages.beyond.latents.state import COST, READING, TWO_MLAS, Latents
from pages.beyond.latents.two_mlas import part as two_mlas
from tlmviz.ui.part import Parts, page

PART = Parts(Latents, "part", {READING: reading.PART, COST: cost.PART, TWO_MLAS: two_mlas.PART})

if __name__ == "__main__":
    page(IN["beyond/latents"], PART, examples)
