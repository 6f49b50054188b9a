"""Draws the part Force attention: pins, both maps, and the next token with and without the pins."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from tlmviz.decoding.records import Candidate
from tlmviz.errors import BadText
from tlmviz.figures import number, predictions
from tlmviz.ui import frame, markdown
from tlmviz.ui.language import _

from .. import view as shared
from ..ribbons.data import Data as Moved
from ..ribbons.state import Ribbons
from ..state import CARRY, Alignment
from .data import Data
from .pins import read_pins, write_pins
from .state import Forced

MAP = "freemap"  # the chart whose clicked cells are pinned
NEXT = 8  # tokens whose probabilities are drawn


def controls(model: str, text: str) -> Alignment:
    """Draw the menus of a translation, and the pins; what the menus say."""
    base, more = shared.ruled(model, text)
    source, target = base.source, base.target
    if st.session_state.pop(CARRY, False) and not Forced.pins.get():
        known = {step: token for step, token in Moved(base, Ribbons.pins.get()).set_here if step < len(target)}
        Forced.pins.set(write_pins(known))
    at = _token_menu(more, _("Step"), target, "_astep")
    to = _token_menu(more, _("looks at"), source, "_aword")
    more.button(_("Pin"), key="pin", on_click=_pin, args=(at, to, len(target), len(source)))
    pins, clear = st.columns([0.86, 0.14], vertical_alignment="bottom")
    typed = Forced.pins.draw(pins) or ""
    clear.button(_("Clear"), key="unpin", on_click=Forced.pins.set, args=("",), disabled=not typed, width="stretch")
    return base.chosen


def wait(data: Data) -> None:
    """Why what is typed is no pin, and that the model decodes on, where the picture will stand, while it does."""
    if data.refused:
        st.warning(frame.worded(data.refused))
    with st.spinner(_("Decoding on …"), show_time=True):
        data.after  # noqa: B018


def _token_menu(place, label: str, tokens: list[str], key: str) -> int:
    """The chosen token's position, from 0; beyond the last token the last one.

    The value is set anew in each run: of a menu that keeps its value the browser would keep the old words too.
    """
    st.session_state[key] = min(st.session_state.get(key, 0), len(tokens) - 1)
    return place.selectbox(label, range(len(tokens)), format_func=lambda at: f"{at + 1}: {tokens[at].strip()}", key=key)


def _pin_clicked(steps: int, size: int) -> None:
    """Callback: pin the cell of the map [steps, size] that was clicked."""
    if place := frame.clicked(MAP, 2):
        _pin(*place, steps, size)


def _pin(step: int, token: int, steps: int, size: int) -> None:
    try:
        pins = read_pins(Forced.pins.get(), steps, size)
    except BadText:
        pins = {}  # pins of another sentence
    Forced.pins.set(write_pins({**pins, step: token}))


def picture(data: Data) -> None:
    """Both maps, and the next token."""
    _before_and_after(data)
    _next_tokens(data)


def _before_and_after(data: Data) -> None:
    """The chosen hypothesis, and what is written when the pins decide where to look."""
    left, right = st.columns(2)
    before = data.base.candidate
    with left:
        frame.chart(
            _map(data, before, _("As it was"), clickable=True),
            key=MAP,
            select="points",
            alt=_("The chosen hypothesis's map; click a cell to pin it"),
            on_select=partial(_pin_clicked, *before.map(data.base.align).shape),
        )
    with right:
        figure = _map(data, data.after, _("Forced"))
        frame.chart(figure, key="forcedmap", alt=_("The map of what was written with the pins"))


def _map(data: Data, candidate: Candidate, title: str, clickable: bool = False):
    """A text's figure below its words."""
    text = markdown.plain(data.base.mt.text(candidate.tokens)) or _("(nothing)")
    st.markdown(f"**{title}**: {text} :small[:gray[log P {number(sum(candidate.logps), '.3f')}]]")
    return shared.coverage_map(
        data.base.covered(candidate),
        title=_("{title} (pins framed)", title=title),
        pins=data.pinned(candidate),
        clickable=clickable,
        height=shared.LOW,
    )


def _next_tokens(data: Data) -> None:
    """Probabilities of the token at the first pin, looking freely and looking where it must."""
    free, bound = data.next_tokens
    best = np.argsort(-np.maximum(free, bound))[:NEXT]
    figure = predictions.before_after(data.base.names(best.tolist()), free[best], bound[best], frame.theme())
    figure.layout.title.text = _("Probability of token {step}", step=data.first[0] + 1)
    for bars, label in zip(figure.data, (_("looking freely"), _("forced"))):
        bars.name, bars.hovertemplate = label, "%{y:.5f}<extra>" + label + "</extra>"
    frame.chart(figure, key="pinnednext", alt=_("Next-token probabilities at the first pin, free and forced"))


def snippet(data: Data) -> str:
    """The chosen hypothesis decoded on from its first pin."""
    base, chosen = data.base, data.base.chosen
    return f"""\
from math import log

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

mt = tlmviz.load({chosen.model!r})
text, pins = {chosen.text!r}, {dict(data.pins)!r}  # step: source token, from 0
penalties = Penalties(beta={chosen.beta!r}, floor={chosen.floor!r})
found = mt.search(text, BeamOptions(width={chosen.width}))
before = found.hypotheses(penalties, align={base.align!r})[{chosen.rank - 1}]
options = BeamOptions(width={chosen.width}, prefix=before.tokens[:min(pins)])
after = mt.search(text, options, pins).hypotheses(penalties, align={base.align!r})[0]
print(mt.text(before.tokens))
print(mt.text(after.tokens))
source, least = [mt.tokenizer.name(i) for i in mt.encode(text)], penalties.beta * log(penalties.floor)
for title, one in (("As it was", before), ("Forced", after)):
    a, target = one.map({base.align!r}), [mt.tokenizer.name(i) for i in one.tokens]
    costs = penalties.beta * token_coverage(a.sum(0), penalties.floor)
    framed = tuple(p for p in pins.items() if p[0] < len(a))
    alignment.coverage_map(a, source, target, costs, least, LIGHT, title=title, pins=framed).show()
"""
