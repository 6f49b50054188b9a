"""Pointers: attention whose answer is a place: a corner among points, or an earlier word of a text."""

from pages import IN
from pages.words.pointers import claims, view
from pages.words.pointers.data import Data
from pages.words.pointers.examples import examples
from pages.words.pointers.sentinel import part as sentinel
from pages.words.pointers.state import HULL, SENTINEL, Choice
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

POINTS = Part(
    Choice,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(CLAIMS, later("beneath-pointers", view.reach, BADGES, EQUATION, CODE)),
)
PART = Parts(Choice, "part", {HULL: POINTS, SENTINEL: sentinel.PART}, controls=view.controls)

if __name__ == "__main__":
    page(IN["words/pointers"], PART, examples)
