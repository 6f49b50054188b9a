"""What the part Two MLAs says about its pictures."""

from __future__ import annotations

from tlmviz.ui.hints import OTHER_TEXT, Hint, first
from tlmviz.ui.language import N_, _

from .data import Data


def fewer_and_narrower(data: Data) -> str | None:
    """What each makes smaller: true of both models for every text."""
    found = data.tensors
    return _(
        "Two things are called latent attention. One turns {inputs} rows into {latents}; the other keeps a row for "
        "each of your {tokens} tokens, of {kept} numbers where there were {plain}.",
        inputs=len(found.pixels),
        latents=len(found.array),
        tokens=len(found.kept),
        kept=found.kept.shape[1],
        plain=found.plain,
    )


CLAIMS = (fewer_and_narrower,)
HINTS = (
    Hint(
        N_("Type a longer text: on the right there are more rows, on the left never."),
        first(text=lambda data: f"{data.chosen.text} {OTHER_TEXT}"),
        lambda before, after: (
            len(after.tensors.hidden) > len(before.tensors.hidden)
            and len(after.tensors.array) == len(before.tensors.array)
        ),
    ),
)
NOTICE = (
    N_(
        "A latent array has **fewer rows**: however long the input is, M rows come out. DeepSeek's multi-head latent "
        "attention has **narrower rows**: each token keeps a shorter one."
    ),
    N_(
        "So the latent array of these models writes no text token by token: its rows belong to no token. Perceiver AR "
        "(2022) gives each of the last tokens a latent under a causal mask, and does. DeepSeek's MLA changes nothing "
        "about who sees whom; it saves memory in the cache."
    ),
)
MATHS = (
    N_(
        "The lecture notes (LLM notes, section 3.5) give the name Multihead Latent Attention to the latent array of "
        "Perceiver. The name is DeepSeek-V2's, for keys and values made of c_KV; Perceiver's authors speak of a latent "
        "array."
    ),
)
