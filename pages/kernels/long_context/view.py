"""Draws what all parts of the page Long context share: the choice of a text and a head, and the start of a snippet."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.analysis.kernels.long_context import LONGEST
from tlmviz.ui import compute, inputs, link, long_text
from tlmviz.ui.language import _

from .data import Text
from .state import INDEXER, TEXT, WRITTEN, Long


def text(model: str) -> Text:
    """Draw the controls; what they say. An own text's box stands open; while it is empty, the stories are read."""
    first, second, third = st.columns([0.46, 0.3, 0.24], vertical_alignment="center")
    source = Long.source.draw(first)
    own = ""
    if source == long_text.OWN:
        own = inputs.allowed(Long.own.draw())
        if not own:
            st.info(_("Your text is empty: the sample stories are read until there is one."))
    else:
        Long.tokens.draw(second)
    if source == WRITTEN:
        Long.seed.draw(third)
    left, *places, note = st.columns([0.4, 0.12, 0.12, 0.36], vertical_alignment="center")
    Long.view.draw(left)
    chosen = Long.of_session(model=model, own=own)
    with st.spinner(
        _("{model} writes {tokens} tokens of stories …", model=model, tokens=f"{chosen.tokens:,}"), show_time=True
    ):
        found = Text.of(chosen)
    note.caption(_origin(found))
    _cut(found)
    return replace(found, head=_head(found, places), query=link.view().query)


def _head(found: Text, places: list) -> tuple[int, int]:
    """The head's menus. The indexer scores for all heads of a layer together and has a menu of layers of its own."""
    config, model = found.lm.config, found.chosen.model
    if found.chosen.view == TEXT and link.head_is_free():
        far = found.far_heads
        link.suggest_head(*divmod(int(far.argmax()), far.shape[1]))
    elif found.chosen.view != TEXT:
        link.open_on(f"long:{model}", lambda: compute.previous_head(model, inputs.DEFAULT_TEXT))
    if found.chosen.view == INDEXER:
        head = link.view().fitted(config.n_layers, config.n_heads, 1).head
    else:
        head = inputs.head_menus(config.n_layers, config.n_heads, places)
    for name in ("head", "query"):
        link.FIELDS[name].share()
    return head


def _origin(found: Text) -> str:
    """Where the text comes from."""
    chosen = found.chosen
    if chosen.is_own:
        values = {"characters": f"{len(found.text):,}", "limit": f"{long_text.IN_LINK:,}"}
        if len(found.text) <= long_text.IN_LINK:
            return _("{characters} characters, line breaks kept; in the link.", **values)
        return _("{characters} characters, line breaks kept; too long for the link (over {limit}).", **values)
    if chosen.source == WRITTEN:
        return _(
            "{tokens} tokens written by {model}: stories drawn one by one (seed {seed}), joined by blank lines.",
            tokens=f"{chosen.tokens:,}",
            model=chosen.model,
            seed=chosen.seed,
        )
    if chosen.tokens > len(found.ids):
        return _("Sample stories, written beforehand by stories-rope; the model can write more.")
    return _("Sample stories, written beforehand by stories-rope.")


def _cut(found: Text) -> None:
    """A sentence where the text is longer than what this page and this model can read."""
    length, limit = len(found.ids), found.limit
    values = {"model": found.chosen.model, "limit": f"{limit:,}", "length": f"{length:,}"}
    if limit < min(length, LONGEST):
        said = _(
            "{model} has learned vectors for {limit} positions and cannot read beyond them: of {length} tokens the "
            "first {limit} are shown. Models with RoPE can go on.",
            **values,
        )
        st.warning(said)
    elif length > LONGEST:
        said = _("This text has {length} tokens and the page reads {limit}: the first {limit} are shown.", **values)
        st.warning(said)


def reading(length: int) -> str:
    """What is said while the one pass is on its way."""
    return _("One pass over {length} tokens …", length=f"{length:,}")


def snippet_start(found: Text, names: str) -> str:
    """The start of a snippet: imports of `names` from the analysis, model, text, its ids, and the pass over them."""
    chosen, samples = found.chosen, ""
    if chosen.is_own:
        text = long_text.text_line(found.text)
    elif chosen.source == WRITTEN:
        names += ", write_stories"
        text = f"text = write_stories(lm, tokens={chosen.tokens}, seed={chosen.seed})"
    else:
        samples, text = "from tlmviz.analysis.samples import long_sample_text\n", "text = long_sample_text()"
    return f"""\
import tlmviz
from tlmviz.analysis.kernels.long_context import {names}
{samples}
lm = tlmviz.load({chosen.model!r})
{text}
ids = lm.tokenizer.encode(text, bos=True)[:{len(found.passage.ids)}]
trace = long_trace(lm, ids)  # keeps q, k, v and lse of each layer
"""
