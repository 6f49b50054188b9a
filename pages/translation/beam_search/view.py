"""What the page "Beam search" shows of a search: its tree, the node that was clicked, its ranking, and its data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path, Tree
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures import token_label
from tlmviz.figures.translation import beam_curves
from tlmviz.figures.translation import beam_tree as pictures
from tlmviz.tokens import Tokenizer
from tlmviz.ui import frame

from . import component as beam_ranking
from . import compute as beam_state

BEHIND = 46  # letters of the text so far in a node's words
PER_STEP = 72  # pixels in a whole tree
DRAWN = 40  # texts on the curves
RANKED = 20  # finished texts whose rank the tree shows


@dataclass(frozen=True)
class Shown:
    """A search and how it is looked at. `align` is the attention map that counts, `floor` part of the penalties."""

    search: Search
    tokenizer: Tokenizer
    penalties: Penalties
    source: bool
    origin: str  # changes with whatever the browser's sliders should forget about
    whole: bool = False  # the tree in full length

    def name(self, token: int) -> str:
        """A token as the tree writes it."""
        return beam_state.shown_name(self.tokenizer, token)

    def text(self, one: Candidate) -> str:
        """A hypothesis as a sentence."""
        return self.tokenizer.decode(one.tokens).strip()

    def ranked(self) -> list[Candidate]:
        """All texts, best first."""
        return self.search.hypotheses(self.penalties)


def tree(shown: Shown, paths: tuple[Path, ...], title: str, key: str) -> None:
    """The tree with the winner's and other lines on it, and under it what was clicked."""
    ranked = shown.ranked()
    best = ranked[0]
    merged = beam_tree.tree(shown.search, shown.name, (Path("winner", best.tokens, best.logps), *paths))
    ends = {one.node: f"#{rank}" for rank, one in enumerate(ranked[:RANKED], start=1)}
    kept = {i for one in ranked for i in beam_tree.way_to(merged.nodes, one.node)}
    last = max((level.depth for level in merged.levels), default=0)
    reach = merged.reach()
    faded = {
        i
        for i, node in enumerate(merged.nodes)
        if node.state == "kept" and i not in kept and reach[i] < last and i
    }
    words = [pictures.level_words(level, shown.tokenizer.vocab_size) for level in merged.levels]
    deepest = max(node.depth for node in merged.nodes)
    words += [f"<b>Step {depth}</b>: the search is over" for depth in range(last + 1, deepest + 1)]
    figure = pictures.tree(
        merged.nodes,
        merged.names,
        hover(merged, ranked),
        frame.theme(),
        title=title,
        words=words,
        ranks=ends,
        ways=merged.ways,
        faded=faded,
        window=deepest if shown.whole else pictures.WINDOW,
    )
    if shown.whole:
        st.html(
            f"<style>.st-key-wide-tree > div {{ min-width: {PER_STEP * max(14, deepest)}px !important; }}</style>"
        )
    with st.container(key="wide-tree"):
        frame.chart(
            figure,
            key=key,
            alt="The tree of the search, step by step; click a node to force another token there",
            select="points",
            on_select=lambda: _clicked(key),
        )
    _force(shown, merged, key)


def hover(merged: Tree, ranked: list[Candidate]) -> list[str]:
    """What each node says when pointed at: its numbers, its fate, and what was dropped behind it."""
    children, fates = merged.children(), merged.fates()
    # No scores here: the browser draws the tree anew only when weights have changed the order.
    ends = {one.node: f", rank {rank} in the end" for rank, one in enumerate(ranked, start=1)}
    texts = [""] * len(merged.nodes)
    said = []
    for number, (node, fate) in enumerate(zip(merged.nodes, fates)):
        name = token_label(merged.names[number], 24)
        texts[number] = texts[node.parent] + merged.names[number] if number else ""
        numbers = f" #{node.token}: p {np.exp(node.logp):.4f}, log P {node.total:.4f}" if number else ""
        lines = [f"<b>{name}</b>{numbers}", fate + ends.get(number, "")]
        if node.state != "pruned":
            if number:
                lines.insert(1, f"…{token_label(texts[number][-BEHIND:], BEHIND)}")
            dropped = [i for i in children.get(number, []) if merged.nodes[i].state == "pruned"]
            if dropped:
                lines.append(
                    "dropped at the next step: "
                    + ", ".join(
                        f"{token_label(merged.names[i], 12)} {np.exp(merged.nodes[i].logp):.3f}"
                        for i in dropped[: beam_tree.DROPPED]
                    )
                )
        said.append("<br>".join(lines).replace(" -", " −"))
    return said


def ranking(shown: Shown) -> None:
    """Bars that are re-ranked in the browser, and under them both length penalties."""
    ranked = shown.ranked()
    texts = [shown.text(one) for one in ranked]
    rows = beam_ranking.rows(ranked, texts, shown.search.align, shown.penalties.floor)
    beam_ranking.ranking(
        rows,
        shown.penalties,
        source=shown.source,
        origin=shown.origin,
        key="beamranking",
        on_change=beam_state.keep_weights,
    )


