"""The state of the part Einstein notation: whose tensors the names are, the line of the block, and the formula that is
" "typed."""

from __future__ import annotations

from tlmviz.analysis.notation import code, tensors
from tlmviz.ui import state
from tlmviz.ui.language import N_

OPENING = "Logits"
MODEL, OWN = "model", "own"
LONGEST = 20_000  # characters of a formula in a link


class Formula(state.State):
    """A model's text, layer and head, or sizes of one's own; a line, and the formula in its place, "" for its own."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
    whose = state.menu(
        N_("Tensors"),
        {MODEL: N_("The model's"), OWN: N_("Sizes of my own")},
        key="nown",
        segments=True,
        label_visibility="collapsed",
        spelled={MODEL: "The model's", OWN: "Sizes of my own"},
    )
    sizes = state.text(
        N_("Sizes"), tensors.OWN_SIZES, key="nsizes", more={"live": "150ms", "label_visibility": "collapsed"}
    )
    line = state.menu(N_("Line of the block"), key="nline", default=OPENING, parse=str, label_visibility="collapsed")
    formula = state.text(
        N_("Formula"), "", key="nform", longest=LONGEST, more={"live": "150ms", "label_visibility": "collapsed"}
    )
    style = state.menu(
        N_("Style"), code.STYLES, key="ncode", default=code.EINSUM, segments=True, label_visibility="collapsed"
    )


Formula.line.changed = lambda: Formula.formula.set("")


def use(line: str, formula: str) -> None:
    """Callback: show a line with another formula in the box."""
    Formula.line.set(line)
    Formula.formula.set(formula)
