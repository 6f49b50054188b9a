"""The controls of the page Einstein notation: a text and a layer, or sizes of one's own; a line, and the formula that is read."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.notation import tensors
from tlmviz.analysis.notation.block import BlockLine, lines_of
from tlmviz.analysis.notation.parsing import LONGEST
from tlmviz.language_model import LanguageModel
from tlmviz.ui import compute, frame, inputs, link

OPENING = "Logits"
MODEL, OWN = "The model's", "Sizes of my own"
FORMULA = link.Field("nform", "", link.up_to(20_000))  # empty: the line's own
_BOX = "_formula"  # key of the box
_SHOWN = f"{link.SLOT}formula_of"  # session: the line whose formula the box was filled with


_FIXED_WIDTH = (
    "<style>.st-key-_formula input { font-family: ui-monospace, Menlo, Consolas, monospace; }</style>"
)


@dataclass(frozen=True)
class Choice:
    """A model's text and layer, or sizes of one's own (`sizes`; None for the model's); the line, the formula, the head drawn."""

    model: str
    text: str
    layer: int
    head: int
    sizes: str | None
    line: str
    formula: str

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def lines(self) -> tuple[BlockLine, ...]:
        """The lines of the layer."""
        return lines_of(self.lm.config, self.layer)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None when there is nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    row = compute.striking_row(model, text)
    link.open_on(f"einstein:{model}", lambda: (row.layer, row.head))
    with frame.after_picture(pairs=False):
        own, layer, head = _source(lm)
        line = _line(lines_of(lm.config, layer))
    formula = _formula(line)
    return Choice(model, text, layer, head, own, line.title, formula)


def _source(lm: LanguageModel) -> tuple[str | None, int, int]:
    """Whose tensors the names are: the model's, of a layer and a head, or random ones of one's own sizes, as text."""
    left, *places, right = st.columns([0.3, 0.12, 0.12, 0.46], vertical_alignment="center")
    reason = tensors.unlike(lm.config)
    whose = left.segmented_control(
        "Tensors",
        (MODEL, OWN),
        default=MODEL,
        key="nown",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
    if reason:
        st.info(
            f"{lm.name} has {reason}, which the notes' block lacks: formulas run on tensors of your own sizes. Another model, "
            "such as stories-rope, shows its own."
        )
    if whose == MODEL and not reason:
        return None, layer, head
    with right:
        typed = st.text_input(
            "Sizes",
            tensors.OWN_SIZES,
            key="nsizes",
            live="150ms",
            bind="query-params",
            label_visibility="collapsed",
        )
    return typed or "", layer, head


def _line(lines: tuple[BlockLine, ...]) -> BlockLine:
    titles = [line.title for line in lines]
    if (
        st.session_state.get("nline", OPENING) not in titles
    ):  # the model before had a line that this one lacks
        st.session_state["nline"] = OPENING
    picked = st.segmented_control(
        "Line of the block",
        titles,
        default=OPENING,
        key="nline",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        wrap=True,
        width="stretch",
    )
    return lines[titles.index(str(picked))]


def _formula(line: BlockLine) -> str:
    """The box of the formula: another line fills it anew, and what is typed is in the link."""
    shown = f"{line.title} {line.text}"
    if st.session_state.get(_SHOWN, shown) != shown:
        FORMULA.keep("")
    if st.session_state.get(_SHOWN) != shown or _BOX not in st.session_state:
        st.session_state[_SHOWN] = shown
        st.session_state[_BOX] = FORMULA.get() or line.text
    st.html(_FIXED_WIDTH)
    typed = st.text_input("Formula", key=_BOX, live="150ms", label_visibility="collapsed") or ""
    FORMULA.keep("" if typed == line.text else typed)
    FORMULA.share(hide=len(typed) > LONGEST)
    return typed


def use(line: str, formula: str) -> None:
    """Callback: show a line with another formula in the box."""
    st.session_state["nline"] = line
    FORMULA.keep(formula)
    st.session_state.pop(_SHOWN, None)