def texts(shown: Shown, samples: tuple[Path, ...]) -> None:
    """The winner and each sampled text, with their numbers."""
    best = shown.ranked()[0]
    every = [Path("Beam search", best.tokens, best.logps), *samples]
    decode = shown.tokenizer.decode
    table = pd.DataFrame(
        [
            (one.name, one.total, one.total / len(one.tokens), len(one.tokens), decode(one.tokens))
            for one in every
        ],
        columns=["text by", "log P", "log P per token", "tokens", "continuation"],
    )
    st.dataframe(
        table.round(3),
        hide_index=True,
        column_config={"continuation": st.column_config.TextColumn(width="large")},
    )


def curves(shown: Shown) -> None:
    """Both length penalties with the texts on them, and who wins at which alpha."""
    ranked = shown.ranked()[:DRAWN]
    texts = [shown.text(one) for one in ranked]
    counts = np.array([len(one.tokens) for one in ranked], np.float32)
    logps = np.array([one.parts.logp for one in ranked], np.float32)
    rest = np.array([one.parts.coverage + one.parts.end for one in ranked], np.float32)
    penalties, theme = shown.penalties, frame.theme()
    left, right = st.columns(2)
    with left:
        figure = beam_curves.length_penalties(counts, logps, texts, penalties.alpha, penalties.length, theme)
        frame.chart(
            figure,
            key="lengthpenalties",
            alt="Two length penalties against the length, with the texts found on them",
        )
    with right:
        figure = beam_curves.crossings(counts, logps, rest, texts, penalties.alpha, penalties.length, theme)
        frame.chart(figure, key="crossings", alt="The score of each text against alpha")
    means = np.exp(logps / counts)
    best = int(means.argmax())
    st.caption(
        f"α = 1 with |Y|^α ranks by the geometric mean probability per token (Eq. 33): {means[best]:.4f}, the highest, is that "
        f"of “{_plain(texts[best])}”; the winner's is {means[0]:.4f} = exp(−{-logps[0]:.3f} / {counts[0]:.0f})."
    )


def data(shown: Shown, file: str) -> None:
    """All nodes as a table to look at and to take away."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "All nodes (CSV)",
            lambda: nodes(shown).to_csv().encode(),
            f"tlmviz-{file}.csv",
            "text/csv",
            on_click="ignore",
        )
        opened = st.toggle("Show them as a table", key="btab", bind="query-params")
    if opened:
        st.dataframe(nodes(shown).round(4), height=320)


def nodes(shown: Shown) -> pd.DataFrame:
    """One line a node, scored under the penalties in force; `fate` says why it lived or died."""
    search = replace(shown.search, penalties=shown.penalties)
    table = search.table(shown.name)
    table.insert(table.columns.get_loc("total"), "p", np.exp(table["logp"]))
    fates = beam_tree.tree(search, shown.name).fates()[1:]
    return table.assign(fate=fates).drop(columns="why")


# --- the clicked node -------------------------------------------------------------------------------


def _clicked(key: str) -> None:
    points = ((st.session_state.get(key) or {}).get("selection") or {}).get("points")
    if points and points[0].get("customdata") is not None:
        number = points[0]["customdata"]
        st.session_state["_beam_node"] = int(number[0] if isinstance(number, (list, tuple)) else number)


def _force(shown: Shown, merged: Tree, key: str) -> None:
    """Another token in place of the clicked one."""
    clicked = st.session_state.get("_beam_node")
    if clicked is None or not 0 < clicked < len(merged.nodes):
        st.caption(
            "Click a node to force another token there. Drag sideways to pan; zoom with the tools at the upper right."
        )
        return
    parent = merged.nodes[clicked].parent
    way = [merged.nodes[i].token for i in beam_tree.way_to(merged.nodes, parent)[1:]]
    options = {}
    for child in merged.children()[parent]:
        node = merged.nodes[child]
        name = merged.names[child].strip() or "␣"
        options.setdefault(node.token, f"{name} · #{node.token} · p {np.exp(node.logp):.4f} · {node.state}")
    left, middle, right = st.columns([0.42, 0.4, 0.18], vertical_alignment="center")
    before = shown.tokenizer.decode(way).strip() or "⟨start⟩"
    left.markdown(f"After **{_plain(before[-60:])}**, at step {merged.nodes[clicked].depth}, write")
    tokens, labels = list(options), list(options.values())
    label = middle.selectbox(
        "Token",
        labels,
        tokens.index(merged.nodes[clicked].token),
        key=f"_force-{key}-{clicked}-{parent}",
        label_visibility="collapsed",
    )
    chosen = tokens[labels.index(label)]
    lead = "" if shown.source else " "
    right.button(
        "Search on from here",
        key=f"force-{key}",
        on_click=_search_on,
        args=(shown.tokenizer, [*way, chosen], lead),
        width="stretch",
    )


def _search_on(tokenizer: Tokenizer, ids: list[int], lead: str) -> None:
    st.session_state["bpre"] = beam_state.written(tokenizer, ids, lead)
    st.session_state["_beam_node"] = None


def _plain(text: str) -> str:
    """Text without what Markdown would read."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()#+-.!|~$:<>" else char for char in text)
