"""The controls of the page Inside a block: text or sentence pair, head, token and step, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.attention.matrices import Product
from tlmviz.analysis.attention.stack_steps import stack_step_names
from tlmviz.analysis.attention.stacks import DECODER, ENCODER, Stack, telling_row
from tlmviz.analysis.attention.steps import step_names
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link, translation
from tlmviz.ui.translation import SentencePair

# The step that is shown at first: what a head looks at. Every layer has the first, a decoder that translates the second.
OPENING, OPENING_CROSS = "softmax", "cross softmax"
STACKS = {ENCODER: "Encoder", DECODER: "Decoder"}
ROWS = "blockrows"  # key of the picture of all steps
CELL = link.Field("bcell", None, link.whole(0, 99_999))  # of the chosen step's row; None: none is open
_SEQUENCE = f"{link.SLOT}ib_sequence"  # session: number of that picture's last message


@dataclass(frozen=True)
class Choice:
    """A text, the head and the token that are followed through one layer, and the step that is shown.

    A model that translates has a sentence pair and one of its two stacks; `text` is the sentence.
    """

    model: str
    text: str
    layer: int = 0
    head: int = 0
    position: int = 0
    step: str = ""
    pair: SentencePair | None = None
    which: str = ""

    @property
    def lm(self) -> LanguageModel:
        """The language model that reads the text."""
        return compute.model(self.model)

    @property
    def stack(self) -> Stack | None:
        """The stack that is gone through, of a model that translates."""
        return None if self.pair is None else translation.stack(self.pair, self.which)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share, or the stack's."""
        return compute.trace(self.model, self.text) if self.stack is None else self.stack.trace

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of the steps of the layer."""
        return step_names(self.lm.config, self.layer) if self.stack is None else stack_step_names(self.stack)

    @property
    def opening(self) -> str:
        """The step that is shown at first."""
        return OPENING_CROSS if self.which == DECODER else OPENING


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


def choose_pair(model: str) -> Choice | None:
    """A sentence and its translation, one of the stacks that read them, layer, head and token; None without any to read."""
    pair = translation.pair_boxes(model)
    if pair is None:
        return None
    which = st.segmented_control(
        "Stack",
        STACKS,
        default=DECODER,
        key="bstack",
        bind="query-params",
        required=True,
        format_func=STACKS.get,
        label_visibility="collapsed",
        help="The encoder reads the sentence, the decoder writes the translation.",
    )
    stack = translation.stack(pair, which)
    opening_layer, opening_head, start = telling_row(stack)
    link.open_on(f"block:{model}:{which}", lambda: (opening_layer, opening_head))
    layer, head, position, _ = inputs.head_and_token_menus(stack.config, stack.trace.tokens, start)
    return Choice(model, pair.text, layer, head, position, pair=pair, which=which)


def choose_step(choice: Choice) -> Choice:
    """The steps in a row, with buttons back and forth; the choice with the one that is picked."""
    names = choice.steps
    if (
        st.session_state.get("step", choice.opening) not in names
    ):  # the model before had a step that this one lacks
        st.session_state["step"] = choice.opening
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        current = st.segmented_control(
            "Step",
            names,
            default=choice.opening,
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
