"""Long context: texts beyond the training length, any tile of any map, and what sparser attention costs and loses."""

import streamlit as st

from pages.kernels.long_context import (
    compute as long_state,
)
from pages.kernels.long_context import (
    view as long_parts,
)
from pages.kernels.long_context import (
    view_indexer as indexer_panel,
)
from tlmviz.ui import compute, frame, inputs, link

VIEWS = ("Maps", "Masks", "Lightning indexer")


def maps(name: str, text: str, ids: tuple[int, ...], head: tuple[int, int]) -> None:
    """Loss along the text, all heads, one head, an exact tile; below, where each head's mass lies."""
    trace, loss, seconds = long_state.passed(name, ids)
    long_parts.loss(loss, compute.model(name).config.context, seconds)
    every = st.session_state.get("every", False)
    surveys, tile = long_parts.maps(name, ids, trace, every, head)
    if len(ids) > long_state.EXACT:
        st.toggle(
            "Read every query for the overview of all heads",
            key="every",
            bind="query-params",
            help="Slower: at 16,384 tokens a minute or more. The middle map and the tile always read every query.",
        )
    long_parts.statistics(surveys, head)
    frame.copy_as_python(long_parts.snippet(name, text, ids, head, tile, None))


def masks(name: str, text: str, ids: tuple[int, ...], head: tuple[int, int]) -> None:
    """Sparse and linear attention in place of the softmax."""
    methods = long_state.methods()
    shown = long_parts.comparison(name, ids, methods, head)
    frame.copy_as_python(long_parts.snippet(name, text, ids, head, None, methods[shown]))


@frame.fragment
def read(name: str) -> None:
    """The text, what to look at, and the chosen part of the page."""
    lm = compute.model(name)
    text = long_state.text(name)
    if text is None:
        return
    choice, layer, head, note = st.columns([0.32, 0.12, 0.12, 0.44], vertical_alignment="center")
    view = choice.segmented_control(
        "View",
        VIEWS,
        default="Maps",
        key="lview",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    chosen = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, (layer, head))
    note.caption(long_parts.about(name, text))
    if view == "Lightning indexer":
        indexer_panel.panel(name, text, *chosen, long_parts.position(lm.config.context))
    else:
        ids = tuple(long_state.readable(lm, text))
        with st.spinner(f"One pass over {len(ids):,} tokens …", show_time=True):
            long_state.passed(name, ids)
        {"Maps": maps, "Masks": masks}[view](name, text, ids, chosen)
        words(name, ids, view)
    link.share()


def words(name: str, ids: tuple[int, ...], view: str) -> None:
    """What to notice, the identities, and the formula with its source."""
    frame.what_to_notice(*long_parts.POINTS[view])
    frame.badges(long_state.checks(name, ids))
    frame.equation(*long_parts.EQUATIONS[view])


frame.heading(
    "Long context", "Any tile of any map at any length, and what sparser attention would cost and lose."
)
read(st.session_state["model"])
