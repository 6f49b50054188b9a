"""The controls of the page RoPE planes: text, head, query and key, part, and each part's own settings, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz import kernels
from tlmviz.analysis.positions import rope_planes
from tlmviz.errors import BadConfig
from tlmviz.figures import placed
from tlmviz.figures.positions import rope_steps
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame, inputs, link

Pair = tuple[int, int]
CLOCKS, STEPS, LAYOUTS, HEADS = PARTS = ("Clocks", "Step by step", "Layouts", "Heads")
MOVES = {"Move both": "both", "Move the query": "query", "Move the key": "key"}
STRIDES = (1, 4, 16, 64, 256)
SCOPES = ("In this head", "In every layer")
NOTES_BASE = 100_000.0  # the default of the notes' code, Transformer with PyTorch, section 3.3
PLAIN_BASE = 10_000.0  # of RoFormer and of the notes' chapter "Attention": the other one for models that have the first
QUERY, KEY = "_token", "_key"  # the menus' keys in the session; the link holds the view that all pages share


@dataclass(frozen=True)
class Choice:
    """A text, a head, a query and a key, and what the chosen part of the page does with them."""

    model: str
    text: str
    head: Pair  # layer, head
    pair: Pair  # positions of query and key
    part: str = CLOCKS
    base: float = 0.0  # of the frequencies that are shown (Heads: of those that are compared)
    moves: str = "both"  # which positions the slider moves
    stride: int = 1  # tokens per step of the slider
    layout: str = "interleaved"
    everywhere: bool = False  # the rotation is exchanged in every layer, not in this head alone

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)

    @property
    def own_base(self) -> float:
        """The base that the model was trained with."""
        return rope_planes.own_base(self.lm.config)

    @property
    def rows(self) -> slice:
        """Positions whose rotation is drawn: those around the query."""
        return rope_steps.shown_rows(len(self.trace), self.pair[0])


def choose(model: str) -> Choice | None:
    """Text, head, query, key and part; None when there is nothing to read yet."""
    text = inputs.text_box(compute.model(model))
    if text is None:
        return None
    with frame.split_on_phones():
        with frame.after_picture(pairs=False, name="head", width="content", horizontal=True, gap="small"):
            places = [st.container(width=width) for width in (112, 112, 152, 152)]
        room = st.container(width="content")
    trace = compute.trace(model, text)
    link.open_on(f"rope:{model}", lambda: compute.previous_head(model, text))
    head = inputs.head_menus(trace.n_layers, trace.n_heads, places[:2])
    pair = _pair_menus(trace, places[2:])
    part = room.segmented_control(
        "Part",
        PARTS,
        default=CLOCKS,
        key="rpart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return Choice(model, text, head, pair, part)


def choose_part(choice: Choice) -> tuple[Choice, DeltaGenerator]:
    """The settings of the chosen part, and a place beside them for a sentence."""
    return _OF_PART[choice.part](choice)


def _turning(choice: Choice) -> tuple[Choice, DeltaGenerator]:
    with _row():
        left, steps, number, jump = (
            st.container(width=width) for width in ("content", 155, "content", "content")
        )
    moves = left.segmented_control(
        "Moves",
        list(MOVES),
        default="Move the query",
        key="rmove",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    stride = steps.selectbox(
        "Step",
        STRIDES,
        key="rstep",
        bind="query-params",
        label_visibility="collapsed",
        format_func=lambda tokens: f"{tokens} token{'s' * (tokens > 1)} a step",
    )
    query = choice.pair[0]
    jump.button(
        "A previous-token head",
        key="rprev",
        on_click=_view_previous,
        args=(*compute.previous_head(choice.model, choice.text), query),
        disabled=query == 0,
        help="The head of this model that looks most at the token before, with that token as the key",
    )
    base = _base_box(choice, number, "rbase", "θ", choice.own_base)
    return replace(choice, moves=MOVES[moves], stride=stride, base=base), st.empty()


def _stepping(choice: Choice) -> tuple[Choice, DeltaGenerator]:
    with _row():
        left, number, note = (st.container(width=width) for width in ("content", "content", 440))
    layout = left.segmented_control(
        "Layout",
        kernels.LAYOUTS,
        default="interleaved",
        key="rlay",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        format_func={"interleaved": "Interleaved", "half": "Half-split"}.get,
    )
    base = _base_box(choice, number, "rbase", "θ", choice.own_base)
    return replace(choice, layout=layout, base=base), note


def _exchanging(choice: Choice) -> tuple[Choice, DeltaGenerator]:
    with _row():
        left, number, note = (st.container(width=width) for width in ("content", "content", 440))
    scope = left.segmented_control(
        "Scope",
        SCOPES,
        default=SCOPES[0],
        key="rscope",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="Where the rotation is exchanged",
    )
    other = PLAIN_BASE if choice.own_base == NOTES_BASE else NOTES_BASE
    base = _base_box(choice, number, "rother", "Other θ", other)
    return replace(choice, everywhere=scope == SCOPES[1], base=base), note


_OF_PART = {
    CLOCKS: _turning,
    STEPS: _stepping,
    LAYOUTS: lambda choice: (choice, st.empty()),
    HEADS: _exchanging,
}


def _row() -> DeltaGenerator:
    """Controls side by side; a phone breaks the row where it must, and shows it below the picture."""
    return frame.after_picture(
        pairs=False, name="settings", horizontal=True, vertical_alignment="center", gap="small"
    )


def _pair_menus(trace: Trace, places) -> Pair:
    """Menus of query and key, tied to the view that all pages share; the key is never after the query."""
    query, key = inputs.pinned(trace, link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))
    st.session_state[QUERY], st.session_state[KEY] = query, key
    for place, label, name, count, keep in (
        (places[0], "Query", QUERY, len(trace), _keep_query),
        (places[1], "Key", KEY, query + 1, _keep_key),
    ):
        place.selectbox(
            label,
            range(count),
            key=name,
            on_change=keep,
            label_visibility="collapsed",
            format_func=lambda at, label=label: f"{label} {placed(at, trace.tokens[at])}",
            help="The key the query weighs most, until another is chosen" if name == KEY else None,
        )
    return query, key


def _keep_query() -> None:
    link.remember(replace(link.view(), query=st.session_state[QUERY]))
    link.share()


def _keep_key() -> None:
    link.remember(replace(link.view(), query=st.session_state.get(QUERY), key=st.session_state[KEY]))
    link.share()


def _view_previous(layer: int, head: int, query: int) -> None:
    """Choose a head, and the token before the query as its key."""
    link.remember(replace(link.view(), head=(layer, head), query=query, key=query - 1))
    link.share()


def _base_box(choice: Choice, place, key: str, label: str, default: float) -> float:
    """A base of the frequencies. For one that makes no angles a sentence says that the default is used instead."""
    with place, st.container(horizontal=True, vertical_alignment="center", gap="small", width=215):
        st.markdown(f":small[{label}]", width="content")
        base = st.number_input(
            label,
            value=float(default),
            step=1000.0,
            format="%g",
            key=key,
            bind="query-params",
            label_visibility="collapsed",
            help=f"Frequencies are θ^(−2j/d). This model was trained with θ = {choice.own_base:,.6g}; the notes' code has "
            "100,000, the chapter “Attention” 10,000.",
        )
    try:
        return rope_planes.checked_base(default if base is None else base)
    except BadConfig as error:
        st.warning(f"{error} {default:,.6g} is used instead.")
        return float(default)
