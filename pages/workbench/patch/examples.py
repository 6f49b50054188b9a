"""The examples of the page Patch: links to what stands out, and pairs of texts to start from."""

from __future__ import annotations

import streamlit as st

from tlmviz.checkpoints.folders import added_models
from tlmviz.ui import fetching, gallery
from tlmviz.ui.gallery import Card

from . import controls

REAL = "smollm2-135m"
GIRL = "Once upon a time there was a little girl. One day,"
# Name -> clean text, corrupted text, answer, wrong answer.
STORIES = {
    "A red ball": tuple(controls.TEXTS.values()),
    "A girl or a boy": (GIRL, GIRL.replace("girl", "boy"), "she", "he"),
    "So he": ("The boy was sad, so", "The girl was sad, so", "he", "she"),
    "A toy car": (
        "Tom had a toy car. One day, Tom lost his toy",
        "Tom had a toy boat. One day, Tom lost his toy",
        "car",
        "boat",
    ),
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


def linked(preset: tuple[str, ...], **others: str) -> dict[str, str]:
    """The link of a preset: what differs from the page's defaults."""
    pairs = zip(controls.TEXTS.items(), preset)
    return {key: text for (key, start), text in pairs if text != start} | others


CARDS = (
    Card(
        "One head copies the ball",
        "“ball” stood behind “red” before. Head 5.0 alone, taken from the clean run, brings 58% of it back.",
        {},
        "A grid of layers by heads with one bright cell in the last layer",
    ),
    Card(
        "Where the answer travels",
        "The stream at “girl” holds it all up to layer 1; then head 1.3 copies a part to the comma, the last token.",
        linked(STORIES["A girl or a boy"], ptkind="Residual"),
        "A bright column at one token, and a pale one at the last token from layer 2 on",
    ),
    Card(
        "Same look, other word",
        "Head 5.0's values bring back 57%, its pattern nothing: it looks at the same place in both runs.",
        {"ptkind": "v"},
        "A grid of layers by heads with one bright cell",
    ),
    Card(
        "Two heads together",
        "Chain two patches: heads 5.0 and 5.3 bring back 36% and 37% of “she” alone, 75% together.",
        linked(STORIES["A girl or a boy"], ptchain="z.5.0,z.5.3"),
        "A grid with two bright cells in the last layer, both marked by a dot",
    ),
)


def _use(preset: tuple[str, ...], model: str) -> None:
    controls.use(dict(zip(controls.TEXTS, preset)))
    if model:
        fetching.switch_to(model)


def _presets() -> None:
    st.caption("Texts for the story models")
    with st.container(horizontal=True, gap="small"):
        for name, preset in STORIES.items():
            st.button(name, key=f"patch-{name}", help=preset[0], on_click=_use, args=(preset, ""))
    there = REAL in added_models()
    st.caption(
        f"Texts for {REAL}"
        + ("" if there else f", which is not here yet: `tlmviz get {REAL}` fetches it (93 MB).")
    )
    with st.container(horizontal=True, gap="small"):
        for name, preset in REALS.items():
            st.button(
                name,
                key=f"patch-{name}",
                help=preset[0],
                on_click=_use,
                args=(preset, REAL),
                disabled=not there,
            )


def examples() -> None:
    """Cards, and pairs of texts."""
    gallery.menu(__file__, CARDS, _presets)
