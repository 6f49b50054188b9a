"""Draws the part Two MLAs: what goes in and what latents are made of it, twice, and a table of how they differ."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.beyond.latents import before_and_after
from tlmviz.ui import compute, frame, inputs
from tlmviz.ui.language import _

from .data import ARRAY, DEEPSEEK, PICTURE, Data
from .state import Text

EQUATIONS = (
    (
        r"\mathbf{Z} \in \mathbb{R}^{M \times C}, \qquad \mathrm{softmax}\left(\mathbf{Z}\mathbf{W}_q"
        r" (\mathbf{X}\mathbf{W}_k)^\top / \sqrt{d}\right) \in \mathbb{R}^{M \times N}",
        "A latent array: LLM notes, section 3.5; Jaegle et al. 2021.",
    ),
    (
        r"\mathbf{c}_{KV} = \mathbf{X}\mathbf{W}_{\downarrow} \in \mathbb{R}^{T \times R}, \qquad "
        r"\mathrm{softmax}\left(\mathbf{Q} (\mathbf{c}_{KV} \mathbf{W}_{\uparrow K})^\top / \sqrt{d}\right) \in "
        r"\mathbb{R}^{T \times T}",
        "DeepSeek's MLA: Transformer with PyTorch, section 3.2; Decoder-Only Transformers in Einstein Notation, "
        "section 6.2; DeepSeek-AI 2024.",
    ),
)


def controls() -> Text | None:
    """The text; None where there is none to read."""
    text = inputs.text_box(compute.model(DEEPSEEK))
    return None if text is None else Text(text=text)


def picture(data: Data) -> None:
    """Rows before and after, of both."""
    found = data.tensors
    left, right = st.columns(2)
    (inputs, width), (tokens, wide) = found.pixels.shape, found.hidden.shape
    with left:
        title = _(
            "Latent array: {inputs} rows of {width} → {latents} rows of {width}",
            inputs=inputs,
            width=width,
            latents=len(found.array),
        )
        names = _("input rows"), _("latents")
        figure = before_and_after(found.pixels, found.array, names, frame.theme(), title=title)
        alt = _("Numbers of the pixels' rows, and of the few rows of the latent array beside them")
        frame.chart(figure, key="latarray", alt=alt)
    with right:
        title = _(
            "DeepSeek's MLA: {tokens} rows of {width} → {tokens} rows of {kept}",
            tokens=tokens,
            width=wide,
            kept=found.kept.shape[1],
        )
        names = _("token rows"), _("kept rows")
        figure = before_and_after(found.hidden, found.kept, names, frame.theme(), title=title)
        alt = _("Numbers of the tokens' rows, and of the narrower rows that DeepSeek's MLA keeps beside them")
        frame.chart(figure, key="latkept", alt=alt)


def table(data: Data) -> None:
    """Both side by side, with the shapes of what was just computed."""
    found = data.tensors
    inputs, width = found.pixels.shape
    latents, (tokens, kept) = len(found.array), found.kept.shape
    of_row = _(
        "[{tokens}, {kept}] ({own} of c_KV, {rope} of k^R)",
        tokens=tokens,
        kept=kept,
        own=kept - found.rope,
        rope=found.rope,
    )
    cache = _("cache: {plain} → {kept} numbers per token and layer", plain=found.plain, kept=kept)
    rows = (
        (_("model here"), ARRAY, DEEPSEEK),
        (_("what is latent"), _("the rows: learned, tied to no input"), _("the numbers of a row: one row per token")),
        (_("latents"), f"[{latents}, {width}]", of_row),
        (_("a head's map"), f"[{latents}, {inputs}], [{latents}, {latents}]", f"[{tokens}, {tokens}]"),
        (_("queries come from"), _("the latents"), _("the tokens")),
        (_("order, mask"), _("none: every latent sees every pixel"), _("causal: a token sees those before it")),
        (_("what becomes smaller"), _("scores: N² → N·M + M²"), cache),
        (_("grows with the input"), _("only the reading, N·M"), _("the map, T², and the cache, T rows")),
    )
    lines = [_("| | latent array (Perceiver) | MLA (DeepSeek) |"), "| --- | --- | --- |"]
    st.markdown("\n".join([*lines, *(f"| **{name}** | {left} | {right} |" for name, left, right in rows)]))


def equations(data: Data) -> None:
    """Of both."""
    for each in EQUATIONS:
        frame.equation(*each)


def snippet(data: Data) -> str:
    """The shapes with the public API."""
    return f"""\
import tlmviz
from tlmviz import digits

grid = digits.held_out().images[{PICTURE}:{PICTURE + 9}].reshape(3, 3, 8, 8)  # nine digits
found = tlmviz.load({ARRAY!r}).classify(grid)
print(found.maps.shape, found.mixing.shape)  # [layers, M, N], [layers, heads, M, M]
trace = tlmviz.load({DEEPSEEK!r}).trace({data.chosen.text!r})
print(trace["blocks.0.attn.latent"].shape)  # [1, 1, T, R + D_R]: all that a cache keeps of a layer
print(trace.attention(0, 0).shape)  # [T, T]
"""
