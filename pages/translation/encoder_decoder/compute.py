"""What the page "Encoder & decoder" keeps: the translation that is read, its maps and losses, and copies without the mask."""

from __future__ import annotations

import streamlit as st
import torch

from tlmviz.analysis.translation import masks
from tlmviz.checks import Check, measure, translation_cases, translation_masks
from tlmviz.checks.translation import mask_hides_the_future
from tlmviz.errors import BadText
from tlmviz.recording import recording
from tlmviz.translator import Translator
from tlmviz.ui import compute
from tlmviz.ui import translation as translation_state

MASKED, REMOVED, LEARNED = "Causal mask", "Removed", "Trained without"
NAMES = {
    MASKED: "with the mask",
    REMOVED: "mask removed, same weights",
    LEARNED: "trained on without the mask",
}


def transformers() -> list[str]:
    """The bundled translation models that are Transformers."""
    return [
        name
        for name in translation_state.models()
        if translation_state.model(name).config.kind == "encoder-decoder"
    ]


def translation_box(name: str, text: str, place) -> translation_state.Read:
    """The translation to read: what is typed, or the model's own. Raises BadText where it is too long."""
    mt = translation_state.model(name)
    own = translation_state.own_translation(name, text)
    typed = place.text_input(
        "French translation",
        key="edfr",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        placeholder=f"{mt.text(own)}   (the model’s own; type another)",
    )
    ids = mt.encode_target(typed or "")
    if not ids:
        return translation_state.Read(name, text, own)
    if len(ids) >= mt.config.context:
        raise BadText(
            f"This translation has {len(ids):,} tokens, and the decoder reads at most {mt.config.context}, the end included; "
            "shorten it."
        )
    return translation_state.Read(name, text, (*ids, mt.tokenizer.end_of_text))


@st.cache_resource(max_entries=4, show_spinner=False)
def copy_of(name: str, kind: str) -> Translator | None:
    """The model itself, or a copy without the mask; None where no copy was trained without it. Raises BadCheckpoint."""
    mt = translation_state.model(name)
    if kind == MASKED:
        return mt
    if kind == REMOVED:
        return masks.unmasked(mt)
    weights = masks.unmasked_weights(name, mt.network)
    return None if weights is None else masks.unmasked(mt, weights)


def kinds(name: str) -> list[str]:
    """What there is of this model: with its mask, without, and trained without if that copy exists."""
    return [kind for kind in NAMES if copy_of(name, kind) is not None]


@st.cache_resource(max_entries=32, show_spinner=False)
def maps(read: translation_state.Read, kind: str) -> masks.Maps:
    """All maps and losses of one pass."""
    return compute.run_in_worker(
        lambda: masks.read(copy_of(read.name, kind), read.text, list(read.translation)),
        compute.about(read.text),
    )


@st.cache_data(max_entries=32, show_spinner=False)
def written(name: str, text: str, kind: str) -> str:
    """What a copy writes when it translates, with nothing ahead to peek at."""
    if kind == MASKED:
        return translation_state.model(name).text(translation_state.own_translation(name, text))
    return compute.run_in_worker(lambda: copy_of(name, kind).translate(text).text, compute.about(text))


@st.cache_data(max_entries=32, show_spinner=False)
def shapes(read: translation_state.Read) -> dict[str, tuple[int, ...]]:
    """Sizes of the memory, and of one decoder layer's cross q, k, v and output, in a pass over this sentence."""
    names = {"memory": "memory", **{part: f"decoder.0.cross.{part}" for part in ("q", "k", "v", "out")}}
    given = [read.mt.tokenizer.end_of_text, *read.translation[:-1]]

    @torch.inference_mode()
    def work() -> dict[str, tuple[int, ...]]:
        with recording(lambda name: name in names.values()) as record:
            read.mt.network(torch.tensor([read.mt.encode(read.text)]), torch.tensor([given]))
        return {part: tuple(record.values[name].shape[1:]) for part, name in names.items()}

    return compute.run_in_worker(work, compute.about(read.text))


@st.cache_resource(max_entries=32, show_spinner=False)
def checks(read: translation_state.Read) -> list[Check]:
    """The identities behind this page, on this sentence and translation."""
    search = translation_state.own_search(read.name, read.text)
    own = translation_cases.Translation(read.text, search, search.hypotheses()[0])

    def work() -> list[Check]:
        given = translation_cases.attentions(read.mt, read.text, read.translation)
        return [*measure(translation_masks, read.mt, given), mask_hides_the_future(read.mt, own)]

    return compute.run_in_worker(work, compute.about(read.text))
