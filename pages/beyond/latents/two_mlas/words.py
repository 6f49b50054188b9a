"""The words of the part "Two MLAs"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compute import Both

ARRAY_NAMES, KEPT_NAMES = ("input rows", "latents"), ("token rows", "kept rows")
NOTICE = (
    "Both are called “latent attention”, and they save different things. A latent array has **fewer rows**: however long the "
    "input is, M rows come out. DeepSeek's multi-head latent attention has **narrower rows**: each token keeps a shorter one.",
    "So a latent array can not write a text token by token: its rows belong to no token. DeepSeek's MLA can, as nothing about "
    "who sees whom has changed; it saves memory in the cache.",
)
NOTICE_MATHS = (
    "The lecture notes (LLM notes, section 3.5) give the name Multihead Latent Attention to the latent array of Perceiver. "
    "The name is DeepSeek-V2's, for keys and values made of c_KV; Perceiver's authors speak of a latent array.",
)
EQUATIONS = (
    (
        r"\mathbf{Z} \in \mathbb{R}^{M \times C}, \qquad \mathrm{softmax}\left(\mathbf{Z}\mathbf{W}_q"
        r" (\mathbf{X}\mathbf{W}_k)^\top / \sqrt{d}\right) \in \mathbb{R}^{M \times N}",
        "A latent array: LLM notes, section 3.5; Jaegle et al. 2021.",
    ),
    (
        r"\mathbf{c}_{KV} = \mathbf{X}\mathbf{W}_{\downarrow} \in \mathbb{R}^{T \times R}, \qquad \mathrm{softmax}\left("
        r"\mathbf{Q} (\mathbf{c}_{KV} \mathbf{W}_{\uparrow K})^\top / \sqrt{d}\right) \in \mathbb{R}^{T \times T}",
        "DeepSeek's MLA: Transformer with PyTorch, section 3.2; Decoder-Only Transformers in Einstein Notation, section 6.2; "
        "DeepSeek-AI 2024.",
    ),
)
LATARRAY_ALT = "Numbers of the pixels' rows, and of the few rows of the latent array beside them"
LATKEPT_ALT = "Numbers of the tokens' rows, and of the narrower rows that DeepSeek's MLA keeps beside them"


def array_title(both: Both) -> str:
    """What is left of the pixels."""
    (inputs, width), latents = both.pixels.shape, len(both.array)
    return f"Latent array: {inputs} rows of {width} → {latents} rows of {both.array.shape[1]}"


def kept_title(both: Both) -> str:
    """What is left of each token."""
    tokens, width = both.hidden.shape
    return f"DeepSeek's MLA: {tokens} rows of {width} → {tokens} rows of {both.kept.shape[1]}"


def table(both: Both) -> str:
    """Both side by side, with the shapes of what was just computed."""
    inputs, width = both.pixels.shape
    latents, (tokens, kept) = len(both.array), both.kept.shape
    rows = (
        ("model here", "digits-perceiver", "zoo-mla"),
        ("what is latent", "the rows: learned, tied to no input", "the numbers of a row: one row per token"),
        ("latents", f"[{latents}, {width}]", f"[{tokens}, {kept}] ({kept - both.rope} of c_KV, {both.rope} of k^R)"),
        ("a head's map", f"[{latents}, {inputs}], then [{latents}, {latents}]", f"[{tokens}, {tokens}]"),
        ("queries come from", "the latents", "the tokens"),
        ("order, mask", "none: every latent sees every pixel", "causal: a token sees those before it"),
        ("what becomes smaller", "scores: N² → N·M + M²", f"cache: {both.plain} → {kept} numbers per token and layer"),
        ("grows with the input", "only the reading, N·M", "the map, T², and the cache, T rows"),
    )  # fmt: skip
    lines = ["| | latent array (Perceiver) | MLA (DeepSeek) |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| **{name}** | {left} | {right} |" for name, left, right in rows)])


def snippet(text: str) -> str:
    """The shapes with the public API."""
    return f"""\
import tlmviz
from tlmviz import digits

found = tlmviz.load("digits-perceiver").classify(digits.held_out().images[3])
print(found.maps.shape, found.mixing.shape)  # [layers, M, N], [layers, heads, M, M]
trace = tlmviz.load("zoo-mla").trace({text!r})
print(trace["blocks.0.attn.latent"].shape)  # [1, 1, T, R + D_R]: all that a cache keeps of a layer
print(trace.attention(0, 0).shape)  # [T, T]
"""
