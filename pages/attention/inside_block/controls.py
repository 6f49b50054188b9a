"""The controls of the page Inside a block: text, head, token and step, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.attention.matrices import Product
from tlmviz.analysis.attention.steps import step_names
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs


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
        """Names of the steps of a layer of this model."""
        return step_names(self.lm.config)


def choose(model: str) -> tuple[Choice, DeltaGenerator] | None:
    """Text, layer, head and token, and the room beside their menus; None when there is nothing to read yet."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    if text is None:
        return None
    layer, head, position, room = inputs.head_and_token_menus(lm.config, compute.trace(model, text).tokens)
    return Choice(model, text, layer, head, position), room


def choose_step(choice: Choice) -> Choice:
    """The steps in a row, with buttons back and forth; the choice with the one that is picked."""
    names = choice.steps
    if st.session_state.get("step", names[0]) not in names:  # the model before had a step that this one lacks
        st.session_state["step"] = names[0]
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        current = st.segmented_control(
            "Step",
            names,
            default=names[0],
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


def _go(step: str) -> None:
    st.session_state["step"] = step


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
