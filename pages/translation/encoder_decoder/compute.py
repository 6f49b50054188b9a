"""What the page "Encoder & decoder" keeps: the translation that is read, its maps and losses, and copies without the mask."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
import torch

from tlmviz.analysis.translation import masks
from tlmviz.checks import Check, measure, translation_cases, translation_masks
from tlmviz.checks.translation import mask_hides_the_future
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Search
from tlmviz.errors import BadText
from tlmviz.recording import recording
from tlmviz.translator import Translator
from tlmviz.ui import translation as translation_state
from tlmviz.ui.compute import alone

START, END = "⟨start⟩", "⟨end⟩"
MASKED, REMOVED, LEARNED = "Causal mask", "Removed", "Trained without"
NAMES = {
    MASKED: "with the mask",
    REMOVED: "mask removed, same weights",
    LEARNED: "trained on without the mask",
}


@dataclass(frozen=True)
class Read:
    """A sentence with the translation that the decoder is given, as ids with the end token."""

    name: str
    text: str
    translation: tuple[int, ...]

    @property
    def mt(self) -> Translator:
        """The model that reads."""
        return translation_state.model(self.name)

    @property
    def source(self) -> list[str]:
        """Names of the source tokens [S]."""
        return self.mt.names(self.mt.encode(self.text))

    @property
    def wanted(self) -> list[str]:
        """Names of the tokens that must be predicted [T]."""
        end = self.mt.tokenizer.end_of_text
        return [END if i == end else self.mt.tokenizer.name(i) for i in self.translation]

    @property
    def given(self) -> list[str]:
        """Names of the tokens that the decoder reads [T]: the wanted ones, one later."""
        return [START, *self.wanted[:-1]]


def transformers() -> list[str]:
    """The bundled translation models that are Transformers."""
    return [
        name
        for name in translation_state.models()
        if translation_state.model(name).config.kind == "encoder-decoder"
    ]


def translation_box(name: str, text: str, place) -> Read:
    """The translation to read: what is typed, or the model's own. Raises BadText where it is too long."""
    mt = translation_state.model(name)
    own = own_translation(name, text)
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
        return Read(name, text, own)
    if len(ids) >= mt.config.context:
        raise BadText(
            f"This translation has {len(ids):,} tokens, and the decoder reads at most {mt.config.context}, the end included; "
            "shorten it."
        )
    return Read(name, text, (*ids, mt.tokenizer.end_of_text))


def own_search(name: str, text: str) -> Search:
    """The model's own search for a translation, shared with the other pages."""
    return translation_state.search(name, text, translation_state.same_search(BeamOptions()))


def own_translation(name: str, text: str) -> tuple[int, ...]:
    """Ids of the model's best translation, its end token included."""
    return own_search(name, text).hypotheses()[0].tokens


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
def maps(read: Read, kind: str) -> masks.Maps:
    """All maps and losses of one pass."""
    return alone(read.text, lambda: masks.read(copy_of(read.name, kind), read.text, list(read.translation)))


@st.cache_data(max_entries=32, show_spinner=False)
def written(name: str, text: str, kind: str) -> str:
    """What a copy writes when it translates, with nothing ahead to peek at."""
    if kind == MASKED:
        return translation_state.model(name).text(own_translation(name, text))
    return alone(text, lambda: copy_of(name, kind).translate(text).text)


@st.cache_data(max_entries=32, show_spinner=False)
def shapes(read: Read) -> dict[str, tuple[int, ...]]:
    """Sizes of the memory, and of one decoder layer's cross q, k, v and output, in a pass over this sentence."""
    names = {"memory": "memory", **{part: f"decoder.0.cross.{part}" for part in ("q", "k", "v", "out")}}
    given = [read.mt.tokenizer.end_of_text, *read.translation[:-1]]

    @torch.inference_mode()
    def work() -> dict[str, tuple[int, ...]]:
        with recording(lambda name: name in names.values()) as record:
            read.mt.network(torch.tensor([read.mt.encode(read.text)]), torch.tensor([given]))
        return {part: tuple(record.values[name].shape[1:]) for part, name in names.items()}

    return alone(read.text, work)


@st.cache_resource(max_entries=32, show_spinner=False)
def checks(read: Read) -> list[Check]:
    """The identities behind this page, on this sentence and translation."""
    search = own_search(read.name, read.text)
    own = translation_cases.Translation(read.text, search, search.hypotheses()[0])

    def work() -> list[Check]:
        given = translation_cases.attentions(read.mt, read.text, read.translation)
        return [*measure(translation_masks, read.mt, given), mask_hides_the_future(read.mt, own)]

    return alone(read.text, work)
