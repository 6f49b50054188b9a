"""Draws the page Pointers: controls, points and a line through them, a text and where its words come from, and what is
below."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.words import hulls
from tlmviz.figures.words.copying import word_losses
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from .data import NUMBERS, SETS, Copies, Hull, finder
from .state import HULL, Choice

POINTS = live.Picture(__file__, "hull", "hull.js", points=Choice.points, step=Choice.step)
WORDS = live.Picture(__file__, "copies", "sentinel.js", word=Choice.word)
HULL_EQUATION = (
    r"\Pr(\mathcal{C} \mid \mathcal{P}) = \prod_i \Pr(C_i \mid C_1, \dots, C_{i-1}, \mathcal{P}), \qquad"
    r" \Pr(C_i = j \mid \dots) = \mathrm{softmax}_j\left(\mathbf{v}^\top \tanh(\mathbf{W}_1 \mathbf{e}_j + \mathbf{W}_2"
    r" \mathbf{d}_i)\right)",
    "Mathematics in Modern NLP, section 7.2, Eq. 51–52; Vinyals, Fortunato and Jaitly 2015. e: encoded points and end "
    "marker, d: the decoder's state.",
    "Eq. 52 writes a vector vᵢ for each step: it is one v, learned once.",
)
SENTINEL_EQUATION = (
    r"p(w) = g\, p_{\mathrm{vocab}}(w) + (1 - g)\, p_{\mathrm{ptr}}(w), \qquad a = "
    r"\mathrm{softmax}\left([\mathbf{q}\cdot\mathbf{h}_0, \dots, "
    r"\mathbf{q}\cdot\mathbf{h}_t;\ \mathbf{q}\cdot\mathbf{s}]\right), \quad g = a_{\mathbf{s}}",
    "Mathematics in Modern NLP, section 7.2.4, Eq. 53; Merity, Xiong, Bradbury and Socher 2016. "
    "h: the LSTM's states, q = tanh(W h), s: the sentinel.",
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


def points(data: Hull) -> None:
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
    POINTS.show(header, arrays)


def reach(data: Hull) -> None:
    """How far the network reaches."""
    with st.spinner(_("Drawing fresh hulls …"), show_time=True):
        found = data.reach
    figure = hulls.reach(
        NUMBERS,
        [each.exact for each in found],
        [each.valid for each in found],
        [each.coverage for each in found],
        finder().config.most,
        frame.theme(),
        title=_(
            "Fresh sets of points scattered evenly in a square, {sets} of each size, so one set is {step} (share)",
            sets=SETS,
            step=f"{1 / SETS:.0%}",
        ),
    )
    frame.chart(figure, key="hullreach", alt=_("Shares of valid and exact hulls and area covered, by number of points"))


def words(data: Copies) -> None:
    """The text, its words shaded by what was copied."""
    mix = data.mix
    header = {
        "title": _("What is written and what is copied"),
        "tokens": mix.tokens,
        "unknown": [bool(i >= mix.size) for i in mix.ids],
        "offers": [[[each.word, each.written, each.copied] for each in row] for row in data.offers],
        "most": data.most_copied,
    }
    WORDS.show(header, {"gate": mix.gate.astype(np.float32), "pointer": mix.pointer.astype(np.float32)})


def losses(data: Copies) -> None:
    """Both models' losses."""
    figure = word_losses(data.mix.tokens, *data.nats, frame.theme())
    frame.chart(figure, key="copylosses", alt=_("Loss of each word with the pointer and without"))


def points_snippet(data: Hull) -> str:
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


def words_snippet(data: Copies) -> str:
    """The parts of the mixture with the public API."""
    return f"""\
import tlmviz

model = tlmviz.load("stories-sentinel")
mix = model.mixture({data.chosen.text!r}, sentinel={data.chosen.shift})
print(mix.tokens, mix.unknown)
print(mix.gate.round(2))  # [T]; row t predicts word t + 1
best = [mix.words[i] for i in mix.mixed.argmax(1)]  # [T, V], V with the text's own unknown words
looks = mix.pointer.argmax(1)  # [T, T], rows sum to 1
for t, (word, place) in enumerate(zip(best, looks)):
    print(mix.tokens[t], "->", word, f"(pointer: {{mix.tokens[place]}}, 1 - g = {{1 - mix.gate[t]:.2f}})")
"""
