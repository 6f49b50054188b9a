"""Draws the explorer's panel Flow: which heads and MLPs carry the predicted word, from which tokens."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from tlmviz.analysis.attention.flow import Flow, why_not
from tlmviz.figures import readable
from tlmviz.ui import frame, link

from . import compute, controls, words, writing
from .component import Graph, flow_view
from .controls import Choice

KEY = "flow-graph"
TARGET: link.Field[int | None] = link.Field(
    "flowto", None, link.whole(0, 9999)
)  # held while edges are opened
_OPENED = "_flow_opened"  # session: an edge was opened, or the target let go, since the picture was drawn


@frame.fragment
def flow(choice: Choice) -> None:
    """The flow to one word's logit as a graph; its edges open their heads in the map."""
    if st.session_state.pop(_OPENED, False):
        st.rerun()
    if reason := words.no_flow(choice) or why_not(choice.lm, len(choice.trace)):
        st.info(reason)
        return
    position, held = target(choice)
    least = controls.choose_least_flow()
    followed = compute.flow(choice.model, choice.text, position, predicted(choice, position))
    flow_view(graph(choice, followed, least), key=KEY, on_opened=partial(_open, position))
    if held and position != choice.query:
        st.button(words.FOLLOW_PINNED, key="flow-release", on_click=_release)
    frame.caption(words.flow(choice, followed, least), maths=words.FLOW_MATHS)
    frame.badges([compute.flow_check(choice.model, choice.text, position)])
    TARGET.share(hide=not held)


def target(choice: Choice) -> tuple[int, bool]:
    """The position whose prediction is followed, and whether it is held there: the pinned one is not."""
    held = TARGET.get()
    if held is None or held >= len(choice.trace):
        return choice.query, False
    return held, True


def predicted(choice: Choice, position: int) -> int:
    """The word that is asked about, else the most probable one."""
    word, logits = writing.WORD.get(), choice.trace.logits_at(position)
    return word if word is not None and word < len(logits) else int(logits.argmax())


def graph(choice: Choice, followed: Flow, least: float) -> Graph:
    """What is drawn of a flow: edges of at least a share, and the tokens that carry as much anywhere."""
    edges, trace = followed.edges, choice.trace
    shown = edges.flow >= least
    where = edges.where[shown].tolist()
    carry = {position for _, _, query, key in where for position in (query, key)} | {followed.position}
    columns = sorted(carry | set((followed.nodes[0] >= least).nonzero()[:, 0].tolist()))
    name, after = choice.lm.tokenizer.name(followed.token), readable(trace.tokens[followed.position])
    view = choice.view

    def at_columns(table) -> list[list[float]]:
        return [[round(value, 5) for value in row] for row in table[:, columns].tolist()]

    return Graph(
        title=words.flow_after_title(readable(name), after, followed.position, least),
        word=name,
        position=followed.position,
        columns=columns,
        tokens=[trace.tokens[i] for i in columns],
        edges=[
            [*place, round(flow, 5), round(adds, 4)]
            for place, flow, adds in zip(where, edges.flow[shown].tolist(), edges.adds[shown].tolist())
        ],
        nodes=at_columns(followed.nodes),
        stays=at_columns(followed.stays),
        mlps=at_columns(followed.mlps),
        mlp_adds=[round(value, 4) for value in followed.mlp_adds.tolist()],
        least=least,
        chosen=None if view.query is None or view.key is None else [*view.head, view.query, view.key],
    )


def _open(position: int) -> None:
    """Show an edge's head and cell in the map; the prediction that is followed stays the same."""
    sent = (st.session_state.get(KEY) or {}).get("opened")
    if not isinstance(sent, list) or len(sent) != 4 or not all(isinstance(value, int) for value in sent):
        return
    layer, head, query, key = sent
    TARGET.keep(position)
    link.remember(replace(link.view(), head=(layer, head), query=query, key=key))
    st.session_state[_OPENED] = True


def _release() -> None:
    TARGET.set(None)
