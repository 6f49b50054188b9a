"""Draws the tree of a search on the page Beam search, and under it another token for the node that was clicked."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Tree
from tlmviz.decoding.records import Candidate
from tlmviz.figures import number, token_label
from tlmviz.figures.translation import beam_tree as figures
from tlmviz.tokens import Tokenizer
from tlmviz.ui import frame, markdown
from tlmviz.ui.language import _

from .claims import title
from .data import Data
from .state import Beam
from .typed_tokens import as_typed

CLICKED = "_beam_node"  # session: the node that was clicked
BEHIND = 46  # letters of the text so far in a node's words
PER_STEP, STEPS, WIDTH = (72, 14, 900)  # pixels of a step in a whole tree, steps that it has at least, pixels of a tree
RANKED = 20  # finished texts whose rank the tree shows


def tree(data: Data) -> None:
    """The tree with the winner's and other lines on it, and under it what was clicked."""
    merged, ranked, whole = data.tree, data.ranked, data.chosen.whole
    deepest = max(node.depth for node in merged.nodes)
    figure = figures.tree(
        merged.nodes,
        merged.names,
        hover(merged, ranked),
        frame.theme(),
        title=title(data),
        words=_steps(merged, data.tokenizer.vocab_size),
        ranks={candidate.node: f"#{rank}" for rank, candidate in enumerate(ranked[:RANKED], start=1)},
        ways=merged.ways,
        faded=_faded(merged, ranked),
        window=deepest if whole else figures.WINDOW,
    )
    key = "beamtree" if data.chosen.has_source else "storytree"
    with frame.wide("wide-tree", PER_STEP * max(STEPS, deepest) if whole else WIDTH):
        frame.chart(
            figure,
            key=key,
            select="points",
            on_select=lambda: _remember_click(key),
            alt=_("The tree of the search, step by step; click a node to force another token there"),
        )
    _other_token(data, merged, key)


def _steps(merged: Tree, vocabulary: int) -> list[str]:
    """A sentence for each step; other texts may go on when the search is over."""
    last = max((level.depth for level in merged.levels), default=0)
    deepest = max(node.depth for node in merged.nodes)
    over = [_("<b>Step {step}</b>: the search is over", step=depth) for depth in range(last + 1, deepest + 1)]
    return [figures.level_words(level, vocabulary) for level in merged.levels] + over


def _faded(merged: Tree, ranked: list[Candidate]) -> set[int]:
    """Nodes that were kept although nothing of them lived to the end."""
    alive = {i for candidate in ranked for i in beam_tree.way_to(merged.nodes, candidate.node)}
    last, reach = max((level.depth for level in merged.levels), default=0), merged.reach()
    kept = {i for i, node in enumerate(merged.nodes) if node.state == "kept" and i}
    return {i for i in kept - alive if reach[i] < last}


def hover(merged: Tree, ranked: list[Candidate]) -> list[str]:
    """The hover text of each node: its numbers, its fate, and what was dropped behind it."""
    # No scores here: the browser draws the tree anew only when weights have changed the order.
    ranks = {candidate.node: rank for rank, candidate in enumerate(ranked, start=1)}
    children, texts, labels = merged.children(), [""] * len(merged.nodes), []
    for at, (node, fate) in enumerate(zip(merged.nodes, merged.fates())):
        texts[at] = texts[node.parent] + merged.names[at] if at else ""
        numbers = f" #{node.token}: p {np.exp(node.logp):.4f}, log P {number(node.total, '.4f')}" if at else ""
        lines = [f"<b>{token_label(merged.names[at], 24)}</b>{numbers}"]
        if node.state != "pruned" and at:
            lines.append(f"…{token_label(texts[at][-BEHIND:], BEHIND)}")
        lines.append(_("{fate}, rank {rank} in the end", fate=fate, rank=ranks[at]) if at in ranks else fate)
        dropped = [i for i in children.get(at, []) if merged.nodes[i].state == "pruned"][: beam_tree.DROPPED]
        if node.state != "pruned" and dropped:
            tokens = (f"{token_label(merged.names[i], 12)} {np.exp(merged.nodes[i].logp):.3f}" for i in dropped)
            lines.append(_("dropped at the next step: {tokens}", tokens=", ".join(tokens)))
        labels.append("<br>".join(lines))
    return labels


def _remember_click(key: str) -> None:
    if node := frame.clicked(key):
        st.session_state[CLICKED] = node[0]


def _other_token(data: Data, merged: Tree, key: str) -> None:
    """A menu of what else could stand in place of the clicked node, and a button that searches on from there."""
    clicked = st.session_state.get(CLICKED)
    if clicked is None or not 0 < clicked < len(merged.nodes):
        return
    node = merged.nodes[clicked]
    prefix = [merged.nodes[i].token for i in beam_tree.way_to(merged.nodes, node.parent)[1:]]
    options: dict[int, str] = {}
    for child in merged.children()[node.parent]:
        other, name = merged.nodes[child], merged.names[child].strip() or "␣"
        options.setdefault(other.token, f"{name} · #{other.token} · p {np.exp(other.logp):.4f} · {other.state}")
    left, middle, right = st.columns([0.42, 0.4, 0.18], vertical_alignment="center")
    before = markdown.plain((data.tokenizer.decode(prefix).strip() or "⟨start⟩")[-60:])
    left.markdown(_("After **{before}**, at step {step}, write", before=before, step=node.depth))
    tokens, labels = list(options), list(options.values())
    label = middle.selectbox(
        _("Token"),
        labels,
        tokens.index(node.token),
        key=f"_force-{key}-{clicked}-{node.parent}",
        label_visibility="collapsed",
    )
    right.button(
        _("Search on from here"),
        key=f"force-{key}",
        on_click=_search_on,
        width="stretch",
        args=(data.tokenizer, [*prefix, tokens[labels.index(label)]], data.lead),
    )


def _search_on(tokenizer: Tokenizer, ids: list[int], lead: str) -> None:
    Beam.forced.set(as_typed(tokenizer, ids, lead))
    st.session_state[CLICKED] = None
