"""The controls of the page Attention explorer: text and view as one Choice, and the panels' own controls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.attention.tags import striking_row, tag_heads
from tlmviz.decoding.sampling import Sampling
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

FACTORS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
LEAST_FLOW = (0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
VIEW = "attention"  # the key of the attention view, under which it sends what the user chose in it
_CHOICE = "_explored"
_MUTED, _CHANGED = "_muted", "_muted_in_panel"  # a widget, and that it was used
_OPENED = f"{link.SLOT}opened_on"  # session: the model and example that a row was suggested for, and the text


@dataclass(frozen=True)
class Choice:
    """A text, and what the attention view shows of it: head, pins, stage, order."""

    model: str
    text: str
    view: link.View

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return compute.model(self.model)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return compute.trace(self.model, self.text)

    @property
    def query(self) -> int:
        """The pinned query, or the last token."""
        return len(self.trace) - 1 if self.view.query is None else self.view.query

    @property
    def pair(self) -> tuple[int, int]:
        """The pinned query and key, also a key that the query does not see; unpinned, the query and its largest weight's key."""
        if self.view.query is not None and self.view.key is not None:
            return self.view.query, self.view.key
        return inputs.pinned(self.trace, self.view)

    @property
    def hidden(self) -> str:
        """Why the pair's query does not see its key; empty where it does."""
        (query, key), mask = self.pair, self.trace.specs[self.view.head[0]].mask
        if mask.causal and key > query:
            return "a later token"
        return "outside the window" if mask.window is not None and query - key >= mask.window else ""


def choose(model: str) -> Choice | None:
    """The text, with the session's view cut to what this model and text have; None when there is nothing to read yet."""
    text = inputs.text_box(compute.model(model))
    if text is None:
        return None
    trace = compute.trace(model, text)
    _open_on_a_row_worth_seeing(model, text, trace)
    return Choice(model, text, link.view().fitted(trace.n_layers, trace.n_heads, len(trace)))


def _open_on_a_row_worth_seeing(model: str, text: str, trace: Trace) -> None:
    """While nobody has chosen a head or a pin, a session, a model or an example opens on the row that shows the most.

    Its pin belongs to that text: it goes when the user types on, so that the predictions follow the last token again.
    """
    origin = f"{model}:{inputs.examples_picked()}"
    opened_on, opened_with = st.session_state.get(_OPENED, ("", ""))
    if opened_on != origin and link.head_is_free() and not trace.crosses:
        row = striking_row(trace, tag_heads(trace))
        if link.pin_is_free():
            link.suggest_row(row.layer, row.head, row.query, row.key)
        else:
            link.suggest_head(row.layer, row.head)
        st.session_state[_OPENED] = origin, text
    elif opened_on == origin and text != opened_with and link.pin_is_suggested():
        link.release_pin()


def keep(choice: Choice | None) -> None:
    """Remember what the picture shows, for what stands below it in a fragment of its own."""
    st.session_state[_CHOICE] = choice


def kept() -> Choice | None:
    """What the picture shows; None while there is nothing to read."""
    choice: Choice | None = st.session_state[_CHOICE]
    return choice


@dataclass(frozen=True)
class Drawing:
    """How the next token is drawn, and from which seed."""

    sampling: Sampling
    seed: int


def choose_drawing() -> Drawing:
    """The filters of the predictions and the seed, behind a button that says what is set."""
    with st.popover("Sampling", width="stretch", help="Temperature, top-k, top-p, min-p and the seed"):
        temperature = st.slider("Temperature", 0.0, 2.0, 1.0, 0.05, key="temp", bind="query-params")
        top_k = st.slider(
            "top-k", 0, 50, 0, key="topk", bind="query-params", help="The k most probable; 0: all."
        )
        top_p = st.slider(
            "top-p",
            0.05,
            1.0,
            1.0,
            0.05,
            key="topp",
            bind="query-params",
            help="The fewest, of those that top-k leaves, that reach this share.",
        )
        min_p = st.slider(
            "min-p",
            0.0,
            1.0,
            0.0,
            0.05,
            key="minp",
            bind="query-params",
            help="Those at least this share as probable as the most probable.",
        )
        seed = st.number_input("Seed", 0, 9999, 0, key="drawseed", bind="query-params")
    return Drawing(Sampling(temperature, top_k or None, top_p, min_p), int(seed))


def choose_panel(names: list[str]) -> str:
    """The panel below the picture."""
    return st.segmented_control(
        "Look closer",
        names,
        default=names[0],
        key="panel",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )


def choose_least_flow() -> float:
    """The smallest share of the prediction that is drawn of the flow to it."""
    return st.select_slider(
        "Smallest share of the prediction that is drawn",
        LEAST_FLOW,
        0.01,
        key="flowmin",
        bind="query-params",
        format_func=lambda share: f"{share:.1%}",
    )


def choose_factor() -> float:
    """What the scale 1/sqrt(d) is multiplied by."""
    return st.select_slider(
        "Factor on 1/√d",
        FACTORS,
        2.0,  # at 1 nothing would have changed yet
        key="scale",
        bind="query-params",
        help="Below 1 the softmax flattens, above 1 it gets peaky and its gradient vanishes.",
    )


def replacement() -> str:
    """What stands in for muted heads' output, also while the panel with its menu is closed."""
    how = st.session_state.get("how") or st.query_params.get("how", "")
    return how if how in inputs.REPLACEMENTS else inputs.REPLACEMENTS[0]


def choose_muted(choice: Choice) -> tuple[tuple[tuple[int, int], ...], str]:
    """Muted heads as (layer, head), the same that are muted on their tiles, and what stands in for their output."""
    trace = choice.trace
    options = [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]
    left, right = st.columns([0.75, 0.25])
    st.session_state[_MUTED] = list(choice.view.mute)
    left.multiselect(
        "Muted heads (layer.head): Alt-click a tile above, or choose here",
        options,
        key=_MUTED,
        format_func=lambda head: f"{head[0]}.{head[1]}",
        on_change=_keep_muted,
        placeholder="Choose any number of heads",
    )
    return choice.view.mute, inputs.replacement_menu(right)


def _keep_muted() -> None:
    link.remember(replace(link.view(), mute=tuple(sorted(st.session_state[_MUTED]))))
    st.session_state[_CHANGED] = True


def muted_elsewhere() -> bool:
    """Whether heads were muted in the panel since the picture was drawn: it has to be drawn again."""
    return st.session_state.pop(_CHANGED, False)
