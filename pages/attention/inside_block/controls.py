"""The controls of the page Inside a block: text, head, token and step, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.attention.matrices import Product
from tlmviz.analysis.attention.steps import step_names
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

# The step that is shown at first: every layer has it, and it shows what its head looks at.
OPENING = "softmax"
ROWS = "blockrows"  # key of the picture of all steps
CELL = link.Field("bcell", None, link.whole(0, 99_999))  # of the chosen step's row; None: none is open
_SEQUENCE = f"{link.SLOT}ib_sequence"  # session: number of that picture's last message


@dataclass(frozen=True)
class Choice:
    """A text, the head and the token that are followed through one layer, and the step that is shown."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
    position: int = 0
    step: str = ""

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of the steps of the layer."""
        return step_names(self.lm.config, self.layer)


def choose(model: str) -> Choice | None:
    """Text, layer, head and token; None when there is nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    row = compute.striking_row(model, text)
    link.open_on(f"block:{model}", lambda: (row.layer, row.head))
    tokens = compute.trace(model, text).tokens
    layer, head, position, _ = inputs.head_and_token_menus(lm.config, tokens, row.query)
    return Choice(model, text, layer, head, position)


def choose_step(choice: Choice) -> Choice:
    """The steps in a row, with buttons back and forth; the choice with the one that is picked."""
    names = choice.steps
    if st.session_state.get("step", OPENING) not in names:  # the model before had a step that this one lacks
        st.session_state["step"] = OPENING
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        current = st.segmented_control(
            "Step",
            names,
            default=OPENING,
            key="step",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
            wrap=True,
            width="stretch",
        )
        number = names.index(current)
        for label, move in (("‹", -1), ("›", 1)):
            target = names[min(max(number + move, 0), len(names) - 1)]
            st.button(
                label,
                key=f"move{move}",
                on_click=_go,
                args=(target,),
                disabled=target == current,
                help=f"To “{target}”",
            )
    return replace(choice, step=current)


def keep_cell() -> None:
    """Callback of the picture of all steps: the user chose a step, and perhaps a cell of it."""
    message = (st.session_state.get(ROWS) or {}).get("place")
    if message:
        st.session_state[_SEQUENCE] = int(message["seq"])
        st.session_state["step"] = str(
            message["step"]
        )  # a name that the model lacks is put right by `choose_step`
        cell = int(message["cell"])
        CELL.set(cell if cell >= 0 else None)


def sequence() -> int:
    """The number of the picture's last message."""
    return int(st.session_state.get(_SEQUENCE, 0))


def _go(step: str) -> None:
    st.session_state["step"] = step
    CELL.set(None)


def choose_column(product: Product) -> int:
    """The column of a product whose cell is opened, as an index into those on offer."""
    count = len(product.columns)
    if count == 1:
        return 0
    if "col" in st.session_state:
        st.session_state["col"] = min(int(st.session_state["col"]), count - 1)
    return st.slider(
        product.column[0].upper() + product.column[1:], 0, count - 1, 0, key="col", bind="query-params"
    )
