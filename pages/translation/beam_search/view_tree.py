"""Draws the tree of a search on the page Beam search, and under it another token for the node that was clicked."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path, Tree
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures import token_label
from tlmviz.figures.translation import beam_tree as figures
from tlmviz.tokens import Tokenizer, output_names
from tlmviz.ui import frame, inputs

from . import words
from .controls import Choice
from .typed_tokens import as_typed

CLICKED = "_beam_node"  # the node that was clicked
BEHIND = 46  # letters of the text so far in a node's words
PER_STEP, STEPS, WIDTH = (
    72,
    14,
    900,
)  # pixels of a step in a whole tree, and of a tree; steps that a whole tree has at least
RANKED = 20  # finished texts whose rank the tree shows


def tree(choice: Choice, search: Search, ranked: list[Candidate], paths: tuple[Path, ...]) -> None:
    """The tree with the winner's and other lines on it, and under it what was clicked."""
    best, key = ranked[0], "beamtree" if choice.has_source else "storytree"
    merged = beam_tree.tree(
        search,
        lambda token: output_names(choice.tokenizer, [token])[0],
        (Path("winner", best.tokens, best.logps, best.node), *paths),
    )
    deepest = max(node.depth for node in merged.nodes)
    figure = figures.tree(
        merged.nodes,
        merged.names,
        hover(merged, ranked),
        frame.theme(),
        title=words.title(choice, search),
        words=_steps(merged, choice.tokenizer.vocab_size),
        ranks={candidate.node: f"#{rank}" for rank, candidate in enumerate(ranked[:RANKED], start=1)},
        ways=merged.ways,
        faded=_faded(merged, ranked),
        window=deepest if choice.rules.whole else figures.WINDOW,
    )
    with frame.wide("wide-tree", PER_STEP * max(STEPS, deepest) if choice.rules.whole else WIDTH):
        frame.chart(
            figure,
            key=key,
            alt=words.TREE_ALT,
            select="points",
            on_select=lambda: _remember_click(key),
        )
    _other_token(choice, merged, key)


def _steps(merged: Tree, vocabulary: int) -> list[str]:
    """A sentence for each step; other texts may go on when the search is over."""
    last = max((level.depth for level in merged.levels), default=0)
    deepest = max(node.depth for node in merged.nodes)
    over = [words.step_over(depth) for depth in range(last + 1, deepest + 1)]
    return [figures.level_words(level, vocabulary) for level in merged.levels] + over


def _faded(merged: Tree, ranked: list[Candidate]) -> set[int]:
    """Nodes that were kept although nothing of them lived to the end."""
    alive = {i for candidate in ranked for i in beam_tree.way_to(merged.nodes, candidate.node)}
    last, reach = max((level.depth for level in merged.levels), default=0), merged.reach()
    return {
        i
        for i, node in enumerate(merged.nodes)
        if node.state == "kept" and i not in alive and reach[i] < last and i
    }


def hover(merged: Tree, ranked: list[Candidate]) -> list[str]:
    """The hover text of each node: its numbers, its fate, and what was dropped behind it."""
    children, fates = merged.children(), merged.fates()
    # No scores here: the browser draws the tree anew only when weights have changed the order.
    ranks = {candidate.node: rank for rank, candidate in enumerate(ranked, start=1)}
    texts = [""] * len(merged.nodes)
    labels = []
    for number, (node, fate) in enumerate(zip(merged.nodes, fates)):
        texts[number] = texts[node.parent] + merged.names[number] if number else ""
        numbers = f" #{node.token}: p {np.exp(node.logp):.4f}, log P {node.total:.4f}" if number else ""
        lines = [
            f"<b>{token_label(merged.names[number], 24)}</b>{numbers}",
            words.fate(fate, ranks.get(number)),
        ]
        if node.state != "pruned":
            if number:
                lines.insert(1, f"…{token_label(texts[number][-BEHIND:], BEHIND)}")
            dropped = [i for i in children.get(number, []) if merged.nodes[i].state == "pruned"]
            if dropped:
                lines.append(
                    words.dropped(
                        [
                            (token_label(merged.names[i], 12), float(np.exp(merged.nodes[i].logp)))
                            for i in dropped[: beam_tree.DROPPED]
                        ]
                    )
                )
        labels.append("<br>".join(lines).replace(" -", " −"))
    return labels


def _remember_click(key: str) -> None:
    points = frame.selection(key).get("points")
    if points and points[0].get("customdata") is not None:
        number = points[0]["customdata"]
        st.session_state[CLICKED] = int(number[0] if isinstance(number, (list, tuple)) else number)


def _other_token(choice: Choice, merged: Tree, key: str) -> None:
    """A menu of what else could stand in place of the clicked node, and a button that searches on from there."""
    clicked = st.session_state.get(CLICKED)
    if clicked is None or not 0 < clicked < len(merged.nodes):
        st.caption(words.HINT)
        return
    node = merged.nodes[clicked]
    prefix = [merged.nodes[i].token for i in beam_tree.way_to(merged.nodes, node.parent)[1:]]
    options = {}
    for child in merged.children()[node.parent]:
        other, name = merged.nodes[child], merged.names[child].strip() or "␣"
        options.setdefault(
            other.token, f"{name} · #{other.token} · p {np.exp(other.logp):.4f} · {other.state}"
        )
    left, middle, right = st.columns([0.42, 0.4, 0.18], vertical_alignment="center")
    before = choice.tokenizer.decode(prefix).strip() or "⟨start⟩"
    left.markdown(words.write_instead(inputs.plain(before[-60:]), node.depth))
    tokens, labels = list(options), list(options.values())
    label = middle.selectbox(
        "Token",
        labels,
        tokens.index(node.token),
        key=f"_force-{key}-{clicked}-{node.parent}",
        label_visibility="collapsed",
    )
    right.button(
        words.SEARCH_ON,
        key=f"force-{key}",
        on_click=_search_on,
        args=(choice.tokenizer, [*prefix, tokens[labels.index(label)]], choice.lead),
        width="stretch",
    )


def _search_on(tokenizer: Tokenizer, ids: list[int], lead: str) -> None:
    st.session_state["bpre"] = as_typed(tokenizer, ids, lead)
    st.session_state[CLICKED] = None
