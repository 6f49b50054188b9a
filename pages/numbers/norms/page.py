"""Norms: over which numbers a spread is measured, what a norm makes of it, and how far sums of many numbers spread
without."""

from pages import IN
from pages.numbers.norms.batch import part as batch
from pages.numbers.norms.examples import examples
from pages.numbers.norms.spread import part as spread
from pages.numbers.norms.state import ISOTROPY, LOGITS, MAPS, SCORES, TOKENS, Part
from tlmviz.ui.part import Parts, page

PART = Parts(
    Part,
    "part",
    {TOKENS: batch.TOKENS, MAPS: batch.MAPS, SCORES: spread.SCORES, LOGITS: spread.LOGITS, ISOTROPY: spread.ISOTROPY},
)

if __name__ == "__main__":
    page(IN["numbers/norms"], PART, examples)
