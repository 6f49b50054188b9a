"""Draws the part Points of a hull, points and a line through them, and the controls of the page Pointers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words import hulls
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from .data import NUMBERS, SETS, Data
from .state import HULL, Choice

PICTURE = live.Picture(__file__, "hull", "hull.js", points=Choice.points, step=Choice.step)
EQUATION = (
    r"\Pr(\mathcal{C} \mid \mathcal{P}) = \prod_i \Pr(C_i \mid C_1, \dots, C_{i-1}, \mathcal{P}), \qquad"
    r" \Pr(C_i = j \mid \dots) = \mathrm{softmax}_j\left(\mathbf{v}^\top \tanh(\mathbf{W}_1 \mathbf{e}_j + \mathbf{W}_2"
    r" \mathbf{d}_i)\right)",
    "Mathematics in Modern NLP, section 7.2, Eq. 51–52; Vinyals, Fortunato and Jaitly 2015. e: encoded points and end "
    "marker, d: the decoder's state.",
    "Eq. 52 writes a vector vᵢ for each step: it is one v, learned once.",
)


def controls() -> Choice:
    """Draw the controls; what they say."""
    if Choice.part.get() == HULL:
        part, kind, count, seed = st.columns([0.28, 0.36, 0.2, 0.16], vertical_alignment="bottom")
        Choice.part.draw(part)
        Choice.kind.draw(kind)
        Choice.number.draw(count)
        Choice.seed.draw(seed)
    else:
        part, shift = st.columns([0.28, 0.72], vertical_alignment="bottom")
        Choice.part.draw(part)
        Choice.shift.draw(shift)
        Choice.text.draw()
    return Choice.of_session()


def picture(data: Data) -> None:
    """The points, that can be moved, the line that the network draws, and the rays of a step."""
    chosen, verdict = data.chosen, data.verdict
    header = {
        "title": _("The line that a pointer network draws through {count} points", count=len(data.points)),
        "order": data.drawing.order.tolist(),
        "exact": data.exact,
        "missed": list(verdict.missed),
        "extra": list(verdict.extra),
        "doubtful": data.doubtful,
        "origin": f"{chosen.kind} {chosen.number} {chosen.seed}",
    }
    arrays = {"points": np.array(data.points, np.uint16), "attention": data.drawing.attention.astype(np.float32)}
    PICTURE.show(header, arrays)


def reach(data: Data) -> None:
    """How far the network reaches."""
    with st.spinner(_("Drawing fresh hulls …"), show_time=True):
        found = data.reach
    figure = hulls.reach(
        NUMBERS,
        [each.exact for each in found],
        [each.valid for each in found],
        [each.coverage for each in found],
        data.most,
        frame.theme(),
        title=_(
            "Fresh sets of points scattered evenly in a square, {sets} of each size, so one set is {step} (share)",
            sets=SETS,
            step=f"{1 / SETS:.0%}",
        ),
    )
    frame.chart(figure, key="hullreach", alt=_("Shares of valid and exact hulls and area covered, by number of points"))


def snippet(data: Data) -> str:
    """The drawing and its worth with the public API."""
    chosen = data.chosen
    given = f"points = scattered({chosen.kind!r}, {chosen.number}, seed={chosen.seed})"
    if chosen.points:
        given = f"points = np.array({[list(point) for point in chosen.points]}) / 1000"
    return f"""\
import numpy as np

import tlmviz
from tlmviz.analysis.words.hulls import exact_hull, judge, scattered

{given}
finder = tlmviz.load("pointer-hull")
drawing = finder.draw(points)
print(drawing.order)  # finder.hull(points) is this alone
print(drawing.attention.round(3))  # [steps, points + 1], the end marker last
print(exact_hull(points), judge(points, drawing.order))
"""
