"""Draws the explorer's panel Flow: which heads and MLPs carry the predicted word, from which tokens."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tlmviz.analysis.attention.flow import Flow, why_not
from tlmviz.figures import readable
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import EDGE, Explorer, followed_elsewhere

PICTURE = live.Picture(__file__, "flow", "flow.js", edge=EDGE, follows=Explorer.follows)


@frame.fragment
def flow(shown: Data) -> None:
    """The flow to one word's logit as a graph; its edges open their heads in the map."""
    if followed_elsewhere():
        st.rerun()
    if shown.lm.task != "language":
        st.info(_("Flow is followed through a network, and a file of a trace has none."))
        return
    if reason := why_not(shown.lm, len(shown.trace)):
        st.info(reason)
        return
    Explorer.least.draw()
    shown = Data(Explorer.of_session(model=shown.chosen.model, text=shown.chosen.text, view=shown.chosen.view))
    position, held = shown.target
    followed = shown.flow(position, _predicted(shown, position))
    with st.container(key="flow-graph"):
        PICTURE.show(_graph(shown, followed), {})
    if held and position != shown.query:
        st.button(_("Follow the pinned token instead"), key="flow-release", on_click=Explorer.follows.set, args=(None,))
    frame.caption(claims.flow(shown, followed), maths=_(claims.FLOW_MATHS))
    frame.badges([shown.flow_check(position)])


def _predicted(shown: Data, position: int) -> int:
    """The word that is asked about, else the most probable one."""
    word, logits = shown.chosen.word, shown.trace.logits_at(position)
    return word if word is not None and word < len(logits) else int(logits.argmax())


def _graph(shown: Data, followed: Flow) -> dict[str, Any]:
    """What is drawn: edges [layer, head, query, key, flow, adds] of at least a share, largest first, and the tokens
    that carry as much anywhere.

    `stays` and `mlps` [L][columns], `mlp_adds` [L] and `nodes` [L + 1][columns] are shares of the prediction like flow;
    `adds` are logits.
    """
    edges, trace, least = followed.edges, shown.trace, shown.chosen.least
    drawn = edges.flow >= least
    where = edges.where[drawn].tolist()
    carry = {position for _layer, _head, query, key in where for position in (query, key)} | {followed.position}
    columns = sorted(carry | set((followed.nodes[0] >= least).nonzero()[:, 0].tolist()))
    name, after = shown.lm.tokenizer.name(followed.token), readable(trace.tokens[followed.position])

    def at_columns(table) -> list[list[float]]:
        return [[round(value, 5) for value in row] for row in table[:, columns].tolist()]

    title = _(
        "Flow to “{token}” after “{after}” ({position}): edges of {least} and more",
        token=readable(name),
        after=after,
        position=followed.position,
        least=f"{least:.1%}",
    )
    flows = zip(where, edges.flow[drawn].tolist(), edges.adds[drawn].tolist())
    return {
        "title": title,
        "word": name,
        "position": followed.position,
        "columns": columns,
        "tokens": [trace.tokens[i] for i in columns],
        "edges": [[*place, round(flow, 5), round(adds, 4)] for place, flow, adds in flows],
        "nodes": at_columns(followed.nodes),
        "stays": at_columns(followed.stays),
        "mlps": at_columns(followed.mlps),
        "mlp_adds": [round(value, 4) for value in followed.mlp_adds.tolist()],
        "least": least,
    }
