"""Draws the part Exact search: how many candidates each way looks at, and what beams of several widths find."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.translation import beam_curves
from tlmviz.ui import frame
from tlmviz.ui.language import _

from .claims import beams_first
from .data import Data
from .state import Horizon

EQUATION = (
    r"\hat{Y} = \arg\max_{y_1 \dots y_T} \prod_{t=1}^{T} \Pr(y_t | y_1 \dots y_{t-1}, X):\quad N^T "
    r"\text{ paths for all},\quad W \cdot N \cdot T \text{ candidates for a beam } (1 < W < N),\quad N \cdot T "
    r"\text{ for greedy}",
    "Mathematics in Modern NLP, Eq. 27-30 and section 6.1. N: tokens of the vocabulary, T: length, W: width. "
    "Search errors and model errors: Stahlberg and Byrne 2019.",
)


def horizon(data: Data) -> None:
    """How many tokens the short search has."""
    Horizon.tokens.draw(st.columns([0.48, 0.52])[0])


def wait(data: Data) -> None:
    """Which rules are left out, and that the model searches, where the picture will stand, while it does."""
    if data.left_out:
        st.caption(_("Forced, banned and other rules are left out here: every way searches the same texts."))
    with st.spinner(_("Searching …"), show_time=True):
        data.exact  # noqa: B018


def picture(data: Data) -> None:
    """What each way looks at beside what beams of several widths find."""
    left, right = st.columns(2)
    with left:
        counts(data)
    with right:
        widths(data)


def counts(data: Data) -> None:
    """Candidates that exhaustive search, the beam and branch and bound look at."""
    looked_at = data.looked_at(data.plain.width)
    figure = beam_curves.counts_of_paths(
        data.exact.vocabulary,
        data.plain.width,
        max(*data.short, len(looked_at)),
        {t: one.scored for t, one in data.short.items()},
        dict(enumerate(looked_at, start=1)),
        frame.theme(),
    )
    frame.chart(
        figure, key="paths", alt=_("Candidates of exhaustive search, of a beam and of branch and bound against T")
    )


def widths(data: Data) -> None:
    """Highest log P and best score against the width."""
    exact = data.exact
    figure = beam_curves.widths(
        {width: beam.parts.logp for width, beam in data.beams.items()},
        {width: winner.score for width, winner in data.winners.items()},
        exact.logp if exact.tokens else None,
        exact.proven,
        frame.theme(),
    )
    frame.chart(figure, key="widths", alt=_("Highest log P and best score that beams of several widths find"))


def table(data: Data) -> None:
    """Every width and the exact search in numbers."""
    exact, text, winners = data.exact, data.base.mt.text, data.winners
    error, candidates = _("search error"), _("candidates")
    names = (
        _("search"),
        _("highest log P"),
        error,
        _("tokens"),
        candidates,
        _("most probable text"),
        _("winner by score"),
    )
    lines = [
        (
            _("greedy") if width == 1 else _("beam {width}", width=width),
            beam.parts.logp,
            exact.logp - beam.parts.logp,
            len(beam.tokens),
            data.looked_at(width)[-1],
            text(beam.tokens),
            text(winners[width].tokens),
        )
        for width, beam in data.beams.items()
    ]
    looked = sum(line[4] for line in lines)
    name = _("exact") if exact.proven else _("exact (not proven)")
    lines.append((name, exact.logp, 0.0, len(exact.tokens), looked + exact.scored, text(exact.tokens), ""))
    frame.table(
        [dict(zip(names, line)) for line in lines],
        {names[1]: ".3f", error: ".3f", candidates: ",d"},
        {error: _("Nats below the exact text")},
    )
    st.caption(beams_first(data, looked))


def snippet(data: Data) -> str:
    """The model's own best translation beside those of beams of several widths."""
    chosen = data.base.chosen
    return f"""\
import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import ExactOptions, exact_search

mt = tlmviz.load({chosen.model!r})
text = {chosen.text!r}
beams = {{width: mt.search(text, BeamOptions(width=width, stop={chosen.stop!r})) for width in {list(data.searches)!r}}}
found = [hypothesis for search in beams.values() for hypothesis in search.hypotheses() if hypothesis.finished]
best = max(found, key=lambda hypothesis: hypothesis.parts.logp)  # nothing below it needs a look
options = ExactOptions(
    max_length=mt.longest(text), known=(best.tokens, best.parts.logp), expansions=4000, seconds=60
)
exact = exact_search(mt.stepper(text), options)
for width, search in beams.items():
    beam = max(search.hypotheses(), key=lambda hypothesis: (hypothesis.finished, hypothesis.parts.logp))
    print(f"beam of {{width}}:", beam.parts.logp, mt.text(beam.tokens))
print("exact:", exact.logp, mt.text(exact.tokens), "proven" if exact.proven else "not proven")
print(f"looked at {{exact.scored:,}} candidates after the beams, of {{float(exact.all_texts):.1e}} texts")
"""
