"""The words of the page "Pointer network"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number

if TYPE_CHECKING:
    from tlmviz.analysis.words.hulls import Verdict

    from .controls import Choice

CLAIM = "Attention whose answer is a place: it points at the corners of a hull, one after another."
NOTICE = (
    "The rays are the attention of one step: from the point reached last to every point that could come next, as wide as the "
    "probability. The network goes where it is highest; the box is the end marker, by which it says that it is done.",
    "Drag a point, double-click to add or remove one: the network answers at once. The dashed line is the exact hull, by SciPy.",
    "Nothing forces the line to be a hull. Points close to an edge make the rays split, and a corner may be left out (ringed) "
    "or a point taken that is none (crossed).",
    "Take 200 points: it was trained on 5 to 50, and the same weights still answer, as attention has no fixed number of places.",
)
NOTICE_MATHS = (
    "Visited points are masked (score −∞), which the paper does not do; the end marker is an (N + 1)-th key that competes in the "
    "same softmax.",
)
EQUATIONS = (
    (
        r"\Pr(\mathcal{C} \mid \mathcal{P}) = \prod_i \Pr(C_i \mid C_1, \dots, C_{i-1}, \mathcal{P}), \qquad"
        r" \Pr(C_i = j \mid \dots) = \mathrm{softmax}_j\left(\mathbf{v}^\top \tanh(\mathbf{W}_1 \mathbf{e}_j + \mathbf{W}_2"
        r" \mathbf{d}_i)\right)",
        "Mathematics in Modern NLP, section 7.2, Eq. 51–52; Vinyals, Fortunato and Jaitly 2015. e: encoded points and end "
        "marker, d: the decoder's state.",
        "Eq. 52 writes a vector vᵢ for each step: it is one v, learned once.",
    ),
)
HULLREACH_ALT = "Shares of valid and exact hulls and area covered, by number of points"


def verdict(choice: Choice, found: Verdict, corners: int, drawn: int) -> str:
    """What the drawing is worth, in a sentence."""
    if found.exact:
        worth = {1: "the one place there is", 2: "exactly the two ends of points on a line"}.get(
            corners, "exactly the hull"
        )
    elif not found.valid:
        worth = "no valid polygon: the line crosses itself, or has no area"
    elif found.coverage is None:
        worth = "a polygon where the exact hull has no area"
    else:
        worth = f"a valid polygon that covers {number(100 * found.coverage, '.2f')} % of the hull's area"
        parts = [f"{len(found.missed)} of its corners left out"] * bool(found.missed)
        parts += [
            f"{len(found.extra)} visited that {'is' if len(found.extra) == 1 else 'are'} no corner"
        ] * bool(found.extra)
        worth += f" ({', '.join(parts)})" if parts else ", in another order"
    trained = (
        "" if 5 <= len(choice.points) <= 50 else f" It was never trained on {len(choice.points):,} points."
    )
    return f"It visits {drawn} of {len(choice.points):,} points: {worth}; the exact hull has {corners} corners.{trained}"


def fresh_sets_title(sets: int) -> str:
    """What stands above the picture."""
    return f"{sets} fresh sets of points each (share)"


def snippet(choice: Choice) -> str:
    """The drawing and its worth with the public API."""
    points = "points = scattered({!r}, {}, seed={})".format(*_origin(choice))
    if choice.moved:
        points = f"points = np.array({[list(point) for point in choice.points]}) / 1000"
    return f"""\
import numpy as np

import tlmviz
from tlmviz.analysis.words.hulls import exact_hull, judge, scattered

{points}
finder = tlmviz.load("pointer-hull")
drawing = finder.draw(points)
print(drawing.order)  # finder.hull(points) is this alone
print(drawing.attention.round(3))  # [steps, points + 1], the end marker last
print(exact_hull(points), judge(points, drawing.order))
"""


def _origin(choice: Choice) -> tuple[str, int, int]:
    kind, count, seed = choice.origin.split()
    return kind, int(count), int(seed)
