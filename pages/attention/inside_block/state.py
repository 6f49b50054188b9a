"""The state of the page Inside a block: the head and the token that are followed through one layer, a step, and a cell
of it."""

from __future__ import annotations

from tlmviz.analysis.attention.stacks import DECODER, ENCODER
from tlmviz.ui import link, state
from tlmviz.ui.language import N_
from tlmviz.ui.translation import SentencePair

MOST = 99_999  # cells of a row


def _which(text: str) -> str:
    return link.choice((ENCODER, DECODER))(text.lower())


class Choice(state.State):
    """A text and what is followed through it; a model that translates has a sentence pair and one of its two stacks."""

    model: str
    text: str
    layer: int
    head: int
    position: int
    pair: SentencePair | None
    which = state.menu(
        N_("Stack"),
        {ENCODER: N_("Encoder"), DECODER: N_("Decoder")},
        key="bstack",
        default=DECODER,
        segments=True,
        parse=_which,
        label_visibility="collapsed",
        help=N_("The encoder reads the sentence, the decoder writes another."),
    )
    # None until one is chosen: which one the page opens on, and which there are, the model decides.
    step = state.menu(N_("Step"), key="step", parse=link.up_to(40), label_visibility="collapsed")
    every = state.toggle(
        N_("All steps"),
        key="bsteps",
        help=N_("Off: what comes in, where the head looks, what each part adds, and what is expected."),
    )
    cell = state.live("bcell", None, link.whole(0, MOST), ends=(0, MOST))  # of the step's row; None: none is open
    column = state.slider(N_("Column of the product"), 0, MOST, 0, key="col")
