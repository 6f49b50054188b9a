"""Patch: a part of one run put into another, for every part of the network, and how much of the answer comes back."""

from pages import IN
from pages.workbench.patch import claims, view
from pages.workbench.patch.data import Data
from pages.workbench.patch.examples import examples
from pages.workbench.patch.state import Patch
from tlmviz.ui.part import CLAIMS, CODE, EQUATION, Part, later, page

PART = Part(
    Patch,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(
        later("beneath-patch", view.further, CLAIMS, view.agreement, view.identities, EQUATION, CODE, seen=False),
    ),
)

if __name__ == "__main__":
    page(IN["workbench/patch"], PART, examples)
