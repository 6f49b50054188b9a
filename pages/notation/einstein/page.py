"""Matrices and indices: a block as formulas with named indices that run, and matrices as sums of columns times rows."""

from pages import IN
from pages.notation.einstein.examples import examples
from pages.notation.einstein.formulas import part as formulas
from pages.notation.einstein.rank import part as rank
from pages.notation.einstein.state import FORMULAS, RANK, Part
from tlmviz.ui.part import Parts, page

PART = Parts(Part, "part", {FORMULAS: formulas.PART, RANK: rank.PART})

if __name__ == "__main__":
    page(IN["notation/einstein"], PART, examples)
