"""The examples of the page Patch: links to what stands out, and pairs of texts to start from."""

from __future__ import annotations

import streamlit as st

from tlmviz.checkpoints.folders import added_models
from tlmviz.ui import fetching, gallery
from tlmviz.ui.gallery import Card
from tlmviz.ui.language import _

from .state import BOY, CLEAN, CORRUPTED, GIRL, TEXTS, Patch, use

REAL = "smollm2-135m"
# Name -> clean text, corrupted text, and, where they are not what these make the model expect, answer and wrong answer.
STORIES = {
    "A red ball": (CLEAN, CORRUPTED),
    "A girl or a boy": (GIRL, BOY),
    "So he": ("The boy was sad, so", "The girl was sad, so"),
    "A toy car": ("Tom had a toy car. One day, Tom lost his toy", "Tom had a toy boat. One day, Tom lost his toy"),
}
REALS = {
    "Indirect object": (
        "When Mary and John went to the store, John gave a drink to",
        "When Mary and John went to the store, Mary gave a drink to",
        "Mary",
        "John",
    ),
    "Induction": (
        "Dr. Quill met Mr. Banks. Then Dr. Quill called Mr.",
        "Dr. Quill met Mr. Stone. Then Dr. Quill called Mr.",
        "Banks",
        "Stone",
    ),
    "Capital of a country": ("The capital of France is", "The capital of Italy is", "Paris", "Rome"),
    "Subject and verb": ("The keys to the cabinet", "The key to the cabinet", "are", "is"),
}


def linked(preset: tuple[str, ...], **others: object) -> dict[str, str]:
    """The link of a preset: what differs from the page's defaults."""
    return {box.key: text for box, text in zip(TEXTS, preset) if text != box.default} | Patch.link(**others)


CARDS = (
    Card(
        "One head copies the ball",
        "“ball” stood after “red” before. L5H0 alone, taken from the clean run, brings 54% of it back.",
        {},
        "A grid of layers by heads with one bright cell in the last layer",
    ),
    Card(
        "Where the answer travels",
        "The stream at “girl” holds it all up to layer 1; then L1H3 copies a part to the comma, the last token.",
        linked(STORIES["A girl or a boy"], kind="resid"),
        "A bright column at one token, and a pale one at the last token from layer 2 on",
    ),
    Card(
        "Same look, other word",
        "L5H0's values bring back 53%, its pattern −1%: it looks at the same place in both runs.",
        Patch.link(kind="v"),
        "A grid of layers by heads with one bright cell",
    ),
    Card(
        "Two heads together",
        "Chain two patches: L5H0 and L5H3 bring back 36% and 37% of “she” alone, 75% together.",
        linked(STORIES["A girl or a boy"], chain=(("z", 5, 0), ("z", 5, 3))),
        "A grid with two bright cells in the last layer, both marked by a dot",
    ),
)


def _use(preset: tuple[str, ...], model: str) -> None:
    use(preset)
    if model:
        fetching.switch_to(model)


def _presets() -> None:
    there = REAL in added_models()
    missing = _("Texts for {model}, which is not here yet: `tlmviz get {model}` fetches it (93 MB).")
    for title, presets, model in (
        (_("Texts for the story models"), STORIES, ""),
        ((_("Texts for {model}") if there else missing).format(model=REAL), REALS, REAL),
    ):
        st.caption(title)
        with st.container(horizontal=True, gap="small"):
            for name, preset in presets.items():
                disabled = bool(model) and not there
                st.button(
                    name, key=f"patch-{name}", help=preset[0], on_click=_use, args=(preset, model), disabled=disabled
                )


def examples() -> None:
    """Cards, and pairs of texts."""
    gallery.menu(__file__, CARDS, _presets)
