"""Attention family: from multi-head over grouped and multi-query to latent attention, on trained and published
models."""

from pages import IN
from pages.caches.attention_family import view
from pages.caches.attention_family.calculator import part as calculator
from pages.caches.attention_family.collapse import part as collapse
from pages.caches.attention_family.examples import examples
from pages.caches.attention_family.latent import part as latent
from pages.caches.attention_family.maps import part as maps
from pages.caches.attention_family.morph import part as morph
from pages.caches.attention_family.redundancy import part as redundancy
from pages.caches.attention_family.state import CALCULATOR, COLLAPSE, LATENT, MAPS, MORPH, REDUNDANCY, ZOO, Family
from pages.caches.attention_family.zoo import part as zoo
from tlmviz.ui.part import Parts, page

PART = Parts(
    Family,
    "view",
    {
        MORPH: morph.PART,
        CALCULATOR: calculator.PART,
        ZOO: zoo.PART,
        MAPS: maps.PART,
        LATENT: latent.PART,
        REDUNDANCY: redundancy.PART,
        COLLAPSE: collapse.PART,
    },
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["caches/attention_family"], PART, examples)
