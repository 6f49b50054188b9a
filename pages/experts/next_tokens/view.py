"""Draws the page Next tokens: controls, the chains or the passes, and below them accuracy and speed."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.experts.ahead import accuracy_by_depth, speeds
from tlmviz.ui import frame, live, state
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import CHAINED, GIVEN, OWN, PARALLEL, PREDICTIONS, SMALLER, WRITING, Ahead

PICTURE = live.Picture(__file__, "ahead", place=Ahead.place, step=Ahead.step)
_MODULES = (
    r"\mathbf{h}'^{\,k}_i = \mathbf{W}_k "
    r"\left[\mathrm{RMSNorm}(\mathbf{h}^{k-1}_i);\ \mathrm{RMSNorm}(\mathrm{Emb}(w_{i+k}))\right], \quad \mathbf{h}^k "
    r"= \mathrm{Block}_k(\mathbf{h}'^{\,k}), \quad P^k_{i+k+1} = \mathrm{softmax}(\mathrm{Head}(\mathbf{h}^k_i)), "
    r"\quad \mathcal{L} = \mathcal{L}_0 + \frac{\lambda}{D} \sum_{k=1}^{D} \mathcal{L}_k",
    "DeepSeek-AI 2024 (DeepSeek-V3), section 2.2, Eq. 21–25; Decoder-Only Transformers in Einstein Notation, section "
    "6.4.",
    "DeepSeek-V3 chains modules: each sees the token before the one that it predicts. Section 6.4 has heads side by "
    "side, as the twin stories-mtp-parallel.",
)
_HEADS = (
    r"O_t^{(j)\,v} = H_t^{\mathrm{final}\,f}\, W_{O_j\,f}^{\ \ v}, \qquad \mathcal{L} = \frac{1}{n} \sum_{j=1}^{n} "
    r"\mathrm{CE}(O_t^{(j)}, w_{t+j})",
    "Decoder-Only Transformers in Einstein Notation, section 6.4; Gloeckle et al. 2024.",
)
_REJECTION = (
    r"\Pr(x \text{ stays}) = \min\left(1, \frac{p(x)}{q(x)}\right), \qquad \text{else } x \sim \frac{\max(0, p - q)}"
    r"{\sum_y \max(0, p(y) - q(y))} \quad \Rightarrow \quad x \sim p",
    "Leviathan, Kalman and Matias 2023, section 2.3 and appendix A.1.",
)
EQUATIONS = {CHAINED: _MODULES, PARALLEL: _HEADS}


def rejection(data: Data) -> None:
    """What proposals are put to."""
    frame.equation(*_REJECTION)


def cut(data: Data) -> None:
    """What is not read."""
    if said := claims.cut(data):
        frame.caption(said)


def controls() -> Ahead:
    """Draw the controls; what they say."""
    writing = Ahead.view.get() != Ahead.view.default
    widths = [0.215, 0.305, 0.35, 0.13] if writing else [0.215, 0.345, 0.29, 0.15]  # none is cut at 1280 pixels
    left, middle, right, last = st.columns(widths, vertical_alignment="bottom")
    Ahead.view.draw(left)
    if writing:
        if Ahead.proposer.draw(middle) != SMALLER:
            Ahead.model.draw(right)
    elif Ahead.model.draw(middle) != PARALLEL:
        Ahead.reads.draw(right)
    if writing:
        with frame.more(last):
            Ahead.count.draw()
            Ahead.temperature.draw()
            state.reset_button(Ahead)
    else:
        state.reset_button(Ahead, last)
    (Ahead.beginning if writing else Ahead.words).draw()
    return Ahead.of_session()


def picture(data: Data) -> None:
    """The text with its chains of predictions, or as it is written pass by pass. Raises BadText: the context has no
    room."""
    header = _rounds(data) if data.chosen.writing else _chains(data)
    PICTURE.show({"title": claims.title(data), "tokens": data.joined(data.ids), **header}, {})


def _chains(data: Data) -> dict:
    chains = [
        [
            {"reads": stage.reads, "right": stage.right, "top": [[name, round(p, 4)] for name, p in stage.top]}
            for stage in stages
        ]
        for stages in data.stages
    ]
    return {"kind": "chains", "parallel": data.chosen.parallel, "chains": chains, "rounds": [], "at": data.place + 1}


def _rounds(data: Data) -> dict:
    left, rounds = len(data.written.ids), []
    for each in data.written.rounds:
        kept = data.spelled(each.written[:left])
        proposed = [[name, round(p, 4)] for name, p in zip(data.spelled(each.proposed), each.chances)]
        added = kept[-1] if len(kept) > each.accepted else None  # None: the text ended within what was proposed
        rounds.append({"proposed": proposed, "accepted": min(each.accepted, len(kept)), "added": added})
        left -= len(kept)
    return {"kind": "rounds", "parallel": data.chosen.parallel, "chains": [], "rounds": rounds, "at": data.step + 1}


def accuracy(data: Data) -> None:
    """How often predictions are right by depth."""
    held_out = data.measured.set_index("model").loc[data.model, "accuracy"].tolist()
    given = None if data.chosen.parallel else data.accuracy(GIVEN)
    figure = accuracy_by_depth(data.accuracy(OWN), given, held_out, frame.theme())
    alt = _("Share of right predictions by depth, on this text and on held-out stories")
    frame.chart(figure, key="aheadaccuracy", alt=alt)


def speed(data: Data) -> None:
    """What proposals gain in speed."""
    with st.spinner(_("Writing the same text both ways …"), show_time=True):
        plain, quick = race = data.race
    if plain[-1] < quick[0] or quick[-1] < plain[0]:
        alt = _("Tokens per second, one a pass and with proposals")
        frame.chart(speeds(plain, quick, frame.theme()), key="aheadspeeds", alt=alt)
    frame.timed(claims.speed(race), data.forget_race)


def _writing(data: Data) -> str:
    draft = "None" if data.draft is None else f"tlmviz.load({data.draft!r})"
    return f"""\
import tlmviz

lm = tlmviz.load({data.model!r})
draft = {draft}
said = lm.speculate({data.text!r}, {data.chosen.count}, draft=draft, temperature={data.chosen.temperature})
print(said.text)
print(said.passes, "passes,", said.accepted, "of", said.proposed, "proposed tokens stayed")
for each in said.rounds:
    print([lm.tokenizer.name(i) for i in each.proposed], each.accepted, lm.tokenizer.name(each.written[-1]))
"""


def _predictions(data: Data) -> str:
    way = "own_chains" if data.chosen.reads == OWN else "given_chains"
    return f"""\
import tlmviz
from tlmviz.analysis.experts.ahead import accuracy, {way}

lm = tlmviz.load({data.model!r})
ids = lm.encode({data.text!r})
chains = {way}(lm.network, ids)
for token, chain in zip(ids, chains):
    print(lm.tokenizer.name(token), "->", [lm.tokenizer.name(i) for i in chain.first])
print(accuracy(chains, ids))  # of each depth (right, all)
"""


SNIPPETS = {PREDICTIONS: _predictions, WRITING: _writing}  # what is shown, with the public API
